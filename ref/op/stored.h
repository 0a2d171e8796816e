// SPDX-License-Identifier: Apache-2.0
// Outputs that were not derived here: a file or a program states them, and says how closely they
// must be met. An operation over such values infers, fills and bounds as any other does, so that
// code that evaluates a request need not know where its values come from.

#ifndef ASSAY_REF_OP_STORED_H
#define ASSAY_REF_OP_STORED_H

#include "ref/op/operation.h"

// What is stated of each output, under one profile. An output that is not stated has DTYPE_NONE;
// data are native. Ends that are NULL: the bits of the value are required.
struct stored_outputs {
    struct profile profile;
    struct tensor value[OPERATION_OUTPUTS_MAX];
    const void *lower[OPERATION_OUTPUTS_MAX], *upper[OPERATION_OUTPUTS_MAX];
};

// What is stated of a request: an answer, or that it must be refused.
struct stored {
    const char *refused; // why; NULL: it is answered
    size_t count;
    const struct stored_outputs *under; // each profile that something is stated under
};

// Makes an operation over stored values that has the names, attributes, inputs and outputs of
// `like`, which must live as long where it has plain types, and its choices where `choices`.
// Requests of it need `stored`; without it, or under a profile that it says nothing of, they are
// ERROR_UNSUPPORTED; one that must be refused is ERROR_INVALID_ARGUMENT, with its reason.
void stored_operation(const struct operation *like, bool choices, struct operation *made);

// The ends of an interval around `count` values of a float dtype, which reaches as far as `ulps`
// neighbours on either side: what is finite stays so, +0 and -0 are one value, and a NaN or an
// infinity is met by itself alone. All are native arrays of the dtype; `ulps` is at least 1.
void stored_ulps(enum dtype dtype, uint64_t ulps, const void *values, uint64_t count, void *lower,
                 void *upper);

#endif
