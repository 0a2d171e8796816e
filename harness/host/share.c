// SPDX-License-Identifier: Apache-2.0
// Slots are reused in turn and grouped by size, so that nothing is mapped for each call once a run
// is warm.

#define _GNU_SOURCE
#include "harness/host/share.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/host/slot.h"
#include "ref/base/size.h"

// Slots keep their memory as long as all of them hold no more than this together: memory anew costs
// a fault a page on both sides, more than most targets take to fill it. What was used longest ago
// goes first: of a suite with many sizes most are not asked for again.
enum { SHARE_SMALL_PAGES = 256, SHARE_HELD_MAX = 16 << 20, SHARE_PADDING = 3 };

enum error share_open(struct share *share, struct diagnostic *diagnostic)
{
    *share = (struct share){.file = memfd_create("assay-share", MFD_CLOEXEC),
                            .page = (size_t)sysconf(_SC_PAGESIZE)};
    if (share->file < 0)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot create shared memory: %s",
                               strerror(errno));
    share->size = share->page;
    share->slots = calloc(SLOT_COUNT_MAX, sizeof *share->slots);
    if (share->slots && !ftruncate(share->file, (off_t)share->size)) {
        void *const mapped =
            mmap(NULL, share->page, PROT_READ | PROT_WRITE, MAP_SHARED, share->file, 0);
        share->fault = mapped == MAP_FAILED ? NULL : mapped;
    }
    if (share->fault)
        return ERROR_NONE;
    const int why = errno;
    const bool memory = !share->slots;
    share_close(share);
    return memory ? diagnostic_no_memory(diagnostic)
                  : diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot map shared memory: %s",
                                    strerror(why));
}

void share_close(struct share *share)
{
    for (uint32_t i = 0; i < share->count; i++)
        munmap(share->slots[i].base, share->slots[i].pages * share->page);
    if (share->fault)
        munmap(share->fault, share->page);
    if (share->file >= 0)
        close(share->file);
    free(share->slots);
    *share = (struct share){.file = -1};
}

static void queue_put(struct share *share, struct share_queue *queue, uint32_t index)
{
    share->slots[index].next = 0;
    *(queue->last ? &share->slots[queue->last - 1].next : &queue->first) = index + 1;
    queue->last = index + 1;
}

// The first, which is there.
static uint32_t queue_take(struct share *share, struct share_queue *queue)
{
    const uint32_t index = queue->first - 1;
    queue->first = share->slots[index].next;
    queue->last = queue->first ? queue->last : 0;
    return index;
}

// NULL: there are too many.
static struct share_class *find_class(struct share *share, uint32_t pages, bool writable)
{
    for (uint32_t i = 0; i < share->class_count; i++)
        if (share->classes[i].pages == pages && share->classes[i].writable == writable)
            return &share->classes[i];
    if (share->class_count == SHARE_CLASSES_MAX)
        return NULL;
    struct share_class *const made = &share->classes[share->class_count++];
    *made = (struct share_class){.pages = pages, .writable = writable};
    return made;
}

static int add_slot(struct share *share, const struct share_class *class)
{
    if (share->count == SLOT_COUNT_MAX)
        return -1;
    struct share_slot *const slot = &share->slots[share->count];
    const size_t bytes = class->pages * share->page;
    if (ftruncate(share->file, (off_t)(share->size + bytes)))
        return -1;
    void *const mapped =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, share->file, (off_t)share->size);
    if (mapped == MAP_FAILED)
        return -1;
    *slot = (struct share_slot){.base = mapped,
                                .file_offset = share->size,
                                .pages = class->pages,
                                .class = (uint32_t)(class - share->classes)};
    share->size += bytes;
    return (int)share->count++;
}

// A power of two; of large slots, whose every page is filled and looked at, one of the four steps
// to the next.
static size_t pages_of(const struct share *share, size_t bytes)
{
    enum { STEPS = 4 };
    size_t pages = 1;
    while (pages * share->page < bytes)
        pages *= 2;
    const size_t step = pages / 2 / STEPS;
    while (pages > SHARE_SMALL_PAGES && (pages - step) * share->page >= bytes)
        pages -= step;
    return pages;
}

// Whether a queue begins with a slot that neither this call used nor the one before.
static bool has_rested(const struct share *share, const struct share_queue *queue)
{
    return queue->first && share->slots[queue->first - 1].last_use + 1 < share->use;
}

int share_take(struct share *share, size_t bytes, bool writable)
{
    const size_t pages = pages_of(share, bytes);
    struct share_class *const class =
        pages > UINT32_MAX ? NULL : find_class(share, (uint32_t)pages, writable);
    if (!class)
        return -1;
    const int found = has_rested(share, &class->held)    ? (int)queue_take(share, &class->held)
                      : has_rested(share, &class->empty) ? (int)queue_take(share, &class->empty)
                                                         : add_slot(share, class);
    if (found < 0)
        return -1;
    struct share_slot *const slot = &share->slots[found];
    slot->busy = true;
    slot->last_use = share->use;
    if (!slot->held) {
        slot->held = true;
        share->held += pages * share->page;
    }
    return found;
}

static void punch(const struct share *share, uint64_t from, uint64_t to)
{
    fallocate(share->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
              (off_t)(to - from));
}

// What is first among those that hold memory goes to those that hold none.
static void empty_first(struct share *share, struct share_class *class)
{
    const uint32_t index = queue_take(share, &class->held);
    share->slots[index].held = false;
    share->held -= share->slots[index].pages * share->page;
    queue_put(share, &class->empty, index);
}

// Of the slots that hold memory and are not in use, the class of the one that was used longest ago;
// NULL: there is none.
static struct share_class *find_oldest(struct share *share)
{
    struct share_class *oldest = NULL;
    uint64_t last_use = 0;
    for (uint32_t i = 0; i < share->class_count; i++) {
        struct share_class *const class = &share->classes[i];
        if (!class->held.first)
            continue;
        const uint64_t use = share->slots[class->held.first - 1].last_use;
        if (!oldest || use < last_use) {
            oldest = class;
            last_use = use;
        }
    }
    return oldest;
}

void share_give(struct share *share, uint32_t index)
{
    struct share_slot *const slot = &share->slots[index];
    assert(index < share->count && slot->busy);
    slot->busy = false;
    queue_put(share, &share->classes[slot->class].held, index);
    for (struct share_class *oldest;
         share->held > SHARE_HELD_MAX && (oldest = find_oldest(share));) {
        const struct share_slot *const first = &share->slots[oldest->held.first - 1];
        punch(share, first->file_offset, first->file_offset + first->pages * share->page);
        empty_first(share, oldest);
    }
}

void share_rest(struct share *share)
{
    uint64_t from = share->page; // behind the last slot that is in use
    for (uint32_t i = 0; i <= share->count && share->held; i++) {
        const bool end = i == share->count;
        if (!end && !share->slots[i].busy)
            continue;
        const uint64_t to = end ? share->size : share->slots[i].file_offset;
        if (to > from)
            punch(share, from, to);
        from = end ? to : to + share->slots[i].pages * share->page;
    }
    for (uint32_t i = 0; i < share->class_count; i++)
        while (share->classes[i].held.first)
            empty_first(share, &share->classes[i]);
}

// Dimensions lie in `order`; rows stand SHARE_PADDING elements apart where `padded`, and along
// every other dimension is room for one more where it is a `view`.
static bool lay_out(const struct tensor *tensor, const uint8_t *order, bool padded, bool view,
                    struct share_layout *layout)
{
    const unsigned rank = tensor->rank, inner = order[rank - 1];
    size_t dense[TENSOR_RANK_MAX], span = 0, stride = 0, last = 0;
    dense[rank - 1] = 1;
    for (unsigned d = rank - 1; d-- > 0;)
        dense[d] = dense[d + 1] * (size_t)tensor->shape[d + 1];
    layout->strided = true;
    layout->row = (size_t)tensor->shape[inner];
    layout->rows /= layout->row;
    layout->step = dense[inner];
    layout->outer = rank - 1;
    layout->strides[inner] = 1;
    if (!size_add(layout->row, padded ? SHARE_PADDING : 0, &stride))
        return false;
    for (unsigned k = rank - 1; k-- > 0;) {
        const unsigned d = order[k];
        const size_t extent = (size_t)tensor->shape[d];
        layout->extent[k] = extent;
        layout->dense[k] = dense[d];
        layout->stride[k] = stride;
        layout->strides[d] = (int64_t)stride;
        if (!size_multiply(extent - 1, stride, &last) || !size_add(span, last, &span) ||
            !size_multiply(extent + view, stride, &stride))
            return false;
    }
    return size_add(span, layout->row, &span) &&
           size_multiply(span, layout->element, &layout->span);
}

bool share_layout_tensor(const struct host_tensor *of, uint64_t count, bool padded,
                         struct share_layout *layout)
{
    static const uint8_t row_major[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    _Static_assert(sizeof row_major == TENSOR_RANK_MAX, "a tensor has so many dimensions");
    const struct tensor *const tensor = &of->tensor;
    uint64_t elements = count;
    memset(layout, 0, sizeof *layout);
    layout->element = dtype_size(tensor->dtype);
    if (!layout->element || (!count && !tensor_count(tensor, &elements)) ||
        elements > SIZE_MAX / 4 / layout->element)
        return false;
    layout->row = elements;
    layout->rows = layout->step = 1;
    layout->span = elements * layout->element;
    const bool asked = of->layout.asked && of->layout.rank == tensor->rank;
    const bool view = asked && of->layout.view;
    if (count || tensor->rank < 2 || elements == 0 || !(padded || asked))
        return true;
    layout->rows = elements;
    return lay_out(tensor, asked ? of->layout.order : row_major, view || !asked, view, layout);
}

// Where row `i` begins, in elements: in the slot, and in the dense copy.
static size_t row_at(const struct share_layout *layout, size_t i, size_t *dense)
{
    size_t place = 0;
    *dense = 0;
    for (unsigned k = layout->outer; k-- > 0;) {
        const size_t index = i % layout->extent[k];
        i /= layout->extent[k];
        place += index * layout->stride[k];
        *dense += index * layout->dense[k];
    }
    return place;
}

enum move { MOVE_IN, MOVE_OUT, MOVE_COMPARE };

// Copies the rows between a slot and the dense copy, or compares them; false where they differ.
static bool move_rows(enum move move, const struct share_layout *layout, unsigned char *slot,
                      unsigned char *dense)
{
    const size_t size = layout->element;
    const size_t piece = layout->step == 1 ? layout->row : 1; // elements at a time
    for (size_t i = 0; i < layout->rows && layout->row; i++) {
        size_t from, at = row_at(layout, i, &from);
        for (size_t k = 0; k < layout->row; k += piece) {
            unsigned char *const here = slot + (at + k) * size;
            unsigned char *const there = dense + (from + k * layout->step) * size;
            if (move == MOVE_IN)
                memcpy(here, there, piece * size);
            else if (move == MOVE_OUT)
                memcpy(there, here, piece * size);
            else if (memcmp(here, there, piece * size) != 0)
                return false;
        }
    }
    return true;
}

void share_fill(const struct share_slot *slot, size_t page, const struct share_layout *layout,
                size_t start, const void *from, uint8_t poison)
{
    assert(slot->base && start + layout->span <= (size_t)slot->pages * page);
    if (from && !layout->strided &&
        layout->span > page) { // large inputs: do not write everything twice
        memset(slot->base, poison, start);
        memset(slot->base + start + layout->span, poison,
               slot->pages * page - start - layout->span);
    } else
        memset(slot->base, poison, slot->pages * page);
    if (from)
        move_rows(MOVE_IN, layout, slot->base + start, (unsigned char *)(uintptr_t)from);
}

void share_fetch(const struct share_slot *slot, const struct share_layout *layout, size_t start,
                 void *to)
{
    assert(slot->base && to);
    move_rows(MOVE_OUT, layout, slot->base + start, to);
}

bool share_holds(const struct share_slot *slot, const struct share_layout *layout, size_t start,
                 const void *from)
{
    assert(slot->base);
    return !from ||
           move_rows(MOVE_COMPARE, layout, slot->base + start, (unsigned char *)(uintptr_t)from);
}

// The first byte of [from, to) that differs from `poison`, or `to`.
static size_t find_other(const unsigned char *bytes, size_t from, size_t to, uint8_t poison)
{
    if (from < to && bytes[from] == poison &&
        !memcmp(bytes + from, bytes + from + 1, to - from - 1))
        return to; // the usual case, in whole words
    while (from < to && bytes[from] == poison)
        from++;
    return from;
}

bool share_find_stray(const struct share_slot *slot, size_t page, const struct share_layout *layout,
                      size_t start, uint8_t poison, int64_t *offset)
{
    assert(slot->base && start + layout->span <= (size_t)slot->pages * page);
    const size_t end = slot->pages * page, row = layout->row * layout->element;
    size_t at = 0;
    for (size_t i = 0; i < layout->rows; i++) {
        size_t dense;
        const size_t begin = start + row_at(layout, i, &dense) * layout->element;
        const size_t stray = find_other(slot->base, at, begin, poison);
        if (stray < begin) {
            *offset = (int64_t)stray - (int64_t)start;
            return true;
        }
        at = begin + row;
    }
    const size_t stray = find_other(slot->base, at, end, poison);
    *offset = (int64_t)stray - (int64_t)start;
    return stray < end;
}
