// SPDX-License-Identifier: Apache-2.0
// Deviant options as lenses around the untouched reference: a row for each choice of an operation.

#ifndef ASSAY_REF_VARIANT_LENS_H
#define ASSAY_REF_VARIANT_LENS_H

#include "ref/base/arena.h"
#include "ref/num/small_float.h"
#include "ref/op/operation.h"

// A lens at work: `option` is from 1, memory comes from `arena`.
struct lens_call {
    const struct lens *lens;
    unsigned option;
    struct arena *arena;
    struct diagnostic *diagnostic;
};

// Changes the request before it is evaluated.
typedef enum error lens_on_request(const struct lens_call *call, struct request *request);

// Changes `tensor`, the outputs of one run, in place; `request` is as it was asked.
typedef enum error lens_on_result(const struct lens_call *call, const struct request *request,
                                  struct tensor *tensor);

struct lens {
    struct choice choice;
    lens_on_request *request; // either may be NULL
    lens_on_result *result;
    const void *detail; // what the options do, for a function that serves several lenses
    const char *about;
};

// The lenses of one operation, called in the order of the table.
struct lens_family {
    const struct operation *operation;
    const struct lens *lens;
    unsigned count;
    // Whether `deviation`, as lenses made it, leaves what `request` asks for as it is. NULL: they
    // make none.
    bool (*keeps)(const struct request *request, const void *deviation);
    // Whether an option of a lens on results may change those of `request`. NULL: any may.
    bool (*concerns)(const struct lens *lens, const struct request *request,
                     const struct inference *inference, unsigned option);
};

// The first `count` elements of `tensor` as another type, rounded to nearest; data NULL when there
// is no memory.
struct tensor lens_converted(const struct tensor *tensor, enum dtype dtype, uint64_t count,
                             enum num_overflow overflow, struct arena *arena);

// An f32 as OpenVINO's own conversion makes it bf16: upwards from half an odd last bit, else cut.
uint64_t lens_bf16_as_openvino(uint64_t bits);

// The family of an operation; an operation without lenses has an empty one.
const struct lens_family *lens_family_of(const struct operation *operation);

#endif
