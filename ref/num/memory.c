// SPDX-License-Identifier: Apache-2.0
// The memory functions of GMP, which MPFR uses too, with a way out.

#include "ref/num/memory.h"

#include <gmp.h>
#include <stdlib.h>

static void (*leave_program)(void) = abort;

static void *checked(void *block)
{
    if (!block)
        leave_program();
    return block;
}

static void *take(size_t size)
{
    return checked(malloc(size ? size : 1));
}

static void *take_more(void *block, size_t before, size_t size)
{
    (void)before;
    return checked(realloc(block, size ? size : 1));
}

static void give_back(void *block, size_t size)
{
    (void)size;
    free(block);
}

void num_on_no_memory(void (*leave)(void))
{
    leave_program = leave;
    mp_set_memory_functions(take, take_more, give_back);
}
