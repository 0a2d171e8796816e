// SPDX-License-Identifier: Apache-2.0
// The target's own way to oneDNN 3 (harness/targets/onednn), from which only the execution is
// timed.

#define _GNU_SOURCE
#include "harness/bench/onednn.h"

#include <stdio.h>
#include <stdlib.h>

#include "harness/bench/call.h"
#include "harness/targets/onednn/instance.h"

const struct rnn_target rnn_target = {.name = "onednn", .version = &dnn_version_3};

struct bench_onednn {
    struct assay_session session;
    struct assay_instance *instance;
    char name[80];
};

// The library keeps the outputs.
static int make_instance(struct bench_onednn *peer, const struct request *request)
{
    struct bench_call call;
    struct diagnostic diagnostic;
    int status = bench_call_make(&call, request, false, &diagnostic) ? DNN_OUT_OF_MEMORY : DNN_OK;
    if (!status)
        status = instance_make(&peer->session, &call.request, &peer->instance);
    if (!status)
        status = instance_load(peer->instance, &call.request);
    arena_release(&call.arena);
    return status;
}

struct bench_onednn *bench_onednn_open(const struct request *request, char why[BENCH_WHY_SIZE])
{
    struct bench_onednn *const peer = calloc(1, sizeof *peer);
    struct assay_message message = {{0}};
    if (!peer || dnn_open(&peer->session.library, rnn_target.version, &message)) {
        snprintf(why, BENCH_WHY_SIZE, "%.200s", peer ? message.text : "out of memory");
        free(peer);
        return NULL;
    }
    snprintf(peer->name, sizeof peer->name, "oneDNN %s", peer->session.library.number);
    const int status = make_instance(peer, request);
    if (!status)
        return peer;
    snprintf(why, BENCH_WHY_SIZE, "oneDNN could not prepare the layer: status %d", status);
    bench_onednn_close(peer);
    return NULL;
}

void bench_onednn_run(struct bench_onednn *peer)
{
    if (instance_execute(peer->instance) ||
        peer->session.library.calls.stream_wait(peer->session.library.stream))
        abort();
}

// The library stays until the program ends: its threads may still be running.
void bench_onednn_close(struct bench_onednn *peer)
{
    if (peer->instance)
        instance_release(peer->instance);
    free(peer);
}

const char *bench_onednn_name(const struct bench_onednn *peer)
{
    return peer->name;
}
