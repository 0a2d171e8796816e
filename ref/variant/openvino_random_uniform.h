// SPDX-License-Identifier: Apache-2.0
// Lenses of openvino.random_uniform: what an implementation does that has one 32-bit kernel and
// converts around it, or that forgets the lower bound.

#ifndef ASSAY_REF_VARIANT_OPENVINO_RANDOM_UNIFORM_H
#define ASSAY_REF_VARIANT_OPENVINO_RANDOM_UNIFORM_H

#include "ref/variant/lens.h"

extern const struct lens_family random_uniform_lenses;

#endif
