// SPDX-License-Identifier: Apache-2.0
// Dense tensors: row-major, native byte order, no padding.

#ifndef ASSAY_REF_BASE_TENSOR_H
#define ASSAY_REF_BASE_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/dtype.h"
#include "ref/base/json.h"

enum { TENSOR_RANK_MAX = 16 };

// DTYPE_NONE: the tensor is absent. `data` belongs to its maker (an arena, as a rule); it may be
// NULL when only the type and the shape are known.
struct tensor {
    enum dtype dtype;
    unsigned rank;
    uint64_t shape[TENSOR_RANK_MAX];
    void *data;
};

// How a tensor is to lie in memory where it is not dense: its dimensions, the one whose elements
// lie farthest apart first; as a view, in a tensor that is larger in every dimension.
struct tensor_layout {
    bool asked, view; // not asked: dense, row-major
    uint8_t rank;     // of the tensors that it is for
    uint8_t order[TENSOR_RANK_MAX];
};

static inline bool tensor_present(const struct tensor *tensor)
{
    return tensor->dtype != DTYPE_NONE;
}

// The number of elements (1 for rank 0); false when it does not fit in 64 bits.
bool tensor_count(const struct tensor *tensor, uint64_t *count);

// The number of bytes; false when it does not fit in a size_t.
bool tensor_bytes(const struct tensor *tensor, size_t *bytes);

bool tensor_same_shape(const struct tensor *a, const struct tensor *b);

// "dtype" and "shape", in an object that is open.
void tensor_put_type(const struct tensor *tensor, struct text *text);

// "bits": `count` elements in an object that is open, each in hexadecimal digits, most significant
// first.
void tensor_put_bits(enum dtype dtype, const void *data, uint64_t count, struct text *text);

// "f32[2,3]" for messages; `text` has room for `size` bytes and is returned.
const char *tensor_describe(const struct tensor *tensor, char *text, size_t size);

#endif
