// SPDX-License-Identifier: Apache-2.0
// The exact sum.

#include "ref/num/accumulator.h"

#include <math.h>
#include <string.h>

#include "ref/base/bytes.h"

__extension__ typedef unsigned __int128 uint128;

enum { PRODUCT_WORDS = 4, ADDITIONS_MAX = 1 << 30 };

void num_accumulator_clear(struct num_accumulator *sum)
{
    memset(sum, 0, sizeof *sum);
    sum->first = ACCUMULATOR_WORDS;
    sum->last = -1;
    sum->only_negative_zeros = true;
}

// Leaves every word in [0, 2^32) but the last one, which has the sign.
static void spread_carries(struct num_accumulator *sum)
{
    int64_t carry = 0;
    int i = sum->first;
    for (; i <= sum->last && i < ACCUMULATOR_WORDS - 1; i++) {
        const int64_t word = sum->word[i] + carry;
        sum->word[i] = word & 0xffffffff;
        carry = (word - sum->word[i]) / (INT64_C(1) << 32);
    }
    if (carry != 0) {
        sum->word[i] += carry;
        sum->last = i;
    }
    sum->additions = 0;
}

static void add_word(struct num_accumulator *sum, bool negative, uint64_t word, int exponent)
{
    const unsigned position = (unsigned)(exponent - ACCUMULATOR_LOWEST);
    const int at = (int)(position / 32);
    const uint128 shifted = (uint128)word << (position % 32);
    const int64_t sign = negative ? -1 : 1;
    sum->word[at] += sign * (int64_t)(uint32_t)shifted;
    sum->word[at + 1] += sign * (int64_t)(uint32_t)(shifted >> 32);
    sum->word[at + 2] += sign * (int64_t)(uint32_t)(shifted >> 64);
    sum->first = at < sum->first ? at : sum->first;
    sum->last = at + 2 > sum->last ? at + 2 : sum->last;
    if (++sum->additions == ADDITIONS_MAX)
        spread_carries(sum);
}

// A finite double as significand * 2^exponent; trailing zeros of what was a float are dropped, so
// that two make one word.
static uint64_t significand_of(double value, int *exponent)
{
    const uint64_t bits = double_bits(value);
    const int field = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    uint64_t significand = field ? fraction | UINT64_C(1) << 52 : fraction;
    *exponent += (field ? field : 1) - 1075;
    if ((significand & 0x1fffffff) == 0) {
        significand >>= 29;
        *exponent += 29;
    }
    return significand;
}

// Notes zeros and what is not finite; whether there is a number to add.
static bool note_term(struct num_accumulator *sum, bool negative, bool nan, bool infinite,
                      bool zero)
{
    sum->any = true;
    sum->only_negative_zeros = sum->only_negative_zeros && zero && negative;
    if (nan || (infinite && zero))
        sum->not_a_number = true;
    else if (infinite)
        *(negative ? &sum->negative_infinity : &sum->positive_infinity) = true;
    return !nan && !infinite && !zero;
}

void num_accumulator_add_product(struct num_accumulator *sum, bool negative, unsigned count,
                                 const double *factor)
{
    bool nan = false, infinite = false, zero = false;
    for (unsigned i = 0; i < count; i++) {
        nan = nan || isnan(factor[i]);
        infinite = infinite || isinf(factor[i]);
        zero = zero || factor[i] == 0;
        negative ^= signbit(factor[i]) != 0;
    }
    if (!note_term(sum, negative, nan, infinite, zero))
        return;
    uint64_t product[PRODUCT_WORDS] = {1};
    int exponent = 0;
    unsigned words = 1;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t significand = significand_of(factor[i], &exponent);
        uint64_t carry = 0;
        for (unsigned w = 0; w < words; w++) {
            const uint128 p = (uint128)product[w] * significand + carry;
            product[w] = (uint64_t)p;
            carry = (uint64_t)(p >> 64);
        }
        if (carry != 0 && words < PRODUCT_WORDS)
            product[words++] = carry;
    }
    for (unsigned w = 0; w < words; w++)
        add_word(sum, negative, product[w], exponent + 64 * (int)w);
}

// Products of two floats have exponents from -298 to 255. Significands of one exponent are added up
// as integers first (Neal 2015, arXiv:1505.05571): below 2^53 each, so that 1,000 of them fit.
enum { BIN_LOWEST = 1023 - 298, BINS = 298 + 256, BIN_TERMS = 1000 };

// BINS or more for zero, infinity and NaN.
static size_t bin_of(double product)
{
    return (size_t)((double_bits(product) >> 52 & 0x7ff) - BIN_LOWEST);
}

void num_accumulator_add_dot(struct num_accumulator *sum, const float *a, const float *b,
                             size_t stride, size_t count)
{
    for (size_t done = 0; done < count; done += BIN_TERMS) {
        const size_t end = count - done < BIN_TERMS ? count : done + BIN_TERMS;
        int64_t bin[BINS];
        const bool few = end - done < BINS / 2; // then bins are looked for, else all are touched
        size_t first = few ? BINS : 0, last = few ? 0 : BINS - 1;
        bool added = false;
        for (size_t i = few ? done : end; i < end; i++) {
            const size_t field = bin_of((double)a[i * stride] * (double)b[i * stride]);
            first = field < first ? field : first;
            last = field < BINS && field > last ? field : last;
        }
        for (size_t i = first; i <= last; i++)
            bin[i] = 0;
        for (size_t i = done; i < end; i++) {
            const double x = (double)a[i * stride], y = (double)b[i * stride];
            const uint64_t bits = double_bits(x * y);
            const size_t field = bin_of(x * y);
            if (field >=
                BINS) { // zero, infinity or NaN: floats' products neither overflow nor underflow
                num_accumulator_add_product(sum, false, 2, (const double[]){x, y});
                continue;
            }
            const int64_t significand =
                (int64_t)((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52);
            bin[field] += bits >> 63 ? -significand : significand;
            added = true;
        }
        for (size_t i = first; i <= last; i++)
            if (bin[i] != 0)
                add_word(sum, bin[i] < 0, bin[i] < 0 ? 0 - (uint64_t)bin[i] : (uint64_t)bin[i],
                         BIN_LOWEST + (int)i - 1075);
        sum->any = sum->any || added;
        sum->only_negative_zeros = sum->only_negative_zeros && !added;
    }
}

struct num_exact num_accumulator_value(struct num_accumulator *sum)
{
    if (sum->not_a_number || (sum->positive_infinity && sum->negative_infinity))
        return (struct num_exact){NUM_NOT_A_NUMBER, false, false, 0, 0};
    if (sum->positive_infinity || sum->negative_infinity)
        return (struct num_exact){NUM_INFINITE, sum->negative_infinity, false, 0, 0};
    spread_carries(sum);
    struct num_accumulator negated;
    const struct num_accumulator *magnitude = sum;
    const bool negative = sum->last >= 0 && sum->word[sum->last] < 0;
    if (negative) {
        negated = *sum;
        for (int i = sum->first; i <= sum->last; i++)
            negated.word[i] = -negated.word[i];
        spread_carries(&negated);
        magnitude = &negated;
    }
    int top = magnitude->last;
    while (top >= magnitude->first && magnitude->word[top] == 0)
        top--;
    if (top < magnitude->first)
        return (struct num_exact){NUM_FINITE, sum->any && sum->only_negative_zeros, false, 0, 0};
    uint128 leading = 0;
    for (int i = top; i > top - 3; i--)
        leading = leading << 32 | (i >= 0 ? (uint64_t)magnitude->word[i] : 0);
    bool rest = false;
    for (int i = top - 3; i >= magnitude->first && !rest; i--)
        rest = magnitude->word[i] != 0;
    // 96 bits whose top word is not zero: keep 64 from the leading one on.
    const int extra = 32 - __builtin_clz((uint32_t)(leading >> 64));
    rest = rest || (leading & (((uint128)1 << extra) - 1)) != 0;
    return (struct num_exact){NUM_FINITE, negative, rest,
                              ACCUMULATOR_LOWEST + 32 * (top - 2) + extra,
                              (uint64_t)(leading >> extra)};
}
