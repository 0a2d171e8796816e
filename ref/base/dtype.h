// SPDX-License-Identifier: Apache-2.0
// Element types. A value is its bits: floats are carried as unsigned integers, so that nothing
// rounds by accident. An element takes whole bytes: one of 4 or 2 bits lies in the low bits of a
// byte of its own, whose other bits are 0 (two's complement of so many bits where it has a sign).

#ifndef ASSAY_REF_BASE_DTYPE_H
#define ASSAY_REF_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    DTYPE_F8E4M3,     // OCP E4M3: no infinity, one NaN a sign
    DTYPE_F8E5M2,     // OCP E5M2
    DTYPE_F8E4M3FNUZ, // bias 8; one zero; NaN is the code that would be -0; no infinity
    DTYPE_F8E5M2FNUZ, // bias 16; likewise
    DTYPE_F8E8M0,     // OCP MX scale: 2^(code - 127), no sign, no zero, NaN is 0xff
    DTYPE_F4E2M1,     // OCP MX: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, no infinity, no NaN
    DTYPE_I4,
    DTYPE_U4,
    DTYPE_I2,
    DTYPE_U2,
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

// Bits of an element's code: 8 * dtype_size, but 4 or 2 of the types that have no more, and 8 of a
// bool.
unsigned dtype_bits(enum dtype dtype);

// The greatest code that an element has: 1 of a bool, 15 of what has 4 bits.
uint64_t dtype_last_code(enum dtype dtype);
enum dtype_kind dtype_kind(enum dtype dtype);

// "f32", ...: a static string. DTYPE_NONE gives "none".
const char *dtype_name(enum dtype dtype);

// The dtype of that name, DTYPE_NONE when there is none.
enum dtype dtype_named(const char *name);

// The dtype that a number of ONNX's TensorProto.DataType names, DTYPE_NONE when there is none.
enum dtype dtype_of_onnx(int64_t number);

// "F32", "F8_E4M3", ...: what safetensors calls what the memory holds, a static string; "U8" for
// the types of 4 and 2 bits, whose elements take a byte each; "none" for DTYPE_NONE.
const char *dtype_safetensors_name(enum dtype dtype);

// Whether a file of safetensors may hold elements of `dtype` under the name of `file`.
bool dtype_stored_as(enum dtype dtype, enum dtype file);

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
    DTYPES_FNUZ = DTYPE_BIT(DTYPE_F8E4M3FNUZ) | DTYPE_BIT(DTYPE_F8E5M2FNUZ),
    // Every type that holds fractions.
    DTYPES_FLOATING =
        DTYPES_FLOAT | DTYPES_F8 | DTYPES_FNUZ | DTYPE_BIT(DTYPE_F8E8M0) | DTYPE_BIT(DTYPE_F4E2M1),
    // Fewer bits than a byte: what is stored and quantized, and computed with nowhere.
    DTYPES_PART_OF_BYTE = DTYPE_BIT(DTYPE_F4E2M1) | DTYPE_BIT(DTYPE_I4) | DTYPE_BIT(DTYPE_U4) |
                          DTYPE_BIT(DTYPE_I2) | DTYPE_BIT(DTYPE_U2),
    DTYPES_ALL = DTYPES_INTEGER | DTYPES_FLOATING | DTYPES_PART_OF_BYTE | DTYPE_BIT(DTYPE_BOOL),
};

// "f16, bf16, f32": the names of a set, for messages. `text` has room for `size` bytes and is
// returned.
const char *dtype_describe_set(unsigned dtypes, char *text, size_t size);

#endif
