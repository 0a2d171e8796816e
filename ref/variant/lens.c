// SPDX-License-Identifier: Apache-2.0
// The table of lenses.

#include "ref/variant/lens.h"

#include "ref/variant/openvino_random_uniform.h"

const struct lens lens_table[] = {
    {"openvino.random_uniform",
     {"minval", (const char *const[]){"as_given", "ignored", NULL}},
     random_uniform_ignore_minimum,
     NULL},
    {"openvino.random_uniform",
     {"computed_in", (const char *const[]){"own_type", "32_bits", NULL}},
     random_uniform_ask_in_32_bits,
     random_uniform_answer_from_32_bits},
};

const unsigned lens_count = OPERATION_ROWS(lens_table);
