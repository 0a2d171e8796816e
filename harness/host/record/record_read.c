// SPDX-License-Identifier: Apache-2.0
// Reads a record, of which nothing is trusted: each line by its keys, each number within its
// bounds.

#include <stdlib.h>
#include <string.h>

#include "harness/host/record/record.h"
#include "harness/host/spawn.h"
#include "ref/base/size.h"

// ---- header -----------------------------------------------------------------

static const char *keep(struct record *record, const char *text)
{
    return text ? arena_copy_text(&record->arena, text, strlen(text)) : NULL;
}

// A text of the header. It may hold any character: code that prints it checks that.
struct header_text {
    const char **to;
    const char *key;
};

static void take_texts(struct record *record, const struct document_node *node,
                       const struct header_text *text)
{
    for (; text->to; text++)
        *text->to = keep(record, document_text(node, text->key));
}

static const struct document_node *find_mapping(const struct document_node *node, const char *key)
{
    const struct document_node *const found = document_find(node, key);
    return found && found->kind == DOCUMENT_MAPPING ? found : NULL;
}

static enum error copy_word(const struct document_node *node, const char *key, char *to,
                            size_t size, struct diagnostic *diagnostic)
{
    const char *const text = document_text(node, key);
    if (text && strlen(text) >= size)
        return document_fail(node, ERROR_INPUT, diagnostic, "'%s' is longer than %zu bytes", key,
                             size - 1);
    snprintf(to, size, "%s", text ? text : "");
    make_printable(to);
    return ERROR_NONE;
}

static enum error take_capabilities(struct host_description *description,
                                    const struct document_node *node, struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(node, "capabilities");
    if (!list)
        return ERROR_NONE;
    enum error error = document_expect(list, DOCUMENT_SEQUENCE, "capabilities", diagnostic);
    for (size_t i = 0; !error && i < list->count; i++) {
        const char *const word = list->item[i]->kind == DOCUMENT_SCALAR ? list->item[i]->text : "";
        const int bit = text_index(record_capabilities, word);
        if (bit < 0)
            return document_fail(list->item[i], ERROR_INPUT, diagnostic,
                                 "there is no capability '%.40s'", word);
        description->capabilities |= 1u << bit;
    }
    return error;
}

static enum error take_feeds(struct host_description *description, const struct document_node *node,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(node, "feeds");
    snprintf(description->feeds[0], sizeof description->feeds[0], "usual");
    description->feed_count = 1;
    if (!list)
        return ERROR_NONE;
    enum error error = document_expect(list, DOCUMENT_SEQUENCE, "feeds", diagnostic);
    if (!error && (!list->count || list->count > HOST_FEEDS_MAX))
        error =
            document_fail(list, ERROR_INPUT, diagnostic, "there are 1 to %d feeds", HOST_FEEDS_MAX);
    for (size_t i = 0; !error && i < list->count; i++) {
        const char *const word = list->item[i]->kind == DOCUMENT_SCALAR ? list->item[i]->text : "";
        snprintf(description->feeds[i], sizeof description->feeds[i], "%s", word);
        make_printable(description->feeds[i]);
        description->feed_count = (uint32_t)i + 1;
    }
    return error;
}

static enum error take_description(struct record *record, const struct document_node *node,
                                   struct diagnostic *diagnostic)
{
    struct host_description *const to = &record->description;
    const char *const kind = document_text(node, "kind");
    long long threads = 0;
    *to = (struct host_description){.kept = true, .replayed = true};
    if (!text_same(kind, "plugin") && !text_same(kind, "process"))
        return document_fail(node, ERROR_INPUT, diagnostic,
                             "the target's kind is plugin or process");
    to->process = !strcmp(kind, "process");
    enum error error = copy_word(node, "library", to->name, sizeof to->name, diagnostic);
    if (!error)
        error = copy_word(node, "version", to->version, sizeof to->version, diagnostic);
    if (!error)
        error = copy_word(node, "model", to->model, sizeof to->model, diagnostic);
    if (!error)
        error = copy_word(node, "change", to->change, sizeof to->change, diagnostic);
    if (!error)
        error = take_capabilities(to, node, diagnostic);
    if (!error)
        error = take_feeds(to, node, diagnostic);
    if (!error && document_find(node, "threads_most"))
        error = document_integer(document_find(node, "threads_most"), 0, ASSAY_THREADS_MAX,
                                 &threads, "threads_most", diagnostic);
    to->threads_most = (uint32_t)threads;
    return error;
}

static bool is_digest(const char *text)
{
    return text && strlen(text) == DIGEST_HEX_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == DIGEST_HEX_SIZE - 1;
}

static enum error take_libraries(struct record *record, const struct document_node *node,
                                 struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(node, "libraries");
    enum error error =
        list ? document_expect(list, DOCUMENT_SEQUENCE, "libraries", diagnostic) : ERROR_NONE;
    if (!list || error)
        return error;
    record->library = arena_take_array(&record->arena, list->count, sizeof *record->library);
    if (!record->library)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < list->count; i++) {
        const char *const file = document_text(list->item[i], "file"), *const sha256 =
                                                                           document_text(
                                                                               list->item[i],
                                                                               "sha256");
        if (!file || !file[0] || !is_digest(sha256))
            return document_fail(list->item[i], ERROR_INPUT, diagnostic,
                                 "a library has file and sha256");
        record->library[record->library_count++] =
            (struct record_library){keep(record, file), keep(record, sha256)};
    }
    return ERROR_NONE;
}

static enum error take_suites(struct record *record, const struct document_node *root,
                              struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(root, "suites");
    enum error error =
        list ? document_expect(list, DOCUMENT_SEQUENCE, "suites", diagnostic) : ERROR_NONE;
    if (!list || error)
        return error;
    record->suite = arena_take_array(&record->arena, list->count, sizeof *record->suite);
    if (!record->suite)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        struct record_suite *const suite = &record->suite[record->suite_count];
        const struct header_text texts[] = {{&suite->name, "name"},
                                            {&suite->version, "version"},
                                            {&suite->sha256, "sha256"},
                                            {NULL, NULL}};
        if (!document_text(node, "name") || !document_text(node, "version") ||
            !is_digest(document_text(node, "sha256")))
            return document_fail(node, ERROR_INPUT, diagnostic,
                                 "a suite has name, version and sha256");
        take_texts(record, node, texts);
        record->suite_count++;
    }
    return ERROR_NONE;
}

// Times and names stand in certificates as they are.
static enum error check_header(const struct record *record, const struct document_node *root,
                               struct diagnostic *diagnostic)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    bool time = record->recorded && strlen(record->recorded) == sizeof form - 1;
    for (size_t i = 0; time && form[i]; i++)
        time = form[i] == '0' ? strchr("0123456789", record->recorded[i]) != NULL
                              : record->recorded[i] == form[i];
    if (!time)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "'recorded' is a time like 2026-01-31T12:00:00Z");
    if (!record->by || !record->by[0])
        return document_fail(root, ERROR_INPUT, diagnostic, "'by' says what recorded");
    if (!record->name || !record->name[0] || strchr(record->name, '/'))
        return document_fail(root, ERROR_INPUT, diagnostic, "the target has a name without '/'");
    if (!record->architecture)
        return document_fail(root, ERROR_INPUT, diagnostic, "the machine's architecture is needed");
    if (record->file_sha256 && !is_digest(record->file_sha256))
        return document_fail(root, ERROR_INPUT, diagnostic, "the target's sha256 is no digest");
    return ERROR_NONE;
}

static enum error take_header(struct record *record, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"record", "format",  "recorded", "by",
                                       "target", "machine", "suites",   NULL};
    struct arena arena = {0};
    struct document_node *root;
    long long threads = 0;
    enum error error = json_read(&record->form.header, &arena, &root, diagnostic);
    if (!error)
        error = form_only_keys(root, keys, diagnostic);
    const struct document_node *const target = error ? NULL : find_mapping(root, "target"),
                                      *const machine = error ? NULL : find_mapping(root, "machine");
    if (!error && (!text_same(document_text(root, "format"), RECORD_FORMAT) ||
                   !text_same(document_text(root, "record"), "header") || !target || !machine))
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "the first line is a header of the format %s, with target and "
                              "machine",
                              RECORD_FORMAT);
    if (!error) {
        const struct header_text of_root[] = {
            {&record->recorded, "recorded"}, {&record->by, "by"}, {NULL, NULL}};
        const struct header_text of_target[] = {{&record->name, "name"},
                                                {&record->file, "file"},
                                                {&record->file_sha256, "sha256"},
                                                {&record->held_to, "held_to"},
                                                {&record->environment, "environment"},
                                                {&record->unseen, "unseen"},
                                                {&record->untried, "untried"},
                                                {&record->outside, "outside"},
                                                {NULL, NULL}};
        const struct header_text of_machine[] = {{&record->architecture, "architecture"},
                                                 {&record->processor, "processor"},
                                                 {&record->instructions, "instructions"},
                                                 {&record->class, "class"},
                                                 {&record->system, "system"},
                                                 {NULL, NULL}};
        take_texts(record, root, of_root);
        take_texts(record, target, of_target);
        take_texts(record, machine, of_machine);
        record->native = text_same(document_text(target, "native"), "true");
        error = take_description(record, target, diagnostic);
    }
    if (!error && document_find(machine, "processors"))
        error = document_integer(document_find(machine, "processors"), 0, 1 << 20, &threads,
                                 "processors", diagnostic);
    record->threads = (unsigned)threads;
    if (!error)
        error = take_libraries(record, target, diagnostic);
    if (!error)
        error = take_suites(record, root, diagnostic);
    if (!error)
        error = check_header(record, root, diagnostic);
    arena_release(&arena);
    return error;
}

// ---- answers ----------------------------------------------------------------

static enum error take_conditions(struct record_answer *answer, const struct document_node *node,
                                  struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "conditions", diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        const struct record_condition *c = record_conditions;
        long long value = 0;
        while (c->name && strcmp(c->name, node->key[i]->text) != 0)
            c++;
        if (!c->name)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                 "there is no condition '%.40s'", node->key[i]->text);
        error = document_integer(node->item[i], 0, c->most, &value, c->name, diagnostic);
        const bool flag = value != 0;
        const uint32_t number = (uint32_t)value;
        _Static_assert(sizeof(enum host_guard) == sizeof number, "enumerations are of 32 bits");
        memcpy((char *)&answer->conditions + c->offset,
               c->size == sizeof flag ? (const void *)&flag : &number, c->size);
    }
    return error;
}

static enum error take_outcome(struct record_answer *answer, const struct document_node *root,
                               struct diagnostic *diagnostic)
{
    const char *const word = document_text(root, "outcome");
    for (unsigned i = 0; word && i < HOST_UNRECORDED; i++)
        if (!strcmp(word, host_outcome_name((enum host_outcome)i))) {
            answer->outcome = (enum host_outcome)i;
            return ERROR_NONE;
        }
    return document_fail(root, ERROR_INPUT, diagnostic, "there is no outcome '%.40s'",
                         word ? word : "");
}

static enum error take_outputs(struct record *record, struct record_answer *answer,
                               const struct document_node *node, struct diagnostic *diagnostic)
{
    enum error error = document_expect(node, DOCUMENT_MAPPING, "outputs", diagnostic);
    if (!error && node->count > HOST_OUTPUTS_MAX)
        error =
            document_fail(node, ERROR_INPUT, diagnostic, "at most %d outputs", HOST_OUTPUTS_MAX);
    answer->output =
        error ? NULL : arena_take_array(&record->arena, node->count, sizeof *answer->output);
    if (!error && !answer->output)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < node->count; i++) {
        struct record_output *const output = &answer->output[answer->output_count++];
        output->name = keep(record, node->key[i]->text);
        error = form_take_tensor(&record->form, node->item[i], &output->tensor, &output->count,
                                 diagnostic);
    }
    return error;
}

static enum error take_received(struct record *record, struct record_answer *answer,
                                const struct document_node *node, struct diagnostic *diagnostic)
{
    answer->received = arena_take(&record->arena, sizeof *answer->received);
    if (!answer->received)
        return diagnostic_no_memory(diagnostic);
    const enum error error = form_take_tensor(&record->form, node, &answer->received->tensor,
                                              &answer->received->count, diagnostic);
    if (!error && answer->received->count > HOST_RECEIVED_MAX)
        return document_fail(node, ERROR_INPUT, diagnostic, "at most %d elements are received",
                             HOST_RECEIVED_MAX);
    return error;
}

static bool take_digest(const char *text, unsigned char digest[DIGEST_SIZE])
{
    char pair[3] = "";
    if (!is_digest(text))
        return false;
    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        memcpy(pair, text + 2 * i, 2);
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return true;
}

static enum error take_flag(const struct document_node *root, const char *key, bool *flag,
                            struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(root, key);
    return node ? document_boolean(node, flag, key, diagnostic) : ERROR_NONE;
}

// An answer's values and its outcome must fit together, as the host promises the judge.
static enum error check_answer(const struct record_answer *answer, const struct document_node *root,
                               struct diagnostic *diagnostic)
{
    const bool valued = answer->outcome == HOST_OK || answer->outcome == HOST_ENVIRONMENT;
    if (!answer->ask && answer->outcome == HOST_OK && !answer->output)
        return document_fail(root, ERROR_INPUT, diagnostic, "an answer that is ok has outputs");
    if (answer->output && (!valued || answer->ask))
        return document_fail(root, ERROR_INPUT, diagnostic, "an answer that is %s has no outputs",
                             answer->ask ? "to a question" : host_outcome_name(answer->outcome));
    if (answer->received && answer->outcome != HOST_WRONG_RESULT)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "only an answer of another type or shape has 'received'");
    return ERROR_NONE;
}

static enum error take_answer(struct record *record, const struct document_source *line,
                              struct record_answer *answer, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"record",  "case",       "request",  "ask",
                                       "beyond",  "reverse",    "outcome",  "message",
                                       "outputs", "conditions", "received", NULL};
    struct arena arena = {0};
    struct document_node *root;
    enum error error = json_read(line, &arena, &root, diagnostic);
    if (!error)
        error = form_only_keys(root, keys, diagnostic);
    const char *const of = error ? NULL : document_text(root, "case");
    if (!error && (!text_same(document_text(root, "record"), "answer") || !of ||
                   !take_digest(document_text(root, "request"), answer->request)))
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "an answer has case and request, which is a digest");
    if (!error)
        error = take_flag(root, "ask", &answer->ask, diagnostic);
    if (!error)
        error = take_flag(root, "beyond", &answer->beyond, diagnostic);
    if (!error)
        error = take_flag(root, "reverse", &answer->reverse, diagnostic);
    if (!error && document_find(root, "conditions"))
        error = take_conditions(answer, document_find(root, "conditions"), diagnostic);
    if (!error)
        error = take_outcome(answer, root, diagnostic);
    if (!error && document_find(root, "outputs"))
        error = take_outputs(record, answer, document_find(root, "outputs"), diagnostic);
    if (!error && document_find(root, "received"))
        error = take_received(record, answer, document_find(root, "received"), diagnostic);
    if (!error)
        error = check_answer(answer, root, diagnostic);
    if (!error) {
        const char *const message = document_text(root, "message");
        answer->of = keep(record, of);
        answer->message = keep(record, message ? message : "");
        if (!answer->of || !answer->message)
            error = diagnostic_no_memory(diagnostic);
    }
    arena_release(&arena);
    return error;
}

static int by_case(const void *a, const void *b)
{
    const struct record_answer *const x = a, *const y = b;
    int order = strcmp(x->of, y->of);
    if (!order)
        order = memcmp(x->request, y->request, DIGEST_SIZE);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

enum error record_read(const char *folder, struct record *record, struct diagnostic *diagnostic)
{
    *record = (struct record){.name = NULL};
    enum error error = form_read(folder, RECORD_NAME, &record->arena, &record->form, diagnostic);
    if (!error)
        error = take_header(record, diagnostic);
    if (!error)
        record->answer =
            arena_take_array(&record->arena, record->form.count, sizeof *record->answer);
    if (!error && !record->answer)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < record->form.count && !error; i++) {
        record->answer[i].number = i;
        error = take_answer(record, &record->form.line[i], &record->answer[i], diagnostic);
        record->count = i + 1;
    }
    if (!error)
        error = form_check_data(&record->form, diagnostic);
    if (!error && record->arena.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error && record->count)
        qsort(record->answer, record->count, sizeof *record->answer, by_case);
    return error;
}

void record_release(struct record *record)
{
    arena_release(&record->arena);
    *record = (struct record){.name = NULL};
}
