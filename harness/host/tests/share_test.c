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
static void large_slots_keep_their_memory_up_to_a_limit(void **state)
{
    (void)state;
    enum { MIB = 1 << 20 };
    struct share share;
    struct diagnostic diagnostic;
    assert_int_equal(share_open(&share, &diagnostic), ERROR_NONE);
    const int first = take(&share, 1, 32 * MIB, true);
    share.slots[first].base[0] = 7;
    assert_int_equal(take(&share, 10, 32 * MIB, true), first);
    assert_int_equal(share.slots[first].base[0], 7);
    const int beside = take(&share, 11, 32 * MIB, true); // the first one rests
    assert_int_not_equal(beside, first);
    assert_int_equal(share.held, 64 * MIB);
    const int small = take(&share, 30, 100, true);
    share.slots[small].base[0] = 7;
    share.use = 40;
    const int third = share_take(&share, 2 * MIB, true); // too much
    share.slots[third].base[0] = 7;
    share_give(&share, (uint32_t)third);
    assert_int_equal(share.held, 64 * MIB);
    share.use = 50;
    assert_int_equal(share_take(&share, 2 * MIB, true), third);
    assert_int_equal(share.slots[third].base[0], 0);
    assert_int_equal(share.slots[first].base[0], 7);
    assert_int_equal(share.slots[small].base[0], 7);
    share_close(&share);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_rests_for_the_call_after),
        cmocka_unit_test(inputs_and_outputs_do_not_share_and_sizes_are_held),
        cmocka_unit_test(large_slots_keep_their_memory_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
