// SPDX-License-Identifier: Apache-2.0
// Activation functions: the first look against the last resort, ranges against values, and that the
// claimed error is an error. Values come from elsewhere in ref/op/tests/onnx_rnn_nodes_test.py.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ref/num/function/activation.h"
#include "ref/num/tests/oracle.h"

static const float parameters[][2] = {{0.5F, 0.25F}, {-1.75F, 0.3F}, {1, 1}, {0, -2}, {1e-30F, 3}};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

// Any f32 but a NaN, most of them where functions bend; and some ends.
static float argument(uint64_t *seed, unsigned n)
{
    static const float ends[] = {
        0,        -0.0F,  1,      -1,      0x1p-149F,       -0x1p-149F,
        88.8F,    -88.8F, 104,    -104,    -104.5F,         17,
        0x1p-25F, 1e30F,  -1e30F, 3.4e38F, (float)INFINITY, -(float)INFINITY};
    uint64_t bits = oracle_random(seed);
    if (n < sizeof ends / sizeof *ends)
        return ends[n];
    if (n % 4)
        bits = (bits & 0x807fffff) | (uint64_t)(127 - 20 + n % 27) << 23;
    const float x = float_from_bits((uint32_t)bits);
    return isnan(x) ? 1 : x;
}

static float value(const struct num_activation *f, float x, struct num_path *path)
{
    float y;
    num_activation_array(f, &x, &y, 1, path);
    return y;
}

// The first argument where the first look, moved by `share` of its error, and the last resort
// differ; NaN: none.
static float difference(enum num_activation_kind kind, double share, unsigned count)
{
    uint64_t seed = 7 + (uint64_t)kind;
    for (unsigned p = 0; p < PARAMETERS; p++)
        for (unsigned n = 0; n < count; n++) {
            const struct num_activation f = {kind, parameters[p][0], parameters[p][1]};
            struct num_path exact = {.exact = true}, fast = {.perturbation = {share}};
            const float x = argument(&seed, n), last = value(&f, x, &exact);
            if (float_bits(value(&f, x, &fast)) != float_bits(last) && !isnan(last))
                return x;
        }
    return (float)NAN;
}

static void the_first_look_is_right(void **state)
{
    (void)state;
    for (enum num_activation_kind kind = 0; kind < NUM_ACTIVATION_COUNT; kind++)
        for (int share = -1; share <= 1; share++) {
            const float x = difference(kind, share * 0.5, 1500);
            if (!isnan(x))
                fail_msg("function %d at %a", (int)kind, (double)x);
        }
}

static void its_error_is_an_error(void **state)
{
    (void)state;
    static const enum num_activation_kind composed[] = {NUM_ACTIVATION_SCALED_TANH,
                                                        NUM_ACTIVATION_ELU, NUM_ACTIVATION_SOFTSIGN,
                                                        NUM_ACTIVATION_SOFTPLUS};
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++)
        if (isnan(difference(composed[i], 0x1p24, 1500)))
            fail_msg("function %d: 2^24 errors change nothing", (int)composed[i]);
}

static void a_range_holds_the_values_in_it(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (enum num_activation_kind kind = 0; kind < NUM_ACTIVATION_COUNT; kind++)
        for (unsigned n = 0; n < 4000; n++) {
            const struct num_activation f = {kind, parameters[n % PARAMETERS][0],
                                             parameters[n % PARAMETERS][1]};
            const float a = argument(&seed, n % 40 ? n : n / 40), b = argument(&seed, n);
            const float x = n % 3 == 0   ? a
                            : n % 3 == 1 ? b
                                         : fmaxf(fminf(a, b), fminf(fmaxf(a, b), a / 2 + b / 2));
            const struct interval given = {fmin((double)a, (double)b), fmax((double)a, (double)b)},
                                  range =
                                      interval_round(DTYPE_F32, num_activation_range(&f, given));
            const double y = (double)value(&f, x, NULL);
            if (isfinite(a) && isfinite(b) && !(y >= range.lower && y <= range.upper))
                fail_msg("function %d of %a in [%a, %a] is %a, not in [%a, %a]", (int)kind,
                         (double)x, given.lower, given.upper, y, range.lower, range.upper);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_look_is_right),
        cmocka_unit_test(its_error_is_an_error),
        cmocka_unit_test(a_range_holds_the_values_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
