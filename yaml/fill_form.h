// SPDX-License-Identifier: Apache-2.0
// The shape of a float, as far as fills need it. Private to yaml/fill*.c.

#ifndef ASSAY_YAML_FILL_FORM_H
#define ASSAY_YAML_FILL_FORM_H

#include "ref/num/exact.h"

struct fill_form {
    unsigned precision;  // significand bits with the leading one
    int lowest, highest; // exponents of normal numbers
    int full;            // the highest one that has every significand
};

static inline struct fill_form fill_form_of(enum dtype dtype)
{
    const struct num_format *const format = num_format_of(dtype);
    if (!format) // of no use to integers
        return (struct fill_form){.precision = 1};
    const uint64_t significands = UINT64_C(1) << (format->precision - 1);
    return (struct fill_form){
        (unsigned)format->precision, format->exponent_min, format->exponent_max,
        format->exponent_max - (((format->largest + 1) & (significands - 1)) != 0)};
}

#endif
