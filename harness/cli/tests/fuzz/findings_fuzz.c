// SPDX-License-Identifier: Apache-2.0
// Any bytes as the list of findings; those without a case become pages.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "harness/judge/write/finding.h"
#include "yaml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const struct document_source source = fuzz_source(data, size);
    struct document_node *root;
    const struct document_node *list = NULL;
    if (!yaml_read(&source, &arena, &root, &diagnostic) && root->kind == DOCUMENT_MAPPING)
        list = document_find(root, "findings");
    for (size_t i = 0; list && list->kind == DOCUMENT_SEQUENCE && i < list->count; i++) {
        struct finding finding;
        struct text text = {0};
        if (!finding_read(list->item[i], &finding, &diagnostic))
            finding_write_seen(&finding, "no case of a suite shows it", &text, &diagnostic);
        text_release(&text);
    }
    arena_release(&arena);
    return 0;
}
