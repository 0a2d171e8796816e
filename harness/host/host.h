// SPDX-License-Identifier: Apache-2.0
// Runs foreign code where it can do no harm: one target, in a worker process of its own,
// plugin or process alike.
//
// A worker is this program started anew (`assay worker`), not a fork: it begins without the
// harness's threads, locks and handlers, and a debugger can be put on it. Tensors travel through
// shared memory, calls through a socket, several in flight, so that a call costs microseconds.
// Whatever the target does (crash, hang, exit, garbage) becomes the outcome of the call that was
// running; the next call gets a fresh worker. Everything that a target answers is checked as
// hostile input.

#ifndef ASSAY_HARNESS_HOST_HOST_H
#define ASSAY_HARNESS_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/plugin.h"
#include "ref/base/arena.h"
#include "ref/base/error.h"
#include "ref/base/onnx_node.h"
#include "ref/base/tensor.h"

enum {
    HOST_FEEDS_MAX = 8,
    HOST_NAME_SIZE = 64,
    HOST_VERSION_SIZE = 128,
    HOST_MESSAGE_SIZE = 1024,
    HOST_MODEL_SIZE = 256,
    HOST_OUTPUTS_MAX = 16,
    HOST_FILES_MAX = 256
};

struct host;          // a target and its worker
struct record;        // answers that were recorded: harness/host/record/record.h
struct record_writer; // and those that are being recorded

struct host_options {
    const char *plugin; // path of a shared library, or NULL
    char *const
        *program; // NULL-terminated argument list of a process target, used when plugin is NULL
    const char *executable;         // the program that serves as worker; NULL: this one
    unsigned time_ms;               // longest a call may take; 0: 10,000
    unsigned open_ms;               // longest the start may take; 0: 60,000
    uint64_t memory_bytes;          // most that the worker may hold; 0: 4 GiB
    unsigned threads;               // sent to process targets at their start
    bool allow_network;             // for a target that is a service
    bool trace;                     // print what a process target is sent and answers, to stderr
    struct record_writer *recorder; // each answer to a call `of` a case goes there too; NULL: none
    struct record *replay; // answers come from there, and nothing is run; NULL: they do not
    // "NAME=VALUE" that its worker has in its environment from the start, NULL-terminated; NULL:
    // none. They replace what this process has of those names.
    char *const *environment;
};

struct host_description {
    char name[HOST_NAME_SIZE], version[HOST_VERSION_SIZE];
    uint32_t capabilities; // enum assay_capability
    bool process;          // a process target: guards and poison mean nothing to it
    uint32_t feed_count;
    char feeds[HOST_FEEDS_MAX][32];
    char model[HOST_MODEL_SIZE]; // how it says that it computes, in JSON, see plugin.h; empty: the
                                 // standard model
    uint32_t threads_most;       // that it declares, up to ASSAY_THREADS_MAX; 0: it does not
    bool kept; // its answers go to a record or come from one, which has no outputs that are asked
               // for window after window, and names requests by all their data
    bool replayed;    // they come from one
    char change[256]; // how loading the library changed the process (locale, flush to zero, ...);
                      // empty: not at all
};

// How a call ended.
enum host_outcome {
    HOST_OK,
    HOST_UNSUPPORTED,
    HOST_REJECTED,     // the library refused the request
    HOST_FAILED,       // the library or the plugin failed in an orderly way
    HOST_WRONG_RESULT, // other dtype or shape than asked for
    HOST_CRASH,        // a signal, or an exit
    HOST_PROTOCOL,     // an answer of a process that is none, or two
    HOST_TIMEOUT,
    HOST_MEMORY, // touched memory outside its buffers, wrote to an input, or took more memory than
                 // allowed
    HOST_ENVIRONMENT, // answered, but left the process changed
    HOST_UNRECORDED,  // of a record: it has no answer to that
    HOST_LOST         // the harness could not run it (no worker, no memory)
};

const char *host_outcome_name(enum host_outcome outcome);

// A named tensor. `tensor.data` of an input is read; of an output it receives the result (dense).
struct host_tensor {
    const char *name;
    struct tensor tensor;
    struct tensor_layout layout; // in the target's memory (needs ASSAY_CAPABILITY_LAYOUTS)
};

// What is to be computed; the members mean what they mean in struct assay_request. With a window,
// data of output 0 has room for window_count elements.
struct host_request {
    const char *operation, *declaration;
    const struct onnx_node *onnx; // as which a declared operator is written for ONNX
    unsigned onnx_count;
    const struct assay_attribute *attributes;
    size_t attribute_count;
    const struct host_tensor *inputs;
    size_t input_count;
    const struct host_tensor *outputs;
    size_t output_count;
    uint64_t window_first, window_count;
    const char *const (*profile)[2]; // choices and options that a process target is sent, ending
                                     // with NULL; NULL: it is sent none
};

// Which side of each buffer is flush with an inaccessible page; inside: neither, but poison is
// beside it.
enum host_guard { HOST_GUARD_END, HOST_GUARD_START, HOST_GUARD_INSIDE };
enum host_poison { HOST_POISON_A, HOST_POISON_B }; // what outputs hold before the call

// The byte that fills an output before the call.
uint8_t host_poison_byte(enum host_poison poison);

// Where a buffer inside begins: bytes past a multiple of HOST_BORDER, a multiple of `element`, the
// size of its elements. `number` counts the tensors of the call, outputs first. Over a stretch of
// values of `place` each such multiple comes about equally often, for every tensor in an order of
// its own.
enum { HOST_BORDER = 64 };
size_t host_offset(uint32_t place, size_t number, size_t element);

// The conditions of one call.
struct host_conditions {
    uint32_t threads; // 0: the library's own default
    uint32_t feed;
    enum host_guard guard;
    uint32_t place; // with HOST_GUARD_INSIDE: chooses the offsets, see host_offset
    enum host_poison poison;
    bool padded; // rows of rank 2 and more stand apart, canaries between them (needs
                 // ASSAY_CAPABILITY_STRIDED)
    bool again;  // on the instance of the call before, which had the same request, threads and feed
    bool counts; // it may count on from the call before: nothing is called in between
    bool remade; // `again`, and then on new instances, each beside the one before
    bool beside; // the instance of the call before stays, and this call's is made beside it
    bool back;   // on the instance that the call before was made beside
    bool in_place; // at the addresses of the call before, as far as its tensors are as large
    bool together; // at the same time as the next call (needs ASSAY_CAPABILITY_REENTRANT)
    bool thorough; // also compare signal handlers, open files and threads before and after
};

// Output 0 as a process target gave it, where it has another dtype or shape than was asked for.
enum { HOST_RECEIVED_MAX = 64 };
struct host_received {
    bool there; // it is the only output, and holds no more than HOST_RECEIVED_MAX elements
    struct tensor tensor; // without data
    unsigned char data[8 * HOST_RECEIVED_MAX];
};

// Outputs of a process target as it gives them, in memory of the arena; in the order of the
// request's, whose own types and shapes are then not looked at.
struct host_open {
    struct arena *arena;
    struct tensor tensor[HOST_OUTPUTS_MAX];
};

struct host_call {
    const struct host_request *request;
    struct host_conditions conditions;
    bool ask;       // only ask whether it is supported; data and conditions are not looked at
    const char *of; // "SUITE/CASE" that it is made for; NULL: its answer is not recorded
    bool reverse;   // of a case's plan: in the pass in reverse order
    bool beyond;    // not of the plan of its case: another request of a relation, more draws, ...
    bool by_chance; // its values are left to chance: made again, it need not give the same
    struct host_open *open; // takes the outputs, whatever they are; NULL: they are as asked for
    // An earlier call of the same outputs, or NULL: bytes that it gave too need not be copied.
    const struct host_call *like;
    // The answer:
    enum host_outcome outcome;
    bool answered;                   // the outputs are there
    bool alike;                      // and are the bytes of `like`, where they are to be found
    uint64_t nanoseconds;            // of the library's run
    char message[HOST_MESSAGE_SIZE]; // why, printable, empty for HOST_OK
    struct host_received received;   // with HOST_WRONG_RESULT
};

// Starts the target. On failure *host is NULL and the diagnostic says why (library missing, wrong
// ABI, crash while opening).
enum error host_open(const struct host_options *options, struct host **host,
                     struct diagnostic *diagnostic);

const struct host_description *host_describe(const struct host *host);

// Makes the calls in order; each gets its answer, and outputs of calls that ended HOST_OK or
// HOST_ENVIRONMENT are copied to their request's data. Never fails as a whole.
void host_run(struct host *host, struct host_call *calls, size_t count);

// Of a replayed target: the conditions of each call of the plan that it has answers to, for this
// request of the case, in order; `most` at most, and in *count how many there are.
struct host_recorded {
    struct host_conditions conditions;
    bool reverse;
};
enum error host_recorded(const struct host *host, const char *of,
                         const struct host_request *request, struct host_recorded *recorded,
                         size_t most, size_t *count, struct diagnostic *diagnostic);

// Ends the target's process, so that the next call starts another.
void host_renew(struct host *host);

// Gives back memory that is kept for further calls. No call is under way.
void host_rest(struct host *host);

// The last lines that the target printed, printable and bounded; valid until the next call.
const char *host_printed(struct host *host);

// The files that the target consists of, as absolute paths in order: all that its processes have
// read, run or mapped by now, those that the harness is linked with too among them, and of a
// process target what it named as its own (folders end in a slash, and stand for what is in them).
// The plugin itself is among them, and what an earlier call of this has seen. Memory is the
// arena's. Call it now and then and after the last call: a worker may end.
enum error host_files(struct host *host, struct arena *arena, char ***paths, size_t *count,
                      struct diagnostic *diagnostic);

// What the environment of a target's processes consists of, in words: `own` are its
// host_options.environment. NULL where that is all that this process has, which a watched worker
// does not get, or where memory runs out, which `arena` notes.
const char *host_environment(char *const *own, struct arena *arena);

// What is known to be missing among these files; NULL: nothing.
const char *host_unseen(struct host *host);

// Nanoseconds of the target's calls so far: to load, open, prepare, run, repeat and release; of a
// process target those from each line to its answer. What was never answered does not count, nor
// does what the harness does around a call.
uint64_t host_spent(const struct host *host);

// Closes the target in an orderly way; true when it went well. `message` (may be NULL) has room for
// HOST_MESSAGE_SIZE.
bool host_close(struct host *host, char *message);

// What `assay worker ...` runs; `arguments` are those after "worker". Returns the exit code.
int host_worker_main(int count, char **arguments);

#endif
