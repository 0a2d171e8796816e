// SPDX-License-Identifier: Apache-2.0
// The table of all operations, by name. A new operation is a new file and a row here.

#include "ref/op/words/block.h"
#include "ref/op/words/cousin.h"
#include "ref/op/words/torch_cuda.h"
#include "ref/op/directml/random_generator.h"
#include "ref/op/jax/operation.h"
#include "ref/op/onednn/rnn.h"
#include "ref/op/onnx/bit_cast.h"
#include "ref/op/onnx/random.h"
#include "ref/op/onnx/range.h"
#include "ref/op/onnx/rnn.h"
#include "ref/op/openvino/random_uniform.h"
#include "ref/op/openvino/range.h"
#include "ref/op/operation.h"

// clang-format off
const struct operation *const operation_table[] = {
    &cpp_philox_engine_operation,
    &curand_philox_bits_operation,
    &curand_philox_normal_operation,
    &curand_philox_uniform_operation,
    &directml_random_generator,
    &jax_bernoulli_operation,
    &jax_bits_operation,
    &jax_choice_operation,
    &jax_exponential_operation,
    &jax_fold_in_operation,
    &jax_gumbel_operation,
    &jax_key_operation,
    &jax_normal_operation,
    &jax_permutation_operation,
    &jax_rademacher_operation,
    &jax_randint_operation,
    &jax_split_operation,
    &jax_uniform_operation,
    &jep263_draw_samples_operation,
    &jep263_dropout_operation,
    &jep263_foo_operation,
    &jep263_split_operation,
    &numpy_philox_operation,
    &numpy_philox_random_operation,
    &numpy_random_state_randn_operation,
    &onednn_rnn,
    &onnx_bernoulli,
    &onnx_bit_cast,
    &onnx_gru,
    &onnx_lstm,
    &onnx_multinomial,
    &onnx_random_normal,
    &onnx_random_normal_like,
    &onnx_random_uniform,
    &onnx_random_uniform_like,
    &onnx_range,
    &onnx_rnn,
    &openvino_random_uniform,
    &openvino_range,
    &philox_operation,
    &tensorflow_stateless_bits_operation,
    &tensorflow_stateless_uniform_operation,
    &threefry_operation,
    &torch_cuda_bernoulli_operation,
    &torch_cuda_rand_operation,
    &torch_cuda_randint_operation,
    &torch_cuda_randn_operation,
    &torch_cuda_randperm_operation,
    &torch_mt19937_rand_operation,
    &torch_mt19937_randn_operation,
    &torch_mt19937_randperm_operation,
    &torch_stateless_bits_operation,
    &torch_stateless_uniform_operation,
};
// clang-format on

const unsigned operation_count = OPERATION_ROWS(operation_table);
