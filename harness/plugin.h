// SPDX-License-Identifier: Apache-2.0
// The contract between assay and a target: a shared library that exports one function,
// assay_plugin_entry.
//
// A target is opened, asked what it supports (every case, before the first is run), prepares an
// instance of an operation (a compiled model, a primitive), runs it any number of times, releases
// it and is closed. Several instances, of one request or of several, may be alive at once, and
// several sessions may be open; a library that has one at a time refuses the second. All calls for
// one session come from one thread unless the plugin declares ASSAY_CAPABILITY_REENTRANT. It runs
// in a worker process of its own: it may crash or hang without harm to anyone else, and it must
// leave the process as it found it (rounding mode, locale, signals, files, threads). Of descriptors
// it starts with its own alone.
//
// What an instance took is given back with it, and what a call took when it ends. A cache or a pool
// may keep some of it, but is full at last: of equal calls, or of equal instances, each of 2,000 in
// a row may leave more memory behind than there was. What calls leave so is at most a quarter of
// what the worker may hold: 1 GiB, where no one asks for another limit than 4 GiB. Of open files
// and threads each of 15 calls may leave one more.
//
// Operations, attributes and tensors have the names and meanings of the public vocabulary. New
// members come only at the end of a struct; `size` tells both sides which members exist.

#ifndef ASSAY_PLUGIN_H
#define ASSAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include <dlpack/dlpack.h>

enum { ASSAY_PLUGIN_ABI_VERSION = 1, ASSAY_MESSAGE_SIZE = 512, ASSAY_THREADS_MAX = 1024 };

// Element types. DLPack gives the layout; its type codes lack bool and the 8-bit floats, so the
// type stands beside it. New ones come at the end; a plugin meets those alone that it knows
// (assay_plugin.dtype_last). An element of 4 or 2 bits takes a byte: its code lies in the low bits,
// and the others are 0, those of a negative number too (-1 of i4 is 0x0f). Packing is the plugin's.
enum assay_dtype {
    ASSAY_BOOL = 1, // one byte, 0 or 1
    ASSAY_I8,
    ASSAY_I16,
    ASSAY_I32,
    ASSAY_I64,
    ASSAY_U8,
    ASSAY_U16,
    ASSAY_U32,
    ASSAY_U64,
    ASSAY_F16,
    ASSAY_BF16,
    ASSAY_F32,
    ASSAY_F64,        // the last that plugins know which say nothing
    ASSAY_F8E4M3,     // OCP OFP8 E4M3: 4 bits of exponent, no infinity, NaN is S.1111.111
    ASSAY_F8E5M2,     // OCP OFP8 E5M2: as IEEE 754 would have it
    ASSAY_F8E4M3FNUZ, // bias 8; no -0, no infinity, NaN is 0x80
    ASSAY_F8E5M2FNUZ, // bias 16; likewise
    ASSAY_F8E8M0,     // OCP MX scale: 2^(code - 127), NaN is 0xff
    ASSAY_F4E2M1,     // OCP MX element: sign, 2 bits of exponent, 1 of fraction; up to 6, no NaN
    ASSAY_I4,
    ASSAY_U4,
    ASSAY_I2,
    ASSAY_U2,
    ASSAY_DTYPE_LAST = ASSAY_U2
};

// A named tensor in native byte order. layout.data is aligned to the element, and a plugin may rely
// on no more: every multiple of the element comes modulo 64, for each tensor on its own, and both
// ends may lie between two such borders. layout.byte_offset is 0, layout.strides is NULL for dense
// row-major (else in elements). An absent optional tensor is not in the list.
struct assay_tensor {
    const char *name;
    uint32_t dtype; // enum assay_dtype
    uint32_t reserved;
    DLTensor layout; // layout.dtype has code, bits and lanes where DLPack knows the type, else
                     // kDLOpaqueHandle
};

enum assay_attribute_kind {
    ASSAY_INTEGER = 1,
    ASSAY_REAL,
    ASSAY_BOOLEAN,
    ASSAY_TEXT,
    ASSAY_INTEGERS,
    ASSAY_REALS
};

// 64-bit integers are two's complement: an unsigned attribute of 64 bits arrives as the int64_t
// with the same bits.
struct assay_attribute {
    const char *name;
    uint32_t kind;   // enum assay_attribute_kind: says which of the following holds
    uint32_t count;  // of integers or reals; ASSAY_TEXT: of words in a list, 0 where it is none
    int64_t integer; // ASSAY_INTEGER; ASSAY_BOOLEAN: 0 or 1
    double real;
    const char *text; // a list of words: with commas between them
    const int64_t *integers;
    const double *reals;
};

// What is to be computed. The request and all that it points to are valid for the call only.
struct assay_request {
    size_t size; // sizeof(struct assay_request) of the caller
    const char *operation;
    const struct assay_attribute
        *attributes; // every attribute of the operation that has a value, defaults included
    size_t attribute_count;
    const struct assay_tensor *inputs; // data is NULL when support is asked
    size_t input_count;
    const struct assay_tensor
        *outputs; // wanted: name, dtype and shape, data NULL until `run`; at least one. A call that
                  // must be refused asks for what the nearest valid one would give
    size_t output_count;
    uint32_t threads;        // threads the library may use; 0: its own default
    uint32_t feed;           // index into assay_plugin.feeds
    uint64_t window_first;   // with ASSAY_CAPABILITY_WINDOW: only these elements of output 0,
                             // row-major; its data then
    uint64_t window_count;   // has room for window_count elements, dense. 0: the whole output
    const char *declaration; // YAML: what declares the operation; NULL: it needs no declaration
};

enum assay_status {
    ASSAY_OK = 0,
    ASSAY_UNSUPPORTED, // declared limit of the library or of this plugin; only `supports` may say
                       // so
    ASSAY_REJECTED,    // the library refused the request as invalid, and for no other reason
    ASSAY_FAILED,      // the library failed otherwise: out of memory, not implemented, internal
    ASSAY_WRONG_RESULT // the library's outputs differ in dtype or shape from those wanted; the
                       // message says how
};

struct assay_message {
    char text[ASSAY_MESSAGE_SIZE]; // UTF-8, NUL-terminated; why, for every status but ASSAY_OK
};

enum assay_capability {
    ASSAY_CAPABILITY_WINDOW = 1,            // honours window_first and window_count
    ASSAY_CAPABILITY_STRIDED = 2,           // takes strided inputs and outputs
    ASSAY_CAPABILITY_THREADS = 4,           // honours `threads` up to threads_most
    ASSAY_CAPABILITY_REENTRANT = 8,         // instances may run on several threads at once
    ASSAY_CAPABILITY_NONDETERMINISTIC = 16, // equal calls may give different bits, by declaration
    // Gives, where dst_layer is wanted beside gradients, the dst_layer of the forward pass whose
    // states they were made from.
    ASSAY_CAPABILITY_STATES = 32,
    // Takes requests that say how tensors lie in memory: strides in any order, views, and formats
    // that the library chooses. The attributes say it to `supports`, layout.strides to `run`.
    ASSAY_CAPABILITY_LAYOUTS = 64
};

struct assay_session;  // defined by the plugin
struct assay_instance; // defined by the plugin

struct assay_plugin {
    uint32_t abi_version; // ASSAY_PLUGIN_ABI_VERSION
    uint32_t size;        // sizeof(struct assay_plugin)
    const char *name;     // short, lower case
    uint32_t capabilities;
    uint32_t feed_count;      // at least 1
    const char *const *feeds; // names of the ways to hand over inputs ("parameter", "constant",
                              // ...); [0] is the usual one

    // Starts the library. ASSAY_OK with *session set, else why not (library missing, wrong
    // version).
    enum assay_status (*open)(struct assay_session **session, struct assay_message *message);
    // Version of the library, for the certificate. Owned by the plugin, valid until close.
    const char *(*version)(struct assay_session *session);
    // ASSAY_OK or ASSAY_UNSUPPORTED; decided from operation, attributes, dtypes and shapes alone.
    enum assay_status (*supports)(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message);
    // Makes an instance. Inputs carry data, so that a library that takes them as constants can.
    enum assay_status (*prepare)(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message);
    // Computes: reads `request->inputs`, writes every element of `request->outputs` (data set). The
    // request is the one of `prepare`, its data possibly elsewhere. Inputs are read-only memory.
    enum assay_status (*run)(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message);
    void (*release)(struct assay_instance *instance);
    void (*close)(struct assay_session *session);

    // How the library computes where a sum's order and an activation's precision are free, as far
    // as it differs from the standard model, in JSON: {"tanh_ulps": 6, "accumulator": "f64"}
    // (ref/op/model.h has the keys). Bounds follow from it. May be NULL.
    const char *model;

    // With ASSAY_CAPABILITY_THREADS: the most threads that a request may ask for, up to
    // ASSAY_THREADS_MAX; 0: the plugin does not say, and more than a few are not tried.
    uint32_t threads_most;

    uint32_t reserved;
    // The last element type that the plugin knows: ASSAY_DTYPE_LAST of the header that it was built
    // with. A request with a later one is unsupported, and not shown to it. 0: ASSAY_F64.
    uint32_t dtype_last;
};

// The one exported function. The struct lives as long as the library is loaded.
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct assay_plugin *
assay_plugin_entry(void);

#endif
