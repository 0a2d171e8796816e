// SPDX-License-Identifier: Apache-2.0
// Fills: large inputs made from a few words, the same on any machine and in any language.
//
// Element i takes word i mod 4 of the Philox4x32-10 block with counter (i div 4, 0, 0, 0), under a
// key made from the names of suite, case and tensor. The kind turns the word into a value with
// exact operations only: nothing here ever rounds. yaml/README.md has the formula of each kind.

#ifndef ASSAY_YAML_FILL_H
#define ASSAY_YAML_FILL_H

#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/tensor.h"

enum fill_kind {
    FILL_BITS,     // the word's low bits are the element's; two words make 64 of them
    FILL_INTEGERS, // low .. high, evenly
    FILL_GRID,     // multiples of 2^(scale + 1 - bits) in [-2^scale, 2^scale)
    FILL_POWERS,   // a sign times 2^lowest .. 2^highest
    FILL_FLOATS,   // a sign, an exponent in lowest .. highest, a full significand
    FILL_RAMP,     // first + i * step
    FILL_CYCLE,    // values[i mod n]
    FILL_PICK,     // one of values, evenly
    FILL_KINDS
};

struct fill {
    enum fill_kind kind;
    struct tensor tensor;  // dtype and shape; no data
    uint64_t count;        // elements
    int64_t low, high;     // integers; powers and floats: exponents; ramp: first, step
    unsigned bits;         // grid
    int scale;             // grid
    const uint64_t *value; // cycle, pick: bits of the dtype
    size_t values;
    unsigned sparse_axis;
    uint64_t sparse_count; // 0: dense
    uint64_t sparse_else;  // bits of the elements that are not kept
    const char *as;        // the text whose digest is the key, NULL: suite/case/tensor
    uint32_t key[2];
};

// Reads `{fill: KIND, dtype, shape, ...}`. ERROR_INPUT with the place for unknown kinds and
// parameters, for parameters that could make a value that is not exact in the dtype, and for more
// than 2^34 elements.
enum error fill_read(const struct document_node *node, struct arena *arena, struct fill *fill,
                     struct diagnostic *diagnostic);

// Sets the key from the names, or from the fill's own `as`. Any of the names may be NULL when the
// fill has one.
enum error fill_set_key(struct fill *fill, const char *suite, const char *case_id,
                        const char *tensor, struct diagnostic *diagnostic);

// The suite and the case that fills without `as` belong to.
struct fill_names {
    const char *suite, *case_id;
};

// Makes a whole tensor in the arena: the source of fills of request_read. `context` is a struct
// fill_names, or NULL where only fills that say `as` are known.
enum error fill_make_tensor(void *context, const struct document_node *node, const char *name,
                            struct arena *arena, struct tensor *tensor,
                            struct diagnostic *diagnostic);

// Writes elements [first, first + count) to `out`, native. They must exist; ranges may be made in
// any order and in parallel.
void fill_write(const struct fill *fill, uint64_t first, uint64_t count, void *out);

#endif
