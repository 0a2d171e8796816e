// SPDX-License-Identifier: Apache-2.0
// What an operator of ONNX does with bf16 that is computed in f32 and then rounded otherwise than
// to the nearest.

#ifndef ASSAY_REF_VARIANT_ONNX_BF16_H
#define ASSAY_REF_VARIANT_ONNX_BF16_H

#include "ref/variant/lens.h"

// The two functions of a lens on operators whose first input has the type of all floats: they are
// asked for as f32, and outputs become bf16 as OpenVINO has it.
lens_on_request onnx_bf16_widen;
lens_on_result onnx_bf16_narrow;

#define ONNX_BF16_LENS                                                                             \
    {                                                                                              \
        {"bf16_rounding", OPERATION_WORDS("nearest_even", "openvino")}, onnx_bf16_widen,           \
            onnx_bf16_narrow, NULL,                                                                \
            "how an f32 becomes bf16; openvino: upwards from half an odd last bit, else cut"       \
    }

#endif
