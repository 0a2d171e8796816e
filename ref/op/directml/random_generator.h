// SPDX-License-Identifier: Apache-2.0
// directml.random_generator, a row of the table of operations.

#ifndef ASSAY_REF_OP_DIRECTML_RANDOM_GENERATOR_H
#define ASSAY_REF_OP_DIRECTML_RANDOM_GENERATOR_H

#include "ref/op/operation.h"

extern const struct operation directml_random_generator;

#endif
