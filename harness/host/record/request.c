// SPDX-License-Identifier: Apache-2.0
// What a request is, so that two machines name it alike.

#include "harness/host/program_json.h"
#include "harness/host/record/record.h"
#include "ref/base/bytes.h"

// SHA-256 of the elements as little-endian bytes, in pieces.
static enum error digest_elements(const struct tensor *tensor, unsigned char digest[DIGEST_SIZE],
                                  struct diagnostic *diagnostic)
{
    enum { PIECE = 4096 };
    unsigned char piece[PIECE];
    const size_t size = dtype_size(tensor->dtype);
    struct digest all;
    uint64_t count = 0;
    if (!tensor_count(tensor, &count))
        return diagnostic_fail(diagnostic, ERROR_TOO_LARGE, "a tensor is too large");
    enum error error = digest_begin(&all, diagnostic);
    for (uint64_t at = 0; at < count && !error; at += PIECE / size) {
        const uint64_t left = count - at;
        const size_t some = left < PIECE / size ? (size_t)left : PIECE / size;
        bytes_copy_little_endian(piece, (const char *)tensor->data + at * size, size, some);
        error = digest_add(&all, piece, some * size, diagnostic);
    }
    return error ? error : digest_end(&all, digest, diagnostic);
}

static enum error put_input(struct text *text, const struct tensor *tensor,
                            struct form_writer *form, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    uint64_t count = 0;
    enum error error = ERROR_NONE;
    if (form && tensor->data && tensor_count(tensor, &count)) {
        form_put_tensor(form, text, tensor, count, tensor->data);
        return ERROR_NONE;
    }
    tensor_put_type(tensor, text);
    if (tensor->data)
        error = digest_elements(tensor, digest, diagnostic);
    if (tensor->data && !error)
        json_put_digest_at(text, "sha256", digest);
    return error;
}

enum error request_put(struct text *text, const struct host_request *request,
                       struct form_writer *form, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_put_pair(text, "op", request->operation);
    if (request->declaration && form) // the digest is of what is asked, not of how it is explained
        json_put_pair(text, "declaration", request->declaration);
    json_begin_object_at(text, "attributes");
    for (size_t i = 0; i < request->attribute_count; i++)
        program_put_attribute(text, &request->attributes[i]);
    json_end_object(text);
    json_begin_object_at(text, "inputs");
    for (size_t i = 0; i < request->input_count && !error; i++) {
        json_begin_object_at(text, request->inputs[i].name);
        error = put_input(text, &request->inputs[i].tensor, form, diagnostic);
        json_end_object(text);
    }
    json_end_object(text);
    json_begin_object_at(text, "outputs");
    for (size_t i = 0; i < request->output_count; i++) {
        json_begin_object_at(text, request->outputs[i].name);
        tensor_put_type(&request->outputs[i].tensor, text);
        json_end_object(text);
    }
    json_end_object(text);
    if (request->window_count)
        json_put_numbers_at(text, "window",
                            (const uint64_t[]){request->window_first, request->window_count}, 2);
    return error || !text->failed ? error : diagnostic_no_memory(diagnostic);
}

enum error request_digest(const struct host_request *request, unsigned char digest[DIGEST_SIZE],
                          struct diagnostic *diagnostic)
{
    struct text text = {0};
    json_begin_object(&text);
    enum error error = request_put(&text, request, NULL, diagnostic);
    json_end_object(&text);
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = digest_of(text.bytes, text.size, digest, diagnostic);
    text_release(&text);
    return error;
}
