// SPDX-License-Identifier: Apache-2.0
// Requests and answers of process targets as JSON lines (the public vocabulary's "Process
// targets").

#ifndef ASSAY_HARNESS_HOST_PROGRAM_JSON_H
#define ASSAY_HARNESS_HOST_PROGRAM_JSON_H

#include "harness/host/host.h"
#include "ref/base/document.h"
#include "ref/base/json.h"

// Tensors above this travel in files.
enum { PROGRAM_INLINE_MAX = 64, PROGRAM_LINE_MAX = 1 << 20, PROGRAM_OPEN_BYTES_MAX = 64 << 20 };

// Appends one attribute of an object that is open.
void program_put_attribute(struct text *text, const struct assay_attribute *attribute);

// Appends {"run": REQUEST}, with "feed" beside it unless `feed` is NULL, or, without data,
// {"supports": REQUEST}, and a newline. Large inputs are written into `directory`.
enum error program_put_request(struct text *text, const struct host_request *request, bool ask,
                               const char *feed, uint32_t serial, int directory,
                               struct diagnostic *diagnostic);

// Reads the tensors of {"outputs": ...} into the request's outputs. ERROR_INPUT for anything
// malformed, ERROR_UNSUPPORTED when an output is missing, was not asked for, or has another dtype
// or shape: `received` holds it then, if it can.
enum error program_take_outputs(const struct document_node *outputs,
                                const struct host_request *request, int directory,
                                struct host_received *received, struct diagnostic *diagnostic);

// The same where outputs may have any type and shape: into `open`.
enum error program_take_open(const struct document_node *outputs,
                             const struct host_request *request, int directory,
                             struct host_open *open, struct diagnostic *diagnostic);

#endif
