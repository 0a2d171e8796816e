// SPDX-License-Identifier: Apache-2.0
// example.count, as a row of the table of operations.

#ifndef ASSAY_REF_OP_TESTS_EXAMPLE_COUNT_H
#define ASSAY_REF_OP_TESTS_EXAMPLE_COUNT_H

#include "ref/op/operation.h"

extern const struct operation example_count_operation;

#endif
