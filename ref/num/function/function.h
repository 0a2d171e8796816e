// SPDX-License-Identifier: Apache-2.0
// Elementary functions, correctly rounded: the exact value of the function at the stored operand,
// rounded once to nearest even.
//
// First look: double precision with a proven error and a rounding test (ref/PROOFS.md,
// "Functions"); for f64 results of the commoner functions the sum of two doubles ("Functions in
// f64"). The rest comes from MPFR with growing precision.

#ifndef ASSAY_REF_NUM_FUNCTION_FUNCTION_H
#define ASSAY_REF_NUM_FUNCTION_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/num/function/function_kind.h"
#include "ref/num/path.h"

// The function of `bits`, a number of `from`, rounded to `to`: both f16, bf16, f32 or f64. Domain
// errors and NaN give NaN; signed zeros and infinities as in IEEE 754, clause 9.2 (logistic(-inf)
// is +0, tanh(-0) is -0).
uint64_t num_function_round(enum num_function function, enum dtype to, enum dtype from,
                            uint64_t bits, struct num_path *path);

// The same for `count` dense elements. The arrays may be one and the same when both dtypes have one
// size, and must not overlap otherwise.
void num_function_array(enum num_function function, enum dtype to, void *out, enum dtype from,
                        const void *in, size_t count, struct num_path *path);

#endif
