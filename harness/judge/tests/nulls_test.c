// SPDX-License-Identifier: Apache-2.0
// Null answers are held to every bounded case of every suite: zeros, the right values negated,
// moved by one element, and what the case before it with outputs of that shape gives. None may
// pass: each output is wrong, or the verdict is vacuous. What equals the right answer is no null
// answer.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/judge/compare/nulls.h"
#include "harness/judge/run/outputs.h"
#include "ref/base/bytes.h"
#include "ref/variant/variant.h"

enum { OTHER_CASE = NULL_ANSWERS, KINDS, BEFORE_MAX = 4096 };

// Which outputs are null answers at once: all, where bounds do not follow from them; where they do,
// the one that they follow from, and the others beside it.
enum round { ALL, THE_OBSERVED, THE_OTHERS, ROUNDS };

static const char *const kinds[KINDS] = {"zeros", "negated", "moved", "another case's"};

// The right values of cases judged so far, one for each operation, output, type and shape.
struct before {
    const struct operation *operation;
    unsigned output;
    struct tensor tensor;
};

struct nulls {
    struct judge_run run;
    struct arena arena;
    struct before before[BEFORE_MAX];
    size_t before_count, outputs, vacuous, passed;
};

static struct before *find_before(struct nulls *nulls, const struct operation *operation,
                                  unsigned output, const struct tensor *like)
{
    size_t i = 0;
    for (; i < nulls->before_count; i++)
        if (nulls->before[i].operation == operation && nulls->before[i].output == output &&
            nulls->before[i].tensor.dtype == like->dtype &&
            tensor_same_shape(&nulls->before[i].tensor, like))
            return &nulls->before[i];
    assert_true(i < BEFORE_MAX);
    nulls->before[nulls->before_count++] =
        (struct before){.operation = operation, .output = output, .tensor = *like};
    nulls->before[i].tensor.data = NULL;
    return &nulls->before[i];
}

// Writes the null answer to `to`; false where it is the right one, or there is none.
static bool write_null(unsigned kind, const struct tensor *right, const struct before *before,
                       void *to, uint64_t count)
{
    const size_t size = dtype_size(right->dtype);
    bool differs = false;
    if (kind == OTHER_CASE && !before->tensor.data)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits =
            kind == OTHER_CASE
                ? element_load(before->tensor.data, size, (size_t)i)
                : null_element((enum null_answer)kind, right->dtype, right->data, i, count);
        element_store(to, size, (size_t)i, bits);
        differs = differs ||
                  !null_is_right(right->dtype, bits, element_load(right->data, size, (size_t)i));
    }
    return differs;
}

// Judges the trial's one call, whose outputs hold null answers in `kind`; output i counts where
// null[i].
static void judge(struct nulls *nulls, struct trial *trial, const struct host_call *call,
                  unsigned kind, const bool *null)
{
    struct diagnostic diagnostic = {.text = ""};
    const size_t count = trial->call.output_count;
    struct judge_result result = {.of = trial->of, .required = LEVEL_BOUND};
    trial->result = &result;
    assert_int_equal(judge_outputs(&nulls->run, trial, call, &diagnostic), ERROR_NONE);
    for (size_t o = 0; o < count; o++) {
        const struct judge_output *const output = &result.outputs[o];
        nulls->outputs += null[o];
        nulls->vacuous += null[o] && !output->comparison.wrong;
        // A failure elsewhere must not hide what this output alone would come to.
        if (!null[o] || output->comparison.wrong || output->vacuous)
            continue;
        nulls->passed++;
        print_error("%s, %s, %s: %s values pass\n", trial->of->id, output->name,
                    judge_mode_name(nulls->run.mode), kinds[kind]);
    }
}

// Fills in the outputs of the call: right ones, and null answers in the place of those that the
// round takes.
static void try_round(struct nulls *nulls, struct trial *trial, const struct host_call *call,
                      const struct evaluation *right, unsigned kind, enum round round)
{
    const struct operation *const operation = trial->request.operation;
    const int seen = operation_observable(&trial->request);
    bool null[OPERATION_OUTPUTS_MAX] = {false}, any = false;
    if (round != ALL && seen < 0)
        return;
    for (size_t o = 0; o < trial->call.output_count; o++) {
        const int index = operation_output(operation, trial->call.outputs[o].name);
        const struct tensor *const tensor = &right->tensor[index];
        void *const to = (void *)(uintptr_t)trial_output_data(trial, call, o);
        const uint64_t elements = trial_output_count(trial, o);
        if (round == ALL || (round == THE_OBSERVED) == (index == seen))
            null[o] = write_null(
                kind, tensor, find_before(nulls, operation, (unsigned)index, tensor), to, elements);
        if (!null[o])
            memcpy(to, tensor->data, (size_t)elements * dtype_size(tensor->dtype));
        any = any || null[o];
    }
    nulls->run.mode = round == ALL ? JUDGE_SEQUENCE : JUDGE_OBSERVED;
    if (any)
        judge(nulls, trial, call, kind, null);
}

static void try_case(struct nulls *nulls, struct trial *trial)
{
    struct diagnostic diagnostic = {.text = ""};
    struct evaluation right;
    struct arena arena = {0};
    struct host_call call = {.answered = true};
    const struct operation *const operation = trial->request.operation;
    const size_t count = trial->call.output_count;
    assert_int_equal(variant_evaluate(&trial->request, &arena, &right, &diagnostic), ERROR_NONE);
    trial->unit[0] = (struct trial_unit){.count = 1};
    trial->unit_count = 1;
    assert_int_equal(trial_make_calls(trial, 0, &call, 0, &diagnostic), ERROR_NONE);
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (enum round round = ALL; round < ROUNDS; round++)
            try_round(nulls, trial, &call, &right, kind, round);
    for (size_t o = 0; o < count; o++) {
        const int index = operation_output(operation, trial->call.outputs[o].name);
        struct before *const to =
            find_before(nulls, operation, (unsigned)index, &right.tensor[index]);
        const size_t bytes = (size_t)trial_output_count(trial, o) * dtype_size(to->tensor.dtype);
        if (!to->tensor.data)
            assert_non_null(to->tensor.data = arena_take(&nulls->arena, bytes + 1));
        memcpy(to->tensor.data, right.tensor[index].data, bytes);
    }
    arena_release(&arena);
}

static void no_null_answer_passes(void **state)
{
    const char *const path = *state;
    struct suite suite;
    struct diagnostic diagnostic = {.text = ""};
    struct nulls *const nulls = calloc(1, sizeof *nulls);
    const struct host_description description = {.capabilities = ASSAY_CAPABILITY_WINDOW |
                                                                 ASSAY_CAPABILITY_STATES};
    size_t cases = 0;
    assert_non_null(nulls);
    if (suite_read(path, &suite, &diagnostic))
        fail_msg("%s:%u: %s", path, diagnostic.line, diagnostic.text);
    nulls->run.suite = &suite;
    nulls->run.model = evaluation_model_standard;
    for (size_t i = 0; i < suite.case_count; i++) {
        struct trial trial;
        if (!trial_make(&suite, &suite.cases[i], &description, false, &trial, &diagnostic) &&
            !trial.negative && !trial.windows && trial_required_level(&trial) == LEVEL_BOUND) {
            try_case(nulls, &trial);
            cases++;
        }
        trial_release(&trial);
    }
    print_message("# %s: %zu bounded cases, %zu outputs with null answers, %zu of them inside "
                  "bounds that are vacuous, %zu passed\n",
                  suite.name, cases, nulls->outputs, nulls->vacuous, nulls->passed);
    assert_int_equal(nulls->passed, 0);
    arena_release(&nulls->arena);
    arena_release(&nulls->run.arena);
    free(nulls);
    suite_release(&suite);
}

int main(void)
{
#define OF(name)                                                                                   \
    {                                                                                              \
        "no null answer passes: " name, no_null_answer_passes, NULL, NULL,                         \
            (void *)(uintptr_t) "yaml/suites/" name ".yaml"                                        \
    }
    const struct CMUnitTest tests[] = {
        OF("cousins"),
        OF("directml.random_generator"),
        OF("jax.random"),
        OF("onednn.rnn"),
        OF("onednn.rnn.backward"),
        OF("openvino.random_uniform"),
        OF("openvino.range"),
        OF("philox"),
        OF("threefry"),
        OF("torch.random"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
