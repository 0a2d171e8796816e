// SPDX-License-Identifier: Apache-2.0
// The conversation with a process target: one line out, one line in, each answer checked before it
// is used.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/host/target.h"
#include "harness/host/program_json.h"
#include "ref/base/clock.h"

enum { PROGRAM_ARGUMENTS_MAX = 64, HEADER_ROOM = 4096 };

// What the target has written without being asked, in words; false: nothing.
static bool take_words(struct host *host, char *why, size_t why_size)
{
    char words[64];
    const ssize_t n = recv(host->process.socket, words, sizeof words - 1, MSG_DONTWAIT);
    if (n <= 0)
        return false;
    words[n] = '\0';
    make_printable(words);
    snprintf(why, why_size, "the target wrote without being asked: %s", words);
    return true;
}

static void trace(const struct host *host, char direction, const char *line, size_t size)
{
    if (host->options.trace)
        fprintf(stderr, "%c %.*s\n", direction, (int)size, line);
}

// Sends the line and waits for one in return. On success *line is NUL-terminated inside host->line
// and *size its length.
static enum host_outcome converse(struct host *host, const struct text *request, unsigned limit_ms,
                                  size_t *size, char *why, size_t why_size)
{
    size_t sent = 0;
    struct spawn_watch watch;
    const uint64_t start = clock_now();
    spawn_watch_start(&watch);
    host->line_size = 0;
    trace(host, '>', request->bytes, request->size - 1);
    if (take_words(host, why, why_size)) {
        spawn_end(&host->process, 0, NULL);
        return HOST_PROTOCOL;
    }
    for (;;) {
        if (sent < request->size) {
            const ssize_t n = send(host->process.socket, request->bytes + sent,
                                   request->size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
            sent += n > 0 ? (size_t)n : 0;
        }
        const ssize_t n = recv(host->process.socket, host->line + host->line_size,
                               host->line_capacity - host->line_size, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return host_autopsy(host, why, why_size);
        if (n > 0) {
            char *const newline = memchr(host->line + host->line_size, '\n', (size_t)n);
            host->line_size += (size_t)n;
            if (newline && newline + 1 == host->line + host->line_size) {
                *newline = '\0';
                *size = (size_t)(newline - host->line);
                trace(host, '<', host->line, *size);
                host->spent += clock_now() - start;
                return HOST_OK;
            }
            if (!newline && host->line_size < host->line_capacity)
                continue;
            spawn_end(&host->process, 0, NULL);
            snprintf(why, why_size,
                     newline ? "the target answered more than one line"
                             : "the target's answer is longer than 1 MiB");
            return HOST_PROTOCOL;
        }
        struct pollfd files[2] = {{.fd = host->process.socket, .events = POLLIN},
                                  {.fd = host->process.errors, .events = POLLIN}};
        if (sent < request->size)
            files[0].events |= POLLOUT;
        poll(files, 2, HOST_TICK_MS);
        spawn_drain(&host->process);
        if (spawn_watch_ms(&watch) >= limit_ms) {
            spawn_end(&host->process, 0, NULL);
            snprintf(why, why_size, "no answer after %u ms", limit_ms);
            return HOST_TIMEOUT;
        }
    }
}

static enum error parse(struct host *host, size_t size, struct arena *arena,
                        struct document_node **root, struct diagnostic *diagnostic)
{
    struct document_source *const source = arena_take(arena, sizeof *source);
    if (!source)
        return diagnostic_no_memory(diagnostic);
    *source = (struct document_source){.name = "answer", .text = host->line, .size = size};
    const enum error error = json_read(source, arena, root, diagnostic);
    if (!error && (*root)->kind != DOCUMENT_MAPPING)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the answer is not an object");
    return error;
}

static void copy_scalar(const struct document_node *root, const char *key, char *text, size_t size)
{
    const char *const found = document_text(root, key);
    snprintf(text, size, "%s", found ? found : "unknown");
    make_printable(text);
}

// Files and folders that the target says it is made of, as far as they are there.
static enum error take_files(struct host *host, const struct document_node *root,
                             struct diagnostic *diagnostic)
{
    const struct document_node *const files = document_find(root, "files");
    if (!files || host->file_count) // a restarted worker is made of the same
        return ERROR_NONE;
    if (files->kind != DOCUMENT_SEQUENCE || files->count > HOST_FILES_MAX)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s: 'files' must be a list of at most %d paths",
                               host->options.program[0], HOST_FILES_MAX);
    for (size_t i = 0; i < files->count; i++) {
        const struct document_node *const node = files->item[i];
        char real[PATH_MAX];
        struct stat status;
        if (node->kind != DOCUMENT_SCALAR || !realpath(node->text, real) || stat(real, &status))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%s: file %zu that it names is not there",
                                   host->options.program[0], i);
        char *const kept =
            arena_print(&host->arena, "%s%s", real, S_ISDIR(status.st_mode) ? "/" : "");
        if (!kept)
            return diagnostic_no_memory(diagnostic);
        host->file[host->file_count++] = kept;
    }
    return ERROR_NONE;
}

// What the target says that it can do.
static enum error take_capabilities(const struct host *host, const struct document_node *root,
                                    struct host_description *description,
                                    struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(root, "capabilities");
    if (!list)
        return ERROR_NONE;
    if (list->kind != DOCUMENT_SEQUENCE)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s: 'capabilities' must be a list of words",
                               host->options.program[0]);
    for (size_t i = 0; i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        const char *const word = node->kind == DOCUMENT_SCALAR ? node->text : "";
        const uint32_t capability = !strcmp(word, "states")   ? ASSAY_CAPABILITY_STATES
                                    : !strcmp(word, "window") ? ASSAY_CAPABILITY_WINDOW
                                                              : 0;
        if (!capability)
            return diagnostic_fail(
                diagnostic, ERROR_INPUT,
                "%s: a process target has no capability '%.80s'; known: states, window",
                host->options.program[0], word);
        description->capabilities |= capability;
    }
    return ERROR_NONE;
}

// The ways in which it takes a request; without any there is one, which no request names.
static enum error take_feeds(const struct host *host, const struct document_node *root,
                             struct host_description *description, struct diagnostic *diagnostic)
{
    const struct document_node *const list = document_find(root, "feeds");
    bool right = !list || (list->kind == DOCUMENT_SEQUENCE && list->count >= 1 &&
                           list->count <= HOST_FEEDS_MAX);
    snprintf(description->feeds[0], sizeof description->feeds[0], "process");
    for (size_t i = 0; list && right && i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        char *const feed = description->feeds[i];
        const size_t room = sizeof description->feeds[i];
        right = node->kind == DOCUMENT_SCALAR && node->text[0] && strlen(node->text) < room;
        if (!right)
            break;
        snprintf(feed, room, "%s", node->text);
        make_printable(feed);
        for (size_t j = 0; j < i; j++)
            right = right && strcmp(description->feeds[j], feed) != 0;
        description->feed_count = (uint32_t)i + 1;
    }
    return right ? ERROR_NONE
                 : diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%s: 'feeds' must be a list of 1 to %d different names of at "
                                   "most %zu bytes",
                                   host->options.program[0], HOST_FEEDS_MAX,
                                   sizeof description->feeds[0] - 1);
}

// What the answer to hello says.
static enum error describe(struct host *host, const struct document_node *root,
                           struct host_description *description, struct diagnostic *diagnostic)
{
    *description = (struct host_description){.process = true, .feed_count = 1};
    copy_scalar(root, "name", description->name, sizeof description->name);
    copy_scalar(root, "version", description->version, sizeof description->version);
    if (document_find(root, "model"))
        copy_scalar(root, "model", description->model, sizeof description->model);
    const struct document_node *const failed = document_find(root, "failed");
    if (failed && failed->kind == DOCUMENT_SCALAR)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s cannot be used: %s",
                               host->options.program[0], failed->text);
    const enum error error = take_feeds(host, root, description, diagnostic);
    return error ? error : take_capabilities(host, root, description, diagnostic);
}

enum error program_take_hello(struct host *host, size_t size, struct diagnostic *diagnostic)
{
    struct arena arena = {.limit = (size_t)DOCUMENT_BYTES_MAX};
    struct document_node *root = NULL;
    enum error error = parse(host, size, &arena, &root, diagnostic);
    struct host_description description;
    if (!error)
        error = describe(host, root, &description, diagnostic);
    if (!error)
        error = host_take_description(host, &description, diagnostic);
    if (!error)
        error = take_files(host, root, diagnostic);
    arena_release(&arena);
    return error;
}

static enum error greet(struct host *host, struct diagnostic *diagnostic)
{
    struct text hello = {0};
    char why[256] = "";
    size_t size = 0;
    json_begin_object(&hello);
    json_put_key(&hello, "hello");
    json_put_integer(&hello, 1);
    json_put_pair(&hello, "directory", host->directory.path);
    json_put_unsigned_at(&hello, "threads", host->options.threads ? host->options.threads : 1);
    json_end_object(&hello);
    text_put_bytes(&hello, "\n", 1);
    if (hello.failed) {
        text_release(&hello);
        return diagnostic_no_memory(diagnostic);
    }
    const enum host_outcome outcome =
        converse(host, &hello, host->options.open_ms, &size, why, sizeof why);
    text_release(&hello);
    if (outcome == HOST_OK)
        return program_take_hello(host, size, diagnostic);
    const char *const printed = host_printed(host);
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s did not start: %s%s%.400s",
                           host->options.program[0], why, printed[0] ? "; it printed: " : "",
                           printed);
}

enum error program_start(struct host *host, struct diagnostic *diagnostic)
{
    char memory[32], worker[] = "worker", name[] = "assay", exec[] = "--exec";
    char network[] = {host->options.allow_network ? '1' : '0', '\0'};
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)host->options.memory_bytes);
    char *arguments[PROGRAM_ARGUMENTS_MAX + 8] = {name, worker, exec, memory, network};
    size_t count = 5;
    for (size_t i = 0; i < PROGRAM_ARGUMENTS_MAX && host->options.program[i]; i++)
        arguments[count++] = host->options.program[i];
    enum error error =
        host->directory.path[0] ? ERROR_NONE : leftover_make_folder(&host->directory, diagnostic);
    if (!error && !host->line) {
        host->line_capacity = PROGRAM_LINE_MAX;
        host->line = malloc(host->line_capacity + 1);
        if (!host->line)
            error = diagnostic_no_memory(diagnostic);
    }
    if (!error)
        error = spawn_process(&host->process, host->options.executable, arguments,
                              host->options.environment, true, -1, diagnostic);
    if (!error) {
        error = watch_attach(&host->watch, host->process.socket, host->options.open_ms,
                             host->directory.path, diagnostic);
        if (error) // its calls would wait for answers for ever
            spawn_end(&host->process, 0, NULL);
    }
    if (error)
        return error;
    host->workers++;
    return greet(host, diagnostic);
}

// Whether the directory has room for the outputs that travel as files, with what already lies
// there. Asked only when a call went wrong: a target that could not write its answer is not to
// blame. The room is taken and given back, which also asks quotas.
static bool has_room(int directory, const struct host_request *request)
{
    static const char name[] = "room";
    uint64_t bytes = 0;
    for (size_t i = 0; i < request->output_count; i++) {
        const struct tensor *const tensor = &request->outputs[i].tensor;
        uint64_t count = i ? 0 : request->window_count;
        if (!count && !tensor_count(tensor, &count))
            return true;
        if (count > PROGRAM_INLINE_MAX)
            bytes += count * dtype_size(tensor->dtype) + HEADER_ROOM;
    }
    if (!bytes)
        return true;
    const int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const int why = file < 0 ? errno : posix_fallocate(file, 0, (off_t)bytes);
    if (file >= 0) {
        close(file);
        unlinkat(directory, name, 0);
    }
    return why != ENOSPC && why != EDQUOT;
}

// What an answer may be; an answer is one of them.
enum form { REASON, TRUTH, TENSORS };
static const struct {
    const char *key;
    enum host_outcome outcome;
    enum form form;
} answers[] = {{"rejected", HOST_REJECTED, REASON},
               {"unsupported", HOST_UNSUPPORTED, REASON},
               {"failed", HOST_FAILED, REASON},
               {"supported", HOST_OK, TRUTH},
               {"outputs", HOST_OK, TENSORS}};
enum { ANSWERS = sizeof answers / sizeof *answers };

static bool has_form(const struct document_node *node, enum form form)
{
    const bool scalar = node->kind == DOCUMENT_SCALAR;
    return form == TENSORS ||
           (scalar && (form == REASON ? node->quoted && node->count : !strcmp(node->text, "true")));
}

// The one that the target gave; ANSWERS: none, two, or one that has another form.
static unsigned find_answer(const struct document_node *root)
{
    unsigned found = ANSWERS;
    for (unsigned i = 0; i < ANSWERS; i++) {
        const struct document_node *const node = document_find(root, answers[i].key);
        if (!node)
            continue;
        if (found != ANSWERS || !has_form(node, answers[i].form))
            return ANSWERS;
        found = i;
    }
    return found;
}

static void take_outputs(const struct host *host, struct host_call *call,
                         const struct document_node *outputs, int directory)
{
    struct diagnostic diagnostic;
    const enum error error =
        call->open
            ? program_take_open(outputs, call->request, directory, call->open, &diagnostic)
            : program_take_outputs(outputs, call->request, directory, &call->received, &diagnostic);
    if (error == ERROR_UNSUPPORTED || error == ERROR_INTERNAL)
        host_conclude(call, error == ERROR_INTERNAL ? HOST_LOST : HOST_WRONG_RESULT, "%s",
                      diagnostic.text);
    else if (error)
        host_conclude(call, HOST_PROTOCOL, "%s: %.200s", diagnostic.text, host->line);
    else
        host_conclude(call, HOST_OK, "%s", "");
    call->answered = !error;
}

void program_take_answer(struct host *host, struct host_call *call, size_t size, int directory)
{
    struct arena arena = {.limit = (size_t)DOCUMENT_BYTES_MAX};
    struct document_node *root = NULL;
    struct diagnostic diagnostic;
    const enum error parsed = parse(host, size, &arena, &root, &diagnostic);
    const unsigned answer = parsed ? ANSWERS : find_answer(root);
    if (parsed == ERROR_INTERNAL && !arena.limited)
        host_conclude(call, HOST_LOST, "%s", diagnostic.text);
    else if (parsed)
        host_conclude(call, HOST_PROTOCOL, "the answer is not a JSON object: %s: %.200s",
                      diagnostic.text, host->line);
    else if (answer != ANSWERS && answers[answer].form == REASON)
        host_refuse(call, answers[answer].outcome, document_find(root, answers[answer].key)->text);
    else if (answer == ANSWERS || (answers[answer].form == TRUTH) != call->ask)
        host_conclude(call, HOST_PROTOCOL, "the answer is not one of %s: %.200s",
                      call->ask ? "supported: true, and unsupported with a text"
                                : "outputs, and rejected, unsupported or failed with a text",
                      host->line);
    else if (call->ask)
        host_conclude(call, HOST_OK, "%s", "");
    else
        take_outputs(host, call, document_find(root, "outputs"), directory);
    arena_release(&arena);
}

static void run_one(struct host *host, struct host_call *call, int directory)
{
    struct text text = {0};
    struct diagnostic diagnostic;
    char why[256] = "";
    size_t size = 0;
    const uint32_t feed = call->conditions.feed;
    const char *const named =
        !call->ask && host->description.feed_count > 1 && feed < host->description.feed_count
            ? host->description.feeds[feed]
            : NULL;
    if (program_put_request(&text, call->request, call->ask, named, ++host->serial, directory,
                            &diagnostic))
        host_conclude(call, HOST_LOST, "%s", diagnostic.text);
    else {
        const uint64_t start = clock_now();
        const enum host_outcome outcome =
            converse(host, &text, host->options.time_ms, &size, why, sizeof why);
        call->nanoseconds = clock_now() - start;
        if (outcome == HOST_OK)
            program_take_answer(host, call, size, directory);
        else
            host_conclude(call, outcome, "%s", why);
        const bool wrong = call->outcome == HOST_CRASH || call->outcome == HOST_PROTOCOL ||
                           call->outcome == HOST_FAILED || call->outcome == HOST_TIMEOUT ||
                           call->outcome == HOST_WRONG_RESULT;
        if (wrong && !call->ask && !has_room(directory, call->request))
            host_conclude(call, HOST_LOST, "there is no room for its outputs in %s",
                          host->directory.path);
    }
    text_release(&text);
}

void program_run(struct host *host, struct host_call *calls, size_t count)
{
    const int directory = open(host->directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = 0; i < count; i++) {
        struct diagnostic diagnostic;
        if (directory < 0)
            host_conclude(&calls[i], HOST_LOST, "the directory for tensors is gone");
        else if (!host->process.id && program_start(host, &diagnostic))
            host_conclude(&calls[i], HOST_LOST, "no worker: %s", diagnostic.text);
        else {
            run_one(host, &calls[i], directory);
            if (!calls[i].ask)
                leftover_empty_folder(&host->directory);
        }
    }
    if (directory >= 0)
        close(directory);
}

// Ends the input, and waits until the target has closed its side or ended; whatever it still writes
// was not asked for. Returns the milliseconds that are left of its time.
static unsigned end_input(struct host *host, char *message)
{
    char why[256];
    struct spawn_watch watch;
    bool words = false, open = true;
    spawn_watch_start(&watch);
    shutdown(host->process.socket, SHUT_WR); // end of input means exit
    while (open && spawn_watch_ms(&watch) < host->options.time_ms) {
        open = !spawn_is_ending(&host->process);
        poll(NULL, 0, open ? 2 : 0);
        spawn_drain(&host->process);
        while (take_words(host, why, sizeof why)) {
            if (!words)
                snprintf(message, HOST_MESSAGE_SIZE, "%s, at the end of its input", why);
            words = true;
        }
    }
    const uint64_t had = spawn_watch_ms(&watch);
    return had < host->options.time_ms ? host->options.time_ms - (unsigned)had : 1;
}

bool program_stop(struct host *host, char *message)
{
    if (host->process.id) {
        const unsigned left = end_input(host, message);
        int status = 0;
        if (!spawn_end(&host->process, left, &status))
            snprintf(message, HOST_MESSAGE_SIZE, "the target did not exit at the end of its input");
        else if (WIFSIGNALED(status))
            snprintf(message, HOST_MESSAGE_SIZE,
                     "the target crashed at the end of its input: signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
        else if (WEXITSTATUS(status))
            snprintf(message, HOST_MESSAGE_SIZE,
                     "the target exited with code %d at the end of its input", WEXITSTATUS(status));
    }
    leftover_remove_folder(&host->directory);
    return message[0] == '\0';
}
