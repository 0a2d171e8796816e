// SPDX-License-Identifier: Apache-2.0
// For tests: ChaCha20 with something done to it, and the tests of the battery that must see it.

#ifndef ASSAY_STATS_TESTS_SPOILED_H
#define ASSAY_STATS_TESTS_SPOILED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "stats/audit/audit.h"

// A source made of ChaCha20 with something done to it.
struct spoiled {
    struct source base;
    void (*spoil)(uint32_t *word, size_t words, uint64_t first);
};

static enum error spoiled_read(void *context, uint64_t first, size_t words, uint32_t *to,
                               size_t *got, struct diagnostic *diagnostic)
{
    const struct spoiled *const spoiled = context;
    const enum error error =
        spoiled->base.read(spoiled->base.context, first, words, to, got, diagnostic);
    if (!error && spoiled->spoil)
        spoiled->spoil(to, *got, first);
    return error;
}

struct flaw {
    const char *test;
    void (*spoil)(uint32_t *word, size_t words, uint64_t first);
    unsigned mebibytes;
};

// ThreadSanitizer looks at what threads share, which is the same for all sizes, and makes a word
// fifty times slower: flaws that show in one mebibyte are enough for it.
#ifdef __SANITIZE_THREAD__
enum { FLAW_MEBIBYTES_MAX = 1 };
#else
enum { FLAW_MEBIBYTES_MAX = 1024 };
#endif

static enum error audit(const struct battery *battery, const struct source *source,
                        struct audit_result *result)
{
    static struct audit_options options;
    struct diagnostic diagnostic;
    options = (struct audit_options){.battery = *battery};
    return audit_run(&options, source, result, &diagnostic);
}

// The rows of that test alone call the spoiled source flawed, and the source that was not spoiled
// clean.
static void test_catches_flaw(const struct flaw *flaw, uint64_t seed)
{
    static struct battery all, some;
    struct spoiled spoiled = {.spoil = flaw->spoil};
    struct diagnostic diagnostic;
    struct audit_result result;
    if (flaw->mebibytes > FLAW_MEBIBYTES_MAX)
        return;
    assert_int_equal(source_open_chacha(&spoiled.base, seed, &diagnostic), 0);
    const struct source source = {
        .name = "spoiled", .random_access = 1, .context = &spoiled, .read = spoiled_read};
    some = (struct battery){.name = "some", .stages = 1, .stage = {flaw->mebibytes * 4u}};
    static const char *const profile[] = {"quick",
                                          "nightly"}; // some rows are the longer one's alone
    for (unsigned i = 0; i < 2 && !some.rows; i++) {
        assert_true(battery_named(profile[i], &all));
        for (unsigned r = 0; r < all.rows; r++)
            if (!strcmp(all.row[r].test.name, flaw->test))
                some.row[some.rows++] = all.row[r];
    }
    assert_true(some.rows > 0);
    for (unsigned r = 0; r < some.rows; r++) {
        some.row[r].weight = 1.0 / some.rows;
        some.row[r].from = 0;
        some.row[r].blocks = flaw->mebibytes * 4u;
    }
    assert_int_equal(audit(&some, &source, &result), 0);
    if (result.verdict != AUDIT_FLAWED)
        fail_msg("%s does not see its flaw: log p %g, %s", flaw->test, result.finding.log_p,
                 result.finding.what);
    audit_release(&result);
    spoiled.spoil = NULL;
    assert_int_equal(audit(&some, &source, &result), 0);
    assert_int_equal(result.verdict, AUDIT_CLEAN);
    source_close(&spoiled.base);
}

struct flaws {
    const struct flaw *flaw;
    size_t count;
    uint64_t seed;
};

static void every_test_catches_its_flaw(void **state)
{
    const struct flaws *const flaws = *state;
    for (size_t i = 0; i < flaws->count; i++)
        test_catches_flaw(&flaws->flaw[i], flaws->seed + i);
}

// What main returns for a table of flaws; flaw i is put into the source of seed + i.
static int catch_flaws(const struct flaw *flaw, size_t count, uint64_t seed)
{
    struct flaws flaws = {flaw, count, seed};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_test_catches_its_flaw, &flaws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
