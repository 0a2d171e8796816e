// SPDX-License-Identifier: Apache-2.0
// Calibration: how the p-values of every row are distributed over runs on ChaCha20, each run on fresh data of the smallest legal
// size (one unit). A family's p-value may be conservative (discrete counts, Holm), never too small: of n runs, those with p at or
// below 2^-k are at most binomial(n, 2^-k).
//
// The fixture calibration.txt holds the histograms of many runs; its first line says how many. The test makes RUNS_HERE runs of its
// own and holds both.
// With CALIBRATION_RUNS=n in the environment the program prints the fixture instead (of the runs from
// CALIBRATION_FIRST on: parts may be added).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/threads.h"
#include "stats/battery.h"
#include "stats/null.h"
#include "stats/real.h"
#include "stats/source.h"

enum { BINS = 17, RUNS_HERE = 20 }; // bin k: 2^-(k + 1) < p <= 2^-k; the last one all below

struct calibration {
    struct battery battery;
    struct source source;
    uint32_t (*bin)[BINS]; // of each row
    uint64_t first_run;
};

// Rows that a run leaves out: units of four mebibytes (their means are near 0), and those whose null and code are another row's.
static int left_out(const struct test *test)
{
    if (!strcmp(test->name, "linear_short") && test->p[1] > 4)
        return 1;
    if (!strcmp(test->name, "linear") && (test->p[0] > 0 || test->p[1] > 1))
        return 1;
    return test->unit_log2 > 18 || !strcmp(test->name, "lags_all") || !strcmp(test->name, "turns_far");
}

static enum error run_row(void *context, uint64_t index, uint64_t rows, struct diagnostic *diagnostic)
{
    (void)rows;
    struct calibration *const c = context;
    const struct test *const test = &c->battery.row[index].test;
    if (left_out(test))
        return ERROR_NONE;
    struct bag bag = {0};
    struct judgement judgement;
    uint64_t *const count = calloc(test->counts + 1, sizeof *count);
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    uint32_t *const words = aligned_alloc(64, sizeof(uint32_t) << test->unit_log2);
    size_t got;
    enum error error =
        c->source.read(c->source.context, c->first_run << 18, (size_t)1 << test->unit_log2, words, &got, diagnostic);
    if (!error) {
        const struct counts to = {count, &bag, scratch, 0};
        test->count(test, words, &to);
        judgement_begin(&judgement, UINT32_MAX);
        test->judge(test, count, &bag, 1, &judgement);
        const double bits = -judgement_log_p(&judgement) / 0.6931471805599453;
        c->bin[index][bits < BINS - 1 ? (unsigned)bits : BINS - 1]++;
    }
    bag_release(&bag);
    free(count);
    free(scratch);
    free(words);
    return error;
}

static struct calibration *start(void)
{
    struct calibration *const c = calloc(1, sizeof *c);
    struct diagnostic diagnostic;
    if (!c || !battery_named("quick", &c->battery) || source_open_chacha(&c->source, 20240229, &diagnostic))
        return NULL;
    c->bin = calloc(c->battery.rows, sizeof *c->bin);
    return c;
}

static void run_all(struct calibration *c, uint64_t first, uint64_t runs)
{
    struct diagnostic diagnostic;
    for (c->first_run = first; c->first_run < first + runs; c->first_run++)
        threads_run(0, c->battery.rows, 1, run_row, c, &diagnostic);
}

// The worst excess of small p-values: log of the chance of so many, all rows and bins counted in.
static double excess(const uint32_t bin[BINS], uint64_t runs)
{
    double worst = 0;
    uint64_t below = 0;
    for (unsigned k = BINS; k-- > 1;) {
        below += bin[k];
        const double log_p = null_binomial_log_upper(below, runs, real_exp(-0.6931471805599453 * k));
        worst = log_p < worst ? log_p : worst;
    }
    return worst;
}

static void row_name(const struct test *test, char *text, size_t size)
{
    snprintf(text, size, "%s:%u:%u:%u:%u:%u:%u", test->name, test->p[0], test->p[1], test->p[2], test->p[3], test->p[4],
             test->p[5]);
}

static void some_runs_have_no_excess_of_small_p_values(void **state)
{
    (void)state;
    struct calibration *const c = start();
    assert_non_null(c);
    run_all(c, 0, RUNS_HERE);
    for (unsigned r = 0; r < c->battery.rows; r++)
        if (!left_out(&c->battery.row[r].test) && excess(c->bin[r], RUNS_HERE) < -20)
            fail_msg("row %u (%s): too many small p-values", r, c->battery.row[r].test.name);
    source_close(&c->source);
    free(c->bin);
    free(c);
}

static void the_fixture_has_no_excess_of_small_p_values(void **state)
{
    (void)state;
    FILE *const file = fopen("stats/tests/calibration.txt", "r");
    assert_non_null(file);
    char line[512];
    unsigned rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char name[128];
        int at = 0;
        uint32_t bin[BINS];
        uint64_t runs = 0;
        assert_int_equal(sscanf(line, "%127s%n", name, &at), 1);
        for (unsigned k = 0; k < BINS; k++) {
            int used = 0;
            assert_int_equal(sscanf(line + at, "%u%n", &bin[k], &used), 1);
            at += used;
            runs += bin[k];
        }
        rows++;
        // One in 10^6 for each of about a hundred rows and sixteen bins: one failure in 600 versions of the fixture.
        if (runs < 250 || excess(bin, runs) < -13.8)
            fail_msg("%s: %u runs, too many small p-values (log p %g)", name, (unsigned)runs, excess(bin, runs));
    }
    fclose(file);
    assert_true(rows > 50);
}

static int print_fixture(uint64_t runs)
{
    struct calibration *const c = start();
    if (!c)
        return 1;
    const char *const first = getenv("CALIBRATION_FIRST");
    run_all(c, first ? strtoull(first, NULL, 10) : 0, runs);
    printf("# %llu runs on ChaCha20: row and parameters, then how many p-values in (2^-(k+1), 2^-k], k = 0 to 15, and below "
           "2^-16\n",
           (unsigned long long)runs);
    for (unsigned r = 0; r < c->battery.rows; r++) {
        char name[128];
        if (left_out(&c->battery.row[r].test))
            continue;
        row_name(&c->battery.row[r].test, name, sizeof name);
        printf("%s", name);
        for (unsigned k = 0; k < BINS; k++)
            printf(" %u", c->bin[r][k]);
        printf("\n");
    }
    return 0;
}

int main(void)
{
    const char *const runs = getenv("CALIBRATION_RUNS");
    if (runs)
        return print_fixture(strtoull(runs, NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_runs_have_no_excess_of_small_p_values),
        cmocka_unit_test(the_fixture_has_no_excess_of_small_p_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
