// SPDX-License-Identifier: Apache-2.0
// An evaluation model: how an implementation computes where a specification leaves the order and
// the precision of sums free.
//
// A target declares its model, and bounds are derived from it: a target inside its model can never
// fail. What is not declared has the standard value. The key `model` of a request or of a case, and
// the text that a plugin declares, have one form:
//
//     model: {accumulator: f32, fused: free, functions: standard, tanh_ulps: 2, logistic_ulps: 4,
//             activation_absolute: 0x1p-125, flush: true, gates: automatic, states: stored,
//             dot: accumulator, additions: nearest, intermediates: declared}
//
// ref/MODELS.md says what each word admits, and where it is from.

#ifndef ASSAY_REF_OP_MODEL_H
#define ASSAY_REF_OP_MODEL_H

#include <stdbool.h>

#include "ref/base/document.h"
#include "ref/base/dtype.h"
#include "ref/base/error.h"

enum model_accumulator {
    MODEL_F32,           // f32 additions in any order
    MODEL_F64,           // f64 additions in any order, then one rounding to f32
    MODEL_BF16_PRODUCTS, // f32 additions; operands of f32 may be rounded to bf16 before they are
                         // multiplied
    MODEL_F16,           // f16 additions, where no input is wider than 16 bits; declared operators
    MODEL_BF16,          // bf16 likewise
};

enum model_additions {
    MODEL_NEAREST,
    MODEL_TRUNCATED, // an accumulator may cut off, and align several terms before it adds them
};

// Whose ulps of functions.
enum model_functions {
    MODEL_STANDARD, // tanh_ulps, logistic_ulps, and rsqrt 2; quotients and roots are rounded once
    MODEL_OPENCL,   // OpenCL C's full profile
};

enum model_intermediates {
    MODEL_AS_DECLARED,
    MODEL_NARROW, // what is declared f32 may be f16 or bf16, where no input is wider
};

// How the products of two tensors are computed: an algorithm of StableHLO's DotAlgorithm.
struct model_dot {
    const char *name;
    enum dtype operands;    // to which f32 is rounded; NONE: as it is
    unsigned bits;          // of a component of an operand of f32; 0: it is taken whole
    unsigned products;      // of components, for one product
    enum dtype accumulator; // NONE: that of the model
    bool imprecise;         // an accumulator of 14 bits that cuts off
};
enum { MODEL_DOTS = 14 };
extern const struct model_dot model_dots[MODEL_DOTS + 1]; // ends with a row without a name

enum model_fused {
    MODEL_FUSED_FREE,   // a product that is added to may be rounded first, or not
    MODEL_FUSED_NEVER,  // it is
    MODEL_FUSED_ALWAYS, // it is not
};

// In which type the gates of 16-bit data are kept.
enum model_gates {
    MODEL_GATES_AUTOMATIC, // forward f32, backward f32 or the state's type
    MODEL_GATES_F32,
    MODEL_GATES_STATE, // f32 or the state's type, forward too, and so tanh(c)
};

enum model_states {
    MODEL_STATES_STORED, // the next step reads the state as stored
    MODEL_STATES_WIDE,   // or as it was before its store
};

struct evaluation_model {
    enum model_accumulator accumulator;
    enum model_fused fused;
    enum model_gates gates;
    enum model_states states;
    enum model_additions additions;
    enum model_functions functions;
    enum model_intermediates intermediates;
    unsigned dot; // of model_dots
    // |a~(z) - a(z)| <= ulps * ulp32(a(z)) + absolute; logistic_ulps is of e^x and log, too, where
    // an activation is made of them
    double tanh_ulps, logistic_ulps, activation_absolute;
    double erf_absolute; // |erf~(z) - erf(z)| is at most that more; declared operators
    bool flush;          // numbers below 2^-126 may become 0
};

extern const struct evaluation_model evaluation_model_standard;

// Whether the model says nothing of sums and products that only the bounds of declared operators
// know.
bool evaluation_model_is_plain(const struct evaluation_model *model);

// The place of a name in model_dots; -1: it is none.
int evaluation_model_dot(const char *name);

// Reads a mapping over what `model` holds. Unknown keys and values out of range are ERROR_INPUT
// with their place.
enum error evaluation_model_read(const struct document_node *node, struct evaluation_model *model,
                                 struct diagnostic *diagnostic);

#endif
