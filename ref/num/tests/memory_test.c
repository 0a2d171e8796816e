// SPDX-License-Identifier: Apache-2.0
// What a thread took of memory for MPFR is given back when the thread ends: counted by the memory
// functions of GMP, which MPFR uses.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <gmp.h>

#include "ref/base/dtype.h"
#include "ref/num/function/function_estimate.h"

static long held, taken;

static void *take(size_t size)
{
    held++;
    taken++;
    return malloc(size);
}

static void *take_more(void *block, size_t before, size_t size)
{
    (void)before;
    held += !block;
    return realloc(block, size);
}

static void give_back(void *block, size_t size)
{
    (void)size;
    held -= block != NULL;
    free(block);
}

static void *compute(void *context)
{
    static const enum num_function functions[] = {NUM_EXP, NUM_LOG,     NUM_TANH,
                                                  NUM_SIN, NUM_ERF_INV, NUM_GUMBEL};
    uint64_t *const sum = context;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        *sum += function_exact(functions[i], DTYPE_F64, 0.3);
    return NULL;
}

static void functions_leave_nothing(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        uint64_t result = 0;
        pthread_t thread;
        const long before = held, seen = taken;
        assert_int_equal(pthread_create(&thread, NULL, compute, &result), 0);
        pthread_join(thread, NULL);
        assert_true(result != 0);
        assert_true(taken > seen);
        assert_int_equal(held, before);
    }
}

int main(void)
{
    mp_set_memory_functions(take, take_more, give_back);
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_leave_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
