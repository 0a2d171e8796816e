// SPDX-License-Identifier: Apache-2.0
// Calls that the worker repeats by itself, unasked by the judge: what they gave first is kept, held
// against what they give again, and put back.

#include "harness/host/worker_again.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/host/slot.h"

// What the outputs of a job hold, to be put back after it was repeated.
struct kept {
    size_t bytes;
    unsigned char *content; // NULL: out of memory
};

enum way { KEEP, PUT_BACK, COMPARE };

// Goes through the outputs' slots and what is kept of them; false where they are compared and
// differ.
static bool go_through(const struct wire_call *call, const struct kept *kept, enum way way)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *content = kept->content;
    bool same = true;
    for (size_t i = 0; i < call->tensor_count && same; i++) {
        const size_t bytes = call->places[i].pages * page;
        unsigned char *const base = slot_base(&call->places[i]);
        if (!call->places[i].writable)
            continue;
        if (way == KEEP)
            memcpy(content, base, bytes);
        else if (way == PUT_BACK)
            memcpy(base, content, bytes);
        else
            same = memcmp(base, content, bytes) == 0;
        content += bytes;
    }
    return same;
}

static struct kept keep_outputs(const struct wire_call *call)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct kept kept = {.bytes = 0};
    for (size_t i = 0; i < call->tensor_count; i++)
        kept.bytes += call->places[i].writable ? call->places[i].pages * page : 0;
    kept.content = malloc(kept.bytes + 1);
    if (kept.content)
        go_through(call, &kept, KEEP);
    return kept;
}

// Whether it gives what the first call gave. Neither of two answers that differ stands for the
// call.
static bool call_again(struct job *job, const struct kept *kept)
{
    worker_run(job);
    if (job->status != ASSAY_OK || job->call.flags & WIRE_BY_CHANCE ||
        job->worker->plugin->capabilities & ASSAY_CAPABILITY_NONDETERMINISTIC ||
        go_through(&job->call, kept, COMPARE))
        return job->status == ASSAY_OK;
    job->status = ASSAY_FAILED;
    snprintf(job->message.text, sizeof job->message.text, "an equal call gave other values");
    return false;
}

// Another instance beside the one before: both give what the first gave, and so does the new one
// alone.
static bool make_again(struct job *job, const struct kept *kept)
{
    const struct assay_plugin *const plugin = job->worker->plugin;
    struct assay_instance *const before = job->instance;
    struct assay_instance *made = NULL;
    job->status = plugin->prepare(job->worker->session, &job->call.request, &made, &job->message);
    if (job->status != ASSAY_OK)
        return false;
    bool same = call_again(job, kept);
    job->instance = made;
    same = same && call_again(job, kept);
    plugin->release(before);
    return same && call_again(job, kept);
}

// Whether a second session is opened with this call: of those that are made anew the first, second,
// fourth, eighth, ..., where opening is quick.
static bool is_opened_again(struct worker *worker)
{
    const uint64_t quick = 1000000000;
    const unsigned number = ++worker->remade;
    return !(number & (number - 1)) && worker->opened < quick;
}

void worker_open_again(struct job *job)
{
    struct worker *const worker = job->worker;
    if (!is_opened_again(worker))
        return;
    const struct assay_plugin *const plugin = worker->plugin;
    struct assay_instance *const first = job->instance;
    struct assay_session *session = NULL;
    struct assay_message unheard = {{0}};
    const uint64_t nanoseconds = job->nanoseconds;
    const struct kept kept = keep_outputs(&job->call);
    worker->stands = false;
    worker->fault->repeats++;
    if (kept.content && plugin->open(&session, &unheard) == ASSAY_OK) {
        worker->fault->repeats++;
        bool same = call_again(job, &kept);
        job->instance = NULL;
        if (same)
            job->status =
                plugin->prepare(session, &job->call.request, &job->instance, &job->message);
        const bool prepared = same && job->status == ASSAY_OK;
        same = prepared && call_again(job, &kept);
        if (prepared)
            plugin->release(job->instance);
        plugin->close(session);
        job->instance = first;
        if (same && !call_again(job, &kept))
            snprintf(job->message.text, sizeof job->message.text,
                     "an equal call gave other values once another session was closed");
    }
    job->nanoseconds = nanoseconds;
    worker->fault->repeats++;
    if (kept.content)
        go_through(&job->call, &kept, PUT_BACK);
    free(kept.content);
}

void worker_prove_growth(struct job *job, struct environment_growth *growth, bool instances,
                         char *change, size_t size)
{
    const struct kept kept = keep_outputs(&job->call);
    const uint64_t nanoseconds = job->nanoseconds;
    bool (*const once)(struct job *, const struct kept *) = instances ? make_again : call_again;
    job->worker->stands = false;
    environment_growth_start(growth, job->worker->granted);
    for (bool more = kept.content != NULL; more && !job->worker->grew;) {
        const bool same = once(job, &kept);
        more = environment_growth_end(growth) && same;
        job->worker->grew = environment_growth_proven(growth, instances, change, size);
        job->worker->fault->repeats++;
    }
    job->nanoseconds = nanoseconds;
    if (kept.content)
        go_through(&job->call, &kept, PUT_BACK);
    free(kept.content);
}
