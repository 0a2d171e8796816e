// SPDX-License-Identifier: Apache-2.0
// Any lines as results that a list of known failures is held against, as `known --against` does
// with those whose form was checked before.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/known/known.h"
#include "harness/judge/known/recorded.h"

static struct suite suites[2];
static struct known_list list;

static void start(void)
{
    static const char *const paths[] = {"yaml/suites/philox.yaml",
                                        "yaml/suites/openvino.random_uniform.yaml"};
    struct diagnostic diagnostic;
    for (unsigned i = 0; i < 2; i++)
        if (suite_read(paths[i], &suites[i], &diagnostic))
            abort();
    if (known_read("harness/targets/known.yaml", &list, &diagnostic))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct document_source source = fuzz_source(data, size);
    struct recorded recorded = {0};
    struct diagnostic diagnostic;
    struct arena arena = {0};
    const char *names;
    if (!list.count)
        start();
    recorded_suite_names(&source, &arena, &names, &diagnostic);
    if (!recorded_read(&source, suites, 2, &recorded, &diagnostic))
        for (size_t i = 0; i < recorded.count; i++)
            known_apply(&list, recorded.run[i].target, &recorded.run[i].run, &diagnostic);
    recorded_release(&recorded);
    arena_release(&arena);
    return 0;
}
