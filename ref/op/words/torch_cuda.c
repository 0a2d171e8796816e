// SPDX-License-Identifier: Apache-2.0
// The grid of PyTorch's generator on CUDA, after ATen/native/cuda/DistributionTemplates.h of
// PyTorch 2, and cuRAND's curand_init: subsequence and offset are words of Philox's counter.

#include "ref/op/words/torch_cuda.h"

#include "ref/op/words/cousin.h"
#include "ref/rng/philox.h"

enum { BLOCK = 256 };

enum error torch_cuda_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[TORCH_CUDA_SHAPE];
    struct tensor *const output = &inference->output[0];
    const struct tensor *const offset = &request->input[TORCH_CUDA_OFFSET];
    output->dtype = (enum dtype)request->attribute[TORCH_CUDA_DTYPE].integer;
    enum error error = cousin_check_input(request, TORCH_CUDA_SEED, DTYPE_U64, 0, diagnostic);
    if (!error && tensor_present(offset))
        error = cousin_check_input(request, TORCH_CUDA_OFFSET, DTYPE_U64, 0, diagnostic);
    if (!error)
        error = operation_set_shape(output, shape->integers, shape->count, "shape", diagnostic);
    if (error)
        return error;
    if (tensor_present(offset) && offset->data && cousin_load(request, TORCH_CUDA_OFFSET, 0) % 4)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "offset must be a multiple of 4");
    uint64_t total;
    if (tensor_count(output, &total) && total > INT32_MAX / dtype_size(output->dtype))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "2 GiB and more are drawn in parts, each with an offset of its own");
    return ERROR_NONE;
}

unsigned torch_cuda_draw(const struct request *request, const struct inference *inference,
                         unsigned each, uint64_t element, uint32_t word[4])
{
    const uint16_t *const option = request->profile.option;
    const uint64_t most = (uint64_t)request->attribute[TORCH_CUDA_MULTIPROCESSORS].integer *
                          ((uint64_t)request->attribute[TORCH_CUDA_THREADS].integer / BLOCK);
    uint64_t total, blocks;
    tensor_count(&inference->output[0], &total);
    blocks = (total + BLOCK - 1) / BLOCK;
    if (blocks > most && !option[TORCH_CUDA_GRID])
        blocks = most;
    const uint64_t threads = blocks * BLOCK;
    const bool strided = !option[TORCH_CUDA_ORDER];
    const uint64_t thread = (strided ? element : element / each) % threads;
    const uint64_t turn = element / (threads * each);
    const uint64_t seed = cousin_load(request, TORCH_CUDA_SEED, 0);
    const uint64_t block =
        cousin_load_or(request, TORCH_CUDA_OFFSET, 0) / 4 + turn + option[TORCH_CUDA_FIRST_BLOCK];
    const struct philox_counter drawn = philox_block(
        &philox4x32,
        (struct philox_counter){{(uint32_t)block, block >> 32, (uint32_t)thread, thread >> 32}},
        (struct philox_key){{(uint32_t)seed, seed >> 32}}, PHILOX_ROUNDS);
    for (unsigned i = 0; i < 4; i++)
        word[i] = (uint32_t)drawn.word[option[TORCH_CUDA_PAIR] && each == 2 ? i ^ 1 : i];
    return (unsigned)(strided ? element / threads % each : element % each);
}
