// SPDX-License-Identifier: Apache-2.0
// The table of all operations, by name. A new operation is a new file and a row here.

#include "ref/op/directml_random_generator.h"
#include "ref/op/openvino_random_uniform.h"
#include "ref/op/openvino_range.h"
#include "ref/op/operation.h"
#include "ref/op/philox.h"

const struct operation *const operation_table[] = {
    &directml_random_generator,
    &openvino_random_uniform,
    &openvino_range,
    &philox_operation,
};

const unsigned operation_count = OPERATION_ROWS(operation_table);
