// SPDX-License-Identifier: Apache-2.0
// Element types.

#include "ref/base/dtype.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *safetensors;
    size_t size;
    enum dtype_kind kind;
} row[DTYPE_COUNT] = {
    [DTYPE_NONE] = {"none", "none", 0, DTYPE_KIND_NONE},
    [DTYPE_BOOL] = {"bool", "BOOL", 1, DTYPE_KIND_BOOL},
    [DTYPE_I8] = {"i8", "I8", 1, DTYPE_KIND_SIGNED},
    [DTYPE_I16] = {"i16", "I16", 2, DTYPE_KIND_SIGNED},
    [DTYPE_I32] = {"i32", "I32", 4, DTYPE_KIND_SIGNED},
    [DTYPE_I64] = {"i64", "I64", 8, DTYPE_KIND_SIGNED},
    [DTYPE_U8] = {"u8", "U8", 1, DTYPE_KIND_UNSIGNED},
    [DTYPE_U16] = {"u16", "U16", 2, DTYPE_KIND_UNSIGNED},
    [DTYPE_U32] = {"u32", "U32", 4, DTYPE_KIND_UNSIGNED},
    [DTYPE_U64] = {"u64", "U64", 8, DTYPE_KIND_UNSIGNED},
    [DTYPE_F16] = {"f16", "F16", 2, DTYPE_KIND_FLOAT},
    [DTYPE_BF16] = {"bf16", "BF16", 2, DTYPE_KIND_FLOAT},
    [DTYPE_F32] = {"f32", "F32", 4, DTYPE_KIND_FLOAT},
    [DTYPE_F64] = {"f64", "F64", 8, DTYPE_KIND_FLOAT},
    [DTYPE_F8E4M3] = {"f8e4m3", "F8_E4M3", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F8E5M2] = {"f8e5m2", "F8_E5M2", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F8E4M3FNUZ] = {"f8e4m3fnuz", "F8_E4M3FNUZ", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F8E5M2FNUZ] = {"f8e5m2fnuz", "F8_E5M2FNUZ", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F8E8M0] = {"f8e8m0", "F8_E8M0", 1, DTYPE_KIND_FLOAT},
    [DTYPE_F4E2M1] = {"f4e2m1", "U8", 1, DTYPE_KIND_FLOAT},
    [DTYPE_I4] = {"i4", "U8", 1, DTYPE_KIND_SIGNED},
    [DTYPE_U4] = {"u4", "U8", 1, DTYPE_KIND_UNSIGNED},
    [DTYPE_I2] = {"i2", "U8", 1, DTYPE_KIND_SIGNED},
    [DTYPE_U2] = {"u2", "U8", 1, DTYPE_KIND_UNSIGNED},
};

size_t dtype_size(enum dtype dtype)
{
    assert(dtype < DTYPE_COUNT);
    return row[dtype].size;
}

unsigned dtype_bits(enum dtype dtype)
{
    if (!(DTYPE_BIT(dtype) & DTYPES_PART_OF_BYTE))
        return 8 * (unsigned)dtype_size(dtype);
    return dtype == DTYPE_I2 || dtype == DTYPE_U2 ? 2 : 4;
}

uint64_t dtype_last_code(enum dtype dtype)
{
    return dtype == DTYPE_BOOL ? 1 : UINT64_MAX >> (64 - dtype_bits(dtype));
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

enum dtype dtype_of_onnx(int64_t number)
{
    static const enum dtype types[] = {
        [1] = DTYPE_F32,         [2] = DTYPE_U8,      [3] = DTYPE_I8,          [4] = DTYPE_U16,
        [5] = DTYPE_I16,         [6] = DTYPE_I32,     [7] = DTYPE_I64,         [9] = DTYPE_BOOL,
        [10] = DTYPE_F16,        [11] = DTYPE_F64,    [12] = DTYPE_U32,        [13] = DTYPE_U64,
        [16] = DTYPE_BF16,       [17] = DTYPE_F8E4M3, [18] = DTYPE_F8E4M3FNUZ, [19] = DTYPE_F8E5M2,
        [20] = DTYPE_F8E5M2FNUZ, [21] = DTYPE_U4,     [22] = DTYPE_I4,         [23] = DTYPE_F4E2M1,
        [24] = DTYPE_F8E8M0,     [25] = DTYPE_U2,     [26] = DTYPE_I2};
    return number > 0 && number < (int64_t)(sizeof types / sizeof *types) ? types[number]
                                                                          : DTYPE_NONE;
}

const char *dtype_safetensors_name(enum dtype dtype)
{
    assert(dtype < DTYPE_COUNT);
    return row[dtype].safetensors;
}

bool dtype_stored_as(enum dtype dtype, enum dtype file)
{
    return !strcmp(dtype_safetensors_name(dtype), dtype_safetensors_name(file));
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
