// SPDX-License-Identifier: Apache-2.0
// Evidence over nights: e-values have mean one under the null, and a month with kills ends like one
// without.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <sqlite3.h>
#include <cmocka.h>

#include "stats/law/evidence.h"
#include "stats/nights/history.h"
#include "stats/law/null.h"

// The mean of E over all outcomes of n tosses is one, and the formula is that of the Beta function
// (lgamma of libm as oracle).
static void evidence_of_fair_bits_averages_to_one(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 5, 40, 300};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint64_t n = sizes[s];
        double mean = 0;
        for (uint64_t k = 0; k <= n; k++) {
            const double direct = (double)n * log(2) + lgamma((double)k + 0.5) +
                                  lgamma((double)(n - k) + 0.5) - lgamma((double)n + 1) -
                                  log(acos(-1));
            assert_true(fabs(evidence_binomial(k, n, 0.5) - direct) < 1e-9 * (1 + fabs(direct)));
            mean += exp(evidence_binomial(k, n, 0.5) + null_binomial_log_mass(k, n, 0.5));
        }
        assert_true(fabs(mean - 1) < 1e-11);
    }
}

// The same for other chances, and for Poisson counts and tables: the mean over all outcomes is one.
static void evidence_of_other_counts_averages_to_one(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 200; n += 199) {
        double mean = 0;
        for (uint64_t k = 0; k <= n; k++)
            mean += exp(evidence_binomial(k, n, 0.2) + null_binomial_log_mass(k, n, 0.2));
        assert_true(fabs(mean - 1) < 1e-11);
    }
    static const double means[] = {1e-6, 0.3, 7, 300};
    for (size_t m = 0; m < sizeof means / sizeof *means; m++) {
        double mean = 0, direct = 0;
        for (unsigned k = 0; k < 6000; k++)
            mean +=
                exp(evidence_poisson(k, means[m]) + k * log(means[m]) - means[m] - lgamma(k + 1.0));
        assert_true(fabs(mean - 1) <
                    1e-2 * means[m] / (means[m] + 1) + 1e-9); // the tail of the sum is cut
        // Gamma(k + 1/2) / (sqrt(2 pi) (mean + 1/2)^(k + 1/2)) e^mean
        direct = lgamma(4.5) - 0.5 * log(2 * acos(-1)) - 4.5 * log(means[m] + 0.5) + means[m];
        assert_true(fabs(evidence_poisson(4, means[m]) - direct) < 1e-10);
    }
    // Three cells and nine balls: all 55 tables.
    static const double chance[] = {0.5, 0.3, 0.2};
    double mean = 0;
    for (uint64_t a = 0; a <= 9; a++)
        for (uint64_t b = 0; a + b <= 9; b++) {
            const uint64_t table[] = {a, b, 9 - a - b};
            double log_mass = lgamma(10);
            for (unsigned c = 0; c < 3; c++)
                log_mass += (double)table[c] * log(chance[c]) - lgamma((double)table[c] + 1);
            mean += exp(log_mass + evidence_cells(table, chance, 3));
        }
    assert_true(fabs(mean - 1) < 1e-12);
}

// The calibrator's integral over p in (0, 1) is one: midpoint rule in log p.
static void calibrated_p_values_average_to_one(void **state)
{
    (void)state;
    double integral = 0;
    const double step = 1e-3;
    for (double log_p = -step / 2; log_p > -4000; log_p -= step)
        integral += exp(evidence_calibrated(log_p) + log_p) * step;
    assert_true(integral < 1 && integral > 1 - 1.0 / 3900); // the tail below e^-4000 holds 1 / 4000
}

struct flawed_context {
    struct source base;
    uint32_t chance;
};

static enum error flawed_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    const struct flawed_context *const flawed = context;
    const enum error error =
        flawed->base.read(flawed->base.context, first, words, to, got, diagnostic);
    for (size_t i = 0; i < *got; i++)
        if (to[i] * 2654435761u < flawed->chance)
            to[i] |= 1u << 9;
    return error;
}

static struct audit_options options;

static enum error night(const char *path, const struct source *source, struct history_night *entry)
{
    struct history *history;
    struct diagnostic diagnostic;
    struct audit_result result = {0};
    static const struct history_subject subject = {"test", "", "", 1, 1};
    enum error error = history_open(&history, path, HISTORY_WRITE, &diagnostic);
    if (error)
        return error;
    error = history_run(history, &subject, 1e-6, &options, source, entry, &result, &diagnostic);
    audit_release(&result);
    history_close(history);
    return error;
}

static void prepare_options(unsigned rows)
{
    static struct battery all;
    assert_true(battery_named("quick", &all));
    battery_limit(&all, 1 << 20);
    if (all.rows > rows)
        all.rows = rows;
    double sum = 0;
    for (unsigned r = 0; r < all.rows; r++)
        sum += all.row[r].weight;
    for (unsigned r = 0; r < all.rows; r++)
        all.row[r].weight /= sum;
    options = (struct audit_options){.battery = all, .threads = 1};
}

// For SQL: sixteen digits of a blob (FNV-1a).
static void digest_blob(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)count;
    const unsigned char *const bytes = sqlite3_value_blob(value[0]);
    uint64_t digest = UINT64_C(14695981039346656037);
    for (int i = 0; i < sqlite3_value_bytes(value[0]); i++)
        digest = (digest ^ bytes[i]) * UINT64_C(1099511628211);
    sqlite3_result_int64(context, (sqlite3_int64)digest);
}

static char *content(const char *path)
{
    sqlite3 *database;
    sqlite3_stmt *statement;
    enum { TEXT = 4 << 20 };
    char *text = calloc(1, TEXT);
    size_t used = 0;
    assert_non_null(text);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    sqlite3_create_function(database, "digest", 1, SQLITE_UTF8, NULL, digest_blob, NULL, NULL);
    static const char *const queries[] = {
        ("SELECT night, first_block, blocks, state, owner, battery, verdict, log_p, log_run, "
         "log_e_nights, log_e_counts, "
         "log_e_profile, log_e, alarm, test, what FROM night ORDER BY night"),
        "SELECT start, row, test, units, digest(counts), log_e, log_e_product FROM total ORDER BY "
        "start, row",
        "SELECT start, log_e FROM start ORDER BY start",
        "SELECT night, row, test, units, log_p, hypothesis, observed, expected FROM look ORDER BY "
        "night, row"};
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++) {
        assert_int_equal(sqlite3_prepare_v2(database, queries[q], -1, &statement, NULL), SQLITE_OK);
        while (sqlite3_step(statement) == SQLITE_ROW)
            for (int c = 0; c < sqlite3_column_count(statement) && used < TEXT - 2000; c++)
                used += sqlite3_column_type(statement, c) == SQLITE_FLOAT
                            ? (size_t)snprintf(text + used, TEXT - used, "%a|",
                                               sqlite3_column_double(statement, c))
                            : (size_t)snprintf(text + used, TEXT - used, "%s|",
                                               (const char *)sqlite3_column_text(statement, c));
        sqlite3_finalize(statement);
    }
    sqlite3_close(database);
    assert_true(used < TEXT - 2000);
    return text;
}

// The same nights in two histories, those of one killed every third time: both end alike to the
// last bit of every row's evidence. A night that was over before its kill makes the next kill come
// sooner, and there are more nights until one was hit.
static void compare_with_kills(unsigned rows, unsigned nights, unsigned pause)
{
    enum { MORE_NIGHTS = 60 };
    char folder[] = "/tmp/history-XXXXXX", calm[64], killed[64];
    assert_non_null(mkdtemp(folder));
    snprintf(calm, sizeof calm, "%s/calm.sqlite", folder);
    snprintf(killed, sizeof killed, "%s/killed.sqlite", folder);
    struct source source;
    struct diagnostic diagnostic;
    struct history_night entry;
    assert_int_equal(source_open_chacha(&source, 11, &diagnostic), 0);
    prepare_options(rows);
    unsigned kills = 0;
    for (unsigned n = 1; n <= nights || (!kills && n <= nights + MORE_NIGHTS); n++) {
        assert_int_equal(night(calm, &source, &entry), 0);
        assert_int_equal(entry.night, n);
        assert_int_equal(entry.first_block, (n - 1) * 4);
        assert_int_equal(entry.alarm, 0);
        if (n % 3 == 0) {
            const pid_t child = fork();
            if (!child)
                _exit(night(killed, &source, &entry) ? 1 : 0);
            usleep(pause * n); // before, in and after the work of a night
            kill(child, SIGKILL);
            int status;
            waitpid(child, &status, 0);
            kills += WIFSIGNALED(status);
            if (WIFEXITED(status)) {
                assert_int_equal(WEXITSTATUS(status), 0);
                pause /= 2;
                continue;
            }
        }
        struct history_night again;
        assert_int_equal(night(killed, &source, &again), 0);
        if (again.night == n + 1) { // the kill came after the night was closed
            n++;
            assert_int_equal(night(calm, &source, &entry), 0);
        }
    }
    assert_true(kills > 0);
    char *const a = content(calm), *const b = content(killed);
    assert_true(strlen(a) > 1000);
    assert_string_equal(a, b);
    free(a), free(b);
    source_close(&source);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

static void a_month_with_kills_ends_like_one_without(void **state)
{
    (void)state;
    compare_with_kills(6, 30, 500);
}

static void nights_of_all_rows_with_kills_end_like_others(void **state)
{
    (void)state;
    compare_with_kills(BATTERY_ROWS_MAX, 4, 130000);
}

// A bias of 1/2^10 on one bit, far too small for one mebibyte: nights add up.
static void a_small_bias_is_found_after_some_nights(void **state)
{
    (void)state;
    char folder[] = "/tmp/history-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.sqlite", folder);
    struct flawed_context flawed = {.chance = 1u << 23};
    struct diagnostic diagnostic;
    struct history_night entry = {0};
    assert_int_equal(source_open_chacha(&flawed.base, 12, &diagnostic), 0);
    const struct source source = {
        .name = "flawed", .random_access = 1, .context = &flawed, .read = flawed_read};
    prepare_options(1);
    unsigned n = 0;
    while (n < 120 && !entry.alarm) {
        assert_int_equal(night(path, &source, &entry), 0);
        n++;
    }
    assert_true(entry.alarm && n > 5);
    source_close(&flawed.base);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

// Totals belong to a test and its parameters, not to the number of a row.
static void nights_of_another_battery_are_refused(void **state)
{
    (void)state;
    char folder[] = "/tmp/history-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/h.sqlite", folder);
    struct diagnostic diagnostic;
    struct history_night entry = {0};
    struct source source;
    assert_int_equal(source_open_chacha(&source, 13, &diagnostic), 0);
    prepare_options(6);
    assert_int_equal(night(path, &source, &entry), 0);
    char *const before = content(path);
    const struct battery_row row =
        options.battery.row[1]; // the two that differ in the width of their windows
    options.battery.row[1] = options.battery.row[2];
    options.battery.row[2] = row;
    assert_int_equal(night(path, &source, &entry), ERROR_INPUT);
    char *const after = content(path);
    assert_string_equal(before, after);
    prepare_options(6);
    assert_int_equal(night(path, &source, &entry), 0);
    assert_int_equal(entry.night, 2);
    free(before);
    free(after);
    source_close(&source);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_of_fair_bits_averages_to_one),
        cmocka_unit_test(evidence_of_other_counts_averages_to_one),
        cmocka_unit_test(calibrated_p_values_average_to_one),
        cmocka_unit_test(a_month_with_kills_ends_like_one_without),
        cmocka_unit_test(nights_of_all_rows_with_kills_end_like_others),
        cmocka_unit_test(a_small_bias_is_found_after_some_nights),
        cmocka_unit_test(nights_of_another_battery_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
