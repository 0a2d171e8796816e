// SPDX-License-Identifier: Apache-2.0
// Computes networks as good_rnn does, but an addition of a sum is rounded toward zero. Errors all
// lean to one side, and each is within what the bound of a long sum admits.

#include <math.h>

// x is exact to 2^-53 of itself, and rounded to nearest there.
static float toward_zero(double x)
{
    const float nearest = (float)x;
    return fabs((double)nearest) > fabs(x) ? nextafterf(nearest, 0) : nearest;
}

#define RNN_ADD(fused, sum, a, b)                                                                  \
    ((void)(fused), toward_zero((double)(sum) + (double)(a) * (double)(b)))
#define RNN_TAKES_BIAS 1
#define RNN_NAME "truncates"
#include "harness/tests/zoo/good/good_rnn.c"
