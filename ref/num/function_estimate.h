// SPDX-License-Identifier: Apache-2.0
// First looks at elementary functions, one form for each instruction set.

#ifndef ASSAY_REF_NUM_FUNCTION_ESTIMATE_H
#define ASSAY_REF_NUM_FUNCTION_ESTIMATE_H

#include <stddef.h>

#include "ref/num/function.h"

// `count`, a multiple of 8, values of the function at x[i] (doubles), each within error[i] of the truth; an infinite error says
// that nothing is known. For targets of at most f32, as function_kernel.h explains. The arrays do not overlap.
typedef void (*function_estimate)(enum num_function function, size_t count, const double *x, double *value, double *error);

void function_estimate_portable(enum num_function function, size_t count, const double *x, double *value, double *error);
void function_estimate_avx2(enum num_function function, size_t count, const double *x, double *value, double *error);
void function_estimate_avx512(enum num_function function, size_t count, const double *x, double *value, double *error);

// The form of the instruction set in force.
function_estimate function_estimate_chosen(void);

// The last resort: the function at x, whose zeros, infinities, NaN and domain errors are settled here too.
uint64_t function_exact(enum num_function function, enum dtype to, double x);

#endif
