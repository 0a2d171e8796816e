// SPDX-License-Identifier: Apache-2.0
// What plugins and process targets have in common.

#define _GNU_SOURCE
#include "harness/host/host.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/host/record/record.h"
#include "harness/host/target.h"

enum { HOST_TIME_MS = 10000, HOST_OPEN_MS = 60000 };
static const uint64_t HOST_MEMORY_BYTES = 4ull << 30;

const char *host_outcome_name(enum host_outcome outcome)
{
    static const char *const names[] = {[HOST_OK] = "ok",
                                        [HOST_UNSUPPORTED] = "unsupported",
                                        [HOST_REJECTED] = "rejected",
                                        [HOST_FAILED] = "failed",
                                        [HOST_WRONG_RESULT] = "wrong result",
                                        [HOST_CRASH] = "crash",
                                        [HOST_PROTOCOL] = "protocol",
                                        [HOST_TIMEOUT] = "timeout",
                                        [HOST_MEMORY] = "memory",
                                        [HOST_ENVIRONMENT] = "environment",
                                        [HOST_UNRECORDED] = "unrecorded",
                                        [HOST_LOST] = "lost"};
    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown";
}

uint8_t host_poison_byte(enum host_poison poison)
{
    // As f32: -2.9e-16 and 1.5e16; as bool, neither 0 nor 1.
    return poison == HOST_POISON_A ? 0xa5 : 0x5a;
}

size_t host_offset(uint32_t place, size_t number, size_t element)
{
    // In parts 2^-32 of a turn: by sqrt(2) at each place, so that the points of a stretch of
    // places, and of every n-th of them, lie evenly; other tensors by odd multiples of it.
    const uint32_t turned = (place + 1) * UINT32_C(0x6a09e667) * (uint32_t)(2 * number + 1);
    return (size_t)((uint64_t)turned * HOST_BORDER >> 32) / element * element;
}

void host_conclude(struct host_call *call, enum host_outcome outcome, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    call->outcome = outcome;
    vsnprintf(call->message, sizeof call->message, format, arguments);
    make_printable(call->message);
    va_end(arguments);
}

void host_refuse(struct host_call *call, enum host_outcome outcome, const char *message)
{
    static const char *const memory[] = {"bad_alloc",          "MemoryError", "ut of memory",
                                         "ot allocate memory", "an't alloc",  NULL};
    for (size_t i = 0; memory[i]; i++)
        if (outcome == HOST_REJECTED && strstr(message, memory[i]))
            outcome = HOST_FAILED;
    host_conclude(call, outcome, "%s", message);
}

enum error host_take_description(struct host *host, const struct host_description *description,
                                 struct diagnostic *diagnostic)
{
    const struct host_description *const before = &host->description;
    const bool same = !strcmp(before->name, description->name) &&
                      !strcmp(before->version, description->version) &&
                      !strcmp(before->model, description->model) &&
                      before->capabilities == description->capabilities &&
                      before->threads_most == description->threads_most &&
                      before->feed_count == description->feed_count &&
                      !memcmp(before->feeds, description->feeds, sizeof before->feeds);
    if (host->workers > 1 && !same)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "the target describes itself otherwise at each start: %s %s "
                               "before, and now %s %s",
                               before->name, before->version, description->name,
                               description->version);
    host->description = *description;
    host->description.kept = host->options.recorder != NULL;
    return ERROR_NONE;
}

enum host_outcome host_autopsy(struct host *host, char *text, size_t size)
{
    int status = 0;
    // Its end of the connection is closed. One that is ending is waited for as long as the system
    // takes to clear it away.
    enum { GRACE_MS = 500, ENDING_MS = 600000 };
    const bool by_itself =
        spawn_end(&host->process, spawn_is_ending(&host->process) ? ENDING_MS : GRACE_MS, &status);
    if (!by_itself || (host->share.fault && host->share.fault->cut_off == 1)) {
        snprintf(text, size, "the target closed file descriptors that were not its own");
        return HOST_ENVIRONMENT;
    }
    if (WIFSIGNALED(status))
        snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "the target exited with code %d", WEXITSTATUS(status));
    return HOST_CRASH;
}

// A copy of a NULL-terminated list; NULL: out of memory.
static char *const *copy_list(struct arena *arena, char *const *list)
{
    size_t count = 0;
    while (list[count])
        count++;
    char **const copy = arena_take_array(arena, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        if (!(copy[i] = arena_copy_text(arena, list[i], strlen(list[i]))))
            return NULL;
    return copy;
}

static bool copy_options(struct host *host, const struct host_options *options)
{
    host->options = *options;
    if (!host->options.time_ms)
        host->options.time_ms = HOST_TIME_MS;
    if (!host->options.open_ms)
        host->options.open_ms = HOST_OPEN_MS;
    if (!host->options.memory_bytes)
        host->options.memory_bytes = HOST_MEMORY_BYTES;
    if (!options->executable)
        host->options.executable = "/proc/self/exe";
    host->options.executable =
        arena_copy_text(&host->arena, host->options.executable, strlen(host->options.executable));
    if (options->environment &&
        !(host->options.environment = copy_list(&host->arena, options->environment)))
        return false;
    if (options->replay)
        return host->options.executable;
    if (options->plugin) {
        host->options.plugin =
            arena_copy_text(&host->arena, options->plugin, strlen(options->plugin));
        return host->options.plugin && host->options.executable;
    }
    host->options.program = copy_list(&host->arena, options->program);
    return host->options.program && host->options.executable;
}

enum error host_open(const struct host_options *options, struct host **host,
                     struct diagnostic *diagnostic)
{
    assert(options->plugin || options->program || options->replay);
    *host = NULL;
    struct host *const made = calloc(1, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    made->process = (struct process){.socket = -1, .errors = -1};
    made->share.file = -1;
    enum error error = copy_options(made, options) ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    if (!error && options->plugin)
        error = share_open(&made->share, diagnostic);
    if (!error && options->replay)
        made->description = *replay_describe(options->replay);
    else if (!error)
        error = options->plugin ? plugin_start(made, diagnostic) : program_start(made, diagnostic);
    if (error)
        host_close(made, NULL);
    else
        *host = made;
    return error;
}

const struct host_description *host_describe(const struct host *host)
{
    return &host->description;
}

const char *host_printed(struct host *host)
{
    if (host->process.id)
        spawn_drain(&host->process);
    printed_text(&host->process.printed, host->printed, sizeof host->printed);
    return host->printed;
}

void host_run(struct host *host, struct host_call *calls, size_t count)
{
    assert(calls || !count);
    for (size_t i = 0; i < count; i++) {
        calls[i].outcome = HOST_LOST;
        calls[i].nanoseconds = 0;
        calls[i].answered = false;
        calls[i].message[0] = '\0';
    }
    if (host->options.replay)
        replay_run(host->options.replay, calls, count);
    else if (host->options.plugin)
        plugin_run(host, calls, count);
    else
        program_run(host, calls, count);
    for (size_t i = 0; i < count && host->options.recorder; i++)
        record_put(host->options.recorder, &calls[i]);
}

enum error host_recorded(const struct host *host, const char *of,
                         const struct host_request *request, struct host_recorded *recorded,
                         size_t most, size_t *count, struct diagnostic *diagnostic)
{
    assert(host->options.replay);
    return replay_plan(host->options.replay, of, request, recorded, most, count, diagnostic);
}

uint64_t host_spent(const struct host *host)
{
    return host->spent;
}

void host_renew(struct host *host)
{
    assert(!host->flight_count);
    spawn_end(&host->process, 0, NULL);
}

void host_rest(struct host *host)
{
    assert(!host->flight_count);
    share_rest(&host->share);
}

bool host_close(struct host *host, char *message)
{
    char unused[HOST_MESSAGE_SIZE];
    char *const text = message ? message : unused;
    text[0] = '\0';
    bool well = true;
    if (host->process.id)
        well = host->options.plugin ? plugin_stop(host, text) : program_stop(host, text);
    spawn_end(&host->process, 0, NULL);
    watch_end(host->watch);
    if (host->options.plugin)
        share_close(&host->share);
    else if (!host->options.replay)
        program_stop(host, text);
    free(host->out.bytes);
    free(host->line);
    arena_release(&host->arena);
    free(host);
    return well;
}
