// SPDX-License-Identifier: Apache-2.0
// Element types.

#include "ref/base/dtype.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    enum dtype_kind kind;
} row[DTYPE_COUNT] = {
    [DTYPE_NONE] = {"none", 0, DTYPE_KIND_NONE},
    [DTYPE_BOOL] = {"bool", 1, DTYPE_KIND_BOOL},
    [DTYPE_I8] = {"i8", 1, DTYPE_KIND_SIGNED},
    [DTYPE_I16] = {"i16", 2, DTYPE_KIND_SIGNED},
    [DTYPE_I32] = {"i32", 4, DTYPE_KIND_SIGNED},
    [DTYPE_I64] = {"i64", 8, DTYPE_KIND_SIGNED},
    [DTYPE_U8] = {"u8", 1, DTYPE_KIND_UNSIGNED},
    [DTYPE_U16] = {"u16", 2, DTYPE_KIND_UNSIGNED},
    [DTYPE_U32] = {"u32", 4, DTYPE_KIND_UNSIGNED},
    [DTYPE_U64] = {"u64", 8, DTYPE_KIND_UNSIGNED},
    [DTYPE_F16] = {"f16", 2, DTYPE_KIND_FLOAT},
    [DTYPE_BF16] = {"bf16", 2, DTYPE_KIND_FLOAT},
    [DTYPE_F32] = {"f32", 4, DTYPE_KIND_FLOAT},
    [DTYPE_F64] = {"f64", 8, DTYPE_KIND_FLOAT},
    [DTYPE_F8E4M3] = {"f8e4m3", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F8E5M2] = {"f8e5m2", 1, DTYPE_KIND_FLOAT},
};

size_t dtype_size(enum dtype dtype)
{
    assert(dtype < DTYPE_COUNT);
    return row[dtype].size;
}

enum dtype_kind dtype_kind(enum dtype dtype)
{
    assert(dtype < DTYPE_COUNT);
    return row[dtype].kind;
}

const char *dtype_name(enum dtype dtype)
{
    assert(dtype < DTYPE_COUNT);
    return row[dtype].name;
}

enum dtype dtype_named(const char *name)
{
    for (enum dtype dtype = DTYPE_BOOL; dtype < DTYPE_COUNT; dtype++)
        if (!strcmp(name, row[dtype].name))
            return dtype;
    return DTYPE_NONE;
}

const char *dtype_describe_set(unsigned dtypes, char *text, size_t size)
{
    assert(size > 0);
    size_t used = 0;
    text[0] = '\0';
    for (enum dtype dtype = DTYPE_BOOL; dtype < DTYPE_COUNT && used < size; dtype++)
        if (DTYPE_BIT(dtype) & dtypes)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     row[dtype].name);
    return text;
}
