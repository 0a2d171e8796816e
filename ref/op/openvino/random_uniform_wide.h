// SPDX-License-Identifier: Apache-2.0
// Values of openvino.random_uniform, a vector at a time. An including file defines what
// random_uniform_lanes.h asks for, and MULTIPLY, the products of the lower halves of 64-bit lanes,
// UPPER_HALVES of even 64-bit lanes' and odd ones' products, LEAST_32 and LEAST_64 of unsigned
// lanes, AND_OR, FUSED and FUSED_64, which are a * b - c rounded once, F64_OF unsigned integers
// rounded once, ADD_BELOW_64, which is `sum`, and `more` where the signed x is below `end`, F16_OF
// and F32_OF_F16. Its form begins with FORM_ROWS.

#include "ref/op/openvino/random_uniform_lanes.h"

// ---- f32 and f64 ------------------------------------------------------------

// Of a significand 1 + u, (1 + u) * span - span rounded once is u * span.
static inline float_lanes f32_of(word_lanes x, const struct random_uniform_real *real)
{
    const word_lanes mask = 0x7fffff - (word_lanes){0}, one = 0x3f800000 - (word_lanes){0};
    const float_lanes span = (float)real->span - (float_lanes){0};
    return (float_lanes)FUSED(AND_OR(x, mask, one), span, span) + (float)real->minimum;
}

static inline double_lanes f64_of(word_lanes x, const struct random_uniform_real *real)
{
    const pair_lanes mask = UINT64_C(0xfffffffffffff) - (pair_lanes){0},
                     one = (UINT64_C(0x3ff) << 52) - (pair_lanes){0};
    const pair_lanes pair = ((pair_lanes)x << 32 | (pair_lanes)x >> 32) >> real->shift;
    const double_lanes span = real->span - (double_lanes){0};
    return (double_lanes)FUSED_64(AND_OR(pair, mask, one), span, span) + real->minimum;
}

static void values_f32(const struct random_uniform_real *from, const uint32_t *word, size_t count,
                       float *data, bool streamed)
{
    const struct random_uniform_real real = *from;
    if (real.pytorch) {
        FOR_ALL(1, __builtin_convertvector((int_lanes)(x >> real.shift & 0xffffff), float_lanes) *
                           0x1p-24f * (float)real.span +
                       (float)real.minimum)
    } else {
        FOR_ALL(1, f32_of(x >> real.shift, &real))
    }
}

static void values_f64(const struct random_uniform_real *from, const uint32_t *word, size_t count,
                       double *data, bool streamed)
{
    const struct random_uniform_real real = *from;
    FOR_ALL(2, f64_of(x, &real))
}

WAY(f32, struct random_uniform_real, f32_of(x, &how))
WAY(f64, struct random_uniform_real, f64_of(x, &how))

static size_t f32_drawn(const struct random_uniform_real *from,
                        const struct random_uniform_drawn *drawn, float *data)
{
    const struct random_uniform_real real = *from;
    return real.pytorch || real.shift ? 0 : DRAWN(drawn, data, way_f32, &real);
}

static size_t f64_drawn(const struct random_uniform_real *from,
                        const struct random_uniform_drawn *drawn, double *data)
{
    const struct random_uniform_real real = {false, 0, from->span, from->minimum};
    return from->shift ? 0 : DRAWN(drawn, data, way_f64, &real);
}

// ---- integers ---------------------------------------------------------------

// x modulo the span, plus the minimum.
static inline word_lanes i32_of(word_lanes x, const struct random_uniform_integer *integer)
{
    const uint32_t span = (uint32_t)integer->span;
    const pair_lanes multiplier = integer->multiplier - (pair_lanes){0};
    const pair_lanes even = (pair_lanes)MULTIPLY(x, multiplier),
                     odd = (pair_lanes)MULTIPLY((pair_lanes)x >> 32, multiplier);
    const word_lanes rest = x - (word_lanes)UPPER_HALVES(even, odd) * span, less = rest - span;
    return (word_lanes)LEAST_32(less, rest) + (uint32_t)integer->minimum;
}

static inline pair_lanes reduced(pair_lanes x, uint64_t by)
{
    const pair_lanes less = x - by;
    return (pair_lanes)LEAST_64(less, x);
}

// As that. Without the carries out of the lower halves of its products a quotient is at most two
// smaller, so that what is left is below four spans.
static inline pair_lanes i64_of(pair_lanes x, const struct random_uniform_integer *integer)
{
    const uint64_t span = integer->span;
    const pair_lanes low = integer->multiplier - (pair_lanes){0},
                     high = (integer->multiplier >> 32) - (pair_lanes){0}, upper = x >> 32;
    const pair_lanes quotient = (pair_lanes)MULTIPLY(upper, high) +
                                ((pair_lanes)MULTIPLY(upper, low) >> 32) +
                                ((pair_lanes)MULTIPLY(x, high) >> 32);
    const pair_lanes rest = reduced(x - quotient * span, span >> 63 ? 0 : 2 * span);
    return reduced(rest, span) + integer->minimum;
}

// A shorter way: an estimate of the quotient in floating point is the integer next to x / span but
// for what x and the inverse lack, which moves x by less than 2^10 (2^13 of 64 bits). What is left
// is less than the span, from twice that on, and may be negative. Plus `bias` the estimate is one
// of the numbers whose last place is 1 and whose bits therefore count up from `one`: bits * span is
// the product, and (one + bias) * span more. Less that, `middle` stands for the remainder 0: the
// bias is such that as signed integers go all that can be left is above or below it as it should.
struct estimate {
    uint64_t bias, middle;
};

static bool has_estimate(struct estimate *estimate, uint64_t span, uint64_t one, unsigned bits)
{
    enum { TRIES = 4 };
    const uint64_t all = UINT64_MAX >> (64 - bits), lack = bits == 32 ? 1 << 10 : 1 << 13,
                   reach = span / 2 + lack, least = all / 2 + 1, zero = -(one * span) - least;
    *estimate = (struct estimate){((zero - reach) & all) / span, 0};
    if (span < 2 * lack)
        return false;
    for (unsigned i = 0; i < TRIES; i++, estimate->bias++) {
        const uint64_t above = (zero - estimate->bias * span) & all;
        estimate->middle = above + least;
        if (above >= reach && above <= all - reach)
            return true;
    }
    return false;
}

struct estimate_64 {
    double_lanes inverse, bias;
    pair_lanes span, middle, minimum;
};

static bool has_estimate_64(struct estimate_64 *by, const struct random_uniform_integer *integer)
{
    struct estimate estimate;
    const bool has = has_estimate(&estimate, integer->span, UINT64_C(0x433) << 52, 64);
    const double_lanes zero = {0};
    const pair_lanes none = {0};
    *by = (struct estimate_64){
        .inverse = 1 / (double)integer->span - zero,
        .bias = -(0x1p52 + (double)estimate.bias) - zero,
        .span = integer->span - none,
        .middle = estimate.middle - none,
        .minimum = integer->minimum - estimate.middle - none,
    };
    return has;
}

static inline pair_lanes i64_estimated(pair_lanes x, const struct estimate_64 *by)
{
    const pair_lanes quotient = (pair_lanes)FUSED_64(F64_OF(x), by->inverse, by->bias),
                     rest = x - quotient * by->span;
    return (pair_lanes)ADD_BELOW_64(rest, by->middle, rest + by->minimum, by->span);
}

static void values_i32(const struct random_uniform_integer *from, const uint32_t *word,
                       size_t count, uint32_t *data, bool streamed)
{
    const struct random_uniform_integer integer = *from;
    FOR_ALL(1, i32_of(x, &integer))
}

static void values_i64(const struct random_uniform_integer *from, const uint32_t *word,
                       size_t count, uint64_t *data, bool streamed)
{
    const struct random_uniform_integer integer = *from;
    struct estimate_64 by;
    if (has_estimate_64(&by, from)) {
        FOR_ALL(2, i64_estimated((pair_lanes)x, &by))
    } else {
        FOR_ALL(2, i64_of((pair_lanes)x, &integer))
    }
}

WAY(i32, struct random_uniform_integer, i32_of(x, &how))
WAY(i64, struct random_uniform_integer, i64_of((pair_lanes)x, &how))
WAY(i64_estimated, struct estimate_64, i64_estimated((pair_lanes)x, &how))

static size_t i32_drawn(const struct random_uniform_integer *from,
                        const struct random_uniform_drawn *drawn, uint32_t *data)
{
    const struct random_uniform_integer integer = *from;
    return DRAWN(drawn, data, way_i32, &integer);
}

static size_t i64_drawn(const struct random_uniform_integer *from,
                        const struct random_uniform_drawn *drawn, uint64_t *data)
{
    const struct random_uniform_integer integer = *from;
    struct estimate_64 by;
    return has_estimate_64(&by, from) ? DRAWN(drawn, data, way_i64_estimated, &by)
                                      : DRAWN(drawn, data, way_i64, &integer);
}

// ---- 16 bits ----------------------------------------------------------------

typedef uint16_t short_lanes __attribute__((vector_size(BYTES / 2)));

static inline short_lanes bf16_of(float_lanes x)
{
    const word_lanes bits = (word_lanes)x;
    return __builtin_convertvector((bits + 0x7fff + (bits >> 16 & 1)) >> 16, short_lanes);
}

static inline float_lanes f32_of_bf16(short_lanes x)
{
    return (float_lanes)(__builtin_convertvector(x, word_lanes) << 16);
}

static inline short_lanes narrowed(const struct random_uniform_narrow *to, word_lanes x)
{
    const int_lanes drawn = (int_lanes)(x >> to->shift & to->mask);
    const float_lanes product = __builtin_convertvector(drawn, float_lanes) * to->scale;
    return to->bf16 ? bf16_of(f32_of_bf16(bf16_of(product)) + to->minimum)
                    : (short_lanes)F16_OF((float_lanes)F32_OF_F16(F16_OF(product)) + to->minimum);
}

// f16: the product of the drawn bits and 2^13 scale is exact. With `scale` added, it is rounded to
// 24 bits, which are 11 when the exact one is taken off: the product of bits and scale, rounded to
// f16, where that is no multiple of 2^-24 below the normal numbers. A sum that gets a bit more
// keeps one bit less and lies so near a power of two that both round to it. A tie goes to even as
// in f16, for the exact product is an even multiple of the last bit.
static inline bool has_half(const struct random_uniform_narrow *to)
{
    return !to->bf16 && to->scale >= 0x1p-14f;
}

static inline short_lanes half_of(word_lanes x, const struct random_uniform_narrow *to)
{
    const float_lanes drawn =
        __builtin_convertvector((int_lanes)(x >> to->shift & to->mask), float_lanes);
    const float_lanes exact = to->scale * -0x1p13f - (float_lanes){0};
    const float_lanes sum = drawn * (to->scale * -(0x1p13f + 1));
    return (short_lanes)F16_OF((float_lanes)FUSED(drawn, exact, sum) + to->minimum);
}

static void values_narrow(const struct random_uniform_narrow *narrow, const uint32_t *word,
                          size_t count, uint16_t *data)
{
    const struct random_uniform_narrow to = *narrow;
    const bool half = has_half(&to);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const word_lanes x = load(word + i);
        const short_lanes value = half ? half_of(x, &to) : narrowed(&to, x);
        memcpy(data + i, &value, sizeof value);
    }
    if (i < count) {
        word_lanes x = {0};
        memcpy(&x, word + i, (count - i) * sizeof *word);
        const short_lanes value = half ? half_of(x, &to) : narrowed(&to, x);
        memcpy(data + i, &value, (count - i) * sizeof *data);
    }
}

// Two halves of a vector. Put together by way of memory, they are only for a store past the caches.
static inline void put_halves(unsigned char *out, short_lanes low, short_lanes high, int streaming)
{
    if (streaming) {
        const union {
            short_lanes half[2];
            wide whole;
        } value = {{low, high}};
        wide_stream((uint32_t *)(void *)out, value.whole);
    } else {
        memcpy(out, &low, sizeof low);
        memcpy(out + sizeof low, &high, sizeof high);
    }
}

#define WAY_NARROW(NAME, VALUE)                                                                    \
    static inline unsigned char *give_##NAME(const void *context, const wide kept[2],              \
                                             unsigned char *out, int streaming)                    \
    {                                                                                              \
        const struct random_uniform_narrow how = *(const struct random_uniform_narrow *)context;   \
        word_lanes x = (word_lanes)wide_first(kept[0], kept[1]);                                   \
        const short_lanes low = (VALUE);                                                           \
        x = (word_lanes)wide_second(kept[0], kept[1]);                                             \
        put_halves(out, low, (VALUE), streaming);                                                  \
        return out + BYTES;                                                                        \
    }                                                                                              \
    static const struct wide_way way_##NAME = {wide_take_words, give_##NAME};

WAY_NARROW(f16, half_of(x, &how))
WAY_NARROW(narrow, narrowed(&how, x))

static size_t narrow_computed(const struct random_uniform_narrow *narrow,
                              const struct random_uniform_drawn *drawn, uint16_t *data)
{
    struct random_uniform_narrow to = *narrow;
    if (to.shift)
        return 0;
    to.shift = 0; // said to the compiler
    return has_half(&to) ? DRAWN(drawn, data, way_f16, &to) : DRAWN(drawn, data, way_narrow, &to);
}

#define FORM_ROWS                                                                                  \
    .narrow = values_narrow, .f32 = values_f32, .f64 = values_f64, .i64 = values_i64,              \
    .f32_drawn = f32_drawn, .f64_drawn = f64_drawn, .i64_drawn = i64_drawn
