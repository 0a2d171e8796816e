// SPDX-License-Identifier: Apache-2.0
// The shape of a float, as far as fills need it. Private to yaml/fill*.c.

#ifndef ASSAY_YAML_FILL_FORM_H
#define ASSAY_YAML_FILL_FORM_H

#include "ref/base/dtype.h"

struct fill_form {
    unsigned precision;  // significand bits with the leading one
    int lowest, highest; // exponents of normal numbers
};

static inline struct fill_form fill_form_of(enum dtype dtype)
{
    switch (dtype) {
    case DTYPE_F16:
        return (struct fill_form){11, -14, 15};
    case DTYPE_BF16:
        return (struct fill_form){8, -126, 127};
    case DTYPE_F32:
        return (struct fill_form){24, -126, 127};
    default:
        return (struct fill_form){53, -1022, 1023};
    }
}

#endif
