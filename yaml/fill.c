// SPDX-License-Identifier: Apache-2.0
// Words into values. Everything is integer arithmetic; a float is put together from its fields.

#include "yaml/fill.h"

#include <assert.h>

#include "ref/base/bytes.h"
#include "ref/rng/philox.h"
#include "ref/rng/philox_stream.h"
#include "yaml/fill_form.h"

// The bits of magnitude * 2^exponent, which must be exact in `dtype`.
static uint64_t float_of(enum dtype dtype, bool negative, uint64_t magnitude, int exponent)
{
    const struct fill_form form = fill_form_of(dtype);
    const unsigned width = dtype_bits(dtype);
    const uint64_t sign = (uint64_t)negative << (width - 1);
    if (!magnitude)
        return sign;
    const int top = 63 - __builtin_clzll(magnitude) + exponent; // the exponent of the leading one
    const int unit = (top < form.lowest ? form.lowest : top) - (int)form.precision + 1;
    const int shift = exponent - unit;
    assert(shift >= 0 ? shift < 64 : shift > -64 && magnitude >> -shift << -shift == magnitude);
    const uint64_t significand = shift >= 0 ? magnitude << shift : magnitude >> -shift;
    const uint64_t field = top < form.lowest ? 0 : (uint64_t)(top - form.lowest);
    return sign | ((field << (form.precision - 1)) + significand);
}

static uint64_t integer_of(enum dtype dtype, int64_t value)
{
    return dtype_kind(dtype) == DTYPE_KIND_FLOAT
               ? float_of(dtype, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value, 0)
               : (uint64_t)value & dtype_last_code(dtype);
}

// One of n values 0 .. n - 1 from `bits` random bits: each has floor or ceil of 2^bits / n of them.
static uint64_t spread(uint64_t random, unsigned bits, uint64_t n)
{
    return random * n >> bits;
}

static uint64_t value_of(const struct fill *fill, uint64_t index, uint64_t word)
{
    const enum dtype dtype = fill->tensor.dtype;
    const unsigned low_bits = fill_form_of(dtype).precision - 1;
    switch (fill->kind) {
    case FILL_BITS:
        return word & dtype_last_code(dtype);
    case FILL_INTEGERS:
        return integer_of(
            dtype,
            fill->low + (int64_t)spread(word, 32, (uint64_t)fill->high - (uint64_t)fill->low + 1));
    case FILL_GRID: {
        const int64_t k = (int64_t)(word >> (32 - fill->bits)) - (INT64_C(1) << (fill->bits - 1));
        return float_of(dtype, k < 0, (uint64_t)(k < 0 ? -k : k),
                        fill->scale + 1 - (int)fill->bits);
    }
    case FILL_POWERS: {
        const uint64_t n = (uint64_t)(fill->high - fill->low + 1);
        return float_of(dtype, word >> 31, 1,
                        (int)fill->low + (int)spread(word & 0x7fffffff, 31, n));
    }
    case FILL_FLOATS: {
        const uint64_t n = (uint64_t)(fill->high - fill->low + 1), fraction = word & 0x7fffff;
        const int exponent = (int)fill->low + (int)spread(word >> 23 & 0xff, 8, n);
        const unsigned kept = low_bits < 23 ? low_bits : 23;
        return float_of(dtype, word >> 31, (UINT64_C(1) << kept) | fraction >> (23 - kept),
                        exponent - (int)kept);
    }
    case FILL_RAMP:
        return integer_of(dtype, (int64_t)((uint64_t)fill->low + index * (uint64_t)fill->high));
    case FILL_CYCLE:
        return fill->value[index % fill->values];
    default:
        return fill->value[spread(word, 32, fill->values)];
    }
}

// Of the elements along the sparse axis, those at column, column + stride, column + 2 stride, ...
// (mod length) are kept, where columns are counted row-major over the other axes: so the rows move
// from column to column.
struct walk {
    uint64_t count; // kept of a column; 0: all
    uint64_t inner, length, stride;
    uint64_t at, row;      // the element: of `inner`, of `length`
    uint64_t first, shift; // its column (mod length), and that of the first of `inner`
};

static struct walk walk_from(const struct fill *fill, uint64_t index)
{
    struct walk walk = {.count = fill->sparse_count, .inner = 1};
    if (!walk.count)
        return walk;
    for (unsigned i = fill->sparse_axis + 1; i < fill->tensor.rank; i++)
        walk.inner *= fill->tensor.shape[i];
    walk.length = fill->tensor.shape[fill->sparse_axis];
    walk.stride = walk.length / walk.count;
    walk.at = index % walk.inner;
    walk.row = index / walk.inner % walk.length;
    walk.first = index / (walk.inner * walk.length) * walk.inner % walk.length;
    walk.shift = (walk.first + walk.at) % walk.length;
    return walk;
}

static bool is_kept(const struct walk *walk)
{
    const uint64_t row = walk->row, shift = walk->shift;
    const uint64_t offset = row < shift ? row + walk->length - shift : row - shift;
    return !walk->count || (offset < walk->stride * walk->count && offset % walk->stride == 0);
}

static void step(struct walk *walk)
{
    if (!walk->count)
        return;
    if (++walk->at < walk->inner) {
        walk->shift = walk->shift + 1 == walk->length ? 0 : walk->shift + 1;
        return;
    }
    walk->at = 0;
    if (++walk->row == walk->length) {
        walk->row = 0;
        walk->first = (walk->first + walk->inner) % walk->length;
    }
    walk->shift = walk->first;
}

void fill_write(const struct fill *fill, uint64_t first, uint64_t count, void *out)
{
    const size_t size = dtype_size(fill->tensor.dtype);
    const unsigned words = fill->kind == FILL_BITS && size == 8 ? 2 : 1; // of an element
    assert(size > 0 && (!fill->sparse_count || fill->sparse_axis < fill->tensor.rank));
    const struct philox_stream stream = {
        .key = {fill->key[0], fill->key[1]}, .rounds = PHILOX_ROUNDS, .carry_words = 1};
    if (!count)
        return; // an extent may be 0
    struct walk walk = walk_from(fill, first);
    for (uint64_t done = 0; done < count;) {
        uint32_t word[1024];
        const size_t most = 1024 / words,
                     part = count - done < most ? (size_t)(count - done) : most;
        philox_fill_u32(&stream, (first + done) * words, part * words, word);
        for (size_t i = 0; i < part; i++, step(&walk)) {
            const uint64_t index = first + done + i, high = words == 2 ? word[2 * i + 1] : 0;
            element_store(out, size, (size_t)done + i,
                          is_kept(&walk) ? value_of(fill, index, high << 32 | word[words * i])
                                         : fill->sparse_else);
        }
        done += part;
    }
}
