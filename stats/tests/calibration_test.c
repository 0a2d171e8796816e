// SPDX-License-Identifier: Apache-2.0
// Calibration: how the p-values of every row, and of the looks before the stream, are distributed
// over runs on ChaCha20, each run on fresh data of the smallest legal size (one unit). Which rows
// another one stands for: calibration.h. Two figures a row:
// - of the family ("row"): conservative (discrete counts, Holm), never too small: of n runs, those
// with p at or below 2^-k are at
//   most binomial(n, 2^-k);
// - of one hypothesis ("one"), the one that stands out in another run: its p-values must follow the
// law that its count has, cell by
//   cell and both ways. The law's cells are summed here from lgamma of libm, not from the code
//   under test; a table's chi-square is held against the uniform law.
//
// The fixture calibration.txt holds the histograms of many runs. The test makes RUNS_HERE runs of
// its own and holds both. With CALIBRATION_RUNS=n in the environment the program prints the fixture
// instead (of the runs from CALIBRATION_FIRST on: parts may be added; CALIBRATION_ONLY=name,...: of
// those rows alone).

#include <setjmp.h>
#include <stdarg.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ref/base/threads.h"
#include "stats/battery/battery.h"
#include "stats/law/evidence.h"
#include "stats/source/far.h"
#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/source/source.h"
#include "stats/tests/aes_block.h"
#include "stats/tests/calibration.h"

enum {
    BINS = 17, // bin k: 2^-(k + 1) < p <= 2^-k; the last one all below
    RUNS_HERE = 20,
    CHOOSING_RUN = 1 << 30,
    RUN_LOG2 = CALIBRATION_RUN_LOG2,
    LONG_LOG2 = CALIBRATION_LONG_LOG2,
    FEWEST = 10000,
    FEWEST_COSTLY = 100
};

struct calibration {
    struct battery battery;
    struct source source, long_source;
    uint32_t (*bin)[BINS]; // of each row, and of the looks before the stream
    struct one {
        uint32_t index, bin[BINS];
        int kind, varies;
        double n, p;
    } * one;          // likewise
    const char *only; // names, with commas
    int sparing;      // costly rows take one run in ten
    uint64_t run;
    _Alignas(64) uint32_t words[1 << RUN_LOG2];
    _Alignas(64) uint32_t many[1 << LONG_LOG2];
};

static void row_name(const struct calibration *c, unsigned row, char *text, size_t size)
{
    if (row >= c->battery.rows) {
        snprintf(text, size, "%s", calibration_before[row - c->battery.rows]);
        return;
    }
    const struct test *const test = &c->battery.row[row].test;
    snprintf(text, size, "%s:%u:%u:%u:%u:%u:%u", test->name, test->p[0], test->p[1], test->p[2],
             test->p[3], test->p[4], test->p[5]);
}

// Whether one of the names in `only` is this row's, or its beginning up to a colon.
static int is_chosen(const char *only, const char *name)
{
    for (const char *at = only; at; at = strchr(at, ','), at += at != NULL) {
        const size_t length = strcspn(at, ",");
        if (!strncmp(at, name, length) && (name[length] == ':' || !name[length]))
            return 1;
    }
    return !only;
}

// Rows that take longest: most some hundredths of a second a unit or more.
static int is_costly(const char *name)
{
    static const char *const costly[] = {
        "bit_lags",       "echoes",       "rhythms",      "frame_checks",
        "avalanche",      "far_lags",     "residue_lags", "field_bits",
        "index_parities", "remainders",   "predictions",  "collisions_alike",
        "pair_formulas",  "byte_origins", "block_checks", "fractions"};
    for (size_t i = 0; i < sizeof costly / sizeof *costly; i++)
        if (!strncmp(name, costly[i], strlen(costly[i])))
            return 1;
    return 0;
}

static int is_run(const struct calibration *c, unsigned row)
{
    char name[128];
    row_name(c, row, name, sizeof name);
    if (c->sparing && c->run != CHOOSING_RUN && c->run % 10 && is_costly(name))
        return 0;
    return is_chosen(c->only, name) &&
           (row >= c->battery.rows || calibration_reason(&c->battery, row) == CALIBRATED);
}

static unsigned bin_of(double log_p)
{
    const double bits = -log_p / 0.6931471805599453;
    return bits < BINS - 1 ? (unsigned)bits : BINS - 1;
}

// Counts `units` units, which lie one behind the other, as many as the row needs to say anything.
static int count_units(const struct calibration *c, const struct test *test, unsigned units,
                       uint64_t *count, struct bag *bag)
{
    void *const scratch = aligned_alloc(64, (test->scratch + 127) / 64 * 64);
    const uint32_t *const words = calibration_is_long(test) ? c->many : c->words;
    for (unsigned u = 0; u < units && scratch; u++) {
        const struct counts to = {count, bag, scratch, u,
                                  (uint64_t)u << test->unit_log2 >> BATTERY_BLOCK_LOG2};
        test->count(test, words + ((size_t)u << test->unit_log2), &to);
    }
    free(scratch);
    return scratch != NULL;
}

// A judgement of one of the looks that come before the stream, on inputs of its own.
static enum error judge_before(struct calibration *c, unsigned look, uint32_t only,
                               struct judgement *judgement)
{
    static const struct aes aes = {2, 1, UINT32_MAX};
    static const struct block_function block = {
        .input_words = 2, .output_words = 1, .counter_words = 1, .evaluate_all = aes_evaluate};
    struct diagnostic diagnostic;
    if (look == CALIBRATION_AVALANCHE)
        return avalanche_run(&block, &aes, 12, UINT64_C(1) << 32 | c->run, 1, only, judgement,
                             &diagnostic);
    struct source own; // lags up to 2^62 would meet other runs
    if (source_open_chacha(&own, UINT64_C(1) << 40 | c->run, &diagnostic))
        return ERROR_SYSTEM;
    own.reach = 19;
    const enum error error = far_run(&own, 0, 17, 1, only, judgement, &diagnostic);
    source_close(&own);
    return error;
}

static void enter(struct calibration *c, uint64_t index, const struct judgement *judgement,
                  const struct judgement *alone)
{
    struct one *const one = &c->one[index];
    c->bin[index][bin_of(judgement_log_p(judgement))]++;
    if (one->index == UINT32_MAX)
        return;
    // A law that changes from run to run (as many values as were kept) is none that a histogram can
    // be held against.
    one->varies = one->varies || (one->n > 0 && (one->n < alone->law.n || one->n > alone->law.n));
    one->kind = one->varies ? LAW_P_VALUE : (int)alone->law.kind;
    one->n = alone->law.n;
    one->p = alone->law.p;
    one->bin[alone->kept ? bin_of(alone->worst[0].log_p) : 0]++;
}

// One run of one row; the run before the first chooses the hypothesis that is followed.
static enum error run_row(void *context, uint64_t index, uint64_t rows,
                          struct diagnostic *diagnostic)
{
    (void)rows, (void)diagnostic;
    struct calibration *const c = context;
    struct one *const one = &c->one[index];
    struct judgement all = {0}, alone = {0};
    if (!is_run(c, (unsigned)index))
        return ERROR_NONE;
    const int choosing = c->run == CHOOSING_RUN, follow = !choosing && one->index != UINT32_MAX;
    if (index >= c->battery.rows) {
        const unsigned look = (unsigned)index - c->battery.rows;
        if (judge_before(c, look, UINT32_MAX, &all) ||
            (follow && judge_before(c, look, one->index, &alone)))
            abort();
    } else {
        const struct test *const test = &c->battery.row[index].test;
        const unsigned units = calibration_units(test);
        struct bag bag = {0};
        uint64_t *const count = calloc(test->counts + 1, sizeof *count);
        if (!count || !count_units(c, test, units, count, &bag))
            abort();
        judgement_begin(&all, UINT32_MAX);
        test->judge(&(struct totals){test, count, &bag, units}, &all);
        judgement_begin(&alone, one->index);
        if (follow)
            test->judge(&(struct totals){test, count, &bag, units}, &alone);
        bag_release(&bag);
        free(count);
    }
    if (choosing)
        one->index = all.kept ? all.worst[0].index : UINT32_MAX;
    else
        enter(c, index, &all, &alone);
    return ERROR_NONE;
}

static struct calibration *start(void)
{
    struct calibration *const c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
    struct diagnostic diagnostic;
    if (c)
        memset(c, 0, sizeof *c);
    if (!c || !calibration_battery(&c->battery) ||
        source_open_chacha(&c->source, 20240229, &diagnostic) ||
        source_open_chacha(&c->long_source, 20240301, &diagnostic))
        return NULL;
    c->bin = calloc(c->battery.rows + CALIBRATION_BEFORE, sizeof *c->bin);
    c->one = calloc(c->battery.rows + CALIBRATION_BEFORE, sizeof *c->one);
    c->only = getenv("CALIBRATION_ONLY");
    return c->bin && c->one ? c : NULL;
}

static void stop(struct calibration *c)
{
    source_close(&c->source);
    source_close(&c->long_source);
    free(c->bin);
    free(c->one);
    free(c);
}

static void run_once(struct calibration *c, uint64_t run)
{
    struct diagnostic diagnostic;
    size_t got = 0;
    c->run = run;
    int needed[2] = {0};
    for (unsigned r = 0; r < c->battery.rows; r++)
        if (is_run(c, r))
            needed[calibration_is_long(&c->battery.row[r].test)] = 1;
    if ((needed[0] &&
         c->source.read(c->source.context, run << RUN_LOG2, sizeof c->words / sizeof *c->words,
                        c->words, &got, &diagnostic)) ||
        (needed[1] &&
         c->long_source.read(c->long_source.context, run << LONG_LOG2,
                             sizeof c->many / sizeof *c->many, c->many, &got, &diagnostic)) ||
        threads_run(0, c->battery.rows + CALIBRATION_BEFORE, 1, run_row, c, &diagnostic))
        abort();
}

static void run_all(struct calibration *c, uint64_t first, uint64_t runs)
{
    run_once(c, CHOOSING_RUN);
    for (uint64_t run = first; run < first + runs; run++)
        run_once(c, run);
}

// The worst excess of small p-values: log of the chance of so many, all rows and bins counted in.
static double excess(const uint32_t bin[BINS])
{
    double worst = 0;
    uint64_t below = 0, runs = 0;
    for (unsigned k = 0; k < BINS; k++)
        runs += bin[k];
    for (unsigned k = BINS; k-- > 1;) {
        below += bin[k];
        const double log_p =
            null_binomial_log_upper(below, runs, real_exp(-0.6931471805599453 * k));
        worst = log_p < worst ? log_p : worst;
    }
    return worst;
}

// ---- the law of one hypothesis's p-value ------------------------------------

static double log_mass(int kind, double n, double p, double k)
{
    if (kind == LAW_POISSON || kind == LAW_POISSON_UPPER)
        return k * log(n) - n - lgamma(k + 1);
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p);
}

// The chance of each bin: counts within 12 standard deviations of the mean, each with its own
// p-value.
static void bins_of_law(int kind, double n, double p, double chance[BINS])
{
    memset(chance, 0, BINS * sizeof *chance);
    if (kind == LAW_CELLS || kind == LAW_P_VALUE) { // close to uniform
        for (unsigned k = 0; k < BINS; k++)
            chance[k] = ldexp(1, k == BINS - 1 ? -(int)k : -(int)k - 1);
        return;
    }
    const int poisson = kind == LAW_POISSON || kind == LAW_POISSON_UPPER;
    const double mean = poisson ? n : n * p, deviation = sqrt(poisson ? n : n * p * (1 - p));
    const double first = floor(fmax(0, mean - 12 * deviation - 12)),
                 last = ceil(mean + 12 * deviation + 12);
    double below = 0;
    for (double k = first; k <= last && (poisson || k <= n); k++) {
        const double mass = exp(log_mass(kind, n, p, k)), upper = 1 - below, lower = below + mass;
        const double value =
            kind == LAW_RARE || kind == LAW_POISSON_UPPER ? upper : fmin(1, 2 * fmin(upper, lower));
        chance[bin_of(value > 0 ? fmin(0, log(value)) : -100)] += mass;
        below = lower;
    }
}

// log p of the bins of one hypothesis against its law. Chi-square laws of tables are close, not
// exact: their small tail is left to the check of excess, and rows whose p-value is a bound (no
// law) are left out.
static double misfit(const uint32_t bin[BINS], int kind, double n, double p)
{
    double chance[BINS];
    uint64_t count[BINS];
    if (kind == LAW_P_VALUE)
        return 0;
    bins_of_law(kind, n, p, chance);
    for (unsigned k = 0; k < BINS; k++)
        count[k] = bin[k];
    return null_cells_test(count, chance, BINS, 25).log_p;
}

static void some_runs_have_no_excess_of_small_p_values(void **state)
{
    (void)state;
    struct calibration *const c = start();
    assert_non_null(c);
    c->sparing = 1;
    run_all(c, 0, RUNS_HERE);
    for (unsigned r = 0; r < c->battery.rows + CALIBRATION_BEFORE; r++)
        if (excess(c->bin[r]) < -20 || excess(c->one[r].bin) < -20)
            fail_msg("row %u: too many small p-values", r);
    stop(c);
}

static void the_fixture_holds_its_laws(void **state)
{
    (void)state;
    FILE *const file = fopen("stats/tests/calibration.txt", "r");
    assert_non_null(file);
    char line[512];
    unsigned rows = 0, laws = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        char name[128], what[8];
        int at = 0, kind = LAW_P_VALUE;
        double n = 0, p = 0;
        uint32_t bin[BINS];
        uint64_t runs = 0;
        assert_int_equal(sscanf(line, "%7s %127s %d %lf %lf%n", what, name, &kind, &n, &p, &at), 5);
        for (unsigned k = 0; k < BINS; k++) {
            int used = 0;
            assert_int_equal(sscanf(line + at, "%u%n", &bin[k], &used), 1);
            at += used;
            runs += bin[k];
        }
        const int one = !strcmp(what, "one");
        rows += !one;
        laws += one && kind != LAW_P_VALUE;
        // One in 10^6 for each of some hundred lines: one failure in 5,000 versions of the fixture.
        const uint64_t fewest = is_costly(name) ? FEWEST_COSTLY : FEWEST;
        if (runs < fewest || excess(bin) < -13.8)
            fail_msg("%s %s: %u runs, too many small p-values (log p %g)", what, name,
                     (unsigned)runs, excess(bin));
        if (one && misfit(bin, kind, n, p) < -13.8)
            fail_msg("%s %s: p-values do not follow their law (log p %g)", what, name,
                     misfit(bin, kind, n, p));
    }
    fclose(file);
    assert_true(rows > 110 && laws > 80);
}

// ---- larger sizes, and nights: counts drawn from their law ------------------

struct dice {
    struct source source;
    uint64_t at;
    uint32_t words[SOURCE_GRAIN];
};

static double uniform(struct dice *dice)
{
    const size_t in = dice->at % (SOURCE_GRAIN / 2);
    struct diagnostic diagnostic;
    size_t got;
    if (!in)
        assert_int_equal(dice->source.read(dice->source.context, dice->at * 2, SOURCE_GRAIN,
                                           dice->words, &got, &diagnostic),
                         0);
    dice->at++;
    const uint64_t bits = dice->words[2 * in] | (uint64_t)dice->words[2 * in + 1] << 32;
    return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

// Inversion from the mode outwards, the masses by their recurrence: exact but for rounding.
static uint64_t draw_count(struct dice *dice, int kind, double n, double p)
{
    const int poisson = kind == LAW_POISSON;
    const double mode = floor(poisson ? n : (n + 1) * p);
    double up = mode, down = mode, mass_up = exp(log_mass(kind, n, p, mode)), mass_down = mass_up;
    double u = uniform(dice) - mass_up;
    while (u > 0) {
        up++;
        mass_up *= poisson ? n / up : (n - up + 1) / up * (p / (1 - p));
        if ((u -= mass_up) <= 0)
            return (uint64_t)up;
        if (down > 0) {
            mass_down *= poisson ? down / n : down / (n - down + 1) * ((1 - p) / p);
            down--;
            if ((u -= mass_down) <= 0)
                return (uint64_t)down;
        }
        if (mass_up < 1e-300 && (mass_down < 1e-300 || down <= 0))
            break;
    }
    return (uint64_t)mode;
}

static void p_values_of_large_counts_follow_their_law(void **state)
{
    (void)state;
    static struct dice dice;
    struct diagnostic diagnostic;
    assert_int_equal(source_open_chacha(&dice.source, 4711, &diagnostic), 0);
    static const struct {
        int kind;
        double n, p;
        unsigned draws;
    } sizes[] = {{LAW_BINOMIAL, 0x1p33, 0.5, 1000},
                 {LAW_BINOMIAL, 0x1p28, 1.0 / 65536, 5000},
                 {LAW_BINOMIAL, 0x1p20, 0.5, 20000},
                 {LAW_POISSON, 1e6, 0, 5000},
                 {LAW_POISSON, 40, 0, 50000}};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint32_t bin[BINS] = {0};
        for (unsigned d = 0; d < sizes[s].draws; d++) {
            const uint64_t k = draw_count(&dice, sizes[s].kind, sizes[s].n, sizes[s].p);
            bin[bin_of(sizes[s].kind == LAW_POISSON
                           ? null_poisson_log_two_sided(k, sizes[s].n)
                           : null_binomial_log_two_sided(k, (uint64_t)sizes[s].n, sizes[s].p))]++;
        }
        const double log_p = misfit(bin, sizes[s].kind, sizes[s].n, sizes[s].p);
        if (log_p < -11.5)
            fail_msg("size %u: p-values do not follow their law (log p %g)", s, log_p);
    }
    source_close(&dice.source);
}

// A hundred histories of a thousand nights: evidence may pass 20 at any time in one of twenty at
// most, and 1,000 in one of a thousand.
static void a_thousand_nights_raise_alarms_no_more_often_than_promised(void **state)
{
    (void)state;
    enum { HISTORIES = 100, NIGHTS = 1000, BITS = 1 << 16 };
    static struct dice dice;
    struct diagnostic diagnostic;
    assert_int_equal(source_open_chacha(&dice.source, 4712, &diagnostic), 0);
    unsigned twenty[3] = {0}, thousand[3] = {0};
    for (unsigned h = 0; h < HISTORIES; h++) {
        uint64_t ones = 0, events = 0;
        double most[3] = {0}, nights = 0;
        for (unsigned n = 1; n <= NIGHTS; n++) {
            const uint64_t k = draw_count(&dice, LAW_BINOMIAL, BITS, 0.5);
            ones += k;
            events += draw_count(&dice, LAW_POISSON, 3, 0);
            nights += evidence_calibrated(null_binomial_log_two_sided(k, BITS, 0.5));
            most[0] = fmax(most[0], evidence_binomial(ones, (uint64_t)n * BITS, 0.5));
            most[1] = fmax(most[1], evidence_poisson(events, 3.0 * n));
            most[2] = fmax(most[2], nights);
        }
        for (unsigned e = 0; e < 3; e++) {
            twenty[e] += most[e] >= log(20);
            thousand[e] += most[e] >= log(1000);
        }
    }
    for (unsigned e = 0; e < 3; e++) {
        assert_true(null_binomial_log_upper(twenty[e], HISTORIES, 1.0 / 20) > -9);
        assert_true(null_binomial_log_upper(thousand[e], HISTORIES, 1.0 / 1000) > -9);
    }
    assert_true(twenty[0] + twenty[1] > 0); // and the evidence does move
    source_close(&dice.source);
}

static int print_fixture(uint64_t runs)
{
    struct calibration *const c = start();
    if (!c)
        return 1;
    const char *const first = getenv("CALIBRATION_FIRST");
    run_all(c, first ? strtoull(first, NULL, 10) : 0, runs);
    printf("# %llu runs on ChaCha20: what (row: the family; one: a single hypothesis), test and "
           "parameters, law (0 none, 1 "
           "binomial, "
           "2 its upper tail, 3 Poisson, 4 its upper tail, 5 table), its n or mean and its chance; "
           "then how many p-values in "
           "(2^-(k+1), 2^-k], k = 0 to 15, and below 2^-16\n",
           (unsigned long long)runs);
    for (unsigned r = 0; r < c->battery.rows + CALIBRATION_BEFORE; r++) {
        char name[128];
        if (!is_run(c, r))
            continue;
        row_name(c, r, name, sizeof name);
        printf("row %s 0 0 0", name);
        for (unsigned k = 0; k < BINS; k++)
            printf(" %u", c->bin[r][k]);
        const struct one *const one = &c->one[r];
        if (one->index != UINT32_MAX) {
            printf("\none %s:%u %d %.17g %.17g", name, (unsigned)one->index, one->kind,
                   one->varies ? 0 : one->n, one->varies ? 0 : one->p);
            for (unsigned k = 0; k < BINS; k++)
                printf(" %u", one->bin[k]);
        }
        printf("\n");
    }
    stop(c);
    return 0;
}

int main(void)
{
    const char *const runs = getenv("CALIBRATION_RUNS");
    if (runs)
        return print_fixture(strtoull(runs, NULL, 10));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(some_runs_have_no_excess_of_small_p_values),
        cmocka_unit_test(the_fixture_holds_its_laws),
        cmocka_unit_test(p_values_of_large_counts_follow_their_law),
        cmocka_unit_test(a_thousand_nights_raise_alarms_no_more_often_than_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
