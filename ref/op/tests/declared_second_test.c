// SPDX-License-Identifier: Apache-2.0
// The second look, in pairs of doubles, against enclosures: whatever it decides has the bits that
// they have. Expressions of every word, on drawn numbers of all magnitudes, on simple ones that
// make ties and zeros, and on numbers that cancel. How often it decides is printed.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/op/declared/movement.h"
#include "ref/op/declared/second.h"
#include "ref/op/declared/settle.h"
#include "ref/op/request.h"
#include "yaml/declared/operator.h"

enum { ROWS = 3, COLUMNS = 5, REQUESTS = 12, ELEMENTS_MAX = 2 * ROWS * COLUMNS };

static const char *const expressions[] = {
    "X + Z",
    "X - 0.1 * Z",
    "X * Z + X",
    "(X / Z) * 3",
    "square(X) - X * X + Z",
    "sqrt(abs(X)) + sqrt(abs(Z))",
    "rsqrt(abs(X)) * Z",
    "exp(X)",
    "exp(X - Z)",
    "expm1(X / 7)",
    "sqrt(exp(X / 9) + square(Z))",
    "exp(exp(X / 40) / 3)",
    "log(exp(X / 9) + square(Z))",
    "erf(exp(X / 40) / 3)",
    "log(abs(X)) + Z",
    "log(1 + square(X))",
    "log1p(square(X))",
    "tanh(X / 3)",
    "logistic(X * 0.1)",
    "cos(X * 0) + Z / 3",
    "erf(X * 0.3)",
    "0.5 * X * (1 + erf(X / sqrt(2)))",
    "pow(abs(X), 0.3)",
    "pow(abs(X), pi)",
    "max(X, Z) - min(X / 3, Z)",
    "select(X * Z < Z + 1, X / 3, Z * 3)",
    "select(X / 3 == Z and not (X < Z) or X != Z, X * X, Z)",
    "select(X == -inf or X < -inf, Z, select(Z < inf and Z != inf, X / 3, 1))",
    "sign(X) * Z / 3",
    "sum(X * Z, 1)",
    "mean(X, 1) + mean(Z, 0)",
    "product(X, 1)",
    "max(X, 1) / min(Z, 1)",
    "X / sum(abs(X), 1)",
    "exp(X - max(X, 1)) / sum(exp(X - max(X, 1)), 1)",
    "cumsum(X / 3, 1, 1, 1) + Z",
    "einsum(\"ij,kj->ik\", X / 3, Z)",
    "transpose(concat(0, X, Z / 3), [1, 0])",
    "within(X / 3, 0.5)",
};

static uint64_t state;

static double draw(unsigned kind)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const double share = (double)(state >> 11) * 0x1p-53 - 0.5;
    const int e = (int)(state >> 3 & 63) - 32;
    if (kind == 0) // small numbers: zeros, ties and equal ones
        return rint(share * 16) / 4;
    if (kind == 1)
        return share * 8;
    if (kind == 2) // all magnitudes
        return ldexp(share, e * (state >> 9 & 1 ? 1 : 12));
    return 1 + rint(share * 64) * 0x1p-52; // what cancels
}

struct counts {
    unsigned elements, held, decided, wrong;
};

// Element `at` of the first node, and what the second one, which takes the pair from it, has left.
static void compare(const struct plan *plan, const uint64_t *at, double *high, double *low,
                    struct counts *counts)
{
    const struct plan_value *const root = &plan->value[plan->slot[plan->root[0]] - 1],
                                   *const left = &plan->value[plan->slot[plan->root[1]] - 1];
    const uint64_t index = movement_index(root, at);
    struct second x;
    counts->elements++;
    if (!second_estimate(plan, root, at, &x))
        return;
    counts->held++;
    high[index] = x.pair.high;
    low[index] = x.pair.low;
    uint64_t quick = 0, slow = 0;
    bool rationally;
    struct diagnostic diagnostic;
    if (settle_round(plan, left, at, DTYPE_F64, NUM_IEEE, &slow, &rationally, &diagnostic) ||
        !(fabs(double_from_bits(slow)) <= x.error * (1 + 0x1p-50))) {
        counts->wrong++;
        printf("# off by %a, not by %a\n", double_from_bits(slow), x.error);
    }
    if (!second_round(plan, root, at, &quick))
        return;
    counts->decided++;
    if (settle_round(plan, root, at, DTYPE_F64, NUM_IEEE, &slow, &rationally, &diagnostic) ||
        quick != slow) {
        counts->wrong++;
        printf("# %016llx, not %016llx\n", (unsigned long long)quick, (unsigned long long)slow);
    }
}

// The expression on drawn numbers of one kind.
static void go_through(const struct declared_operation *declared, unsigned kind,
                       struct counts *counts)
{
    static struct plan plan;
    static const int64_t all[GRAPH_RANK_MAX] = {1, 1, 1, 1, 1, 1, 1, 1};
    static double data[4][ELEMENTS_MAX];
    struct request request;
    struct diagnostic diagnostic = {.text = ""};
    request_start(&request, &declared->operation);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < ELEMENTS_MAX; k++)
            data[i][k] = i < 2 ? draw(kind) : 0;
        request.input[i] = (struct tensor){
            .dtype = DTYPE_F64, .rank = i < 2 ? 2 : 0, .shape = {ROWS, COLUMNS}, .data = data[i]};
    }
    // The pairs have the shape of the result, which is known afterwards.
    assert_int_equal(plan_make(&plan, &request, &diagnostic), ERROR_NONE);
    for (unsigned i = 2; i < 4; i++) {
        request.input[i].rank = plan.node[0].rank;
        memcpy(request.input[i].shape, plan.node[0].size, sizeof request.input[i].shape);
    }
    assert_int_equal(plan_make(&plan, &request, &diagnostic), ERROR_NONE);
    const struct plan_value *const root = &plan.value[plan.slot[plan.root[0]] - 1];
    assert_true(root->count <= ELEMENTS_MAX);
    settle_scalars(&plan);
    uint64_t at[GRAPH_RANK_MAX] = {0};
    do
        compare(&plan, at, data[2], data[3], counts);
    while (settle_next(root->rank, root->size, all, at));
}

static void pairs_are_as_near_as_they_say(void **unused)
{
    struct counts all = {0};
    (void)unused;
    state = 25;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++) {
        char declaration[512];
        struct arena arena = {.limit = 64 << 20};
        struct declared_operation *declared = NULL;
        struct diagnostic diagnostic = {.text = ""};
        struct counts counts = {0};
        snprintf(declaration, sizeof declaration,
                 "operator: drawn\ninputs: {X: f64, Z: f64, H: f64, L: f64}\n"
                 "outputs: {Y: {type: f64, level: bound}, R: {type: f64, level: bound}}\n"
                 "nodes:\n  Y: '%s'\n  R: '%s - H - L'\n",
                 expressions[i], expressions[i]);
        const struct document_source source = {"drawn", declaration, strlen(declaration), 0};
        assert_int_equal(operator_read(&source, &arena, &declared, &diagnostic), ERROR_NONE);
        for (unsigned r = 0; r < REQUESTS; r++)
            go_through(declared, r % 4, &counts);
        printf("# %s: %u of %u held, %u decided\n", expressions[i], counts.held, counts.elements,
               counts.decided);
        assert_int_equal(counts.wrong, 0);
        assert_true(counts.decided * 3 >= counts.elements * 2);
        all.elements += counts.elements;
        all.decided += counts.decided;
        arena_release(&arena);
    }
    printf("# %u of %u elements are decided in pairs\n", all.decided, all.elements);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_as_near_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
