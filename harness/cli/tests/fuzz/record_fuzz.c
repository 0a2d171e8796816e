// SPDX-License-Identifier: Apache-2.0
// Any lines as those of a record, with digests that fit, so that what stands behind the digests is
// met; then a call is answered by what was read.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "harness/host/record/record.h"

enum { LINES_MAX = 64, BYTES = 64 };

// Writes the input's lines, each without its last brace where it has one, as a record.
static bool write_lines(struct form_writer *writer, const uint8_t *data, size_t size)
{
    static const unsigned char bytes[BYTES];
    const struct tensor all = {.dtype = DTYPE_U8, .rank = 1, .shape = {BYTES}};
    struct text line = {0}, head = {0};
    char sha256[DIGEST_HEX_SIZE];
    struct diagnostic diagnostic;
    const char *at = (const char *)data, *const end = at + size;
    form_put_tensor(writer, &line, &all, BYTES, bytes);
    text_clear(&line);
    for (unsigned i = 0; at < end && i < LINES_MAX; i++) {
        const char *const stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        const char *const next = at + length + 1;
        length -= length && at[length - 1] == '}';
        text_put_bytes(i ? &line : &head, at, length);
        (i ? &line : &head)->comma = true;
        if (i)
            form_put_line(writer, &line);
        at = next;
    }
    if (!head.size)
        json_begin_object(&head);
    const bool good =
        !form_close(writer, &head, sha256, &diagnostic) && !form_commit(writer, &diagnostic);
    text_release(&line);
    text_release(&head);
    return good;
}

static void ask(struct record *record)
{
    uint32_t held[8] = {0};
    struct host_recorded plan[4];
    struct diagnostic diagnostic;
    size_t count;
    const struct host_tensor output = {
        .name = "output", .tensor = {.dtype = DTYPE_U32, .rank = 1, .shape = {8}, .data = held}};
    const struct host_request request = {
        .operation = "philox", .outputs = &output, .output_count = 1};
    for (unsigned i = 0; i < 4; i++) {
        struct host_call call = {
            .request = &request, .of = "s/c", .ask = i & 1, .beyond = (i & 2) != 0};
        replay_run(record, &call, 1);
    }
    replay_plan(record, "s/c", &request, plan, 4, &count, &diagnostic);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = FUZZ_FOLDER;
    static bool made;
    struct form_writer *writer;
    struct record record;
    struct diagnostic diagnostic;
    if (!made)
        fuzz_folder(folder);
    made = true;
    const char *const path = fuzz_path(folder, "record");
    char place[sizeof FUZZ_FOLDER + 64];
    snprintf(place, sizeof place, "%s", path);
    if (form_begin(place, RECORD_NAME, &writer, &diagnostic))
        abort();
    const bool good = write_lines(writer, data, size);
    form_release(writer);
    if (!good)
        return 0;
    if (!record_read(place, &record, &diagnostic))
        ask(&record);
    record_release(&record);
    unlink(fuzz_path(place, RECORD_NAME ".jsonl"));
    unlink(fuzz_path(place, RECORD_NAME ".data"));
    rmdir(place);
    return 0;
}
