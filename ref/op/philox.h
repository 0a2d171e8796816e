// SPDX-License-Identifier: Apache-2.0
// philox, a row of the table of operations.

#ifndef ASSAY_REF_OP_PHILOX_H
#define ASSAY_REF_OP_PHILOX_H

#include "ref/op/operation.h"

extern const struct operation philox_operation;

#endif
