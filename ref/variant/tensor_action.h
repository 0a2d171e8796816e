// SPDX-License-Identifier: Apache-2.0
// Mistakes on tensors: an action on one axis.

#ifndef ASSAY_REF_VARIANT_TENSOR_ACTION_H
#define ASSAY_REF_VARIANT_TENSOR_ACTION_H

#include "ref/variant/lens.h"

// NEGATE_LINE + k: line k of the axis. PAIR: blocks of 32 columns are read as if every two lines
// were interleaved. WRAP: lines are counted in 8 bits.
enum action { ROTATE, REVERSE, WRAP, PAIR, CLEAR, NEGATE, DOUBLE, NEGATE_LINE };

// What an option does: an action on an axis, counted from the front.
struct act {
    uint8_t action, axis;
};

// Puts a changed copy, in the arena of `call`, in place of the tensor's data. A tensor without
// data, elements or that axis stays as it is.
enum error lens_change_tensor(const struct lens_call *call, struct act act, struct tensor *tensor);

#endif
