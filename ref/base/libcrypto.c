// SPDX-License-Identifier: Apache-2.0
// OpenSSL's allocator: a failure calls the program's handler.

#include "ref/base/libcrypto.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <stdlib.h>

static void (*way_out)(void);

static void *there(void *memory, size_t size)
{
    if (!memory && size)
        way_out();
    return memory;
}

static void *allocate(size_t size, const char *file, int line)
{
    (void)file, (void)line;
    return there(malloc(size), size);
}

static void *reallocate(void *memory, size_t size, const char *file, int line)
{
    (void)file, (void)line;
    if (!size) {
        free(memory);
        return NULL;
    }
    return there(realloc(memory, size), size);
}

static void release(void *memory, const char *file, int line)
{
    (void)file, (void)line;
    free(memory);
}

void libcrypto_on_no_memory(void (*leave)(void))
{
    assert(leave);
    way_out = leave;
    CRYPTO_set_mem_functions(allocate, reallocate, release);
}
