// SPDX-License-Identifier: Apache-2.0
// Any bytes as results.jsonl that are compared with others, in which a case is looked up, and that
// are made runs.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/known/recorded.h"
#include "harness/judge/write/results_case.h"
#include "harness/judge/write/results_diff.h"

static void make_runs(const uint8_t *data, size_t size)
{
    static struct suite suite;
    const struct document_source file = {.name = "-", .text = (const char *)data, .size = size};
    struct recorded recorded = {0};
    struct diagnostic diagnostic;
    struct arena arena = {.limit = 64 << 20};
    const char *names;
    if (!suite.case_count && suite_read("yaml/suites/philox.yaml", &suite, &diagnostic))
        abort();
    recorded_suite_names(&file, &arena, &names, &diagnostic);
    recorded_read(&file, &suite, 1, &recorded, &diagnostic);
    recorded_release(&recorded);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char sound[] = "harness/cli/tests/fuzz/seeds/results/philox";
    char path[64];
    int descriptor;
    struct results_diff diff = {0};
    struct diagnostic diagnostic;
    struct arena arena = {.limit = 64 << 20};
    struct results_case found;
    fuzz_file(data, size, path, &descriptor);
    results_diff(path, sound, &diff, &diagnostic);
    results_diff_release(&diff);
    diff = (struct results_diff){0};
    results_diff(sound, path, &diff, &diagnostic);
    results_diff_release(&diff);
    results_find_case(path, "n-10", NULL, NULL, &arena, &found, &diagnostic);
    make_runs(data, size);
    arena_release(&arena);
    close(descriptor);
    return 0;
}
