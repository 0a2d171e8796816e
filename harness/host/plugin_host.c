// SPDX-License-Identifier: Apache-2.0
// Calls to a plugin's worker: several in flight, answers in order, the first unanswered one is
// held responsible when the worker dies.

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/host/target.h"

// ---- starting and stopping --------------------------------------------------

static enum error check_hello(struct host *host, struct wire_hello *hello,
                              struct diagnostic *diagnostic)
{
    hello->name[sizeof hello->name - 1] = hello->version[sizeof hello->version - 1] = '\0';
    hello->message[sizeof hello->message - 1] = hello->change[sizeof hello->change - 1] = '\0';
    make_printable(hello->name);
    make_printable(hello->version);
    make_printable(hello->message);
    make_printable(hello->change);
    hello->model[sizeof hello->model - 1] = '\0';
    make_printable(hello->model);
    if (hello->magic != WIRE_MAGIC)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "%s sent an invalid greeting when it was loaded",
                               host->options.plugin);
    if (hello->status == ASSAY_UNSUPPORTED)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "%s: %s", host->options.plugin,
                               hello->message);
    if (hello->status != ASSAY_OK)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s cannot be used: %s",
                               host->options.plugin, hello->message);
    if (hello->feed_count < 1 || hello->feed_count > HOST_FEEDS_MAX)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s declares %u feeds",
                               host->options.plugin, hello->feed_count);
    host->spent += hello->spent;
    struct host_description said = {.feed_count = hello->feed_count};
    struct host_description *const description = &said;
    snprintf(description->name, sizeof description->name, "%s", hello->name);
    snprintf(description->version, sizeof description->version, "%s", hello->version);
    snprintf(description->change, sizeof description->change, "%s", hello->change);
    snprintf(description->model, sizeof description->model, "%s", hello->model);
    description->capabilities = hello->capabilities;
    description->threads_most =
        hello->threads_most < ASSAY_THREADS_MAX ? hello->threads_most : ASSAY_THREADS_MAX;
    for (uint32_t i = 0; i < hello->feed_count; i++) {
        hello->feeds[i][sizeof hello->feeds[i] - 1] = '\0';
        make_printable(hello->feeds[i]);
        snprintf(description->feeds[i], sizeof description->feeds[i], "%s", hello->feeds[i]);
    }
    return host_take_description(host, description, diagnostic);
}

enum error plugin_start(struct host *host, struct diagnostic *diagnostic)
{
    char memory[32], worker[] = "worker",
                     name[] = "assay", *const network = host->options.allow_network ? "1" : "0";
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)host->options.memory_bytes);
    char *const arguments[] = {name,   worker,  (char *)(uintptr_t)host->options.plugin,
                               memory, network, NULL};
    memset((void *)host->share.fault, 0, sizeof *host->share.fault);
    // A worker that could not be asked to close would be blamed for going on.
    if (!wire_reserve(&host->out, WIRE_CLOSE_SIZE))
        return diagnostic_no_memory(diagnostic);
    enum error error =
        spawn_process(&host->process, host->options.executable, arguments,
                      host->options.environment, false, host->share.file, diagnostic);
    if (!error) {
        error = watch_attach(&host->watch, host->process.socket, host->options.open_ms, NULL,
                             diagnostic);
        if (error) // its calls would wait for answers for ever
            spawn_end(&host->process, 0, NULL);
    }
    if (error)
        return error;
    host->workers++;
    host->answer_got = 0;
    struct wire_hello hello;
    size_t got = 0;
    struct spawn_watch watch;
    spawn_watch_start(&watch);
    while (got < sizeof hello) {
        struct pollfd files[2] = {{.fd = host->process.socket, .events = POLLIN},
                                  {.fd = host->process.errors, .events = POLLIN}};
        poll(files, 2, HOST_TICK_MS);
        spawn_drain(&host->process);
        const ssize_t n = recv(host->process.socket, (char *)&hello + got, sizeof hello - got, 0);
        if (n > 0) {
            got += (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            char text[256], tail[DIAGNOSTIC_TEXT_SIZE / 2];
            host_autopsy(host, text, sizeof text);
            printed_text(&host->process.printed, tail, sizeof tail);
            return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s ended while it was loaded: %s%s%s",
                                   host->options.plugin, text, tail[0] ? "; it printed: " : "",
                                   tail);
        }
        if (spawn_watch_ms(&watch) >= host->options.open_ms) {
            spawn_end(&host->process, 0, NULL);
            return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%s was not ready after %u ms",
                                   host->options.plugin, host->options.open_ms);
        }
    }
    return check_hello(host, &hello, diagnostic);
}

// ---- sending ----------------------------------------------------------------

static const struct host_tensor *tensor_at(const struct host_request *request, size_t i)
{
    return i < request->input_count ? &request->inputs[i]
                                    : &request->outputs[i - request->input_count];
}

static void land(struct host *host, struct flight *flight)
{
    for (size_t i = 0; flight->places && i < flight->tensor_count; i++)
        if (flight->places[i].pages)
            share_give(&host->share, flight->places[i].slot);
    arena_release(&flight->arena);
    memset(flight, 0, sizeof *flight);
}

// Where tensor `i` begins in its slot of `bytes`.
static size_t find_start(const struct host_call *call, size_t i, const struct share_layout *layout,
                         size_t bytes)
{
    const size_t inputs = call->request->input_count;
    const size_t number = i < inputs ? i + call->request->output_count : i - inputs;
    if (call->conditions.guard == HOST_GUARD_INSIDE)
        return HOST_BORDER + host_offset(call->conditions.place, number, layout->element);
    return call->conditions.guard == HOST_GUARD_END ? bytes - layout->span : 0;
}

// Finds room for tensor `i` of the flight and fills it.
static bool place(struct host *host, struct flight *flight, size_t i)
{
    const struct host_call *const call = flight->call;
    const struct host_tensor *const tensor = tensor_at(call->request, i);
    const bool output = i >= call->request->input_count;
    const uint64_t window = i == call->request->input_count ? call->request->window_count : 0;
    struct share_layout *const layout = &flight->layouts[i];
    if (!share_layout_tensor(tensor, window, call->conditions.padded, layout))
        return false;
    const size_t beside = call->conditions.guard == HOST_GUARD_INSIDE ? 3 * HOST_BORDER : 0;
    const int index = share_take(&host->share, layout->span + beside, output);
    if (index < 0)
        return false;
    const struct share_slot *const slot = &host->share.slots[index];
    const size_t bytes = slot->pages * host->share.page;
    struct wire_place *const at = &flight->places[i];
    *at = (struct wire_place){.slot = (uint32_t)index,
                              .pages = slot->pages,
                              .file_offset = slot->file_offset,
                              .start = find_start(call, i, layout, bytes),
                              .writable = output,
                              .strided = layout->strided};
    memcpy(at->strides, layout->strides, sizeof at->strides);
    share_fill(slot, host->share.page, layout, at->start, output ? NULL : tensor->tensor.data,
               host_poison_byte(call->conditions.poison));
    flight->bytes += bytes;
    return true;
}

// Appends the call to what is to be sent; false (and concluded) when there is no room for it.
static bool launch_one(struct host *host, struct host_call *call)
{
    struct flight *const flight =
        &host->flights[(host->flight_first + host->flight_count) % HOST_FLIGHT_MAX];
    const struct host_request *const request = call->request;
    const uint32_t flags =
        (call->conditions.again ? WIRE_AGAIN : 0u) |
        (call->conditions.together ? WIRE_TOGETHER : 0u) |
        (call->conditions.thorough ? WIRE_THOROUGH : 0u) |
        (call->conditions.padded ? WIRE_PADDED : 0u) |
        (call->conditions.counts ? WIRE_COUNTS : 0u) |
        (call->conditions.remade ? WIRE_REMADE : 0u) |
        (call->conditions.beside ? WIRE_BESIDE : 0u) | (call->conditions.back ? WIRE_BACK : 0u) |
        (call->conditions.in_place ? WIRE_IN_PLACE : 0u) | (call->by_chance ? WIRE_BY_CHANCE : 0u) |
        (call->conditions.poison == HOST_POISON_B ? WIRE_POISON_B : 0u);
    *flight = (struct flight){.call = call, .serial = ++host->serial};
    flight->tensor_count = call->ask ? 0 : request->input_count + request->output_count;
    if (!call->ask) {
        flight->places =
            arena_take_array(&flight->arena, flight->tensor_count + 1, sizeof *flight->places);
        flight->layouts =
            arena_take_array(&flight->arena, flight->tensor_count + 1, sizeof *flight->layouts);
        bool placed = flight->places && flight->layouts;
        host->share.use++;
        for (size_t i = 0; placed && i < flight->tensor_count; i++)
            placed = place(host, flight, i);
        if (!placed) {
            land(host, flight);
            host_conclude(call, HOST_LOST, "no memory for the tensors of this call");
            return false;
        }
    }
    const size_t before = host->out.size;
    wire_put_call(&host->out, call->ask ? WIRE_SUPPORTS : WIRE_RUN, flight->serial, flags, request,
                  &call->conditions, flight->places);
    if (host->out.failed) {
        // What was begun is taken back: no answer to it will come.
        host->out.size = before;
        host->out.failed = false;
        land(host, flight);
        host_conclude(call, HOST_LOST, "no memory for this call");
        return false;
    }
    host->flight_count++;
    return true;
}

// Launches `count` calls, which are one or two at the same time: all or none.
static bool launch(struct host *host, struct host_call *call, unsigned count)
{
    const size_t before = host->out.size;
    if (!launch_one(host, call))
        return false;
    if (count == 1 || launch_one(host, call + 1))
        return true;
    // Alone the first would wait for its companion, and be taken for a target that hangs.
    host->flight_count--;
    land(host, &host->flights[(host->flight_first + host->flight_count) % HOST_FLIGHT_MAX]);
    host->out.size = before;
    host_conclude(call, HOST_LOST, "%s", call[1].message);
    return false;
}

static void push(struct host *host)
{
    while (host->out_sent < host->out.size) {
        const ssize_t n = send(host->process.socket, host->out.bytes + host->out_sent,
                               host->out.size - host->out_sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0)
            return;
        host->out_sent += (size_t)n;
    }
    host->out.size = host->out_sent = 0;
}

// ---- answers ----------------------------------------------------------------

// A byte beside an output that was written; false when there is none.
static bool find_stray(struct host *host, struct flight *flight, struct host_call *call)
{
    const struct host_request *const request = call->request;
    for (size_t i = request->input_count; i < flight->tensor_count; i++) {
        const struct share_slot *const slot = &host->share.slots[flight->places[i].slot];
        const struct share_layout *const layout = &flight->layouts[i];
        int64_t offset = 0;
        if (!share_find_stray(slot, host->share.page, layout, flight->places[i].start,
                              host_poison_byte(call->conditions.poison), &offset))
            continue;
        const char *const name = request->outputs[i - request->input_count].name;
        if (offset < 0)
            host_conclude(call, HOST_MEMORY, "wrote %lld bytes before the start of output '%s'",
                          (long long)-offset, name);
        else if ((uint64_t)offset >= layout->span)
            host_conclude(call, HOST_MEMORY, "wrote %llu bytes past the end of output '%s'",
                          (unsigned long long)((uint64_t)offset - layout->span), name);
        else
            host_conclude(call, HOST_MEMORY,
                          "wrote into the padding between rows of output '%s', at byte %lld", name,
                          (long long)offset);
        return true;
    }
    return false;
}

// An input that no longer holds what was put there; false when there is none.
static bool find_changed(struct host *host, struct flight *flight, struct host_call *call)
{
    for (size_t i = 0; i < call->request->input_count; i++) {
        const struct host_tensor *const input = &call->request->inputs[i];
        if (share_holds(&host->share.slots[flight->places[i].slot], &flight->layouts[i],
                        flight->places[i].start, input->tensor.data))
            continue;
        host_conclude(call, HOST_MEMORY, "input '%s' was changed, although its pages are read-only",
                      input->name);
        return true;
    }
    return false;
}

// Copies the outputs to where the call wants them, unless those of an earlier one hold the same
// bytes.
static void fetch(struct host *host, const struct flight *flight, struct host_call *call)
{
    const struct host_request *const request = call->request;
    const struct wire_place *const place = flight->places + request->input_count;
    const struct share_layout *const layout = flight->layouts + request->input_count;
    call->alike = call->like && call->like->answered;
    assert(!call->like || call->like->request->output_count == request->output_count);
    for (size_t i = 0; i < request->output_count && call->alike; i++)
        call->alike = share_holds(&host->share.slots[place[i].slot], &layout[i], place[i].start,
                                  call->like->request->outputs[i].tensor.data);
    for (size_t i = 0; i < request->output_count && !call->alike; i++)
        if (request->outputs[i].tensor.data)
            share_fetch(&host->share.slots[place[i].slot], &layout[i], place[i].start,
                        request->outputs[i].tensor.data);
}

static void conclude_answer(struct host *host, struct flight *flight, struct wire_answer *answer)
{
    static const enum host_outcome outcomes[] = {[ASSAY_OK] = HOST_OK,
                                                 [ASSAY_UNSUPPORTED] = HOST_UNSUPPORTED,
                                                 [ASSAY_REJECTED] = HOST_REJECTED,
                                                 [ASSAY_FAILED] = HOST_FAILED,
                                                 [ASSAY_WRONG_RESULT] = HOST_WRONG_RESULT};
    struct host_call *const call = flight->call;
    answer->message[sizeof answer->message - 1] = answer->change[sizeof answer->change - 1] = '\0';
    call->nanoseconds = answer->nanoseconds;
    host->spent += answer->spent;
    if (answer->status >= sizeof outcomes / sizeof outcomes[0]) {
        host_conclude(call, HOST_CRASH, "the target returned the unknown status %u",
                      answer->status);
        return;
    }
    host_refuse(call, outcomes[answer->status], answer->message);
    if (call->ask && answer->changed)
        host_conclude(call, HOST_ENVIRONMENT, "when asked for support: %s", answer->change);
    if (call->ask || find_stray(host, flight, call) || find_changed(host, flight, call))
        return;
    if (call->outcome == HOST_OK)
        fetch(host, flight, call);
    call->answered = call->outcome == HOST_OK;
    if (answer->changed && (call->outcome == HOST_OK || call->outcome == HOST_REJECTED))
        host_conclude(call, HOST_ENVIRONMENT, "%s", answer->change);
}

// Everything in flight behind the culprit goes back to the queue. Returns how many calls were in
// flight.
static unsigned abandon(struct host *host)
{
    const unsigned count = host->flight_count;
    for (unsigned i = 0; i < count; i++)
        land(host, &host->flights[(host->flight_first + i) % HOST_FLIGHT_MAX]);
    host->flight_first = host->flight_count = 0;
    host->out.size = host->out_sent = 0;
    host->answer_got = 0;
    return count;
}

// The worker died, hung or grew: the oldest call (and its companion) is to blame. Returns how many
// calls are settled.
static unsigned blame(struct host *host, enum host_outcome outcome, const char *text)
{
    struct flight *const flight = &host->flights[host->flight_first];
    struct host_call *const call = flight->call;
    const struct wire_fault fault = *host->share.fault;
    host_conclude(call, outcome, "%s", text);
    if (outcome == HOST_CRASH && fault.valid == 1)
        plugin_explain_fault(host, &fault, flight, call);
    unsigned settled = 1;
    if (call->conditions.together && host->flight_count > 1) {
        struct host_call *const companion =
            host->flights[(host->flight_first + 1) % HOST_FLIGHT_MAX].call;
        host_conclude(companion, call->outcome, "%s", call->message);
        settled = 2;
    }
    abandon(host);
    return settled;
}

// Reads answers; returns how many calls were settled, and sets *dead when the connection to the
// worker is lost.
static unsigned pull(struct host *host, bool *dead, bool *garbage)
{
    unsigned settled = 0;
    while (host->flight_count) {
        const ssize_t n = recv(host->process.socket, (char *)&host->answer + host->answer_got,
                               sizeof host->answer - host->answer_got, MSG_DONTWAIT);
        if (n <= 0) {
            *dead = n == 0 || (errno != EAGAIN && errno != EINTR);
            break;
        }
        host->answer_got += (size_t)n;
        if (host->answer_got < sizeof host->answer)
            continue;
        host->answer_got = 0;
        struct flight *const flight = &host->flights[host->flight_first];
        if (host->answer.magic != WIRE_MAGIC || host->answer.serial != flight->serial) {
            *dead = *garbage = true;
            break;
        }
        conclude_answer(host, flight, &host->answer);
        land(host, flight);
        host->flight_first = (host->flight_first + 1) % HOST_FLIGHT_MAX;
        host->flight_count--;
        settled++;
        if (host->answer.changed == WIRE_STAYS) { // the next call begins in another process
            spawn_end(&host->process, 0, NULL);
            abandon(host);
        }
    }
    return settled;
}

// Whether an answer has come, or something may be sent.
static bool wait_for_worker(struct host *host)
{
    struct pollfd files[2] = {{.fd = host->process.socket, .events = POLLIN},
                              {.fd = host->process.errors, .events = POLLIN}};
    if (host->out.size)
        files[0].events |= POLLOUT;
    const int ready = poll(files, 2, HOST_TICK_MS);
    if (ready > 0 && files[1].revents)
        spawn_drain(&host->process);
    return ready > 0 && files[0].revents;
}

// Settles at least one call.
static unsigned settle(struct host *host)
{
    struct spawn_watch watch;
    uint32_t repeats = host->share.fault->repeats;
    spawn_watch_start(&watch);
    for (;;) {
        bool dead = false, garbage = false;
        char text[256];
        push(host);
        const unsigned settled = pull(host, &dead, &garbage);
        if (settled)
            return settled;
        if (garbage) {
            spawn_end(&host->process, 0, NULL);
            return blame(host, HOST_CRASH, "the target wrote to the harness's own connection");
        }
        if (dead) {
            const enum host_outcome outcome = host_autopsy(host, text, sizeof text);
            return blame(host, outcome, text);
        }
        if (wait_for_worker(host))
            continue;
        if (spawn_memory(&host->process) > host->options.memory_bytes / 10 * 9) {
            spawn_end(&host->process, 0, NULL);
            snprintf(text, sizeof text, "reached the limit of %llu MiB of memory",
                     (unsigned long long)(host->options.memory_bytes >> 20));
            return blame(host, HOST_MEMORY, text);
        }
        if (repeats != host->share.fault->repeats) {
            repeats = host->share.fault->repeats;
            spawn_watch_start(&watch);
        }
        if (spawn_watch_ms(&watch) >= host->options.time_ms) {
            spawn_end(&host->process, 0, NULL);
            snprintf(text, sizeof text, "no answer after %u ms", host->options.time_ms);
            return blame(host, HOST_TIMEOUT, text);
        }
    }
}

static bool may_launch(const struct host *host)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < host->flight_count; i++)
        bytes += host->flights[(host->flight_first + i) % HOST_FLIGHT_MAX].bytes;
    return host->flight_count == 0 ||
           (host->flight_count + 2 <= HOST_FLIGHT_MAX && bytes < HOST_FLIGHT_BYTES_MAX);
}

void plugin_run(struct host *host, struct host_call *calls, size_t count)
{
    struct diagnostic diagnostic;
    size_t sent = 0, done = 0; // calls [done, sent) are in flight
    while (done < count) {
        if (!host->process.id && plugin_start(host, &diagnostic)) {
            for (; done < count; done++)
                host_conclude(&calls[done], HOST_LOST, "no worker: %s", diagnostic.text);
            return;
        }
        while (sent < count && may_launch(host)) {
            const unsigned with = calls[sent].conditions.together && sent + 1 < count ? 2 : 1;
            if (!launch(host, &calls[sent], with)) {
                if (host->flight_count)
                    break; // try again when the others are answered
                done += with;
            }
            sent += with;
        }
        if (!host->flight_count)
            continue;
        done += settle(host);
        if (!host->flight_count)
            sent = done;
    }
}

bool plugin_stop(struct host *host, char *message)
{
    spawn_wait_for_rest(&host->process, HOST_REST_MS);
    if (host->process.socket >= 0) {
        wire_put_close(&host->out, ++host->serial);
        push(host);
    }
    int status = 0;
    if (!spawn_end(&host->process, host->options.time_ms, &status))
        snprintf(message, HOST_MESSAGE_SIZE, "the target did not close within %u ms",
                 host->options.time_ms);
    else if (status && host->share.fault->valid == 1 && host->share.fault->known_slot == 1)
        snprintf(message, HOST_MESSAGE_SIZE,
                 "the target crashed while closing: it touched a buffer of an earlier call");
    else if (status)
        snprintf(message, HOST_MESSAGE_SIZE, "the target crashed while closing (wait status %#x)",
                 (unsigned)status);
    return message[0] == '\0';
}
