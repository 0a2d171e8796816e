// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/certify/recorded.h"

#include <stdio.h>

#include "harness/cli/certify/files.h"
#include "ref/base/file.h"
#include "reports/envelope.h"

enum error recorded_sign(struct text *text, const char *key, const char *target,
                         const char *recorded, const char *sha256, struct diagnostic *diagnostic)
{
    struct text payload = {0};
    json_begin_object(&payload);
    json_put_pair(&payload, "_type", STATEMENT_TYPE);
    json_begin_list_at(&payload, "subject");
    json_begin_object(&payload);
    json_put_pair(&payload, "name", RECORD_NAME ".jsonl");
    json_begin_object_at(&payload, "digest");
    json_put_pair(&payload, "sha256", sha256);
    json_end_object(&payload);
    json_end_object(&payload);
    json_end_list(&payload);
    json_put_pair(&payload, "predicateType", RECORDED_PREDICATE);
    json_begin_object_at(&payload, "predicate");
    json_put_pairs(&payload, {"target", target}, {"recorded", recorded});
    json_end_object(&payload);
    json_end_object(&payload);
    const enum error error =
        payload.failed ? diagnostic_no_memory(diagnostic)
                       : envelope_sign(text, payload.bytes, payload.size, key, diagnostic);
    text_put(text, "\n");
    text_release(&payload);
    return error;
}

static const struct document_node *in_mapping(const struct document_node *node, const char *key)
{
    return node && node->kind == DOCUMENT_MAPPING ? document_find(node, key) : NULL;
}

static const struct document_node *first_of(const struct document_node *node)
{
    return node && node->kind == DOCUMENT_SEQUENCE && node->count ? node->item[0] : NULL;
}

// Whether the payload says that it is of this record.
static enum error check_payload(const struct record *record, struct document_source *payload,
                                struct arena *arena, struct diagnostic *diagnostic)
{
    struct document_node *root;
    const enum error error = json_read(payload, arena, &root, diagnostic);
    if (error)
        return error;
    const struct document_node *const subject = first_of(in_mapping(root, "subject"));
    const char *const sha256 = document_text(in_mapping(subject, "digest"), "sha256");
    if (!text_same(document_text(root, "predicateType"), RECORDED_PREDICATE) ||
        !text_same(sha256, record->form.sha256))
        return document_fail(root, ERROR_INPUT, diagnostic, "the signature is of another record");
    return ERROR_NONE;
}

static enum error check_signature(struct certify_work *work, const char *key,
                                  struct diagnostic *diagnostic)
{
    struct document_source file, payload;
    struct document_node *root;
    struct arena *const arena = &work->arena;
    const char *const path =
        arena_print(arena, "%s/" RECORDED_SIGNATURE, work->arguments->recorded);
    enum error error =
        path ? file_read(path, arena, &file, diagnostic) : diagnostic_no_memory(diagnostic);
    if (error == ERROR_INPUT)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s is not signed: there is no " RECORDED_SIGNATURE,
                               work->arguments->recorded);
    if (!error)
        error = json_read(&file, arena, &root, diagnostic);
    if (!error)
        error = envelope_open(root, key, arena, &payload, diagnostic);
    if (!error)
        error = check_payload(work->record, &payload, arena, diagnostic);
    if (!error)
        work->recorded.signer = document_text(first_of(in_mapping(root, "signatures")), "keyid");
    return error;
}

// "philox 1.0.0, openvino.range 1.2.0".
static const char *name_suites(const struct record *record, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < record->suite_count && text; i++)
        text = arena_print(arena, "%s%s%.100s %.40s", text, i ? ", " : "", record->suite[i].name,
                           record->suite[i].version);
    return text && text[0] ? text : NULL;
}

static struct machine machine_of(const struct record *record)
{
    struct machine machine = {.threads = record->threads};
    const struct {
        char *to;
        size_t size;
        const char *from;
    } texts[] = {
        {machine.architecture, sizeof machine.architecture, record->architecture},
        {machine.instructions, sizeof machine.instructions, record->instructions},
        {machine.class, sizeof machine.class, record->class},
        {machine.processor, sizeof machine.processor, record->processor},
        {machine.system, sizeof machine.system, record->system},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        snprintf(texts[i].to, texts[i].size, "%s", texts[i].from ? texts[i].from : "");
    return machine;
}

enum error recorded_open(struct certify_work *work, struct diagnostic *diagnostic)
{
    const struct certify_arguments *const a = work->arguments;
    struct arena *const arena = &work->arena;
    work->targets = arena_take_array(arena, 1, sizeof *work->targets);
    work->record = arena_take(arena, sizeof *work->record);
    if (!work->targets || !work->record)
        return diagnostic_no_memory(diagnostic);
    enum error error = record_read(a->recorded, work->record, diagnostic);
    if (error)
        return error;
    struct record *const record = work->record;
    const char *const selector = arena_print(arena, "--recorded %s", a->recorded);
    work->targets[0] = (struct target){.name = record->name,
                                       .held_to = record->held_to,
                                       .native = record->native,
                                       .replay = record,
                                       .named = true,
                                       .selector = selector};
    work->target_count = 1;
    work->machine = machine_of(record);
    work->recorded = (struct records_recorded){.at = record->recorded,
                                               .by = record->by,
                                               .sha256 = record->form.sha256,
                                               .suites = name_suites(record, arena),
                                               .file_sha256 = record->file_sha256};
    if (!selector)
        return diagnostic_no_memory(diagnostic);
    return a->recorded_by ? check_signature(work, a->recorded_by, diagnostic) : ERROR_NONE;
}

enum error recorded_take_session(struct certify_work *work, struct certify_session *session,
                                 struct diagnostic *diagnostic)
{
    const struct record *const record = work->record;
    struct records_library *const library =
        arena_take_array(&work->arena, record->library_count + 1, sizeof *library);
    if (!library)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < record->library_count; i++) {
        library[i].name = record->library[i].file;
        snprintf(library[i].sha256, sizeof library[i].sha256, "%s", record->library[i].sha256);
    }
    session->library = NULL;
    session->library_count = 0;
    session->unseen = record->unseen;
    session->closing = record->outside;
    return certify_add_files(&work->arena, session, library, record->library_count, diagnostic);
}
