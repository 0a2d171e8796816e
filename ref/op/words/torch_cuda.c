// SPDX-License-Identifier: Apache-2.0
// The grid of PyTorch's generator on CUDA, after ATen/native/cuda/DistributionTemplates.h of
// PyTorch 2, and cuRAND's curand_init: subsequence and offset are words of Philox's counter.

#include "ref/op/words/torch_cuda.h"

#include "ref/op/words/cousin.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"

enum { BLOCK = 256 };

enum error torch_cuda_check_seeds(const struct request *request, struct diagnostic *diagnostic)
{
    const struct tensor *const offset = &request->input[TORCH_CUDA_OFFSET];
    enum error error = cousin_check_input(request, TORCH_CUDA_SEED, DTYPE_U64, 0, diagnostic);
    if (!error && tensor_present(offset))
        error = cousin_check_input(request, TORCH_CUDA_OFFSET, DTYPE_U64, 0, diagnostic);
    if (error)
        return error;
    if (tensor_present(offset) && offset->data && cousin_load(request, TORCH_CUDA_OFFSET, 0) % 4)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "offset must be a multiple of 4");
    return ERROR_NONE;
}

enum error torch_cuda_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic)
{
    const struct attribute_value *const shape = &request->attribute[TORCH_CUDA_SHAPE];
    struct tensor *const output = &inference->output[0];
    output->dtype = (enum dtype)request->attribute[TORCH_CUDA_DTYPE].integer;
    enum error error = torch_cuda_check_seeds(request, diagnostic);
    if (!error)
        error = operation_set_shape(output, shape->integers, shape->count, "shape", diagnostic);
    if (error)
        return error;
    uint64_t total;
    if (tensor_count(output, &total) && total > INT32_MAX / dtype_size(output->dtype))
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "2 GiB and more are drawn in parts, each with an offset of its own");
    return ERROR_NONE;
}

static uint64_t grid_threads(const struct request *request, uint64_t total)
{
    const uint64_t most = (uint64_t)request->attribute[TORCH_CUDA_MULTIPROCESSORS].integer *
                          ((uint64_t)request->attribute[TORCH_CUDA_THREADS].integer / BLOCK);
    uint64_t blocks = (total + BLOCK - 1) / BLOCK;
    if (blocks > most && !request->profile.option[TORCH_CUDA_GRID])
        blocks = most;
    return blocks * BLOCK;
}

uint64_t torch_cuda_turns(const struct request *request, const struct inference *inference,
                          unsigned each)
{
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    const uint64_t turn = grid_threads(request, total) * each;
    return total ? (total - 1) / turn + 1 : 0;
}

void torch_cuda_block(const struct request *request, uint64_t thread, uint64_t block,
                      uint32_t word[4])
{
    const uint64_t seed = cousin_load(request, TORCH_CUDA_SEED, 0);
    const uint64_t at = cousin_load_or(request, TORCH_CUDA_OFFSET, 0) / 4 + block +
                        request->profile.option[TORCH_CUDA_FIRST_BLOCK];
    const struct philox_stream one = {
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {(uint32_t)at, (uint32_t)(at >> 32), (uint32_t)thread, (uint32_t)(thread >> 32)},
        .rounds = PHILOX_ROUNDS,
        .carry_words = 1};
    philox_fill_u32(&one, 0, 4, word);
}

unsigned torch_cuda_draw(const struct request *request, const struct inference *inference,
                         unsigned each, uint64_t element, uint32_t word[4])
{
    const uint16_t *const option = request->profile.option;
    uint64_t total;
    tensor_count(&inference->output[0], &total);
    const uint64_t threads = grid_threads(request, total);
    const bool strided = !option[TORCH_CUDA_ORDER];
    const uint64_t thread = (strided ? element : element / each) % threads;
    uint32_t drawn[4];
    torch_cuda_block(request, thread, element / (threads * each), drawn);
    for (unsigned i = 0; i < 4; i++)
        word[i] = drawn[option[TORCH_CUDA_PAIR] && each == 2 ? i ^ 1 : i];
    return (unsigned)(strided ? element / threads % each : element % each);
}
