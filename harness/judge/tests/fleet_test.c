// SPDX-License-Identifier: Apache-2.0
// Wrong implementations of onednn.rnn before the shipped suites: an implementation of our own,
// which no case accuses while it is right, with each mistake of a table (fleet/rnn_mistakes.c) and
// with pairs of them. A mistake is killed where the judge fails an output of some case; none may
// survive.
//
// ASSAY_FULL=1 holds every mistake against every case and draws more pairs. ASSAY_SEED repeats the
// pairs of a run, ASSAY_KILLS=1 prints the case and the output that kill each mistake.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "harness/judge/run/outputs.h"
#include "harness/judge/tests/fleet/rnn.h"
#include "ref/variant/variant.h"

enum { SUITES = 2, CASES_MAX = 8192, PAIRS_QUICK = 4000, PAIRS_FULL = 100000 };

static const char *const suite_paths[SUITES] = {"yaml/suites/onednn.rnn.yaml",
                                                "yaml/suites/onednn.rnn.backward.yaml"};

// One mistake, or two at once.
struct wrong {
    const struct mistake *mistake[MISTAKES_MAX];
    size_t count;
    const struct suite_case *killer, *wanted[MISTAKES_MAX]; // where it is tried first
    const char *output;
};

struct sized_case {
    const struct suite *suite;
    const struct suite_case *of;
    size_t bytes;
};

// A case with the right answers of our own implementation, and, once a wrong one differs from
// these, the reference's bounds.
struct ground {
    struct judge_run run;
    struct trial trial;
    struct host_call call;
    struct assay_request request;
    struct assay_tensor inputs[INPUTS], outputs[OUTPUTS];
    int64_t shapes[INPUTS + OUTPUTS][TENSOR_RANK_MAX];
    void *right[OUTPUTS];
    bool bounded;
    struct evaluation evaluation;
    struct arena arena;
};

static struct suite suites[SUITES];
static struct sized_case cases[CASES_MAX];
static size_t case_count, verdicts, accused, right_verdicts, right_accused;

// ---- cases ------------------------------------------------------------------

static const struct host_description description = {.capabilities = ASSAY_CAPABILITY_STATES};

static int by_bytes(const void *a, const void *b)
{
    const struct sized_case *const x = a, *const y = b;
    return x->bytes != y->bytes ? x->bytes < y->bytes ? -1 : 1 : (x->of > y->of) - (x->of < y->of);
}

static int read_suites(void **state)
{
    (void)state;
    for (size_t s = 0; s < SUITES; s++) {
        struct diagnostic diagnostic = {.text = ""};
        if (suite_read(suite_paths[s], &suites[s], &diagnostic)) {
            print_error("%s:%u: %s\n", suite_paths[s], diagnostic.line, diagnostic.text);
            return -1;
        }
        for (size_t i = 0; i < suites[s].case_count && case_count < CASES_MAX; i++) {
            struct trial trial;
            if (!trial_make(&suites[s], &suites[s].cases[i], &description, true, &trial,
                            &diagnostic) &&
                !trial.negative && !trial.windows)
                cases[case_count++] =
                    (struct sized_case){&suites[s], &suites[s].cases[i], trial.bytes};
            trial_release(&trial);
        }
    }
    qsort(cases, case_count, sizeof *cases, by_bytes);
    return 0;
}

static int release_suites(void **state)
{
    (void)state;
    for (size_t s = 0; s < SUITES; s++)
        suite_release(&suites[s]);
    return 0;
}

// ---- the ground ---------------------------------------------------------------

_Static_assert((int)DTYPE_F32 == ASSAY_F32 && (int)DTYPE_U8 == ASSAY_U8,
               "types are numbered alike");

static size_t output_bytes(const struct ground *ground, size_t output)
{
    return (size_t)trial_output_count(&ground->trial, output) *
           dtype_size(ground->call.request->outputs[output].tensor.dtype);
}

static void give_tensors(const struct host_tensor *from, size_t count, struct assay_tensor *to,
                         int64_t (*shapes)[TENSOR_RANK_MAX])
{
    for (size_t i = 0; i < count; i++) {
        const struct tensor *const tensor = &from[i].tensor;
        to[i] = (struct assay_tensor){.name = from[i].name, .dtype = (uint32_t)tensor->dtype};
        to[i].layout.data = tensor->data;
        to[i].layout.ndim = (int32_t)tensor->rank;
        to[i].layout.shape = shapes[i];
        for (unsigned a = 0; a < tensor->rank; a++)
            shapes[i][a] = (int64_t)tensor->shape[a];
    }
}

// What the judge makes of the outputs as they stand.
static enum verdict judge(struct ground *ground)
{
    struct diagnostic diagnostic = {.text = ""};
    struct judge_result result = {.of = ground->trial.of, .required = LEVEL_BOUND};
    result.required = trial_required_level(&ground->trial);
    ground->trial.result = &result;
    if (judge_outputs(&ground->run, &ground->trial, &ground->call, &diagnostic))
        fail_msg("%s: %s", ground->trial.of->id, diagnostic.text);
    return result.verdict;
}

// The case, and our right answer to it, which the judge must not fail.
static void take_ground(const struct sized_case *at, bool hold, struct ground *ground)
{
    struct diagnostic diagnostic = {.text = ""};
    memset(ground, 0, sizeof *ground);
    ground->run.suite = at->suite;
    ground->run.model = evaluation_model_standard;
    ground->call.answered = true;
    if (trial_make(at->suite, at->of, &description, false, &ground->trial, &diagnostic))
        fail_msg("%s: %s", at->of->id, diagnostic.text);
    ground->trial.unit[0] = (struct trial_unit){.count = 1};
    ground->trial.unit_count = 1;
    assert_int_equal(trial_make_calls(&ground->trial, 0, &ground->call, 0, &diagnostic),
                     ERROR_NONE);
    const struct host_request *const from = ground->call.request;
    assert_true(from->input_count <= INPUTS && from->output_count <= OUTPUTS);
    give_tensors(from->inputs, from->input_count, ground->inputs, ground->shapes);
    give_tensors(from->outputs, from->output_count, ground->outputs, ground->shapes + INPUTS);
    ground->request = (struct assay_request){.size = sizeof ground->request,
                                             .operation = from->operation,
                                             .attributes = from->attributes,
                                             .attribute_count = from->attribute_count,
                                             .inputs = ground->inputs,
                                             .input_count = from->input_count,
                                             .outputs = ground->outputs,
                                             .output_count = from->output_count};
    assert_true(fleet_run(&ground->request, NULL, 0));
    for (size_t o = 0; o < from->output_count; o++) {
        ground->right[o] = arena_take(&ground->arena, output_bytes(ground, o) + 1);
        assert_non_null(ground->right[o]);
        memcpy(ground->right[o], ground->outputs[o].layout.data, output_bytes(ground, o));
    }
    if (!hold)
        return;
    right_verdicts += from->output_count;
    if (verdict_is_failure(judge(ground))) {
        print_error("%s accuses the right implementation\n", at->of->id);
        right_accused++;
    }
}

static void release_ground(struct ground *ground)
{
    trial_release(&ground->trial);
    arena_release(&ground->arena);
    arena_release(&ground->run.arena);
}

// ---- one mistake before one case ------------------------------------------------

// Bounds of the whole sequence: what lies outside these lies outside those that follow from the
// target's own outputs as well.
static void take_bounds(struct ground *ground)
{
    struct diagnostic diagnostic = {.text = ""};
    if (ground->bounded)
        return;
    ground->bounded = true;
    if (variant_evaluate_with(&ground->trial.request, true, &ground->arena, &ground->evaluation,
                              &diagnostic))
        fail_msg("%s: %s", ground->trial.of->id, diagnostic.text);
}

static bool is_outside(struct ground *ground, size_t output)
{
    struct comparison comparison;
    const int index =
        operation_output(ground->trial.request.operation, ground->outputs[output].name);
    const struct evaluation *const of = &ground->evaluation;
    struct expected expected = {.dtype = of->tensor[index].dtype, .bits = of->tensor[index].data};
    if (tensor_present(&of->lower[index])) {
        expected.lower = of->lower[index].data;
        expected.upper = of->upper[index].data;
    }
    compare_elements(&expected, ground->outputs[output].layout.data,
                     trial_output_count(&ground->trial, output), &comparison);
    return comparison.wrong != 0;
}

// Whether the judge can see more than is_outside: what depends on the target's own outputs, or on
// which side errors are.
static bool sees_more(const struct ground *ground)
{
    const struct suite_case *const of = ground->trial.of;
    return suite_case_is_unbiased(of) || operation_observable(&ground->trial.request) >= 0;
}

// The output whose values the case does not admit, NULL where the mistake passes.
static const char *accuse(struct ground *ground, const struct wrong *wrong)
{
    const size_t count = ground->request.output_count;
    const char *found = NULL;
    bool differs = false;
    assert_true(fleet_run(&ground->request, wrong->mistake, wrong->count));
    for (size_t o = 0; o < count; o++) {
        if (!memcmp(ground->outputs[o].layout.data, ground->right[o], output_bytes(ground, o)))
            continue;
        take_bounds(ground);
        differs = true;
        verdicts++;
        if (is_outside(ground, o)) {
            accused++;
            found = ground->outputs[o].name;
        }
    }
    if (differs && !found && sees_more(ground) && judge(ground) == VERDICT_FAIL)
        found = ground->outputs[0].name;
    return found;
}

static bool concerns(const struct ground *ground, const struct wrong *wrong)
{
    for (size_t i = 0; i < wrong->count; i++)
        if (fleet_concerns(&ground->request, wrong->mistake[i]))
            return true;
    return false;
}

static bool is_wanted(const struct wrong *wrong, const struct suite_case *of)
{
    return of == wrong->wanted[0] || of == wrong->wanted[1];
}

// Takes the wrong ones to every case; only to those wanted, where `wanted`. Killed ones rest,
// unless `all`. `hold` says that the right one is judged as well.
static size_t sweep(struct wrong *wrong, size_t count, bool wanted, bool all, bool hold)
{
    static struct ground ground;
    size_t alive = 0;
    for (size_t c = 0; c < case_count; c++) {
        bool taken = hold;
        if (hold)
            take_ground(&cases[c], true, &ground);
        for (size_t i = 0; i < count; i++) {
            if ((wrong[i].killer && !all) || (wanted && !is_wanted(&wrong[i], cases[c].of)))
                continue;
            if (!taken)
                take_ground(&cases[c], false, &ground);
            taken = true;
            const char *const output =
                concerns(&ground, &wrong[i]) ? accuse(&ground, &wrong[i]) : NULL;
            if (output && !wrong[i].killer) {
                wrong[i].killer = cases[c].of;
                wrong[i].output = output;
            }
        }
        if (taken)
            release_ground(&ground);
    }
    for (size_t i = 0; i < count; i++)
        alive += !wrong[i].killer;
    return alive;
}

// ---- large gradients --------------------------------------------------------------

// Bounds of sums so long that values go along with them hold what the right one gives, and not what
// lies beyond the other end.
static void large_gradients_lie_inside(void **state)
{
    static struct ground ground;
    struct suite large;
    struct diagnostic diagnostic = {.text = ""};
    (void)state;
    if (suite_read("harness/judge/tests/fleet/large.yaml", &large, &diagnostic))
        fail_msg("large.yaml:%u: %s", diagnostic.line, diagnostic.text);
    for (size_t i = 0; i < large.case_count; i++) {
        const struct sized_case at = {.suite = &large, .of = &large.cases[i]};
        take_ground(&at, false, &ground);
        take_bounds(&ground);
        for (size_t o = 0; o < ground.request.output_count; o++) {
            assert_false(is_outside(&ground, o));
            float *const first = ground.outputs[o].layout.data;
            *first += *first < 0 ? 1e30F : -1e30F;
            assert_true(is_outside(&ground, o));
        }
        release_ground(&ground);
    }
    suite_release(&large);
}

// ---- the tests ------------------------------------------------------------------

static struct wrong *single;
static size_t survivors;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void no_mistake_survives(void **state)
{
    (void)state;
    const double start = seconds();
    single = calloc(fleet_mistake_count, sizeof *single);
    assert_non_null(single);
    for (size_t i = 0; i < fleet_mistake_count; i++)
        single[i] = (struct wrong){.mistake = {&fleet_mistakes[i]}, .count = 1};
    const size_t alive =
        sweep(single, fleet_mistake_count, false, getenv("ASSAY_FULL") != NULL, true);
    for (size_t i = 0; i < fleet_mistake_count; i++)
        if (!single[i].killer)
            print_error("%s survives\n", fleet_mistakes[i].name);
        else if (getenv("ASSAY_KILLS"))
            print_message("%s: %s, %s\n", fleet_mistakes[i].name, single[i].killer->id,
                          single[i].output);
    print_message("# the right implementation: %zu verdicts over %zu cases, %zu cases accuse it\n",
                  right_verdicts, case_count, right_accused);
    print_message(
        "# %zu verdicts on outputs that a mistake changed, %zu of them accusations; %.0f s\n",
        verdicts, accused, seconds() - start);
    survivors = alive;
    assert_int_equal(right_accused, 0);
    assert_int_equal(alive, 0);
}

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static void no_mistake_hides_another(void **state)
{
    (void)state;
    const char *const text = getenv("ASSAY_SEED");
    const double start = seconds();
    uint64_t seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL), stream = seed;
    const size_t count = getenv("ASSAY_FULL") ? PAIRS_FULL : PAIRS_QUICK;
    struct wrong *const pair = calloc(count, sizeof *pair);
    assert_non_null(pair);
    for (size_t i = 0; i < count; i++) {
        // Of two others: what complements twice is right.
        const size_t first = draw(&stream) % fleet_mistake_count,
                     apart = 1 + draw(&stream) % (fleet_mistake_count - 1);
        const struct wrong *const a = &single[first],
                                  *const b = &single[(first + apart) % fleet_mistake_count];
        pair[i] = (struct wrong){.mistake = {a->mistake[0], b->mistake[0]},
                                 .count = 2,
                                 .wanted = {a->killer, b->killer}};
    }
    size_t alive = sweep(pair, count, true, false, false);
    if (alive)
        alive = sweep(pair, count, false, false, false);
    for (size_t i = 0; i < count; i++)
        if (!pair[i].killer)
            print_error("%s with %s survives\n", pair[i].mistake[0]->name,
                        pair[i].mistake[1]->name);
    print_message(
        "# seed %llu: %zu mistakes, %zu survive; %zu pairs of them, %zu survive (%.0f s)\n",
        (unsigned long long)seed, fleet_mistake_count, survivors, count, alive, seconds() - start);
    free(pair);
    assert_int_equal(alive, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_gradients_lie_inside),
        cmocka_unit_test(no_mistake_survives),
        cmocka_unit_test(no_mistake_hides_another),
    };
    return cmocka_run_group_tests(tests, read_suites, release_suites);
}
