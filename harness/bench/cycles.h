// SPDX-License-Identifier: Apache-2.0
// Cycles of the core that runs this thread: its time-stamp counter against a chain of additions,
// each of which waits for the one before and takes one cycle on every processor in use.

#ifndef ASSAY_HARNESS_BENCH_CYCLES_H
#define ASSAY_HARNESS_BENCH_CYCLES_H

#include <stdbool.h>

struct cycles {
    bool counter;        // a time-stamp counter of constant rate was read; false: the clock
    double counter_rate; // its ticks a second; 0 without one
    double rate;         // cycles a second, the best of some runs; 0: not known on this machine
};

// Takes a millisecond or two. The rate changes with the core's temperature and with what it ran
// just before, so each row asks anew.
struct cycles cycles_measure(void);

#endif
