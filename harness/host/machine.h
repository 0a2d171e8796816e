// SPDX-License-Identifier: Apache-2.0
// The machine that a program runs on, in words.

#ifndef ASSAY_HARNESS_HOST_MACHINE_H
#define ASSAY_HARNESS_HOST_MACHINE_H

#include "harness/host/processor.h"

// Where a target was run, as far as verdicts may depend on it.
struct machine {
    char architecture[65], instructions[16]; // instructions: those that assay itself uses
    char class[PROCESSOR_CLASS_SIZE];
    char processor[128]; // as the kernel names it, empty where it does not
    char system[160];    // kernel and C library
    unsigned threads;
};

// This one.
struct machine machine_here(void);

#endif
