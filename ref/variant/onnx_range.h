// SPDX-License-Identifier: Apache-2.0
// Wrong ways to round what onnx.range gives.

#ifndef ASSAY_REF_VARIANT_ONNX_RANGE_H
#define ASSAY_REF_VARIANT_ONNX_RANGE_H

#include "ref/variant/lens.h"

extern const struct lens_family onnx_range_lenses;

#endif
