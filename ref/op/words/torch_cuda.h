// SPDX-License-Identifier: Apache-2.0
// Which word an element of PyTorch's generator on CUDA takes.
//
// A kernel of 256 threads a block draws in turns. Thread t is subsequence t of the seed; a turn is
// one block of four words, which it maps to four elements (two of 64 bits), a whole grid apart from
// each other. The grid has a block for every 256 elements, but no more than the device runs at the
// same time: so large tensors depend on the device, small ones do not.

#ifndef ASSAY_REF_OP_WORDS_TORCH_CUDA_H
#define ASSAY_REF_OP_WORDS_TORCH_CUDA_H

#include <stdint.h>

#include "ref/op/operation.h"

extern const struct operation torch_cuda_rand_operation, torch_cuda_randn_operation,
    torch_cuda_randint_operation, torch_cuda_bernoulli_operation, torch_cuda_randperm_operation,
    torch_mt19937_randperm_operation;

enum {
    TORCH_CUDA_SHAPE,
    TORCH_CUDA_DTYPE,
    TORCH_CUDA_MULTIPROCESSORS,
    TORCH_CUDA_THREADS,
};

enum { TORCH_CUDA_SEED, TORCH_CUDA_OFFSET, TORCH_CUDA_INPUTS };

// The choices of all of them, all deviant: elements of a turn lie side by side; the grid is as
// large as the tensor asks; the first block is the next one; the halves of 64 bits change places.
enum {
    TORCH_CUDA_ORDER,
    TORCH_CUDA_GRID,
    TORCH_CUDA_FIRST_BLOCK,
    TORCH_CUDA_PAIR,
    TORCH_CUDA_CHOICES,
};

#define TORCH_CUDA_ATTRIBUTE_ROWS(standard_dtype, set)                                             \
    [TORCH_CUDA_SHAPE] = ATTRIBUTE("shape", SIZES, DEFAULT, .standard = -1),                       \
    [TORCH_CUDA_DTYPE] =                                                                           \
        ATTRIBUTE("dtype", DTYPE, DEFAULT, .standard = (standard_dtype), .dtypes = (set)),         \
    TORCH_CUDA_DEVICE_ROWS

#define TORCH_CUDA_DEVICE_ROWS                                                                     \
    [TORCH_CUDA_MULTIPROCESSORS] =                                                                 \
        ATTRIBUTE("multiprocessors", INTEGER, REQUIRED, .minimum = 1, .maximum = 1 << 16),         \
    [TORCH_CUDA_THREADS] = ATTRIBUTE("threads_per_multiprocessor", INTEGER, DEFAULT,               \
                                     .standard = 2048, .minimum = 256, .maximum = 1 << 16)

#define TORCH_CUDA_CHOICE_ROWS                                                                     \
    [TORCH_CUDA_ORDER] = {"order", OPERATION_WORDS("a_grid_apart", "side_by_side")},               \
    [TORCH_CUDA_GRID] = {"grid", OPERATION_WORDS("of_the_device", "of_the_tensor")},               \
    [TORCH_CUDA_FIRST_BLOCK] = {"first_block", OPERATION_WORDS("as_documented", "other")},         \
    [TORCH_CUDA_PAIR] = {"pair_order", OPERATION_WORDS("as_documented", "other")}

// Checks seed and offset.
enum error torch_cuda_check_seeds(const struct request *request, struct diagnostic *diagnostic);

// Checks shape, seed and offset, and sets the first output.
enum error torch_cuda_infer(const struct request *request, struct inference *inference,
                            struct diagnostic *diagnostic);

// The four words of an element's turn, and which of its `each` elements (4, or 2 of 64 bits) it is.
unsigned torch_cuda_draw(const struct request *request, const struct inference *inference,
                         unsigned each, uint64_t element, uint32_t word[4]);

// How many blocks each thread takes: the offset of what is drawn next is 4 times as many on.
uint64_t torch_cuda_turns(const struct request *request, const struct inference *inference,
                          unsigned each);

// Block `block` of subsequence `thread` after the request's seed and offset.
void torch_cuda_block(const struct request *request, uint64_t thread, uint64_t block,
                      uint32_t word[4]);

#endif
