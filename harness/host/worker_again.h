// SPDX-License-Identifier: Apache-2.0
// Calls that the worker repeats: to see whether each keeps memory, and whether others do as the
// first did.

#ifndef ASSAY_HARNESS_HOST_WORKER_AGAIN_H
#define ASSAY_HARNESS_HOST_WORKER_AGAIN_H

#include <pthread.h>

#include "harness/host/environment.h"
#include "harness/host/host.h"
#include "harness/host/wire.h"

struct worker {
    const struct assay_plugin *plugin;
    struct assay_session *session;
    struct assay_instance *instance;  // of the last call, for `again`
    struct assay_instance *aside;     // the one that it was made beside, for `back`
    unsigned remade;                  // calls that were made anew
    uint64_t opened;                  // nanoseconds that opening the session took
    uint64_t spent;                   // that the target had and no answer has told yet
    struct environment before, after; // the call
    bool stands;      // `after` still holds, since nothing of the target ran (environment_stands)
    bool grew;        // what calls keep is proven
    uint64_t granted; // bytes that calls may leave in a cache
    pid_t process;
    struct wire_fault *fault;
};

// One call between its arrival and its answer.
struct job {
    struct worker *worker;
    unsigned char *bytes;
    struct arena arena;
    struct wire_call call;
    struct assay_instance *instance;
    enum assay_status status;
    struct assay_message message;
    uint64_t nanoseconds;
    pthread_barrier_t *start; // of calls that run together; NULL: alone
};

// Runs the job on its instance, where its status is ASSAY_OK, and takes the time.
void worker_run(struct job *job);

// Repeats the job for as long as each time takes something and keeps it, up to the proof, on its
// instance or on new `instances`. The outputs stay those of the first call. An instance that counts
// on from call to call would give the next one other values: it is left alone (WIRE_COUNTS).
// `change` says what grew, where something did.
void worker_prove_growth(struct job *job, struct environment_growth *growth, bool instances,
                         char *change, size_t size);

// For some of the jobs that are made anew: a second session does the same, and is closed before the
// first goes on. A library that has one at a time refuses to open it.
void worker_open_again(struct job *job);

#endif
