// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a part of a certification holds of one target and one suite; what is taken is
// judged.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/run/certify.h"
#include "harness/judge/run/certify_shard.h"
#include "harness/judge/search/explain.h"

// One part need not hold all cases.
static bool has_windows(const struct judge_run *run)
{
    bool has = false;
    for (size_t i = 0; i < run->result_count; i++)
        has = has || run->result[i].windowed;
    return has;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct suite suite;
    struct diagnostic diagnostic;
    struct shard_reader reader = {.at = data, .end = data + size};
    if (!suite.case_count &&
        suite_read("harness/cli/tests/fuzz/seeds/suite/small.yaml", &suite, &diagnostic))
        abort();
    struct judge_run run = {.suite = &suite};
    const struct judge_options options = {.explain = judge_explain};
    struct arena arena = {.limit = 64 << 20};
    const struct shard_codec codec = {.from = &reader, .arena = &arena};
    // In the order of harness/cli/certify/shard.c: why it is unavailable, description, closing,
    // libraries, whether the suite was judged.
    shard_get_text(&reader, &arena);
    if (judge_code_description(&codec, &run.description) &&
        !judge_select(&run, NULL, &diagnostic)) {
        shard_get_text(&reader, &arena);
        for (uint64_t left = 2 * shard_get_number(&reader); left && !reader.failed; left--)
            shard_get_text(&reader, &arena);
        if (shard_get_number(&reader) == 1 && !judge_take(&reader, 1, &run, &diagnostic) &&
            (!judge_make_whole(&run, &diagnostic) || !has_windows(&run)))
            judge_conclude(&run, &options, &diagnostic);
    }
    judge_release(&run);
    arena_release(&arena);
    return 0;
}
