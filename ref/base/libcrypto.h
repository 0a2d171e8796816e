// SPDX-License-Identifier: Apache-2.0
// OpenSSL cannot be relied on where memory runs out: OpenSSL 3.0 goes on with null pointers, or
// reports that a file holds no key where it does. So OpenSSL gets an allocator of ours, and on a
// failure the program ends in its own way.

#ifndef ASSAY_REF_BASE_LIBCRYPTO_H
#define ASSAY_REF_BASE_LIBCRYPTO_H

// Where an allocation of OpenSSL's fails, calls `leave`, which must not return. Takes effect before
// OpenSSL's first allocation only, so a program calls this first of all.
void libcrypto_on_no_memory(void (*leave)(void));

#endif
