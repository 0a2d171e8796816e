// SPDX-License-Identifier: Apache-2.0
// The protocol between harness and worker: length-prefixed requests one way, records of fixed
// size the other way.
//
// The worker trusts the harness. The harness trusts nothing: an answer is a record whose every
// field it checks.

#ifndef ASSAY_HARNESS_HOST_WIRE_H
#define ASSAY_HARNESS_HOST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/host/host.h"
#include "ref/base/arena.h"

// File descriptors of a plugin's worker.
enum { WIRE_MEMORY = 3, WIRE_SOCKET = 4 };

enum wire_kind { WIRE_SUPPORTS = 1, WIRE_RUN, WIRE_CLOSE };

enum { WIRE_MAGIC = 0x79617373, WIRE_MESSAGE_MAX = 1 << 20, WIRE_CHANGE_SIZE = 256 };

enum wire_flag {
    WIRE_AGAIN = 1,
    WIRE_TOGETHER = 2,
    WIRE_THOROUGH = 4,
    WIRE_PADDED = 8,
    WIRE_COUNTS = 16,
    WIRE_REMADE = 32,
    WIRE_POISON_B = 64,
    WIRE_BESIDE = 128,
    WIRE_BACK = 256,
    WIRE_IN_PLACE = 512,
    WIRE_BY_CHANCE = 1024
};

// Where a tensor of a request lies in the shared memory: `slot` is mapped once by the worker and
// remembered.
struct wire_place {
    uint32_t slot, pages;
    uint64_t file_offset;
    uint64_t start; // bytes from the start of the slot to the first element
    bool writable;
    bool strided;
    int64_t strides[TENSOR_RANK_MAX];
};

// First answer of a worker, once the library is open.
struct wire_hello {
    uint32_t magic, status, capabilities, feed_count;
    char name[HOST_NAME_SIZE], version[HOST_VERSION_SIZE], feeds[HOST_FEEDS_MAX][32];
    char message[ASSAY_MESSAGE_SIZE];
    char model[HOST_MODEL_SIZE];
    uint32_t threads_most;
    char change[WIRE_CHANGE_SIZE]; // how loading changed the environment
    uint64_t spent;                // nanoseconds that loading and opening took
};

// Whether a call left the process as it found it. What stays, kept memory that grew or a child,
// goes only with the process.
enum wire_changed { WIRE_UNCHANGED, WIRE_CHANGED, WIRE_STAYS };

struct wire_answer {
    uint32_t magic, serial, status, changed;
    uint64_t nanoseconds; // of the run that was asked for
    uint64_t spent; // that the target had since the answer before: to prepare, run, repeat, release
    char message[ASSAY_MESSAGE_SIZE];
    char change[WIRE_CHANGE_SIZE]; // how the environment changed
};

// Page 0 of the shared memory: what the worker noted when a signal killed it, and how far it is.
struct wire_fault {
    volatile uint32_t valid;
    uint32_t cut_off; // 1: the worker could not answer, for its connection was closed under it
    int32_t signal, code;
    uint32_t writing;    // 1: a write, 0: a read, 2: unknown
    uint32_t known_slot; // 1: `slot` and `offset` say where
    uint32_t slot;       // of an earlier call: SLOT_COUNT_MAX
    int64_t offset;      // bytes from the start of the slot
    uint64_t address;
    uint64_t data_bytes;       // private memory held at that time
    volatile uint32_t repeats; // how often calls were repeated; each has a call's time
};

enum { WIRE_CLOSE_SIZE = 3 * sizeof(uint32_t) };

// A message under construction, or being taken apart.
struct wire_text {
    unsigned char *bytes;
    size_t size, capacity, at;
    bool failed;
};

// Makes room for `size` bytes in all; false: out of memory.
bool wire_reserve(struct wire_text *text, size_t size);
// Appends the call; places holds inputs, then outputs (NULL when support is asked).
void wire_put_call(struct wire_text *text, enum wire_kind kind, uint32_t serial, uint32_t flags,
                   const struct host_request *request, const struct host_conditions *conditions,
                   const struct wire_place *places);
void wire_put_close(struct wire_text *text, uint32_t serial); // WIRE_CLOSE_SIZE bytes

struct wire_call {
    enum wire_kind kind;
    uint32_t serial, flags;
    struct assay_request request; // strings point into the message, arrays are the arena's
    struct assay_tensor *tensors; // inputs, then outputs
    struct wire_place *places;    // the same; NULL when support is asked
    size_t tensor_count;
};

// Takes one message (without its length) apart; false when it is malformed.
bool wire_take_call(unsigned char *bytes, size_t size, struct arena *arena, struct wire_call *call);

// The DLPack code of a dtype; kDLOpaqueHandle where there is none.
DLDataType wire_dlpack_dtype(enum dtype dtype);

#endif
