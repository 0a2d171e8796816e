// SPDX-License-Identifier: Apache-2.0
// Proofs of what JAX makes of its draws, which are at hand beside it.
//
// A draw of 16 or 8 bits takes so few values that all are met; of 32 and 64 bits each result is
// compared with its formula on the draw: multiples of 2^-m from the m high bits, so that the others
// do not matter. A Bernoulli threshold is found exactly: with p at the uniform number u of the draw
// the coin must fall 0, with the next p above it must fall 1.

#include "stats/conversions/laws_proofs.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "ref/op/jax/bernoulli.h"
#include "ref/op/jax/randint.h"
#include "ref/op/jax/uniform.h"

enum { DRAWS = 1 << 21, COINS = 1 << 14, SPANS = 300, SPAN_DRAWS = 1 << 12 };

static enum error prove_uniform(enum dtype dtype, struct law_result *result,
                                struct diagnostic *diagnostic)
{
    const struct jax_key key = {
        .generator = JAX_THREEFRY2X32, .partitionable = true, .word = {3, 14159}};
    const unsigned m = jax_uniform_fraction_bits(dtype), width = jax_uniform_draw_bits(dtype);
    const struct jax_uniform uniform = jax_uniform_unit(&key, dtype, DRAWS);
    void *const draw = malloc((size_t)DRAWS * 8), *const value = malloc((size_t)DRAWS * 8);
    unsigned char *const met = calloc(1, 1 << 16);
    size_t wrong = 0, seen = 0;
    if (draw && value && met) {
        jax_bits(&key, width, DRAWS, 0, DRAWS, draw);
        jax_uniform_fill(&uniform, 0, DRAWS, value);
    }
    for (size_t i = 0; i < DRAWS && draw && value && met; i++) {
        const uint64_t w = element_load(draw, width / 8, i);
        const double expected = ldexp((double)(w >> (width - m)), -(int)m);
        wrong += !(num_to_double(dtype, element_load(value, dtype_size(dtype), i)) == expected);
        if (width <= 16)
            met[w] = 1;
    }
    for (size_t w = 0; met && w < (size_t)1 << (width <= 16 ? width : 0); w++)
        seen += met[w];
    const bool out_of_memory = !draw || !value || !met;
    free(draw);
    free(value);
    free(met);
    if (out_of_memory)
        return diagnostic_no_memory(diagnostic);
    const bool whole = width <= 16 && seen == (size_t)1 << width;
    result->draws = DRAWS;
    result->holds = !wrong && (width > 16 || whole);
    snprintf(result->what, sizeof result->what, "%s: the %u high bits of a draw of %u, %s",
             dtype_name(dtype), m, width, whole ? "every draw met" : "draw by draw");
    return ERROR_NONE;
}

static enum error prove_threshold(enum dtype dtype, struct law_result *result,
                                  struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct jax_key key = {
        .generator = JAX_THREEFRY2X32, .partitionable = true, .word = {3, 14159}};
    const struct jax_uniform uniform = jax_uniform_unit(&key, dtype, COINS);
    size_t wrong = 0;
    for (uint64_t i = 0; i < COINS; i++) {
        uint64_t u = 0;
        unsigned char at, above;
        unsigned char value[8];
        jax_uniform_fill(&uniform, i, 1, value);
        u = element_load(value, dtype_size(dtype), 0);
        struct jax_bernoulli coin = {.key = key, .dtype = dtype, .total = COINS, .p = u};
        jax_bernoulli_fill(&coin, i, 1, &at);
        coin.p = u + 1; // the next number of the type
        jax_bernoulli_fill(&coin, i, 1, &above);
        wrong += at != 0 || above != 1;
    }
    result->draws = COINS;
    result->holds = !wrong;
    snprintf(result->what, sizeof result->what,
             "%s: the threshold lies between u and the next number above it", dtype_name(dtype));
    return ERROR_NONE;
}

// Every span from 1 to SPANS, and spans near powers of two: the formula of the two draws, in
// integers of 32 bits.
static enum error prove_randint(struct law_result *result, struct diagnostic *diagnostic)
{
    (void)diagnostic;
    static uint32_t high[SPAN_DRAWS], low[SPAN_DRAWS], value[SPAN_DRAWS];
    const struct jax_key key = {
        .generator = JAX_THREEFRY2X32, .partitionable = true, .word = {3, 14159}};
    const struct jax_key first = jax_split(&key, 2, 0), second = jax_split(&key, 2, 1);
    size_t wrong = 0, draws = 0;
    jax_bits(&first, 32, SPAN_DRAWS, 0, SPAN_DRAWS, high);
    jax_bits(&second, 32, SPAN_DRAWS, 0, SPAN_DRAWS, low);
    for (uint64_t k = 1; k <= SPANS + 3 * 23; k++) {
        const uint64_t span =
            k <= SPANS ? k : (UINT64_C(1) << (9 + (k - SPANS - 1) / 3)) + (k - SPANS - 1) % 3 - 1;
        const struct jax_randint randint =
            jax_randint_start(&key, DTYPE_U32, SPAN_DRAWS, 0, (jax_bound)span);
        jax_randint_fill(&randint, 0, SPAN_DRAWS, value);
        // 2^16 mod span, squared in 32 bits, mod span; numbers are made in 32 bits too.
        const uint32_t half = (uint32_t)(65536 % span), multiplier = half * half % (uint32_t)span;
        for (size_t i = 0; i < SPAN_DRAWS; i++, draws++) {
            const uint32_t sum = high[i] % (uint32_t)span * multiplier + low[i] % (uint32_t)span;
            wrong += value[i] != sum % (uint32_t)span;
        }
    }
    result->draws = (double)draws;
    result->holds = !wrong;
    snprintf(result->what, sizeof result->what,
             "u32: the remainder of two draws, all spans to %d and about powers of two",
             (int)SPANS);
    return ERROR_NONE;
}

// ---- all --------------------------------------------------------------------

static void pass_on(const struct law_result *result, law_report report, void *context,
                    unsigned *broken)
{
    *broken += !result->holds;
    report(context, result);
}

enum error laws_proofs_check(unsigned threads, bool all, law_report report, void *context,
                             unsigned *broken, struct diagnostic *diagnostic)
{
    enum error error = laws_words_check(threads, all, report, context, broken, diagnostic);
    static const enum dtype types[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32, DTYPE_F64};
    for (unsigned t = 0; t < 2 * sizeof types / sizeof *types && !error; t++) {
        const bool uniform = t % 2 == 0;
        struct law_result result = {
            .operation = uniform ? "jax.uniform" : "jax.bernoulli", .proof = true, .offered = 1};
        error = uniform ? prove_uniform(types[t / 2], &result, diagnostic)
                        : prove_threshold(types[t / 2], &result, diagnostic);
        if (!error)
            pass_on(&result, report, context, broken);
    }
    struct law_result result = {.operation = "jax.randint", .proof = true, .offered = 1};
    if (!error)
        error = prove_randint(&result, diagnostic);
    if (!error)
        pass_on(&result, report, context, broken);
    return error;
}
