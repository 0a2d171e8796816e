// SPDX-License-Identifier: Apache-2.0
// Products under words that only change shapes go to the certified product, those of attention
// among them; others do not. What is said to stay where it is does.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ref/op/declared/evaluate.h"
#include "ref/op/declared/movement.h"
#include "ref/op/request.h"
#include "yaml/declared/operator.h"

static float data[4096];
static struct plan plan;

// Plans a declaration of X [2, 6, 4] and Z [2, 3, 4, 5], or of as many inputs as it has.
static void make(struct operators *operators, const char *declaration,
                 struct declared_operation **declared)
{
    struct diagnostic diagnostic = {.text = ""};
    const struct document_source source = {"drawn", declaration, strlen(declaration), 0};
    struct request request;
    assert_int_equal(operator_read(&source, &operators->arena, declared, &diagnostic), ERROR_NONE);
    request_start(&request, &(*declared)->operation);
    request.input[0] =
        (struct tensor){.dtype = DTYPE_F32, .rank = 3, .shape = {2, 6, 4}, .data = data};
    request.input[1] =
        (struct tensor){.dtype = DTYPE_F32, .rank = 4, .shape = {2, 3, 4, 5}, .data = data};
    if (plan_make(&plan, &request, &diagnostic))
        fail_msg("%s", diagnostic.text);
}

static const struct plan_value *root_of(unsigned node)
{
    return &plan.value[plan.slot[plan.root[node]] - 1];
}

static bool goes_to_product(const char *text)
{
    struct operators operators = {0};
    struct declared_operation *declared;
    char declaration[512];
    snprintf(declaration, sizeof declaration,
             "operator: drawn\ninputs: {X: f32, Z: f32}\n"
             "outputs: {Y: {type: f32, level: bound}}\nnodes:\n  Y: '%s'\n",
             text);
    make(&operators, declaration, &declared);
    const bool found = plan_is_product(&plan, &plan.node[0], root_of(0));
    operators_release(&operators);
    return found;
}

static void products_under_shapes_are_certified(void **state)
{
    static const char *const through[] = {
        "einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z)",
        "join(einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z), 1)",
        "reshape(einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z), [-1])",
        "squeeze(split(einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z), 0, 2), [1])",
    };
    static const char *const others[] = {
        "einsum(\"bgij,bgjk->bgik\", split(X * 2, 1, 3), Z)",
        "transpose(einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z))",
        "2 * einsum(\"bgij,bgjk->bgik\", split(X, 1, 3), Z)",
        "join(split(X, 1, 3), 1)",
        "einsum(\"bij,bjk->bik\", X, reshape(slice(Z, 1, 0, 3), [2, 4, 15]))",
    };
    (void)state;
    for (size_t i = 0; i < sizeof through / sizeof *through; i++)
        if (!goes_to_product(through[i]))
            fail_msg("%s is summed up elsewhere", through[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (goes_to_product(others[i]))
            fail_msg("%s is no product of stored numbers", others[i]);
}

static void the_products_of_attention_are_certified(void **state)
{
    struct operators operators = {.folder = "yaml/operators"};
    const struct operation *operation = NULL;
    struct diagnostic diagnostic = {.text = ""};
    struct request request;
    unsigned products = 0;
    (void)state;
    assert_int_equal(operators_find(&operators, "onnx.attention", &operation, &diagnostic),
                     ERROR_NONE);
    request_start(&request, operation);
    for (unsigned i = 0; i < 3; i++)
        request.input[i] =
            (struct tensor){.dtype = DTYPE_F32, .rank = 4, .shape = {1, 4, 8, 16}, .data = data};
    for (unsigned i = 1; i < 3; i++) // two heads of keys
        request.input[i].shape[1] = 2;
    if (plan_make(&plan, &request, &diagnostic))
        fail_msg("%s", diagnostic.text);
    for (unsigned n = 0; n < plan.graph->node_count; n++) {
        const char *const name = plan.graph->node[n].name;
        if (strcmp(name, "s") != 0 && strcmp(name, "o") != 0)
            continue;
        products++;
        assert_true(plan_is_product(&plan, &plan.node[n], root_of(n)));
    }
    assert_int_equal(products, 2);
    operators_release(&operators);
}

static void what_stays_is_where_it_was(void **state)
{
    static const char *const words[] = {"split(X, 1, 3)",        "join(X, 0)",
                                        "reshape(X, [4, 12])",   "squeeze(split(X, 2, 1), [2])",
                                        "unsqueeze(X, [0, -1])", "transpose(X, [1, 0, 2])",
                                        "slice(X, 1, 5, -7, -1)"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct operators operators = {0};
        struct declared_operation *declared;
        char declaration[256];
        snprintf(declaration, sizeof declaration,
                 "operator: drawn\ninputs: {X: f32, Z: {type: f32, optional: true}}\n"
                 "outputs: {Y: {type: f32, level: bits}}\nnodes:\n  Y: '%s'\n",
                 words[i]);
        make(&operators, declaration, &declared);
        const struct plan_value *const root = root_of(0);
        bool stays = true;
        for (uint64_t e = 0; e < root->count; e++) {
            uint64_t at[GRAPH_RANK_MAX];
            struct movement_source source = {0};
            movement_place(root->rank, root->size, e, at);
            movement_find(&plan, root, at, &source);
            stays = stays && source.operand && movement_index(source.operand, source.at) == e;
        }
        if (movement_stays(plan_op(&plan, root)) != stays)
            fail_msg("%s %s where it was", words[i], stays ? "is" : "is not");
        operators_release(&operators);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_under_shapes_are_certified),
        cmocka_unit_test(the_products_of_attention_are_certified),
        cmocka_unit_test(what_stays_is_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
