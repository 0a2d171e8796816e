// SPDX-License-Identifier: Apache-2.0
// All answers go to the record as the host gives them to the judge.

#include <string.h>

#include "harness/host/record/record.h"

#define CONDITION(member, most)                                                                    \
    {                                                                                              \
#member, offsetof(struct host_conditions, member),                                         \
            sizeof(((struct host_conditions *)0)->member), most                                    \
    }

const struct record_condition record_conditions[] = {CONDITION(threads, ASSAY_THREADS_MAX),
                                                     CONDITION(feed, HOST_FEEDS_MAX - 1),
                                                     CONDITION(guard, HOST_GUARD_INSIDE),
                                                     CONDITION(place, UINT32_MAX),
                                                     CONDITION(poison, HOST_POISON_B),
                                                     CONDITION(padded, true),
                                                     CONDITION(again, true),
                                                     CONDITION(counts, true),
                                                     CONDITION(remade, true),
                                                     CONDITION(beside, true),
                                                     CONDITION(back, true),
                                                     CONDITION(in_place, true),
                                                     CONDITION(together, true),
                                                     CONDITION(thorough, true),
                                                     {NULL, 0, 0, 0}};

const char *const record_capabilities[] = {"window",           "strided", "threads", "reentrant",
                                           "nondeterministic", "states",  "layouts", NULL};

static uint64_t load(const void *at, size_t size)
{
    uint32_t number = 0;
    bool flag = false;
    memcpy(size == sizeof flag ? (void *)&flag : &number, at, size);
    return size == sizeof flag ? flag : number;
}

static void put_conditions(struct text *text, const struct host_conditions *conditions)
{
    json_begin_object_at(text, "conditions");
    for (const struct record_condition *c = record_conditions; c->name; c++) {
        const uint64_t value = load((const char *)conditions + c->offset, c->size);
        if (value)
            json_put_unsigned_at(text, c->name, value);
    }
    json_end_object(text);
}

static void put_output(struct record_writer *writer, const char *name, const struct tensor *like,
                       uint64_t count, const void *data)
{
    json_begin_object_at(&writer->line, name);
    form_put_tensor(writer->form, &writer->line, like, count, data);
    json_end_object(&writer->line);
}

static void put_outputs(struct record_writer *writer, const struct host_call *call)
{
    const struct host_request *const request =
        call->alike && call->like ? call->like->request : call->request;
    json_begin_object_at(&writer->line, "outputs");
    for (size_t i = 0; i < request->output_count; i++) {
        const struct tensor *const tensor = &request->outputs[i].tensor;
        uint64_t count = i ? 0 : request->window_count;
        if (count || tensor_count(tensor, &count))
            put_output(writer, request->outputs[i].name, tensor, count, tensor->data);
    }
    json_end_object(&writer->line);
}

void record_put(struct record_writer *writer, const struct host_call *call)
{
    struct text *const line = &writer->line;
    struct diagnostic diagnostic;
    unsigned char digest[DIGEST_SIZE];
    if (!call->of)
        return;
    if (call->outcome == HOST_LOST)
        form_fail(writer->form,
                  diagnostic_fail(&diagnostic, ERROR_SYSTEM, "%.200s could not be run: %.500s",
                                  call->of, call->message),
                  &diagnostic);
    form_fail(writer->form, request_digest(call->request, digest, &diagnostic), &diagnostic);
    json_begin_object(line);
    json_put_pairs(line, {"record", "answer"}, {"case", call->of});
    json_put_digest_at(line, "request", digest);
    if (call->ask)
        json_put_boolean_at(line, "ask", true);
    if (call->beyond)
        json_put_boolean_at(line, "beyond", true);
    if (call->reverse)
        json_put_boolean_at(line, "reverse", true);
    if (!call->ask)
        put_conditions(line, &call->conditions);
    json_put_pairs(line, {"outcome", host_outcome_name(call->outcome)},
                   {"message", call->message[0] ? call->message : NULL});
    if (call->answered && !call->ask)
        put_outputs(writer, call);
    if (call->outcome == HOST_WRONG_RESULT && call->received.there) {
        uint64_t count = 0;
        if (tensor_count(&call->received.tensor, &count))
            put_output(writer, "received", &call->received.tensor, count, call->received.data);
    }
    form_put_line(writer->form, line);
}

void record_put_description(struct text *text, const struct host_description *description)
{
    json_put_pairs(text, {"kind", description->process ? "process" : "plugin"},
                   {"library", description->name}, {"version", description->version},
                   {"model", description->model[0] ? description->model : NULL},
                   {"change", description->change[0] ? description->change : NULL});
    json_begin_list_at(text, "capabilities");
    for (unsigned i = 0; record_capabilities[i]; i++)
        if (description->capabilities >> i & 1)
            json_put_string(text, record_capabilities[i]);
    json_end_list(text);
    json_begin_list_at(text, "feeds");
    for (uint32_t i = 0; i < description->feed_count; i++)
        json_put_string(text, description->feeds[i]);
    json_end_list(text);
    if (description->threads_most)
        json_put_unsigned_at(text, "threads_most", description->threads_most);
}
