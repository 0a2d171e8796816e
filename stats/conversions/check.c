// SPDX-License-Identifier: Apache-2.0
// Laws of operations.
//
// A sampled law is a table of cells with exact probabilities on the grid of the output; its p-value
// is that of stats/law/null_cells.c, and of each named cell alone by the binomial law. A p below
// 1e-4 (all laws counted in) is put to four times as many draws under another seed, and the law is
// broken when it is below 1e-6 there, or below 1e-9 at once.

#include "stats/conversions/laws.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/json.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "stats/conversions/laws_draws.h"
#include "stats/conversions/laws_proofs.h"
#include "stats/law/null.h"
#include "stats/law/real.h"

enum { CELLS_MAX = 256, DRAWS = 1 << 20, BATCH = 1 << 16 };

// The size of the array that every request asks for, as its text has it.
#define SHAPE "16777216"

// How an element becomes a cell.
enum cell_kind { CELL_COIN, CELL_UNIT_F32, CELL_INTEGER, CELL_UNIT_F64, CELL_UNIT_16 };

static const struct law {
    const char *operation, *what, *request;
    enum cell_kind kind;
    unsigned cells;
    double p;       // COIN: the chance of 1, on the grid of the uniform numbers
    double minimum; // INTEGER
    double range;   // INTEGER: how many values; more than CELLS_MAX are put together evenly
} laws[] = {
    {"openvino.random_uniform", "f32 in [0, 1): 256 equal cells",
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f32\", "
     "\"global_seed\": %d, \"op_seed\": 7}, "
     "\"inputs\": {\"shape\": [16777216], \"minval\": 0.0, \"maxval\": 1.0}}",
     CELL_UNIT_F32, 256, 0, 0, 0},
    {"openvino.random_uniform", "f64 in [0, 1): 256 equal cells",
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"f64\", "
     "\"global_seed\": %d, \"op_seed\": 7}, "
     "\"inputs\": {\"shape\": [16777216], \"minval\": 0.0, \"maxval\": 1.0}}",
     CELL_UNIT_F64, 256, 0, 0, 0},
    {"openvino.random_uniform", "i32 in [-100, 101): the remainder of 32 bits",
     "{\"op\": \"openvino.random_uniform\", \"attributes\": {\"output_type\": \"i32\", "
     "\"global_seed\": %d, \"op_seed\": 7}, "
     "\"inputs\": {\"shape\": [16777216], \"minval\": -100, \"maxval\": 101}}",
     CELL_INTEGER, 201, 0, -100, 201},
    {"jax.uniform", "f32 in [0, 1): 256 equal cells",
     "{\"op\": \"jax.uniform\", \"attributes\": {\"shape\": [16777216]}, \"inputs\": {\"key\": [7, "
     "%d]}}",
     CELL_UNIT_F32, 256, 0, 0, 0},
    {"jax.randint", "i32 in [0, 3 * 2^29): 192 cells, those below 2^30 half as likely again",
     "{\"op\": \"jax.randint\", \"attributes\": {\"shape\": [16777216]}, \"inputs\": {\"key\": [7, "
     "%d], \"minval\": 0, "
     "\"maxval\": "
     "1610612736}}",
     CELL_INTEGER, 192, 0, 0, 1610612736.0},
    {"jax.bernoulli", "p = 0.3: 2516583 of 2^23",
     "{\"op\": \"jax.bernoulli\", \"attributes\": {\"shape\": [16777216]}, \"inputs\": {\"key\": "
     "[7, %d], \"p\": 0.3}}",
     CELL_COIN, 2, 2516583.0 / 8388608, 0, 0},
    {"jax.bernoulli", "p = 2^-10",
     "{\"op\": \"jax.bernoulli\", \"attributes\": {\"shape\": [16777216]}, \"inputs\": {\"key\": "
     "[7, %d], \"p\": "
     "0.0009765625}}",
     CELL_COIN, 2, 1.0 / 1024, 0, 0},
};
enum { LAWS = sizeof laws / sizeof *laws };

static int cell_of(const struct law *law, const void *data, uint64_t i, uint32_t *cell)
{
    double value = 0;
    switch (law->kind) {
    case CELL_COIN:
        *cell = ((const unsigned char *)data)[i];
        return *cell < 2;
    case CELL_UNIT_F32:
        value = (double)((const float *)data)[i];
        break;
    case CELL_UNIT_F64:
        value = ((const double *)data)[i];
        break;
    case CELL_UNIT_16:
        break;
    case CELL_INTEGER:
        value = ((double)((const int32_t *)data)[i] - law->minimum) / law->range;
        // The cell of an integer is exact: the quotient times the number of cells, in integers.
        *cell =
            (uint32_t)(((uint64_t)((int64_t)((const int32_t *)data)[i] - (int64_t)law->minimum) *
                        law->cells) /
                       (uint64_t)law->range);
        return value >= 0 && value < 1;
    }
    *cell = value >= 0 && value < 1 ? (uint32_t)(value * law->cells) : 0;
    return value >= 0 && value < 1;
}

// Integers are 32-bit words modulo the range: the values below 2^32 mod range come once more.
// (JAX's multiplier is 0 for spans above 2^16, where the square of 2^16 wraps, so that its randint
// is such a remainder too.)
static double cell_probability(const struct law *law, unsigned cell)
{
    if (law->kind != CELL_INTEGER)
        return 1.0 / law->cells;
    const uint64_t range = (uint64_t)law->range, base = (UINT64_C(1) << 32) / range,
                   rest = (UINT64_C(1) << 32) % range;
    const uint64_t from = (cell * range + law->cells - 1) / law->cells,
                   to = ((cell + 1) * range + law->cells - 1) / law->cells;
    const uint64_t more = from >= rest ? 0 : (to < rest ? to : rest) - from;
    return ((double)(base * (to - from)) + (double)more) * 0x1p-32;
}

static void count_cells(const struct law *law, const void *data, uint64_t draws,
                        uint64_t count[CELLS_MAX], uint64_t *outside)
{
    for (uint64_t i = 0; i < draws; i++) {
        uint32_t cell;
        if (cell_of(law, data, i, &cell))
            count[cell]++;
        else
            ++*outside;
    }
}

// log p of `draws` draws under `seed`; minus infinity when a value is outside the law. The
// reference gives slices of one large array, another drawer an array of that size.
static enum error sample(const struct law *law, const struct law_drawer *drawer, int seed,
                         uint64_t draws, double *log_p, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct inference inference = {0};
    struct document_node *root = NULL;
    char *const text = arena_take(&arena, 1024);
    void *const data = arena_take(&arena, (size_t)BATCH * 8);
    if (!text || !data) {
        arena_release(&arena);
        return diagnostic_no_memory(diagnostic);
    }
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wformat-nonliteral\"")
        const int size = snprintf(text, 1024, law->request, seed);
    _Pragma("GCC diagnostic pop") char *const shape = strstr(text, SHAPE);
    if (drawer && shape) {
        char number[sizeof SHAPE + 16];
        snprintf(number, sizeof number, "%*" PRIu64, (int)strlen(SHAPE), draws);
        memcpy(shape, number, strlen(SHAPE));
    }
    const struct document_source source = {law->operation, text, (size_t)size, 0};
    enum error error = json_read(&source, &arena, &root, diagnostic);
    if (!error)
        error = request_read(root, NULL, NULL, &arena, &request, diagnostic);
    if (!error)
        error = variant_infer(&request, &inference, diagnostic);
    uint64_t count[CELLS_MAX] = {0}, outside = 0;
    if (!error && drawer) {
        struct evaluation evaluation = {0};
        error = drawer->evaluate(drawer->context, &request, &arena, &evaluation, diagnostic);
        if (!error)
            count_cells(law, evaluation.tensor[0].data, draws, count, &outside);
    }
    for (uint64_t at = 0; at < draws && !error && !drawer; at += BATCH) {
        const struct slice slice = {0, 0, at, BATCH, data};
        error = variant_fill(&request, &inference, &slice, 1, diagnostic);
        if (!error)
            count_cells(law, data, BATCH, count, &outside);
    }
    double probability[CELLS_MAX];
    for (unsigned c = 0; c < law->cells; c++)
        probability[c] = cell_probability(law, c);
    if (law->kind == CELL_COIN)
        *log_p = null_binomial_log_two_sided(count[1], draws, law->p);
    else
        *log_p = null_cells_test(count, probability, law->cells, 25).log_p;
    if (outside)
        *log_p = REAL_MINUS_INFINITY;
    arena_release(&arena);
    return error;
}

static enum error check_law(const struct law *law, const struct law_drawer *drawer,
                            struct law_result *result, struct diagnostic *diagnostic)
{
    snprintf(result->what, sizeof result->what, "%s", law->what);
    result->draws = DRAWS;
    enum error error = sample(law, drawer, 1, DRAWS, &result->log_p, diagnostic);
    const double log_p = result->log_p + real_log((double)LAWS + laws_draws_count());
    result->holds = log_p >= -20.723265836946411;
    if (!error && result->holds && log_p < -9.2103403719761836) {
        error = sample(law, drawer, 2, 4 * DRAWS, &result->log_p, diagnostic);
        result->holds = result->log_p >= -13.815510557964274;
    }
    return error;
}

static enum error check_draws(const struct law_drawer *drawer, law_report report, void *context,
                              unsigned *broken, struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < LAWS; i++) {
        struct law_result result = {.operation = laws[i].operation, .offered = 1};
        if (!operation_named(laws[i].operation))
            continue;
        const enum error error = check_law(&laws[i], drawer, &result, diagnostic);
        result.offered = error != ERROR_UNSUPPORTED;
        if (error && (result.offered || !drawer))
            return error;
        *broken += result.offered && !result.holds;
        report(context, &result);
    }
    return laws_draws_check(drawer, LAWS, report, context, broken, diagnostic);
}

enum error laws_check(unsigned threads, bool all, law_report report, void *context,
                      unsigned *broken, struct diagnostic *diagnostic)
{
    *broken = 0;
    const enum error proving =
        laws_proofs_check(threads, all != 0, report, context, broken, diagnostic);
    return proving ? proving : check_draws(NULL, report, context, broken, diagnostic);
}

struct counted {
    law_report report;
    void *context;
    unsigned *judged;
};

static void count_offered(void *context, const struct law_result *result)
{
    const struct counted *const counted = context;
    *counted->judged += result->offered != 0;
    counted->report(counted->context, result);
}

enum error laws_check_draws(const struct law_drawer *drawer, law_report report, void *context,
                            unsigned *broken, unsigned *judged, struct diagnostic *diagnostic)
{
    struct counted counted = {report, context, judged};
    *broken = *judged = 0;
    return check_draws(drawer, count_offered, &counted, broken, diagnostic);
}
