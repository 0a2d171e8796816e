// SPDX-License-Identifier: Apache-2.0
// Each value is computed in f64 from correctly rounded functions. With e = 2^-53 (f64) and
// d = 2^-24 (f32), what may lie between it and what a library computes is:
//
// length: log within 1 ulp is within 2 e (2 d) of itself, its square root within half of that, and
//   the root and the product round once each: 3 e (3 d) of the value. The f64 computation here errs
//   by less than 5 e of the value: log and root and sine and product, and half of the first.
// angle: sine and cosine err as their library says, times r.
// - cuRAND, f32, on a device: __sincosf, PTX's sin.approx and cos.approx: 2^-20.5 within
//   [-2 pi, 2 pi] (PTX ISA, Floating-Point Instructions: sin, cos). The largest angle is the f32
//   next to 2 pi; 2^-21.41 and 2^-21.19 of the CUDA C++ Programming Guide (__sinf, __cosf) end at
//   pi. On a host 1 ulp of f32, which is less. The angle is rounded in one step or in two: the
//   distance between them.
// - cuRAND, f64: sincospi within 2 ulp of values up to 1, 2 e; on a host the sine of v pi, the
//   product of v and an f64 that is 1.11 e off pi, rounded: at most v (3.2 + 1.11) e off, and 2 e.
// - PyTorch in f64: 1 ulp, 2 e of the value, at an f64 angle that is given.
// - PyTorch in f32, `rounded`: the C library's functions, within 1 ulp: 3 d for the length as
//   above, 2 d for the sine.
// - PyTorch in f32, `product`: its own vector functions, of which no error is stated. torch 2.15
//   was asked for each of the 2^24 lengths at angle 0, and for each of the 2^24 angles at a
//   length whose root is 1 (AVX2 and AVX-512, one result): a root is at most 1.64 d off, a sine
//   or cosine at most 1.97 d, but for one, the cosine of 3/4 of a turn: 7.24 d of 1.2e-8. With
//   the product's d that is at most 4.61 d of the value, and 9.88 d of that one: within 5 d of
//   it and 2^-48 of the length.

#include "ref/op/words/box_muller.h"

#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/function/function.h"
#include "ref/num/small_float.h"

static const double E = 0x1p-53, D = 0x1p-24;
static const double PI = 0x1.921fb54442d18p+1, PI_REST = 0x1.1a62633145c07p-53;

static double function(enum num_function name, double x)
{
    return double_from_bits(num_function_round(name, DTYPE_F64, DTYPE_F64, double_bits(x), NULL));
}

static struct normal_pair make_pair(double length, double sine, double cosine, double relative,
                                    double absolute)
{
    const double x = length * sine, y = length * cosine;
    return (struct normal_pair){
        .sine = {x, fabs(x) * relative + length * absolute},
        .cosine = {y, fabs(y) * relative + length * absolute},
    };
}

static double length_of(double u)
{
    return sqrt(-2 * function(NUM_LOG, u));
}

// ---- cuRAND -----------------------------------------------------------------

static struct normal_pair curand_f32(const uint32_t word[2])
{
    const float turn = 0x1.921fb6p+1F * 2 * 0x1p-32F; // 2 pi 2^-32 in f32
    const float x = (float)word[0], y = (float)word[1];
    const float u = x * 0x1p-32F + 0x1p-33F, product = y * turn;
    const float v = product + turn / 2;
    const float fused = float_from_bits(
        (uint32_t)num_fma(DTYPE_F32, float_bits(y), float_bits(turn), float_bits(turn / 2)));
    return make_pair(length_of((double)u), function(NUM_SIN, (double)v),
                     function(NUM_COS, (double)v), 3 * D + 5 * E,
                     0x1.6a09e667f3bcdp-21 + fabs((double)v - (double)fused));
}

// The sine of pi (quarter / 2 + rest), |rest| <= 1/4: pi rest as the sum of two doubles.
static void sine_of_turns(double rest, int quarter, double *sine, double *cosine)
{
    const double angle = PI * rest, left = fma(PI, rest, -angle) + PI_REST * rest;
    const double s = function(NUM_SIN, angle), c = function(NUM_COS, angle);
    const double value[2] = {s + left * c, c - left * s};
    *sine = (quarter & 2 ? -1 : 1) * value[quarter & 1];
    *cosine = ((quarter + 1) & 2 ? -1 : 1) * value[!(quarter & 1)];
}

static double mixed(const uint32_t word[2])
{
    return (double)(word[0] ^ (uint64_t)word[1] << 21);
}

static struct normal_pair curand_f64(const uint32_t word[4])
{
    const double u = mixed(word) * 0x1p-53 + 0x1p-54, v = mixed(word + 2) * 0x1p-52 + 0x1p-53;
    const int quarter = (int)(2 * v + 0.5);
    double sine, cosine;
    sine_of_turns(v - 0.5 * quarter, quarter, &sine, &cosine);
    return make_pair(length_of(u), sine, cosine, 8 * E, (4.31 * v + 4) * E);
}

struct normal_pair box_muller_curand(enum dtype dtype, const uint32_t *word)
{
    return dtype == DTYPE_F64 ? curand_f64(word) : curand_f32(word);
}

// ---- PyTorch on a CPU -------------------------------------------------------

struct normal_pair box_muller_torch_double(double angle, double length)
{
    const double theta = 2 * PI * angle;
    return make_pair(sqrt(-2 * function(NUM_LOG1P, -length)), function(NUM_SIN, theta),
                     function(NUM_COS, theta), 10 * E, 0);
}

struct normal_pair box_muller_torch_block(enum dtype dtype, bool narrow, double length,
                                          double angle)
{
    double theta = 2 * PI * angle, relative = 10 * E, absolute = 0;
    if (dtype != DTYPE_F64) {
        theta = narrow ? (double)((float)(2 * PI) * (float)angle) : (double)(float)theta;
        relative = 5 * D + 5 * E;
        absolute = narrow ? 0x1p-48 : 0;
    }
    return make_pair(length_of(1 - length), function(NUM_SIN, theta), function(NUM_COS, theta),
                     relative, absolute);
}

// ---- elements ---------------------------------------------------------------

static uint64_t rounded(enum dtype dtype, double value)
{
    if (dtype == DTYPE_F64)
        return double_bits(value);
    const uint64_t single = num_from_double(DTYPE_F32, value);
    return dtype == DTYPE_F32 ? single
                              : num_convert(dtype, DTYPE_F32, single, NUM_NEAREST_EVEN, NUM_IEEE);
}

void normal_store(enum dtype dtype, struct normal normal, size_t index, void *data, void *lower,
                  void *upper)
{
    const double low = normal.value - normal.radius, high = normal.value + normal.radius;
    const size_t size = dtype_size(dtype);
    if (data) {
        element_store(data, size, index, rounded(dtype, normal.value));
        return;
    }
    // Of a zero both signs may come.
    element_store(lower, size, index, rounded(dtype, low == 0 ? -0.0 : low));
    element_store(upper, size, index, rounded(dtype, high == 0 ? 0.0 : high));
}

void normal_fill(const struct request *request, const struct inference *inference,
                 const struct slice *slice, normal_at at, void *data, void *lower, void *upper)
{
    for (uint64_t i = 0; i < slice->count; i++)
        normal_store(inference->output[0].dtype, at(request, inference, slice->first + i), i, data,
                     lower, upper);
}
