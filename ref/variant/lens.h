// SPDX-License-Identifier: Apache-2.0
// Deviant options as lenses around the untouched reference: a row for each choice of an operation.

#ifndef ASSAY_REF_VARIANT_LENS_H
#define ASSAY_REF_VARIANT_LENS_H

#include "ref/base/arena.h"
#include "ref/op/operation.h"

struct lens {
    const char *operation;
    struct choice choice;
    // Either may be NULL. `option` is from 1. Called in the order of the table; memory from
    // `arena`.
    enum error (*request)(unsigned option, struct request *request, struct arena *arena,
                          struct diagnostic *diagnostic);
    // `request` is as it was asked; `tensor` are the outputs of one run, to be changed in place.
    enum error (*result)(unsigned option, const struct request *request, struct tensor *tensor,
                         struct arena *arena, struct diagnostic *diagnostic);
};

extern const struct lens lens_table[];
extern const unsigned lens_count;

#endif
