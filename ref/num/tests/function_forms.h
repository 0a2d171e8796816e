// SPDX-License-Identifier: Apache-2.0
// The forms of functions for this kind of processor, each with the instructions that it needs.

#ifndef ASSAY_REF_NUM_TESTS_FUNCTION_FORMS_H
#define ASSAY_REF_NUM_TESTS_FUNCTION_FORMS_H

#include "ref/base/isa.h"
#include "ref/num/function/function_estimate.h"

static const struct {
    enum isa isa;
    const struct function_form *form;
} forms[] = {
    {ISA_SCALAR, &function_form_portable},
#if defined(__x86_64__)
    {ISA_AVX2, &function_form_avx2},
    {ISA_AVX512, &function_form_avx512},
#elif defined(__aarch64__)
    {ISA_NEON, &function_form_neon},
#endif
};
enum { FORMS = sizeof forms / sizeof *forms };

#endif
