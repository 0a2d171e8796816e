// SPDX-License-Identifier: Apache-2.0
// The decision rule on a source whose counts are dialled: in all words together every bit is one
// exactly half of the time at every place, but the first bit of every 256 is so many times more
// often. Limits in ones come from the exact binomial law, summed in Python: P(X >= n/2 + k), twice,
// times 505 hypotheses of `positions`, by the look's share.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "stats/audit/audit.h"
#include "stats/audit/course.h"
#include "stats/audit/shard.h"
#include "stats/battery/catalogue.h"

enum { BLOCK = 1 << BATTERY_BLOCK_LOG2, BLOCKS_MAX = 1024 };

struct dialled {
    uint64_t blocks, position;  // it ends after so many; the next word of a source in order
    unsigned more[BLOCKS_MAX];  // ones too many in that block, at most 4096
    unsigned stuck[BLOCKS_MAX]; // in so many first words bit 8 is always one there
    size_t words_left;          // behind the last block
};

static struct dialled dialled;
static int in_order;

static uint32_t mixed(uint64_t value)
{
    value = (value ^ value >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 32) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(value >> 31);
}

static enum error dialled_read(void *context, uint64_t first, size_t words, uint32_t *to,
                               size_t *got, struct diagnostic *diagnostic)
{
    struct dialled *const source = context;
    (void)diagnostic;
    if (in_order) {
        assert_true(first >= source->position);
        source->position = first + words;
    }
    const uint64_t end = source->blocks * BLOCK + source->words_left;
    *got = 0;
    for (uint64_t i = first; i < first + words && i < end; i++) {
        const uint64_t block = i / BLOCK, at = i % BLOCK;
        // Eight words, and their complements; the first of eight has 0 at its first bit.
        uint32_t word = mixed(i / 16 * 8 + i % 8) & (i % 8 ? UINT32_MAX : UINT32_MAX - 1);
        if (i & 8)
            word = ~word;
        else if (i % 8 == 0 && block < source->blocks)
            word |= at / 16 < source->more[block];
        if (block < source->blocks && at < source->stuck[block])
            word |= 256;
        to[(*got)++] = word;
    }
    return ERROR_NONE;
}

// One row that is judged at two stages and has a quarter of all weight; the rest belongs to a row
// that never begins.
static struct audit_options options;

static void set_stages(uint64_t first, uint64_t second)
{
    options = (struct audit_options){.threads = 2};
    options.battery =
        (struct battery){.name = "one", .rows = 2, .stages = 2, .stage = {first, second}};
    options.battery.row[0] = (struct battery_row){test_positions(), 0, second, 0.25};
    options.battery.row[1] = (struct battery_row){test_positions(), BLOCKS_MAX, second, 0.75};
    dialled = (struct dialled){.blocks = BLOCKS_MAX};
    in_order = 0;
}

static void spread(unsigned more, uint64_t from, uint64_t blocks)
{
    for (uint64_t b = 0; b < blocks; b++)
        dialled.more[from + b] = more / (unsigned)blocks + (b < more % blocks);
}

static struct audit_result run(void)
{
    struct diagnostic diagnostic = {0};
    struct audit_result result;
    const struct source source = {
        .name = "dialled", .random_access = !in_order, .context = &dialled, .read = dialled_read};
    dialled.position = 0;
    const enum error error = audit_run(&options, &source, &result, &diagnostic);
    if (error)
        fail_msg("%s", diagnostic.text);
    free(result.window.words_kept);
    result.window.words_kept = NULL;
    result.seconds = 0;
    return result;
}

// Of 32,768 of these bits: 1e-9 is passed with 663 ones too many, 1e-4 with 506; of 131,072 alone
// 1e-6 with 886.
enum { FLAWED = 663, SUSPECT = 506, CONFIRMED = 886, CONFIRMED_IN_4 = 444 };

static void evidence_below_1e_9_condemns_at_once(void **state)
{
    (void)state;
    set_stages(4, 8);
    spread(FLAWED, 0, 4);
    const struct audit_result result = run();
    assert_int_equal(result.verdict, AUDIT_FLAWED);
    assert_int_equal(result.repeats, 0);
    assert_int_equal(result.looks, 1);
    assert_int_equal(result.judged, 4);
    assert_int_equal(result.finding.hypothesis, 0);
    // Holm's step and the share of the look, an eighth, are in it.
    assert_true(__builtin_fabs(result.finding.log_p + 20.72622930) < 1e-7);
}

static void weaker_evidence_is_repeated_and_confirmed_below_1e_6(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        set_stages(4, 8);
        in_order = order;
        spread(FLAWED - 1, 0, 4);
        spread(CONFIRMED, 4, 16);
        const struct audit_result result = run();
        assert_int_equal(result.verdict, AUDIT_FLAWED);
        assert_int_equal(result.repeats, 1);
        assert_int_equal(result.judged, 4);
        assert_int_equal(result.finding.first_block, 0);
        assert_int_equal(result.finding.blocks, 4);
        assert_true(__builtin_fabs(result.finding.log_p + 20.64391598) < 1e-7);
        assert_int_equal(result.repeated, 1);
        assert_int_equal(result.repeat.first_block, 4);
        assert_int_equal(result.repeat.blocks, 16);
    }
}

static void what_a_repeat_refutes_is_clean_and_the_tally_goes_on_without_a_gap(void **state)
{
    (void)state;
    struct audit_result result[2];
    memset(result, 0, sizeof result);
    for (int order = 0; order < 2; order++) {
        set_stages(4, 8);
        in_order = order;
        spread(FLAWED - 1, 0, 4);
        spread(CONFIRMED - 1, 8, 12);
        result[order] = run();
        assert_int_equal(result[order].verdict, AUDIT_CLEAN);
        assert_int_equal(result[order].repeats, 1);
        assert_int_equal(result[order].repeated, 1);
        assert_int_equal(result[order].looks, 2);
        assert_int_equal(result[order].judged, 8);
        assert_int_equal(result[order].blocks, 20);
        assert_int_equal(result[order].unconfirmed, 0);
        assert_int_equal(result[order].skipped, 0);
    }
    assert_memory_equal(&result[0], &result[1], sizeof *result);
}

static void only_what_is_below_1e_4_is_repeated(void **state)
{
    (void)state;
    set_stages(4, 8);
    spread(SUSPECT, 0, 4);
    assert_int_equal(run().repeats, 1);
    set_stages(4, 8);
    spread(SUSPECT - 1, 0, 4);
    const struct audit_result result = run();
    assert_int_equal(result.repeats, 0);
    assert_int_equal(result.blocks, 8);
}

static void a_source_that_ends_before_the_repeat_is_clean_with_a_warning(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        set_stages(4, 8);
        spread(FLAWED - 1, 0, 4);
        dialled.blocks = 7;
        dialled.words_left = 1234;
        in_order = order;
        const struct audit_result result = run();
        assert_int_equal(result.verdict, AUDIT_CLEAN);
        assert_int_equal(result.unconfirmed, 1);
        assert_int_equal(result.repeats, 0);
        assert_int_equal(result.repeated, 0);
        assert_int_equal(result.ended, 1);
        assert_int_equal(result.judged, 7);
        assert_int_equal(result.words_left, 1234);
    }
    // As many blocks as were suspected are enough.
    set_stages(4, 8);
    spread(FLAWED - 1, 0, 4);
    spread(CONFIRMED_IN_4, 4, 4);
    dialled.blocks = 8;
    const struct audit_result result = run();
    assert_int_equal(result.verdict, AUDIT_FLAWED);
    assert_int_equal(result.repeat.blocks, 4);
}

static void suspicions_of_one_look_share_a_repeat(void **state)
{
    (void)state;
    set_stages(4, 8);
    options.battery.rows = 2;
    for (unsigned r = 0; r < 2; r++)
        options.battery.row[r] = (struct battery_row){test_positions(), 0, 8, 0.5};
    spread(600, 0, 4);
    const struct audit_result result = run();
    assert_int_equal(result.verdict, AUDIT_CLEAN);
    assert_int_equal(result.repeats, 2);
    assert_int_equal(result.blocks, 20);
}

static void a_flaw_in_what_a_repeat_has_read_is_found_and_placed(void **state)
{
    (void)state;
    struct audit_result result[2];
    memset(result, 0, sizeof result);
    for (int order = 0; order < 2; order++) {
        set_stages(4, 32);
        spread(FLAWED - 1, 0, 4);
        dialled.stuck[6] = BLOCK;
        in_order = order;
        options.keep_always = 1;
        result[order] = run();
        assert_int_equal(result[order].verdict, AUDIT_FLAWED);
        assert_int_equal(result[order].repeats, 1);
        assert_int_equal(result[order].repeated, 0); // that was another hypothesis
        assert_int_equal(result[order].finding.first_block, 0);
        assert_int_equal(result[order].finding.blocks, 32);
        assert_int_equal(result[order].finding.end_block, 32);
        assert_int_equal(result[order].window.first, UINT64_C(6) * BLOCK);
        assert_int_equal(result[order].window.words, BLOCK);
    }
    assert_memory_equal(&result[0], &result[1], sizeof *result);
}

// 256 blocks of a repeat are more than 64 that can be kept: the tally goes on behind them, and
// knows it.
static void places_are_right_behind_what_a_repeat_took(void **state)
{
    (void)state;
    set_stages(64, 128);
    spread(2300, 0, 64);
    in_order = 1;
    options.kept_blocks = 64;
    options.keep_always = 1;
    dialled.stuck[64 + 256 + 10] = BLOCK;
    const struct audit_result result = run();
    assert_int_equal(result.verdict, AUDIT_FLAWED);
    assert_int_equal(result.repeats, 1);
    assert_int_equal(result.judged, 128);
    assert_int_equal(result.blocks, 128 + 256);
    assert_int_equal(result.skipped, 256);
    assert_int_equal(result.finding.first_block, 0);
    assert_int_equal(result.finding.blocks, 128);
    assert_int_equal(result.finding.end_block, 128 + 256);
    assert_int_equal(result.window.first, (UINT64_C(64) + 256 + 10) * BLOCK);
}

static void a_window_is_looked_for_where_p_fell(void **state)
{
    (void)state;
    set_stages(128, 512);
    dialled.stuck[40] = 2500; // shows by itself, but nobody asked: 128 blocks hide it
    dialled.stuck[400] = BLOCK;
    struct audit_result result = run();
    assert_int_equal(result.window.first, UINT64_C(400) * BLOCK);
    assert_int_equal(result.window.none[0], 0);
    // Of a source in order what was not kept is gone, and that is said.
    in_order = 1;
    result = run();
    assert_int_equal(result.verdict, AUDIT_FLAWED);
    assert_int_equal(result.window.words, 0);
    assert_non_null(strstr(result.window.none, "gone"));
    options.keep_always = 1;
    result = run();
    assert_int_equal(result.window.first, UINT64_C(400) * BLOCK);
}

// A repeat on the way, and a flaw that only the counts of the parts hold: the verdict of one
// process, bit for bit.
static void parts_with_a_repeat_are_judged_as_one_process_would(void **state)
{
    (void)state;
    char folder[] = "/tmp/audit_test.XXXXXX", path[64];
    struct diagnostic diagnostic = {0};
    struct shard_plan plan = {.command = "audit", .text = "{}", .count = 2};
    struct shard_set set;
    struct arena arena = {0};
    set_stages(32, 128);
    spread(1700, 0, 32);
    dialled.stuck[40] = BLOCK;
    const struct audit_result whole = run();
    assert_int_equal(whole.repeats, 1);
    assert_int_equal(whole.verdict, AUDIT_FLAWED);
    assert_non_null(mkdtemp(folder));
    const struct source source = {
        .name = "dialled", .random_access = 1, .context = &dialled, .read = dialled_read};
    for (plan.index = 1; plan.index <= plan.count; plan.index++) {
        struct shard_payload payload = {0};
        assert_int_equal(
            audit_count_part(&options, &source, plan.index, plan.count, &payload, &diagnostic), 0);
        assert_int_equal(shard_write(folder, &plan, &payload, &diagnostic), 0);
    }
    assert_int_equal(shard_survey(folder, &arena, &set, &diagnostic), 0);
    struct audit_result joined;
    assert_int_equal(audit_run_parts(&options, &source, &set, &joined, &diagnostic), 0);
    audit_release(&joined);
    joined.window = whole.window;
    joined.seconds = 0;
    assert_memory_equal(&joined, &whole, sizeof whole);
    for (unsigned i = 0; i < set.count; i++) {
        snprintf(path, sizeof path, "%s", set.path[i]);
        assert_int_equal(unlink(path), 0);
    }
    arena_release(&arena);
    assert_int_equal(rmdir(folder), 0);
}

static void the_shares_of_all_looks_sum_to_one(void **state)
{
    (void)state;
    static const char *const name[] = {"quick", "nightly", "deep"};
    for (unsigned i = 0; i < 6; i++) {
        const struct source source = {.name = "any", .reach = i < 3 ? 63 : 0};
        options = (struct audit_options){0};
        assert_int_equal(battery_named(name[i % 3], &options.battery), 1);
        const struct battery *const battery = &options.battery;
        double sum = audit_before_weight(&options, &source);
        for (unsigned r = 0; r < battery->rows; r++)
            for (unsigned s = 0; s < battery->stages; s++)
                if (battery_seen(&battery->row[r], battery->stage[s]) >
                    (s ? battery_seen(&battery->row[r], battery->stage[s - 1]) : 0))
                    sum += audit_share(&options, &source, r);
        assert_true(__builtin_fabs(sum - 1) < 1e-12);
    }
}

// ---- far lags ---------------------------------------------------------------

enum { GRAINS_MAX = 1 << 15 };

struct recorder {
    uint64_t grain[GRAINS_MAX];
    size_t count;
};

static enum error record_read(void *context, uint64_t first, size_t words, uint32_t *to,
                              size_t *got, struct diagnostic *diagnostic)
{
    struct recorder *const recorder = context;
    (void)diagnostic;
    memset(to, 0, words * sizeof *to);
    *got = words;
    for (uint64_t at = first; at < first + words; at += SOURCE_GRAIN) {
        assert_true(recorder->count < GRAINS_MAX);
        recorder->grain[recorder->count++] = at / SOURCE_GRAIN;
    }
    return ERROR_NONE;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void a_repeat_of_far_lags_reads_no_word_that_was_read_before(void **state)
{
    (void)state;
    static struct recorder recorder[4];
    for (unsigned i = 0; i < 4; i++) {
        const struct source source = {.name = "recorder",
                                      .random_access = 1,
                                      .context = &recorder[i],
                                      .read = record_read,
                                      .reach = 63};
        struct judgement judgement;
        struct diagnostic diagnostic;
        assert_int_equal(
            audit_run_far(&source, i / 2, i % 2, 1, UINT32_MAX, &judgement, &diagnostic), 0);
        qsort(recorder[i].grain, recorder[i].count, sizeof *recorder[i].grain, by_value);
        assert_true(recorder[i].count > 62);
    }
    for (unsigned again = 1; again < 4; again += 2)
        for (unsigned other = 0; other < 4; other++)
            for (size_t g = 0; other != again && g < recorder[other].count; g++)
                assert_null(bsearch(&recorder[other].grain[g], recorder[again].grain,
                                    recorder[again].count, sizeof *recorder[again].grain,
                                    by_value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_below_1e_9_condemns_at_once),
        cmocka_unit_test(weaker_evidence_is_repeated_and_confirmed_below_1e_6),
        cmocka_unit_test(what_a_repeat_refutes_is_clean_and_the_tally_goes_on_without_a_gap),
        cmocka_unit_test(only_what_is_below_1e_4_is_repeated),
        cmocka_unit_test(a_source_that_ends_before_the_repeat_is_clean_with_a_warning),
        cmocka_unit_test(suspicions_of_one_look_share_a_repeat),
        cmocka_unit_test(a_flaw_in_what_a_repeat_has_read_is_found_and_placed),
        cmocka_unit_test(places_are_right_behind_what_a_repeat_took),
        cmocka_unit_test(a_window_is_looked_for_where_p_fell),
        cmocka_unit_test(parts_with_a_repeat_are_judged_as_one_process_would),
        cmocka_unit_test(the_shares_of_all_looks_sum_to_one),
        cmocka_unit_test(a_repeat_of_far_lags_reads_no_word_that_was_read_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
