// SPDX-License-Identifier: Apache-2.0
// Messages byte by byte, as onnx.proto and the wire format have them. What the package onnx says of
// whole models stands in harness/cli/tests/export_onnx_test.py.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vectors/onnx.h"

static void assert_bytes(struct text *text, const void *bytes, size_t size)
{
    assert_false(text->failed);
    assert_int_equal(text->size, size);
    assert_memory_equal(text->bytes, bytes, size);
    text_release(text);
}

// dims (field 1), data_type (2), name (8), raw_data (9).
static void a_tensor_has_its_four_fields(void **state)
{
    float data[6] = {1, -2, 0, 0, 0, 0};
    const struct tensor tensor = {.dtype = DTYPE_F32, .rank = 2, .shape = {2, 3}, .data = data};
    static const uint8_t bytes[] = {0x08, 2,    0x08, 3, 0x10, 1, 0x42, 1, 'X', 0x4a, 24, 0,
                                    0,    0x80, 0x3f, 0, 0,    0, 0xc0, 0, 0,   0,    0,  0,
                                    0,    0,    0,    0, 0,    0, 0,    0, 0,   0,    0};
    struct text text = {0};
    (void)state;
    onnx_put_tensor(&text, "X", &tensor);
    assert_bytes(&text, bytes, sizeof bytes);
}

// TensorProto.DataType of onnx.proto.
static void each_type_has_its_number(void **state)
{
    static const struct {
        enum dtype dtype;
        uint8_t number;
    } rows[] = {
        {DTYPE_F32, 1},         {DTYPE_U8, 2},      {DTYPE_I8, 3},      {DTYPE_U16, 4},
        {DTYPE_I16, 5},         {DTYPE_I32, 6},     {DTYPE_I64, 7},     {DTYPE_BOOL, 9},
        {DTYPE_F16, 10},        {DTYPE_F64, 11},    {DTYPE_U32, 12},    {DTYPE_U64, 13},
        {DTYPE_BF16, 16},       {DTYPE_F8E4M3, 17}, {DTYPE_F8E5M2, 19}, {DTYPE_F8E4M3FNUZ, 18},
        {DTYPE_F8E5M2FNUZ, 20}, {DTYPE_U4, 21},     {DTYPE_I4, 22},     {DTYPE_F4E2M1, 23},
        {DTYPE_F8E8M0, 24},     {DTYPE_U2, 25},     {DTYPE_I2, 26}};
    (void)state;
    assert_int_equal(sizeof rows / sizeof *rows, DTYPE_COUNT - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t data = 0;
        const struct tensor scalar = {.dtype = rows[i].dtype, .data = &data};
        uint8_t bytes[16] = {0x10, rows[i].number, 0x42,
                             0,    0x4a,           (uint8_t)dtype_size(scalar.dtype)};
        struct text text = {0};
        onnx_put_tensor(&text, "", &scalar);
        assert_bytes(&text, bytes, 6 + dtype_size(scalar.dtype));
    }
}

static void elements_are_little_endian(void **state)
{
    int64_t data[1] = {-2};
    const struct tensor tensor = {.dtype = DTYPE_I64, .rank = 1, .shape = {300}, .data = data};
    const struct tensor one = {.dtype = DTYPE_I64, .data = data};
    static const uint8_t bytes[] = {0x10, 7,    0x42, 0,    0x4a, 8,    0xfe,
                                    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t empty[] = {0x08, 0xac, 0x02, 0x08, 0, 0x10, 7, 0x42, 0, 0x4a, 0};
    struct tensor none = tensor;
    struct text text = {0};
    (void)state;
    onnx_put_tensor(&text, "", &one);
    assert_bytes(&text, bytes, sizeof bytes);
    none.rank = 2; // [300, 0]: a dimension of two bytes, and no data
    onnx_put_tensor(&text, "", &none);
    assert_bytes(&text, empty, sizeof empty);
}

// Of 4 bits two in a byte, of 2 four, the first in the low bits; the last byte is filled with
// zeros.
static void elements_of_few_bits_are_packed(void **state)
{
    static unsigned char data[] = {1, 2, 3, 2, 3};
    static const uint8_t four[] = {0x08, 5, 0x10, 22, 0x42, 0, 0x4a, 3, 0x21, 0x23, 0x03},
                         two[] = {0x08, 5, 0x10, 25, 0x42, 0, 0x4a, 2, 0xb9, 0x03},
                         none[] = {0x08, 0, 0x10, 25, 0x42, 0, 0x4a, 0};
    struct tensor tensor = {.dtype = DTYPE_I4, .rank = 1, .shape = {5}, .data = data};
    struct text text = {0};
    (void)state;
    onnx_put_tensor(&text, "", &tensor);
    assert_bytes(&text, four, sizeof four);
    tensor.dtype = DTYPE_U2;
    onnx_put_tensor(&text, "", &tensor);
    assert_bytes(&text, two, sizeof two);
    tensor.shape[0] = 0;
    onnx_put_tensor(&text, "", &tensor);
    assert_bytes(&text, none, sizeof none);
}

static void operators_have_their_names(void **state)
{
    static const char *const rows[][2] = {{"onnx.lstm", "LSTM"},
                                          {"onnx.rnn", "RNN"},
                                          {"onnx.gru", "GRU"},
                                          {"onnx.range", "Range"},
                                          {"onnx.random_uniform_like", "RandomUniformLike"},
                                          {"onnx.mat_mul", "MatMul"},
                                          {"onnx.rms_normalization", "RMSNormalization"},
                                          {"onnx.swiglu", "SwiGLU"}};
    char name[ONNX_NAME_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct operation operation = {.name = rows[i][0]};
        assert_true(onnx_is_operator(&operation));
        assert_string_equal(onnx_operator_name(&operation, name), rows[i][1]);
    }
    assert_false(onnx_is_operator(&(struct operation){.name = "onednn.rnn"}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tensor_has_its_four_fields),
        cmocka_unit_test(each_type_has_its_number),
        cmocka_unit_test(elements_are_little_endian),
        cmocka_unit_test(elements_of_few_bits_are_packed),
        cmocka_unit_test(operators_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
