// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.range.

#ifndef ASSAY_REF_VARIANT_OPENVINO_RANGE_H
#define ASSAY_REF_VARIANT_OPENVINO_RANGE_H

#include "ref/variant/lens.h"

extern const struct lens_family range_lenses;

#endif
