// SPDX-License-Identifier: Apache-2.0
// Draws of the reference's distributions against their exact laws.
//
// Each continuous law is brought back to the uniform grid that it was made from: a draw x with
// distribution function F is number j = F(x) 2^b of 2^b equally likely ones (the rounding of x
// moves F(x) by less than a quarter of a step, for every type here). So the law of the discrete
// output is exact: j has equal high bits, equal low bits, pairs of neighbours are independent, and
// the extremes come with their dyadic chances; a draw that is no number of the grid, NaN or
// infinite breaks the law at once. Integers have the law of JAX's two draws, worked out in
// integers; permutations have equal orders. Sources: Thomas, Luk, Leong, Villasenor,
// doi:10.1145/1287620.1287622 (tails and pairs of normal draws); Knuth, volume 2, 3.4.2.

#include "stats/conversions/laws_draws.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "ref/base/bytes.h"
#include "ref/base/json.h"
#include "ref/num/small_float.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "stats/law/real.h"
#include "stats/battery/frame.h"

enum {
    DRAWS = 1 << 20,
    TEXT_MAX = 512,
    CELLS = 256,
    PAIR_BITS = 4,
    PERMUTED = 5,
    ORDERS = 120,
    ROWS = 1 << 14
};
enum kind { UNIFORM, NORMAL, EXPONENTIAL, GUMBEL, SIGN, INTEGER, PERMUTATION };

// What the hypotheses of a law are, by index.
enum { HIGH, LOW, PAIRS, EXTREMES };

static const struct law {
    const char *operation, *what,
        *more; // `more`: attributes and inputs of the request, after its shape and key
    enum kind kind;
    unsigned bits; // of the grid
    bool resolved; // every number of the grid can be told apart
    int64_t minimum;
    uint32_t span; // INTEGER
} laws[] = {
    {"jax.uniform", "f16: high and low bits, pairs, extremes", ", \"dtype\": \"f16\"}, ", UNIFORM,
     10, true, 0, 0},
    {"jax.uniform", "bf16: high and low bits, pairs, extremes", ", \"dtype\": \"bf16\"}, ", UNIFORM,
     7, true, 0, 0},
    {"jax.uniform", "f32: high and low bits, pairs, extremes", "}, ", UNIFORM, 23, true, 0, 0},
    {"jax.uniform", "f64: high and low bits, pairs, extremes", ", \"dtype\": \"f64\"}, ", UNIFORM,
     52, true, 0, 0},
    {"jax.normal", "f16: the 2^10 numbers that there are", ", \"dtype\": \"f16\"}, ", NORMAL, 10,
     true, 0, 0},
    {"jax.normal", "bf16: the 2^7 numbers that there are", ", \"dtype\": \"bf16\"}, ", NORMAL, 7,
     true, 0, 0},
    {"jax.normal", "f32: equal cells, low bits, pairs, both tails", "}, ", NORMAL, 23, true, 0, 0},
    {"jax.normal", "f64: equal cells, pairs, both tails", ", \"dtype\": \"f64\"}, ", NORMAL, 40,
     false, 0, 0},
    {"jax.exponential", "f32: equal cells, low bits, pairs, extremes", "}, ", EXPONENTIAL, 23, true,
     0, 0},
    {"jax.exponential", "f64: equal cells, pairs, extremes", ", \"dtype\": \"f64\"}, ", EXPONENTIAL,
     40, false, 0, 0},
    {"jax.gumbel", "f32: equal cells, pairs, extremes", "}, ", GUMBEL, 22, false, 0, 0},
    {"jax.rademacher", "signs and pairs of signs", "}, ", SIGN, 1, true, 0, 0},
    {"jax.randint", "u8 in [0, 251): the law of two draws", ", \"dtype\": \"u8\"}, ", INTEGER, 0,
     true, 0, 251},
    {"jax.randint", "i32 in [-3, 197): the law of two draws", "}, ", INTEGER, 0, true, -3, 200},
    {"jax.permutation", "five elements: 120 equal orders", "}, ", PERMUTATION, 0, true, 0, 0},
};
enum { LAWS = sizeof laws / sizeof *laws };

// ---- the law of integers ----------------------------------------------------

// H and L are uniform below 2^width; the number is (H mod span) m + (L mod span) mod span, m =
// (2^(width / 2) mod span)^2 mod span with the square wrapped to the width.
void law_of_two_draws(unsigned width, uint32_t span, double *probability)
{
    const double words = width == 64 ? 0x1p64 : (double)(UINT64_C(1) << width);
    const uint64_t last = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    const uint64_t base = last / span,
                   rest = last % span +
                          1; // residues below `rest` come base + 1 times, others base times
    const uint64_t half = (UINT64_C(1) << width / 2) % span, square = half * half & last,
                   m = square % span;
    for (uint32_t v = 0; v < span; v++)
        probability[v] = 0;
    for (uint64_t h = 0; h < span; h++) {
        const double ph = (double)(base + (h < rest)) / words;
        for (uint64_t l = 0; l < span; l++)
            probability[(h * m + l) % span] += ph * ((double)(base + (l < rest)) / words);
    }
}

// ---- draws to numbers -------------------------------------------------------

static int64_t value_of_integer(const struct tensor *tensor, size_t i)
{
    return operation_load_integer(tensor, i);
}

// Double-precision functions are rounded with more digits: a hundred times slower.
static size_t draws_of(const struct law *law)
{
    const bool costly = law->kind == NORMAL || law->kind == EXPONENTIAL || law->kind == GUMBEL;
    return law->kind == PERMUTATION ? ROWS
           : !costly                ? DRAWS
           : law->bits == 40        ? DRAWS / 64
                                    : DRAWS / 4;
}

static double value_of(const struct tensor *tensor, size_t i)
{
    return num_to_double(tensor->dtype, element_load(tensor->data, dtype_size(tensor->dtype), i));
}

// The number of draw x on the grid; UINT64_MAX when it is none of them.
static uint64_t number_of(const struct law *law, double x)
{
    const double grid = (double)(UINT64_C(1) << law->bits);
    double j = -1;
    if (x - x < 0 || x - x > 0 || !(x - x <= 0)) // NaN and infinities
        return UINT64_MAX;
    switch (law->kind) {
    case UNIFORM:
        j = x * grid;
        if (!(j >= 0 && j < grid) || (double)(uint64_t)j < j)
            return UINT64_MAX;
        break;
    case NORMAL: // u = 2 (j + 1/4) 2^-b - 1
        j = x < 0 ? real_exp(real_log_normal_upper(-x)) * grid
                  : grid - real_exp(real_log_normal_upper(x)) * grid;
        break;
    case EXPONENTIAL: // j = u 2^b
        j = (1 - real_exp(-x)) * grid + (law->resolved ? 0.5 : 0);
        break;
    default: // GUMBEL, as EXPONENTIAL
        j = real_exp(-real_exp(-x)) * grid + 0.25;
        break;
    }
    return j >= 0 && j < grid ? (uint64_t)j : UINT64_MAX;
}

static void judge_numbers(const struct law *law, const uint64_t *number,
                          struct judgement *judgement)
{
    const unsigned bits = law->bits, high_bits = bits < 8 ? bits : 8,
                   pair_bits = bits < PAIR_BITS ? bits : PAIR_BITS;
    uint64_t high[CELLS] = {0}, low[CELLS] = {0}, pair[1 << 2 * PAIR_BITS] = {0},
             extreme[2][2] = {{0}};
    for (size_t i = 0; i < draws_of(law); i++) {
        high[number[i] >> (bits - high_bits)]++;
        low[number[i] & ((1u << high_bits) - 1)]++;
        if (i % 2)
            pair[number[i - 1] >> (bits - pair_bits) << pair_bits |
                 number[i] >> (bits - pair_bits)]++;
        for (unsigned tail = 0; tail < 2 && bits > 16; tail++) {
            extreme[tail][0] += number[i] >> (bits - 12 - 4 * tail) == 0;
            extreme[tail][1] += ~number[i] << (64 - bits) >> (64 - 12 - 4 * tail) == 0;
        }
    }
    judgement_add_cells(judgement, HIGH, high, NULL, (size_t)1 << high_bits, 25);
    if (law->resolved && bits > 8)
        judgement_add_cells(judgement, LOW, low, NULL, CELLS, 25);
    judgement_add_cells(judgement, PAIRS, pair, NULL, (size_t)1 << 2 * pair_bits, 25);
    for (unsigned tail = 0; tail < 2 && bits > 16; tail++)
        for (unsigned end = 0; end < 2; end++)
            judgement_add_binomial(judgement, EXTREMES + 2 * tail + end, extreme[tail][end],
                                   draws_of(law), tail ? 0x1p-16 : 0x1p-12);
}

// Which of the 120 orders a row of five is; ORDERS when it is none.
static unsigned order_of(const int32_t row[PERMUTED])
{
    unsigned order = 0, seen = 0;
    for (unsigned i = 0; i < PERMUTED; i++) {
        unsigned smaller = 0;
        if (row[i] < 0 || row[i] >= PERMUTED || (seen >> row[i] & 1))
            return ORDERS;
        seen |= 1u << row[i];
        for (unsigned k = i + 1; k < PERMUTED; k++)
            smaller += row[k] < row[i];
        order = order * (PERMUTED - i) + smaller;
    }
    return order;
}

// False when a draw is outside the law.
static bool judge_draws(const struct law *law, const struct tensor *draw,
                        struct judgement *judgement)
{
    if (law->kind == PERMUTATION) {
        uint64_t count[ORDERS + 1] = {0};
        for (size_t r = 0; r < ROWS; r++)
            count[order_of((const int32_t *)draw->data + r * PERMUTED)]++;
        judgement_add_cells(judgement, HIGH, count, NULL, ORDERS, 25);
        return !count[ORDERS];
    }
    if (law->kind == INTEGER) {
        uint64_t count[CELLS] = {0};
        double probability[CELLS];
        law_of_two_draws(32, law->span, probability);
        for (size_t i = 0; i < draws_of(law); i++) {
            const int64_t v = (int64_t)value_of_integer(draw, i) - law->minimum;
            if (v < 0 || v >= (int64_t)law->span)
                return false;
            count[v]++;
        }
        judgement_add_cells(judgement, HIGH, count, probability, law->span, 25);
        return true;
    }
    uint64_t *const number = malloc(draws_of(law) * sizeof *number);
    bool inside = number != NULL;
    for (size_t i = 0; i < draws_of(law) && inside; i++) {
        const int64_t sign = law->kind == SIGN ? value_of_integer(draw, i) : 0;
        number[i] = law->kind != SIGN ? number_of(law, value_of(draw, i))
                    : sign == 1       ? 1
                    : sign == -1      ? 0
                                      : UINT64_MAX;
        inside = number[i] != UINT64_MAX;
    }
    if (inside)
        judge_numbers(law, number, judgement);
    free(number);
    return inside;
}

// log p of the draws under `seed`, the hypotheses of the law counted in.
static enum error draw(const struct law *law, const struct law_drawer *drawer, int seed,
                       double *log_p, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct document_node *root = NULL;
    struct evaluation evaluation = {0};
    char text[TEXT_MAX];
    char limits[64] = "", shape[32] = "";
    if (law->kind == INTEGER)
        snprintf(limits, sizeof limits, ", \"minval\": %lld, \"maxval\": %lld",
                 (long long)law->minimum, (long long)law->minimum + law->span);
    snprintf(shape, sizeof shape, "\"shape\": [%zu]", draws_of(law));
    const bool permutes = law->kind == PERMUTATION;
    const int size = snprintf(
        text, sizeof text,
        "{\"op\": \"%s\", \"attributes\": {%s%s\"inputs\": {\"key\": [%d, 11]%s%s}}",
        law->operation, permutes ? "\"axis\": 1, \"independent\": true" : shape, law->more, seed,
        limits,
        permutes ? ", \"x\": {\"dtype\": \"i32\", \"shape\": [1, 5], \"data\": [0, 1, 2, 3, 4]}"
                 : "");
    const struct document_source source = {law->operation, text, (size_t)size, 0};
    enum error error = json_read(&source, &arena, &root, diagnostic);
    if (!error)
        error = request_read(root, NULL, NULL, &arena, &request, diagnostic);
    if (!error && permutes) {
        struct tensor *const x = &request.input[operation_input(request.operation, "x")];
        int32_t *const rows = arena_take_array(&arena, (size_t)ROWS * PERMUTED, sizeof *rows);
        if (!rows)
            error = diagnostic_no_memory(diagnostic);
        for (size_t i = 0; !error && i < (size_t)ROWS * PERMUTED; i++)
            rows[i] = (int32_t)(i % PERMUTED);
        x->shape[0] = ROWS;
        x->data = rows;
    }
    if (!error)
        error = drawer
                    ? drawer->evaluate(drawer->context, &request, &arena, &evaluation, diagnostic)
                    : variant_evaluate(&request, &arena, &evaluation, diagnostic);
    if (!error) {
        struct judgement judgement;
        judgement_begin(&judgement, UINT32_MAX);
        const bool inside = judge_draws(law, &evaluation.tensor[0], &judgement);
        *log_p = inside ? judgement_log_p(&judgement) : REAL_MINUS_INFINITY;
    }
    arena_release(&arena);
    return error;
}

unsigned laws_draws_count(void)
{
    return LAWS;
}

enum error laws_draws_check(const struct law_drawer *drawer, unsigned others, law_report report,
                            void *context, unsigned *broken, struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < LAWS; i++) {
        const struct law *const law = &laws[i];
        struct law_result result = {
            .operation = law->operation, .draws = (double)draws_of(law), .offered = 1};
        if (!operation_named(law->operation))
            continue;
        snprintf(result.what, sizeof result.what, "%s", law->what);
        enum error error = draw(law, drawer, 1, &result.log_p, diagnostic);
        if (error == ERROR_UNSUPPORTED && drawer) {
            result.offered = false;
            report(context, &result);
            continue;
        }
        const double log_p = result.log_p + real_log(LAWS + others);
        result.holds = log_p >= -20.723265836946411;
        if (!error && result.holds && log_p < -9.2103403719761836) {
            error = draw(law, drawer, 2, &result.log_p, diagnostic);
            result.holds = result.log_p >= -13.815510557964274;
        }
        if (error)
            return error;
        *broken += !result.holds;
        report(context, &result);
    }
    return ERROR_NONE;
}
