// SPDX-License-Identifier: Apache-2.0
// A node of an ONNX graph, by names: as which a declared operator is written for ONNX.

#ifndef ASSAY_REF_BASE_ONNX_NODE_H
#define ASSAY_REF_BASE_ONNX_NODE_H

// Inputs are those of the operator and what nodes before it gave.
struct onnx_node {
    const char *type;
    const char *const *inputs, *const *outputs; // names, NULL-terminated
    const char *const *attributes;              // likewise: of the operator, and of the node alike
};

#endif
