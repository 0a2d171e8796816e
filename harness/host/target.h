// SPDX-License-Identifier: Apache-2.0
// What the files of this room share about a target.

#ifndef ASSAY_HARNESS_HOST_TARGET_H
#define ASSAY_HARNESS_HOST_TARGET_H

#include "harness/host/host.h"
#include "harness/host/share.h"
#include "harness/host/spawn.h"
#include "harness/host/watch.h"
#include "harness/host/wire.h"
#include "ref/base/arena.h"
#include "ref/base/leftover.h"

enum {
    HOST_FLIGHT_MAX = 64,
    HOST_FLIGHT_BYTES_MAX = 8 << 20,
    HOST_PRINTED_SIZE = 8192,
    HOST_TICK_MS = 25,
    HOST_REST_MS = 2000 // for threads that still work or sleep after the last call
};

// A call that was sent and not yet answered.
struct flight {
    struct host_call *call;
    uint32_t serial;
    size_t tensor_count, bytes;
    struct arena arena;
    struct wire_place *places;
    struct share_layout *layouts;
};

struct host {
    struct arena arena; // copies of the options
    struct host_options options;
    struct host_description description;
    struct process process;
    unsigned workers;           // started so far for this target
    char *file[HOST_FILES_MAX]; // files and folders (with a final slash) that a process target
                                // named as its own
    size_t file_count;
    char **seen; // files that a worker had loaded when host_files looked
    size_t seen_count;
    struct watch *watch; // what its workers read; NULL until one was started
    size_t watch_taken;  // of these, how many are among `seen`
    char printed[HOST_PRINTED_SIZE];
    uint32_t serial;
    uint64_t spent; // nanoseconds, of all its workers: host_spent
    // Plugins.
    struct share share;
    struct wire_text out;
    size_t out_sent;
    struct flight flights[HOST_FLIGHT_MAX];
    unsigned flight_first, flight_count;
    struct wire_answer answer; // as far as it has arrived
    size_t answer_got;
    // Processes.
    char *line; // what has been read and not used
    size_t line_size, line_capacity;
    struct leftover_folder directory; // its path is empty while there is none
};

enum error plugin_start(struct host *host, struct diagnostic *diagnostic);
void plugin_run(struct host *host, struct host_call *calls, size_t count);
bool plugin_stop(struct host *host, char *message);

enum error program_start(struct host *host, struct diagnostic *diagnostic);
void program_run(struct host *host, struct host_call *calls, size_t count);
bool program_stop(struct host *host, char *message);

// What a process target said of itself, and what it answered to a call: line `size` bytes long in
// host->line. `directory` is the folder of the tensors that travel as files.
enum error program_take_hello(struct host *host, size_t size, struct diagnostic *diagnostic);
void program_take_answer(struct host *host, struct host_call *call, size_t size, int directory);

// Fills outcome and message of a call.
__attribute__((format(printf, 3, 4))) void host_conclude(struct host_call *call,
                                                         enum host_outcome outcome,
                                                         const char *format, ...);

// The same of a refusal or a failure. One for want of memory is no refusal of what was asked.
void host_refuse(struct host_call *call, enum host_outcome outcome, const char *message);

// Takes what the target says of itself at a start. ERROR_SYSTEM where it said something else at an
// earlier one.
enum error host_take_description(struct host *host, const struct host_description *description,
                                 struct diagnostic *diagnostic);

// Ends the worker and says in words how it had ended: "killed by signal 11 (Segmentation fault)",
// "exited with code 3".
enum host_outcome host_autopsy(struct host *host, char *text, size_t size);

// What a fault record says about a call that the worker died in (plugins).
void plugin_explain_fault(const struct host *host, const struct wire_fault *fault,
                          const struct flight *flight, struct host_call *call);

#endif
