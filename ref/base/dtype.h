// SPDX-License-Identifier: Apache-2.0
// Element types. A value is its bits: floats are carried as unsigned integers, so that nothing
// rounds by accident.

#ifndef ASSAY_REF_BASE_DTYPE_H
#define ASSAY_REF_BASE_DTYPE_H

#include <stddef.h>

enum dtype {
    DTYPE_NONE, // absent
    DTYPE_BOOL, // one byte, 0 or 1
    DTYPE_I8,
    DTYPE_I16,
    DTYPE_I32,
    DTYPE_I64,
    DTYPE_U8,
    DTYPE_U16,
    DTYPE_U32,
    DTYPE_U64,
    DTYPE_F16,
    DTYPE_BF16,
    DTYPE_F32,
    DTYPE_F64,
    DTYPE_F8E4M3, // OCP E4M3: no infinity, one NaN a sign
    DTYPE_F8E5M2, // OCP E5M2
    DTYPE_COUNT
};

enum dtype_kind {
    DTYPE_KIND_NONE,
    DTYPE_KIND_BOOL,
    DTYPE_KIND_SIGNED,
    DTYPE_KIND_UNSIGNED,
    DTYPE_KIND_FLOAT
};

// Bytes of an element; 0 for DTYPE_NONE.
size_t dtype_size(enum dtype dtype);
enum dtype_kind dtype_kind(enum dtype dtype);

// "f32", ...: a static string. DTYPE_NONE gives "none".
const char *dtype_name(enum dtype dtype);

// The dtype of that name, DTYPE_NONE when there is none.
enum dtype dtype_named(const char *name);

// "F32", "F8_E4M3", ...: what safetensors calls it, a static string; "none" for DTYPE_NONE.
const char *dtype_safetensors_name(enum dtype dtype);

// A set of dtypes as a bit mask.
#define DTYPE_BIT(dtype) (1u << (dtype))
enum {
    DTYPES_F8 = DTYPE_BIT(DTYPE_F8E4M3) | DTYPE_BIT(DTYPE_F8E5M2),
    // Of 16 bits and more.
    DTYPES_FLOAT =
        DTYPE_BIT(DTYPE_F16) | DTYPE_BIT(DTYPE_BF16) | DTYPE_BIT(DTYPE_F32) | DTYPE_BIT(DTYPE_F64),
    DTYPES_SIGNED =
        DTYPE_BIT(DTYPE_I8) | DTYPE_BIT(DTYPE_I16) | DTYPE_BIT(DTYPE_I32) | DTYPE_BIT(DTYPE_I64),
    DTYPES_UNSIGNED =
        DTYPE_BIT(DTYPE_U8) | DTYPE_BIT(DTYPE_U16) | DTYPE_BIT(DTYPE_U32) | DTYPE_BIT(DTYPE_U64),
    DTYPES_INTEGER = DTYPES_SIGNED | DTYPES_UNSIGNED,
    DTYPES_NUMERIC = DTYPES_INTEGER | DTYPES_FLOAT | DTYPES_F8,
};

// "f16, bf16, f32": the names of a set, for messages. `text` has room for `size` bytes and is
// returned.
const char *dtype_describe_set(unsigned dtypes, char *text, size_t size);

#endif
