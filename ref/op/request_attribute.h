// SPDX-License-Identifier: Apache-2.0
// One attribute of a request: its default, and its value from a document.

#ifndef ASSAY_REF_OP_REQUEST_ATTRIBUTE_H
#define ASSAY_REF_OP_REQUEST_ATTRIBUTE_H

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/op/operation.h"

// The value that `spec` has when a request does not give one; absent for required and optional
// attributes.
void attribute_set_default(const struct attribute_spec *spec, struct attribute_value *value);

// Reads the value. ERROR_INPUT where it is malformed, ERROR_INVALID_ARGUMENT where the table
// refuses it.
enum error attribute_read(const struct attribute_spec *spec, const struct document_node *node,
                          struct arena *arena, struct attribute_value *value,
                          struct diagnostic *diagnostic);

#endif
