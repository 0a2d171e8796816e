// SPDX-License-Identifier: Apache-2.0
// The processor's floating-point mode.

#include "ref/num/environment.h"

#include <float.h>

bool num_environment_is_standard(void)
{
    // `volatile`: the compiler must not compute these itself.
    volatile double one = 1, half_ulp = 0x1p-53, least_normal = DBL_MIN, subnormal = 0x1p-1074,
                    half = 0.5;
    volatile float one_f = 1, half_ulp_f = 0x1p-24f, least_normal_f = FLT_MIN, half_f = 0.5f;
    const bool nearest = one + half_ulp == 1 && one + half_ulp * 1.5 > 1 && -one - half_ulp == -1 &&
                         -one - half_ulp * 1.5 < -1;
    const bool nearest_f =
        one_f + half_ulp_f == 1 && one_f + half_ulp_f * 1.5f > 1 && -one_f - half_ulp_f * 1.5f < -1;
    const bool results_kept = least_normal * half != 0 && least_normal_f * half_f != 0;
    const bool operands_kept = subnormal * 0x1p1000 != 0;
    return nearest && nearest_f && results_kept && operands_kept;
}

enum error num_environment_enter(struct num_environment *environment, struct diagnostic *diagnostic)
{
    if (fegetenv(&environment->before) == 0 && fesetenv(FE_DFL_ENV) == 0 &&
        num_environment_is_standard())
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INTERNAL,
                           "the processor refuses to round to nearest with subnormals");
}

void num_environment_leave(const struct num_environment *environment)
{
    fesetenv(&environment->before);
}
