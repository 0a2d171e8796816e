// SPDX-License-Identifier: Apache-2.0
// example.count: first, first + 1, ... modulo 2^32. The operation that ref/README.md takes for its
// example; example_operation_test.py builds it into the reference as that page says.
//
// Source: here an operation names the clause or the paper that it computes, with its DOI.

#include "ref/op/tests/example/count.h"

#include "ref/base/bytes.h"

enum { COUNT };  // attributes
enum { FIRST };  // inputs
enum { ORIGIN }; // choices

static const struct attribute_spec attributes[] = {
    [COUNT] = ATTRIBUTE("count", INTEGER, REQUIRED, .maximum = INT32_MAX),
};

static const struct input_spec inputs[] = {[FIRST] = {.name = "first"}};

// Option 0 is the default; the suite says which of the others are allowed.
static const struct choice choices[] = {
    [ORIGIN] = {"origin", OPERATION_WORDS("as_given", "one_later")},
};

// Every rule is checked here, so that `fill` cannot fail.
static enum error infer(const struct request *request, struct inference *inference,
                        struct diagnostic *diagnostic)
{
    enum error error = operation_check_dtype(request, FIRST, DTYPE_BIT(DTYPE_U32), diagnostic);
    if (!error)
        error = operation_check_scalar(request, FIRST, false, diagnostic);
    inference->output[0] = (struct tensor){
        .dtype = DTYPE_U32, .rank = 1, .shape = {(uint64_t)request->attribute[COUNT].integer}};
    return error;
}

// Any slice, from any thread: what is written depends on the request and the place alone.
static enum error fill(const struct request *request, const struct inference *inference,
                       const struct slice *slice, struct diagnostic *diagnostic)
{
    (void)inference;
    (void)diagnostic;
    const uint64_t first = element_load(request->input[FIRST].data, sizeof(uint32_t), 0) +
                           request->profile.option[ORIGIN];
    for (uint64_t i = 0; i < slice->count; i++)
        element_store(slice->data, sizeof(uint32_t), i, (uint32_t)(first + slice->first + i));
    return ERROR_NONE;
}

const struct operation example_count_operation = {
    .name = "example.count",
    .summary = "whole numbers in order, modulo 2^32",
    OPERATION_ATTRIBUTES(attributes),
    OPERATION_INPUTS(inputs),
    .outputs = OPERATION_WORDS("output"),
    OPERATION_CHOICES(choices),
    .plain_dtype = operation_plain_u32,
    .infer = infer,
    .fill = fill,
};
