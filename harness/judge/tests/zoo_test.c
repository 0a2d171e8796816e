// SPDX-License-Identifier: Apache-2.0
// The zoo before the judge: every plugin gets the verdict that its table states, the well-behaved
// pass, and nothing hangs.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/sanitized.h"
#include "harness/host/watch.h"
#include "harness/judge/run/certify.h"
#include "harness/tests/zoo/path.h"
#include "harness/tests/zoo/table.h"
#include "ref/base/digest.h"
#include "ref/base/file.h"

// Only plugins that never come back run out of time; a slow machine hurries no other.
// One of them has to compute first.
enum {
    TIME_MS = 500,
    CLOSE_MS = 4000,
    LONG_MS = 600000,
    MEMORY_MIB = 512,
    PLUGINS = sizeof zoo_table / sizeof zoo_table[0]
};

// A few cases of every kind: known answers, many counters, a refusal.
static const char *const patterns[] = {"published-old-4x32-*", "refuse-counter-type-f32"};

static struct suite suite;

static int read_suite(void **state)
{
    (void)state;
    struct diagnostic diagnostic = {.text = ""};
    if (!suite_read("yaml/suites/philox.yaml", &suite, &diagnostic))
        return 0;
    print_error("%s:%u: %s\n", diagnostic.file, diagnostic.line, diagnostic.text);
    return -1;
}

static int release_suite(void **state)
{
    (void)state;
    suite_release(&suite);
    return 0;
}

static enum error open_plugin(const struct zoo_row *row, struct host **host,
                              struct diagnostic *diagnostic)
{
    const struct host_options options = {
        .plugin = zoo_path(row->plugin),
        .time_ms = !strcmp(row->verdict, "timeout")     ? TIME_MS
                   : strstr(row->says, "did not close") ? CLOSE_MS * SANITIZED_SLOWER
                                                        : LONG_MS,
        .open_ms = strstr(row->says, "was not ready") ? TIME_MS : LONG_MS,
        .memory_bytes = (uint64_t)MEMORY_MIB << 20};
    return host_open(&options, host, diagnostic);
}

static const char *cases_of(const char *plugin)
{
    for (size_t i = 0; i < sizeof zoo_cases / sizeof zoo_cases[0]; i++)
        if (!strcmp(zoo_cases[i].plugin, plugin))
            return zoo_cases[i].cases;
    return NULL;
}

// What speaks against the plugin: the first failure of the expected verdict, else the first
// failure, else how it ended, else "pass".
static const char *judge_plugin(const struct zoo_row *row, char *reason, size_t size)
{
    const char *const name = row->plugin, *const expected = row->verdict,
                      *const cases = cases_of(name);
    struct diagnostic diagnostic = {.text = ""};
    struct host *host = NULL;
    enum verdict found = VERDICT_PASS;
    snprintf(reason, size, "%s", "");
    if (open_plugin(row, &host, &diagnostic)) {
        snprintf(reason, size, "%s", diagnostic.text);
        return verdict_name(VERDICT_HARNESS);
    }
    for (size_t p = 0; p < (cases ? 1 : sizeof patterns / sizeof patterns[0]); p++) {
        struct judge_run run;
        const struct judge_options options = {.pattern = cases ? cases : patterns[p]};
        if (judge_certify(&suite, host, &options, &run, &diagnostic))
            fail_msg("%s: %s", name, diagnostic.text);
        for (size_t i = 0; i < run.result_count; i++) {
            const struct judge_result *const result = &run.result[i];
            if (!verdict_is_failure(result->verdict))
                continue;
            if (found == VERDICT_PASS || (strcmp(verdict_name(found), expected) != 0 &&
                                          !strcmp(verdict_name(result->verdict), expected))) {
                found = result->verdict;
                snprintf(reason, size, "%s", result->reason ? result->reason : "");
            }
        }
        judge_release(&run);
    }
    char message[HOST_MESSAGE_SIZE];
    if (!host_close(host, message) && found == VERDICT_PASS) {
        snprintf(reason, size, "%s", message);
        found = VERDICT_CRASH;
    }
    return verdict_name(found);
}

// A process at the lowest priority that may not raise it has no other priority to change to.
static bool has_other_priority(void)
{
    const int now = getpriority(PRIO_PROCESS, 0);
    return now < 19 ||
           (!setpriority(PRIO_PROCESS, 0, now - 1) && !setpriority(PRIO_PROCESS, 0, now));
}

static void every_plugin_gets_the_verdict_of_the_table(void **state)
{
    (void)state;
    size_t wrong = 0, held = 0;
    for (size_t i = 0; i < PLUGINS; i++) {
        char reason[2048];
        const struct zoo_row *const row = &zoo_table[i];
        const char *taken = ASSAY_SANITIZED ? zoo_taken_by_sanitizers(row->plugin) : NULL;
        if (!strcmp(row->plugin, "priority") && !has_other_priority())
            taken = "there is no other here";
        if (taken) {
            print_message("# SKIP %s: %s\n", row->plugin, taken);
            continue;
        }
        held++;
        const char *const verdict = judge_plugin(row, reason, sizeof reason);
        if (!strcmp(verdict, row->verdict) && strstr(reason, row->says))
            continue;
        print_error("%s: %s (%s), expected %s (%s)\n", row->plugin, verdict, reason, row->verdict,
                    row->says);
        wrong++;
    }
    print_message("# %zu plugins\n", held);
    assert_int_equal(wrong, 0);
}

// Not of the first alone: what a child writes when the next calls are under way is not theirs.
static void a_child_left_behind_is_told_of_every_case(void **state)
{
    (void)state;
    static const struct zoo_row row = {"forks_and_writes_late", "environment", "child process"};
    struct diagnostic diagnostic = {.text = ""};
    struct host *host = NULL;
    struct judge_run run;
    char message[HOST_MESSAGE_SIZE];
    assert_int_equal(open_plugin(&row, &host, &diagnostic), ERROR_NONE);
    const struct judge_options options = {.pattern = patterns[0]};
    assert_int_equal(judge_certify(&suite, host, &options, &run, &diagnostic), ERROR_NONE);
    assert_true(run.result_count > 1);
    for (size_t i = 0; i < run.result_count; i++)
        assert_string_equal(verdict_name(run.result[i].verdict), row.verdict);
    judge_release(&run);
    host_close(host, message);
}

// frozen_v1 is built against it, and passes above.
static void the_first_version_of_the_abi_is_frozen(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct document_source header;
    unsigned char digest[DIGEST_SIZE];
    char hex[DIGEST_HEX_SIZE];
    assert_int_equal(file_read("harness/tests/zoo/plugin_v1.h", &arena, &header, NULL), ERROR_NONE);
    assert_int_equal(digest_of(header.text, header.size, digest, NULL), ERROR_NONE);
    digest_write_hex(digest, hex);
    assert_string_equal(hex, "1c4c3bb0fe2d47bf7a6fbeb6d9cfdaa257c6e33b8ef26cfaefc92939320a40ef");
    arena_release(&arena);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker"))
        return host_worker_main(count - 2, arguments + 2);
    setenv(WATCH_ASKED, "1", 1); // as in runs that are signed
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plugin_gets_the_verdict_of_the_table),
        cmocka_unit_test(a_child_left_behind_is_told_of_every_case),
        cmocka_unit_test(the_first_version_of_the_abi_is_frozen),
    };
    return cmocka_run_group_tests(tests, read_suite, release_suite);
}
