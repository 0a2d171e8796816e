// SPDX-License-Identifier: Apache-2.0
// A record in place of a target. Answers lie by case and request; of those under one set of
// conditions the first call gets the first, the next the next.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/host/record/record.h"
#include "harness/host/target.h"
#include "ref/base/bytes.h"

const struct host_description *replay_describe(const struct record *record)
{
    return &record->description;
}

// The first answer for the case, or behind where it would stand; with `digest` for that request.
static size_t find_first(const struct record *record, const char *of, const unsigned char *digest)
{
    size_t low = 0, high = record->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct record_answer *const answer = &record->answer[middle];
        int order = strcmp(answer->of, of);
        if (!order && digest)
            order = memcmp(answer->request, digest, DIGEST_SIZE);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_for(const struct record *record, size_t i, const char *of,
                   const unsigned char *digest)
{
    return i < record->count && !strcmp(record->answer[i].of, of) &&
           (!digest || !memcmp(record->answer[i].request, digest, DIGEST_SIZE));
}

static bool same_conditions(const struct host_conditions *a, const struct host_conditions *b)
{
    for (const struct record_condition *c = record_conditions; c->name; c++)
        if (memcmp((const char *)a + c->offset, (const char *)b + c->offset, c->size) != 0)
            return false;
    return true;
}

// The answer to the call; the last one again where it is asked for more often than it was given.
// NULL: there is none.
static struct record_answer *find_answer(struct record *record, const struct host_call *call,
                                         const unsigned char *digest)
{
    struct record_answer *last = NULL;
    for (size_t i = find_first(record, call->of, digest); is_for(record, i, call->of, digest);
         i++) {
        struct record_answer *const answer = &record->answer[i];
        if (answer->ask != call->ask || answer->beyond != call->beyond ||
            (!call->ask && !same_conditions(&answer->conditions, &call->conditions)))
            continue;
        last = answer;
        if (!answer->taken)
            break;
    }
    if (last)
        last->taken = true;
    return last;
}

static bool has_plan(const struct record *record, const char *of, const unsigned char *digest)
{
    for (size_t i = find_first(record, of, digest); is_for(record, i, of, digest); i++)
        if (!record->answer[i].ask && !record->answer[i].beyond)
            return true;
    return false;
}

static const struct record_output *find_output(const struct record_answer *answer, const char *name)
{
    for (size_t i = 0; i < answer->output_count; i++)
        if (!strcmp(answer->output[i].name, name))
            return &answer->output[i];
    return NULL;
}

static void copy_outputs(struct host_call *call, const struct record_answer *answer)
{
    const struct host_request *const request = call->request;
    char got[128], expected[128];
    for (size_t i = 0; i < request->output_count; i++) {
        const struct tensor *const wanted = &request->outputs[i].tensor;
        uint64_t count = i ? 0 : request->window_count;
        const struct record_output *const output = find_output(answer, request->outputs[i].name);
        if (!output || (!count && !tensor_count(wanted, &count)) || output->count != count ||
            output->tensor.dtype != wanted->dtype || !tensor_same_shape(&output->tensor, wanted)) {
            host_conclude(call, HOST_PROTOCOL,
                          "the recorded output '%.100s' is %s; the request asks for %s",
                          request->outputs[i].name,
                          output ? tensor_describe(&output->tensor, got, sizeof got) : "missing",
                          tensor_describe(wanted, expected, sizeof expected));
            return;
        }
        if (count)
            bytes_copy_little_endian(wanted->data, output->tensor.data, dtype_size(wanted->dtype),
                                     (size_t)count);
    }
    call->answered = true;
}

static void receive(struct host_received *received, const struct record_output *output)
{
    *received = (struct host_received){.there = true, .tensor = output->tensor};
    received->tensor.data = NULL;
    bytes_copy_little_endian(received->data, output->tensor.data, dtype_size(output->tensor.dtype),
                             (size_t)output->count);
}

static void take(struct host_call *call, const struct record_answer *answer)
{
    host_conclude(call, answer->outcome, "%s", answer->message);
    if (answer->output && !call->ask)
        copy_outputs(call, answer);
    if (answer->received)
        receive(&call->received, answer->received);
}

static void run_one(struct record *record, struct host_call *call)
{
    unsigned char digest[DIGEST_SIZE];
    struct diagnostic diagnostic;
    if (!call->of) {
        host_conclude(call, HOST_UNRECORDED, "a record answers to nothing but cases");
        return;
    }
    if (request_digest(call->request, digest, &diagnostic)) {
        host_conclude(call, HOST_LOST, "%s", diagnostic.text);
        return;
    }
    const struct record_answer *const answer = find_answer(record, call, digest);
    if (answer)
        take(call, answer);
    else if (call->ask && !call->beyond && has_plan(record, call->of, digest))
        host_conclude(call, HOST_OK, "%s", "");
    else if (is_for(record, find_first(record, call->of, NULL), call->of, NULL))
        host_conclude(call, HOST_UNRECORDED,
                      call->beyond ? "the record lacks an answer that the case needs beside its own"
                                   : "the case asks for something else than when it was recorded");
    else
        host_conclude(call, HOST_UNRECORDED, "the case is not in the record");
}

void replay_run(struct record *record, struct host_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        run_one(record, &calls[i]);
}

enum error replay_plan(const struct record *record, const char *of,
                       const struct host_request *request, struct host_recorded *recorded,
                       size_t most, size_t *count, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    *count = 0;
    const enum error error = request_digest(request, digest, diagnostic);
    if (error)
        return error;
    for (size_t i = find_first(record, of, digest); is_for(record, i, of, digest); i++) {
        const struct record_answer *const answer = &record->answer[i];
        if (answer->ask || answer->beyond)
            continue;
        if (*count < most)
            recorded[*count] = (struct host_recorded){answer->conditions, answer->reverse};
        ++*count;
    }
    return ERROR_NONE;
}
