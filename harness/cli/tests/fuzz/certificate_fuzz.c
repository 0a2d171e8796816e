// SPDX-License-Identifier: Apache-2.0
// Any bytes as the lines of a certificate: envelope, signature, statement; and as the statement
// that an envelope holds.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "ref/base/json.h"
#include "reports/envelope.h"
#include "reports/shape.h"
#include "reports/statement.h"

static const char key[] = "harness/cli/tests/fuzz/certificate.pub";

static void look(const struct document_source *source, struct arena *arena)
{
    struct document_node *statement;
    struct diagnostic diagnostic;
    if (!json_read(source, arena, &statement, &diagnostic))
        shape_check(statement, statement_shape, &diagnostic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {.limit = 64 << 20};
    struct diagnostic diagnostic;
    const char *at = (const char *)data, *const end = at + size;
    while (at < end) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        const struct document_source line = {
            .name = "fuzz", .text = at, .size = (size_t)((newline ? newline : end) - at)};
        struct document_source payload;
        struct document_node *root;
        look(&line, &arena);
        if (!json_read(&line, &arena, &root, &diagnostic)) {
            if (!envelope_open(root, NULL, &arena, &payload, &diagnostic))
                look(&payload, &arena);
            envelope_open(root, key, &arena, &payload, &diagnostic);
        }
        at = newline ? newline + 1 : end;
    }
    arena_release(&arena);
    return 0;
}
