// SPDX-License-Identifier: Apache-2.0
// The table of families of lenses. An operation that gets its first lens gets a row here.

#include <stddef.h>

#include "ref/variant/lens.h"
#include "ref/variant/onednn_rnn.h"
#include "ref/variant/onnx_range.h"
#include "ref/variant/onnx_rnn.h"
#include "ref/variant/openvino_random_uniform.h"
#include "ref/variant/openvino_range.h"

static const struct lens_family *const families[] = {
    &rnn_lenses,        &onnx_rnn_lenses,       &onnx_gru_lenses, &onnx_lstm_lenses,
    &onnx_range_lenses, &random_uniform_lenses, &range_lenses};

const struct lens_family *lens_family_of(const struct operation *operation)
{
    static const struct lens_family none = {0};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i]->operation == operation)
            return families[i];
    return &none;
}
