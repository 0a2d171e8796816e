// SPDX-License-Identifier: Apache-2.0
// Answers of a target, recorded on one machine so that they are judged on another: a folder in the
// form of form.h, named "record".
//
// A line is one answer: to which request (its digest), for which case, under which conditions. To
// the judge a record is a target like any other: a call is answered by what was recorded for the
// same request, case and conditions, in the order in which it was recorded. What the record has no
// answer to is HOST_UNRECORDED.

#ifndef ASSAY_HARNESS_HOST_RECORD_RECORD_H
#define ASSAY_HARNESS_HOST_RECORD_RECORD_H

#include "harness/host/host.h"
#include "harness/host/record/form.h"

#define RECORD_NAME "record"
#define RECORD_FORMAT "assay.record/1"

// What runners are given: the form of form.h under this name, a line a request.
#define REQUESTS_NAME "requests"
#define REQUESTS_FORMAT "assay.requests/1"

// The request as one line of JSON without data: operation, attributes, inputs with SHA-256 of their
// little-endian bytes, wanted outputs with type and shape, window. SHA-256 of this line is the
// request's digest. With a `form` the inputs' data go there, and their places stand in the line
// (which has another digest then).
enum error request_put(struct text *text, const struct host_request *request,
                       struct form_writer *form, struct diagnostic *diagnostic);
enum error request_digest(const struct host_request *request, unsigned char digest[DIGEST_SIZE],
                          struct diagnostic *diagnostic);

// ---- writing ----------------------------------------------------------------

// Zero-initialised, with `form` begun by the caller, who closes it.
struct record_writer {
    struct form_writer *form;
    struct text line;
};

// Adds the answer of a call that was made for a case.
void record_put(struct record_writer *writer, const struct host_call *call);

// The members of the header's "target" that a description has, in an object that is open.
void record_put_description(struct text *text, const struct host_description *description);

// ---- reading ----------------------------------------------------------------

struct record_answer; // private

struct record_library {
    const char *file, *sha256;
};

struct record_suite {
    const char *name, *version, *sha256;
};

struct record {
    struct arena arena;
    struct form form;
    struct host_description description;
    // Of the header; NULL where it does not say.
    const char *name, *recorded, *by; // target; time, "2026-01-31T12:00:00Z"; program that recorded
    const char *file, *file_sha256, *held_to, *environment, *unseen, *untried, *outside;
    bool native;
    const char *architecture, *processor, *instructions, *class, *system;
    unsigned threads;
    size_t library_count, suite_count;
    struct record_library *library;
    struct record_suite *suite;
    size_t count;
    struct record_answer *answer; // in order
};

// Reads the record in `folder`. ERROR_INPUT with the place of what is wrong. Release it also after
// an error.
enum error record_read(const char *folder, struct record *record, struct diagnostic *diagnostic);
void record_release(struct record *record);

// What the host asks of a record in place of a target.
const struct host_description *replay_describe(const struct record *record);
void replay_run(struct record *record, struct host_call *calls, size_t count);
enum error replay_plan(const struct record *record, const char *of,
                       const struct host_request *request, struct host_recorded *recorded,
                       size_t most, size_t *count, struct diagnostic *diagnostic);

// ---- for the files of this folder -------------------------------------------

struct record_output {
    const char *name;
    struct tensor tensor; // data: little-endian
    uint64_t count;
};

struct record_answer {
    const char *of;
    unsigned char request[DIGEST_SIZE];
    bool ask, beyond, reverse, taken;
    struct host_conditions conditions;
    enum host_outcome outcome;
    const char *message;
    size_t output_count;
    struct record_output *output;
    struct record_output *received; // NULL: none
    size_t number;                  // in the file
};

// Members of a line's "conditions", by name.
struct record_condition {
    const char *name;
    size_t offset, size; // in struct host_conditions
    long long most;
};
extern const struct record_condition record_conditions[]; // the last without a name

extern const char *const record_capabilities[]; // bit i of capabilities; NULL-terminated

#endif
