// SPDX-License-Identifier: Apache-2.0
// The harness's side of the memory that it shares with a worker: slots of whole pages, handed out
// to tensors.

#ifndef ASSAY_HARNESS_HOST_SHARE_H
#define ASSAY_HARNESS_HOST_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/host/wire.h"
#include "ref/base/error.h"

struct share_slot {
    unsigned char *base; // in the harness, readable and writable
    uint64_t file_offset, last_use;
    uint32_t pages;
    uint32_t class, next; // next: in a queue of its class, counted from 1
    bool busy;
    bool held; // its memory is there, used or not
};

// Slots by their number, counted from 1; 0: none. What was used longest ago comes first.
struct share_queue {
    uint32_t first, last;
};

// Slots of one size that are not in use, by whether their memory is there.
struct share_class {
    uint32_t pages;
    bool writable; // by the worker
    struct share_queue held, empty;
};

enum { SHARE_CLASSES_MAX = 256 }; // of inputs and outputs: some 4 for each doubling of the size

struct share {
    int file;
    size_t page;
    uint64_t size, use;
    uint64_t held;            // bytes of slots whose memory is there
    struct wire_fault *fault; // page 0
    struct share_slot *slots;
    uint32_t count, class_count;
    struct share_class classes[SHARE_CLASSES_MAX];
};

enum error share_open(struct share *share, struct diagnostic *diagnostic);
void share_close(struct share *share);

// A free slot of at least `bytes`, not one used by the call before; -1 when there is no memory.
int share_take(struct share *share, size_t bytes, bool writable);
void share_give(struct share *share, uint32_t slot);

// Gives the memory of all free slots back to the system; they stay.
void share_rest(struct share *share);

// Where a tensor lies in a slot: in rows of elements that follow each other, and outer dimensions.
struct share_layout {
    size_t element, row; // bytes of an element; elements of a row
    size_t rows;
    size_t step; // of the harness's dense copy from one element of a row to the next, in elements
    size_t span; // bytes from the first to behind the last element
    bool strided;
    int64_t strides[TENSOR_RANK_MAX]; // elements
    // The outer dimensions, as they lie in the slot: extents, and elements from one index to the
    // next there and in the dense copy.
    unsigned outer;
    size_t extent[TENSOR_RANK_MAX], stride[TENSOR_RANK_MAX], dense[TENSOR_RANK_MAX];
};

// False when the size does not fit. `count` overrides the number of elements when it is not 0 (a
// window: one row). `padded`: rows of a tensor that asks for no layout stand apart.
bool share_layout_tensor(const struct host_tensor *tensor, uint64_t count, bool padded,
                         struct share_layout *layout);

// Fills the whole slot with `poison` and, unless `from` is NULL, copies the rows in.
void share_fill(const struct share_slot *slot, size_t page, const struct share_layout *layout,
                size_t start, const void *from, uint8_t poison);

// Copies the rows out to `to`.
void share_fetch(const struct share_slot *slot, const struct share_layout *layout, size_t start,
                 void *to);

// Whether the rows still hold what is at `from` (NULL: nothing was put there).
bool share_holds(const struct share_slot *slot, const struct share_layout *layout, size_t start,
                 const void *from);

// Looks for a byte outside the rows that no longer holds `poison`; *offset counts from the first
// element.
bool share_find_stray(const struct share_slot *slot, size_t page, const struct share_layout *layout,
                      size_t start, uint8_t poison, int64_t *offset);

#endif
