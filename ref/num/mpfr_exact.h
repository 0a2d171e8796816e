// SPDX-License-Identifier: Apache-2.0
// From MPFR's numbers to the one that num_pack rounds, and what MPFR keeps for a thread.

#ifndef ASSAY_REF_NUM_MPFR_EXACT_H
#define ASSAY_REF_NUM_MPFR_EXACT_H

#include <mpfr.h>

#include "ref/num/exact.h"

// `x`, finite, of at least 64 bits, to which something that was cut off (toward zero, below its
// last bit) is added when `cut` says so. What lies beyond 2^4000 or below 2^-4000 is brought there:
// every dtype rounds it alike.
struct num_exact num_exact_of_mpfr(mpfr_srcptr x, bool cut);

// MPFR keeps constants and blocks for each thread that it has worked on, until it is told that the
// thread ends. After this call, before a function is evaluated, it is told.
void num_mpfr_on_this_thread(void);

#endif
