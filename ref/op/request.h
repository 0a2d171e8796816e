// SPDX-License-Identifier: Apache-2.0
// The request form of the public vocabulary, read from a document tree.
//
// A plain value takes the dtype that its place asks for; a typed one ({dtype, shape, bits} or
// {dtype, shape, data}) says it.

#ifndef ASSAY_REF_OP_REQUEST_H
#define ASSAY_REF_OP_REQUEST_H

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/op/operation.h"

// Makes the input `name` from a mapping.
typedef enum error (*request_tensor_source)(void *context, const struct document_node *node,
                                            const char *name, struct arena *arena,
                                            struct tensor *tensor, struct diagnostic *diagnostic);

// Finds an operation that was declared, or one of the table: NULL where there is none.
typedef enum error (*request_operation_source)(void *operators, const char *name,
                                               const struct operation **operation,
                                               struct diagnostic *diagnostic);

// How tensors that are not written out are made; a NULL source: such tensors are refused. Where
// operations are found; NULL: in the table alone.
struct request_sources {
    void *context;
    request_tensor_source fill;        // for mappings with the key `fill`
    request_tensor_source file;        // for mappings with the key `file`
    const struct operation *operation; // that the request is of; NULL: the one that `op` names
    request_operation_source find;     // finds that; NULL: in the table alone
    void *operators;                   // for `find`
};

// Reads one request: id, op, attributes, inputs, outputs, window, runs, model, step. Keys in `more`
// (NULL-terminated, may be NULL), `profile` among them, are left to the caller. Attributes that are
// not given get their defaults. Strict: unknown keys and malformed values are ERROR_INPUT with
// their place; ERROR_INVALID_ARGUMENT where the form is right but the operation's table refuses it
// (missing or unknown values); an unknown operation is ERROR_UNSUPPORTED. `sources` may be NULL.
// Memory is the arena's. The rules of the operation itself are checked by its `infer`.
enum error request_read(const struct document_node *node, const char *const *more,
                        const struct request_sources *sources, struct arena *arena,
                        struct request *request, struct diagnostic *diagnostic);

// Reads one tensor. `dtype` is for plain values (DTYPE_NONE: it must be typed); `name` is for
// messages and fills.
enum error request_read_tensor(const struct document_node *node, enum dtype dtype, const char *name,
                               const struct request_sources *sources, struct arena *arena,
                               struct tensor *tensor, struct diagnostic *diagnostic);

// Reads `dtype` and `shape` of a mapping, which needs both, into `tensor`; its other keys are left
// to the caller.
enum error request_read_type(const struct document_node *node, const char *name,
                             struct tensor *tensor, struct diagnostic *diagnostic);

// Reads {name of the observable output: tensor} into `observed`.
enum error request_read_observed(const struct document_node *node,
                                 const struct request_sources *sources, struct arena *arena,
                                 struct request *request, struct diagnostic *diagnostic);

// A request with defaults for every attribute and nothing else.
void request_start(struct request *request, const struct operation *operation);

#endif
