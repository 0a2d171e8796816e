// SPDX-License-Identifier: Apache-2.0
// Requests of ONNX operators as ONNX files: a model of one node, or of those that the declaration
// of an operator lists, and tensors.
//
// The messages are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (ModelProto,
// GraphProto, NodeProto, AttributeProto, ValueInfoProto, TensorProto) in the protocol-buffers wire
// format. Only what such a model needs is written, each field once and in the order of its
// number, so that equal requests give equal bytes.

#ifndef ASSAY_VECTORS_ONNX_H
#define ASSAY_VECTORS_ONNX_H

#include "ref/base/text.h"
#include "ref/op/operation.h"

enum { ONNX_NAME_SIZE = 64 };

// Whether the operation is one of ONNX: its name begins with "onnx.".
bool onnx_is_operator(const struct operation *operation);

// Whether a request of the operation says of which opset it is, without which there is no model.
bool onnx_has_opset(const struct operation *operation);

// "LSTM" for onnx.lstm, "RandomUniformLike" for onnx.random_uniform_like. Returns `name`.
const char *onnx_operator_name(const struct operation *operation, char name[ONNX_NAME_SIZE]);

// Whether output `index` of a valid request exists and is wanted.
bool onnx_gives(const struct request *request, const struct inference *inference, unsigned index);

// Appends a TensorProto: data of any type here, little-endian, whole.
void onnx_put_tensor(struct text *text, const char *name, const struct tensor *tensor);

// Appends a ModelProto of what `request` asks for, whose operation has an opset.
// Inputs and outputs of the graph are called as the operator calls them. Bit i of `initializers`:
// input i is stored in the model as a constant and is no input of the graph. Attributes that are
// absent or hold their default are left out; hidden_size, which some need and the text leaves open,
// is always there.
void onnx_put_model(struct text *text, const struct request *request,
                    const struct inference *inference, uint32_t initializers);

#endif
