// SPDX-License-Identifier: Apache-2.0
// Which memory a call gets: never what a target may still have a pointer into.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/host/share.h"

static int take(struct share *share, uint64_t call, size_t bytes, bool writable)
{
    share->use = call;
    const int slot = share_take(share, bytes, writable);
    assert_true(slot >= 0);
    share_give(share, (uint32_t)slot);
    return slot;
}

static void a_slot_rests_for_the_call_after(void **state)
{
    (void)state;
    struct share share;
    struct diagnostic diagnostic;
    assert_int_equal(share_open(&share, &diagnostic), ERROR_NONE);
    const int first = take(&share, 1, 100, true), beside = take(&share, 1, 100, true),
              after = take(&share, 2, 100, true);
    assert_int_not_equal(beside, first);
    assert_int_not_equal(after, first);
    assert_int_not_equal(after, beside);
    const int later = take(&share, 3, 100, true);
    assert_true(later == first || later == beside);
    assert_int_equal(share.count, 3);
    share_close(&share);
}

static void inputs_and_outputs_do_not_share_and_sizes_are_held(void **state)
{
    (void)state;
    struct share share;
    struct diagnostic diagnostic;
    assert_int_equal(share_open(&share, &diagnostic), ERROR_NONE);
    const int output = take(&share, 1, 1, true), input = take(&share, 9, 1, false);
    assert_int_not_equal(input, output);
    const size_t size = 5 * share.page + 1;
    const int large = take(&share, 20, size, true);
    assert_true(large != output && share.slots[large].pages * share.page >= size);
    assert_int_equal(take(&share, 40, size - share.page, true), large); // of a size with it
    assert_int_equal(take(&share, 50, 1, true), output);
    share_close(&share);
}

// Memory that was handed back comes anew as zeros.
static void slots_keep_their_memory_up_to_a_limit(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    struct share share;
    struct diagnostic diagnostic;
    assert_int_equal(share_open(&share, &diagnostic), ERROR_NONE);
    const int first = take(&share, 1, 8 * MIB, true);
    share.slots[first].base[0] = 7;
    assert_int_equal(take(&share, 10, 8 * MIB, true), first);
    assert_int_equal(share.slots[first].base[0], 7);
    const int beside = take(&share, 11, 8 * MIB, true); // the first one rests
    assert_int_not_equal(beside, first);
    share.slots[beside].base[0] = 7;
    assert_int_equal(share.held, 16 * MIB);
    const int small = take(&share, 30, 100, true); // too much: what was used longest ago goes
    share.slots[small].base[0] = 7;
    assert_int_equal(share.slots[first].base[0], 0);
    assert_int_equal(share.slots[beside].base[0], 7);
    assert_int_equal(share.held, 8 * MIB + share.page);
    share.use = 40;
    const int third = share_take(&share, 10 * MIB, true); // too much, and in use
    share.slots[third].base[0] = 7;
    take(&share, 50, 100, false);
    assert_int_equal(share.slots[third].base[0], 7);
    assert_int_equal(share.slots[small].base[0], 7);
    assert_int_equal(share.slots[beside].base[0], 0);
    share_rest(&share); // all but the one that is in use
    assert_int_equal(share.slots[third].base[0], 7);
    assert_int_equal(share.slots[small].base[0], 0);
    assert_int_equal(share.held, 10 * MIB);
    share_close(&share);
}

// A row of the innermost dimension in memory, whichever that is, has its elements side by side.
static void a_view_has_the_order_that_is_asked_for(void **state)
{
    (void)state;
    enum { GAP = 0xa5, ELEMENTS = 24, FIRST = 64 };
    unsigned char from[ELEMENTS], back[ELEMENTS] = {0};
    struct share share;
    struct diagnostic diagnostic;
    struct share_layout layout;
    int64_t stray = 0;
    const struct host_tensor tensor = {
        .tensor = {.dtype = DTYPE_U8, .rank = 3, .shape = {2, 3, 4}},
        .layout = {.asked = true, .view = true, .rank = 3, .order = {1, 2, 0}}};
    for (int i = 0; i < ELEMENTS; i++)
        from[i] = (unsigned char)(i + 1);
    assert_int_equal(share_open(&share, &diagnostic), ERROR_NONE);
    assert_true(share_layout_tensor(&tensor, 0, true, &layout));
    // Rows of 2 and 3 more; 4 of them and 1 more; 3 of these.
    assert_int_equal(layout.strides[0], 1);
    assert_int_equal(layout.strides[2], 5);
    assert_int_equal(layout.strides[1], 25);
    assert_int_equal(layout.span, 2 * 25 + 3 * 5 + 2);
    const int index = share_take(&share, FIRST + layout.span, true);
    struct share_slot *const slot = &share.slots[index];
    share_fill(slot, share.page, &layout, FIRST, from, GAP);
    for (int i = 0; i < ELEMENTS; i++)
        assert_int_equal(slot->base[FIRST + i / 12 + i / 4 % 3 * 25 + i % 4 * 5], i + 1);
    assert_true(share_holds(slot, &layout, FIRST, from));
    share_fetch(slot, &layout, FIRST, back);
    assert_memory_equal(back, from, ELEMENTS);
    assert_false(share_find_stray(slot, share.page, &layout, FIRST, GAP, &stray));
    slot->base[FIRST + 2] = 0;
    assert_true(share_find_stray(slot, share.page, &layout, FIRST, GAP, &stray));
    assert_int_equal(stray, 2);
    share_give(&share, (uint32_t)index);
    share_close(&share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_rests_for_the_call_after),
        cmocka_unit_test(inputs_and_outputs_do_not_share_and_sizes_are_held),
        cmocka_unit_test(slots_keep_their_memory_up_to_a_limit),
        cmocka_unit_test(a_view_has_the_order_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
