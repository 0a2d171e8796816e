// SPDX-License-Identifier: Apache-2.0
// GMP and MPFR cannot be told that there is no memory: they abort. A program may leave in its own
// way instead.

#ifndef ASSAY_REF_NUM_MEMORY_H
#define ASSAY_REF_NUM_MEMORY_H

// `leave` is called, on whatever thread, where GMP or MPFR finds no memory. It must not return.
// Call it before any other thread runs.
void num_on_no_memory(void (*leave)(void));

#endif
