// SPDX-License-Identifier: Apache-2.0
// Conversions of whole arrays: the portable form, and the choice of a faster one.

#include "ref/num/convert.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/exact.h"

// f32 to an 8-bit float: normal numbers by one integer addition (just below half a unit, and one
// more when the last kept bit is 1), those below by adding a number whose last place is the
// format's spacing.
static void narrow_to_f8(enum dtype to, uint8_t *out, const float *in, size_t count)
{
    const struct num_format *const f = num_format_of(to);
    const int dropped = 24 - f->precision;
    const uint32_t least_normal = (uint32_t)(127 + f->exponent_min) << 23, half = UINT32_C(1)
                                                                                  << (dropped - 1);
    const uint32_t spacing = (uint32_t)(127 + f->exponent_min - f->precision + 1 + 23) << 23;
    const uint32_t rebias = (uint32_t)(126 + f->exponent_min) << (f->precision - 1),
                   top = 0x7f800000;
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = float_bits(in[i]), magnitude = bits & 0x7fffffff;
        uint32_t code;
        if (magnitude > top)
            code = (uint32_t)f->nan;
        else if (magnitude < least_normal)
            code = (bits >> 31 << 7) |
                   (float_bits(float_from_bits(magnitude) + float_from_bits(spacing)) - spacing);
        else {
            code = ((magnitude + (half - 1) + (magnitude >> dropped & 1)) >> dropped) - rebias;
            const bool infinite = code > f->largest;
            code = infinite && f->infinity == f->nan
                       ? (uint32_t)f->nan
                       : (bits >> 31 << 7) | (infinite ? (uint32_t)f->infinity : code);
        }
        out[i] = (uint8_t)code;
    }
}

static void copy_f32(float *out, const float *in, size_t count)
{
    const float nan = float_from_bits((uint32_t)num_format_of(DTYPE_F32)->nan);
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] == in[i] ? in[i] : nan;
}

static double nan_f64(void)
{
    return double_from_bits(num_format_of(DTYPE_F64)->nan);
}

static void copy_f64(double *out, const double *in, size_t count)
{
    const double nan = nan_f64();
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] == in[i] ? in[i] : nan;
}

static void widen_to_f64(double *out, const float *in, size_t count)
{
    const double nan = nan_f64();
    for (size_t i = 0; i < count; i++)
        out[i] = in[i] == in[i] ? (double)in[i] : nan;
}

static void narrow_to_f32(float *out, const double *in, size_t count)
{
    const float nan = float_from_bits((uint32_t)num_format_of(DTYPE_F32)->nan);
    for (size_t i = 0; i < count; i++) {
        const float rounded = (float)in[i];
        out[i] = in[i] == in[i] ? rounded : nan;
    }
}

// Everything but a 64-bit integer goes exactly through f64.
static uint64_t convert_one(enum dtype to, enum dtype from, uint64_t bits)
{
    if (num_format_of(to) && (num_format_of(from) || dtype_size(from) < sizeof(uint64_t)))
        return num_from_double(to, num_to_double(from, bits));
    return num_convert(to, from, bits, NUM_NEAREST_EVEN, NUM_IEEE);
}

static void copy_all(enum dtype dtype, void *out, const void *in, size_t count)
{
    const size_t size = dtype_size(dtype);
    const uint64_t nan = num_format_of(dtype) ? num_format_of(dtype)->nan : 0;
    if (out != in)
        memcpy(out, in, count * size);
    for (size_t i = 0; nan && i < count; i++)
        if (num_is_nan(dtype, element_load(in, size, i)))
            element_store(out, size, i, nan);
}

static void convert_one_by_one(enum dtype to, void *out, enum dtype from, const void *in,
                               size_t count)
{
    const size_t to_size = dtype_size(to), from_size = dtype_size(from);
    for (size_t i = 0; i < count; i++)
        element_store(out, to_size, i, convert_one(to, from, element_load(in, from_size, i)));
}

static bool is_f8(enum dtype dtype)
{
    return dtype == DTYPE_F8E4M3 || dtype == DTYPE_F8E5M2;
}

// How many of the first ones a vector form has converted.
static size_t convert_by_vectors(enum dtype to, void *out, enum dtype from, const void *in,
                                 size_t count)
{
    size_t done = 0;
#if defined(__x86_64__)
    const enum isa isa = isa_chosen();
    if (isa == ISA_AVX512 && from == DTYPE_F32 && to == DTYPE_BF16)
        done = convert_bf16_avx512(out, in, count);
    else if (isa == ISA_AVX512 && from == DTYPE_F32 && is_f8(to))
        done = convert_f8_avx512(to, out, in, count);
    if (done < count && (isa == ISA_AVX2 || isa == ISA_AVX512))
        done += convert_array_avx2(to, (char *)out + done * dtype_size(to), from,
                                   (const char *)in + done * dtype_size(from), count - done);
#else
    (void)to;
    (void)out;
    (void)from;
    (void)in;
    (void)count;
#endif
    return done;
}

void num_convert_array(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    assert(out != in || dtype_size(to) == dtype_size(from));
    const size_t done = convert_by_vectors(to, out, from, in, count);
    if (done == count)
        return;
    if (from == DTYPE_F32 && is_f8(to)) {
        narrow_to_f8(to, (uint8_t *)out + done, (const float *)in + done, count - done);
        return;
    }
    if (from == DTYPE_F32 && to == DTYPE_F32) {
        copy_f32(out, in, count);
        return;
    }
    if (from == DTYPE_F64 && to == DTYPE_F32) {
        narrow_to_f32(out, in, count);
        return;
    }
    if (from == DTYPE_F64 && to == DTYPE_F64) {
        copy_f64(out, in, count);
        return;
    }
    if (from == DTYPE_F32 && to == DTYPE_F64) {
        widen_to_f64(out, in, count);
        return;
    }
    if (from == to && dtype_kind(to) != DTYPE_KIND_BOOL) {
        copy_all(to, out, in, count);
        return;
    }
    convert_one_by_one(to, (char *)out + done * dtype_size(to), from,
                       (const char *)in + done * dtype_size(from), count - done);
}

struct convert_f8 convert_f8_of(enum dtype to)
{
    const struct num_format *const f = num_format_of(to);
    const int p = f->precision, shift = 24 - p;
    const bool none = f->infinity == f->nan;
    const double last =
        none ? num_to_double(to, f->largest) + ldexp(1, f->exponent_max - p) : (double)INFINITY;
    return (struct convert_f8){
        .scale = ldexpf(1 - 0x1p-24F, -126 - f->exponent_min),
        .unit = (int16_t)(1 << (31 - shift)),
        .field = (2 << shift) - 1,
        .tie = (1 << shift | 1 << (shift - 1)) - 1,
        .cut = (1 << p) - 1,
        .most = (int8_t)(none ? f->largest : f->infinity),
        .infinity = (int8_t)f->infinity,
        .nan = (int8_t)f->nan,
        .last = (int32_t)float_bits((float)last),
    };
}
