// SPDX-License-Identifier: Apache-2.0
// The canonical form byte by byte, and files that lie.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "vectors/safetensors.h"

static const struct safetensors_entry *find(const struct safetensors *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (!strcmp(tensors->entry[i].name, name))
            return &tensors->entry[i];
    return NULL;
}

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-vectors-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/t.safetensors", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static enum error count_up(void *context, uint64_t first, uint64_t count, void *out,
                           struct diagnostic *diagnostic)
{
    (void)context;
    (void)diagnostic;
    for (uint64_t i = 0; i < count; i++)
        element_store(out, 4, (size_t)i, first + i);
    return ERROR_NONE;
}

// The expected header was written by hand from the description of the format.
static void the_canonical_form_is_exact(void **state)
{
    (void)state;
    static const unsigned char three[] = {1, 2, 3, 4, 5, 6};
    struct safetensors_entry entry[] = {
        {.name = "b/x", .tensor = {.dtype = DTYPE_U16, .rank = 1, .shape = {3}}, .bytes = three},
        {.name = "a/y", .tensor = {.dtype = DTYPE_F32, .rank = 2, .shape = {0, 5}}, .bytes = three},
        {.name = "a/w",
         .tensor = {.dtype = DTYPE_I32, .rank = 1, .shape = {100000}},
         .source = count_up},
    };
    static const char header[] =
        "{\"a/w\":{\"dtype\":\"I32\",\"shape\":[100000],\"data_offsets\":[0,400000]},"
        "\"a/y\":{\"dtype\":\"F32\",\"shape\":[0,5],\"data_offsets\":[400000,400000]},"
        "\"b/x\":{\"dtype\":\"U16\",\"shape\":[3],\"data_offsets\":[400000,400006]},"
        "\"b/x#pad\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[400006,400008]}}";
    struct diagnostic d = {.text = ""};
    struct arena arena = {0};
    struct document_source file;
    struct safetensors tensors;
    if (safetensors_write(path, entry, 3, &d) || file_read(path, &arena, &file, &d))
        fail_msg("%s", d.text);
    const size_t length =
        8 + (unsigned char)file.text[0] + 256 * (size_t)(unsigned char)file.text[1];
    assert_int_equal(length % SAFETENSORS_ALIGNMENT, 0);
    assert_true(length - 8 - (sizeof header - 1) < SAFETENSORS_ALIGNMENT);
    assert_memory_equal(file.text + 8, header, sizeof header - 1);
    assert_int_equal(file.text[length - 1], ' ');
    assert_int_equal(file.size, length + 400008);
    assert_memory_equal(file.text + length + 400000, three, 6);
    assert_int_equal((unsigned char)file.text[length + 4 * 70000 + 1], 70000 >> 8 & 255);
    assert_int_equal(safetensors_read(&file, &arena, &tensors, &d), ERROR_NONE);
    assert_int_equal(tensors.count, 3); // pads are not tensors of anybody
    assert_int_equal(find(&tensors, "b/x")->size, 6);
    assert_null(find(&tensors, "b/x#pad"));
    arena_release(&arena);
}

// A file does not say whether bytes hold 8 bits or fewer.
static void bytes_are_read_as_u8(void **state)
{
    (void)state;
    static const unsigned char byte[] = {3};
    static const enum dtype stored[] = {DTYPE_U8, DTYPE_I4, DTYPE_U2, DTYPE_F4E2M1};
    for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
        struct safetensors_entry entry = {
            .name = "a", .tensor = {.dtype = stored[i], .rank = 1, .shape = {1}}, .bytes = byte};
        struct diagnostic d = {.text = ""};
        struct arena arena = {0};
        struct document_source file;
        struct safetensors tensors;
        if (safetensors_write(path, &entry, 1, &d) || file_read(path, &arena, &file, &d) ||
            safetensors_read(&file, &arena, &tensors, &d))
            fail_msg("%s", d.text);
        assert_int_equal(find(&tensors, "a")->tensor.dtype, DTYPE_U8);
        arena_release(&arena);
    }
}

static void names_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "a b", "A b", "a#pad", "\xc3\xa9"};
    struct diagnostic d;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct safetensors_entry entry = {
            .name = wrong[i], .tensor = {.dtype = DTYPE_U8}, .bytes = (const unsigned char *)"x"};
        assert_int_equal(safetensors_write(path, &entry, 1, &d), ERROR_INVALID_ARGUMENT);
    }
    struct safetensors_entry twice[2] = {
        {.name = "a", .tensor = {.dtype = DTYPE_U8}, .bytes = (const unsigned char *)"x"}};
    twice[1] = twice[0];
    assert_int_equal(safetensors_write(path, twice, 2, &d), ERROR_INVALID_ARGUMENT);
}

static const struct {
    const char *header;
    size_t data;
    const char *message;
} lies[] = {
    {"[]", 0, "the header is a list"},
    {"{\"a\":1}", 0, "a tensor is a single value"},
    {"{\"a\":{}}", 0, "tensor a needs dtype, shape and data_offsets"},
    {"{\"a\":{\"dtype\":\"F33\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "unknown dtype 'F33'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1}}", 4,
     "unknown key 'x'"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4,
     "does not have the size of its shape"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4,
     "does not have the size of its shape"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4,
     "an offset is 8; expected a whole number from 0 to 4"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "a size is -1"},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
     "does not have the size of its shape"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2305843009213693952,8,2],\"data_offsets\":[0,0]}}", 0,
     "does not have the size of its shape"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"
     "\"data_offsets\":[0,1]}}",
     1, "more than 16 dimensions"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}", 2,
     "starts at 1, but the one before ends at 0"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
     "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
     3, "starts at 1, but the one before ends at 2"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 3,
     "the tensors end at 2, the data at 3"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
     "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
     2, "stands twice"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1,
     "data_offsets has 3 numbers"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1.0],\"data_offsets\":[0,1]}}", 1,
     "expected a whole number"},
    {"{\"a\":", 0, "not JSON"},
};

static void files_that_lie_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        char bytes[512] = {0};
        const size_t length = strlen(lies[i].header);
        bytes[0] = (char)length;
        memcpy(bytes + 8, lies[i].header, length);
        const struct document_source file = {
            .name = "lie", .text = bytes, .size = 8 + length + lies[i].data};
        struct arena arena = {0};
        struct diagnostic d = {.text = ""};
        struct safetensors tensors;
        if (safetensors_read(&file, &arena, &tensors, &d) != ERROR_INPUT ||
            !strstr(d.text, lies[i].message))
            fail_msg("%s: %s", lies[i].header, d.text);
        arena_release(&arena);
    }
}

static void a_header_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const unsigned char lengths[][8] = {{3, 0, 0, 0, 0, 0, 0, 0},
                                               {255, 255, 255, 255, 255, 255, 255, 255},
                                               {0, 0, 0, 0, 0, 0, 0, 128}};
    struct diagnostic d;
    struct safetensors tensors;
    struct arena arena = {0};
    char bytes[10] = "........{}";
    for (size_t i = 0; i < 3; i++) {
        memcpy(bytes, lengths[i], 8);
        const struct document_source file = {.name = "short", .text = bytes, .size = sizeof bytes};
        assert_int_equal(safetensors_read(&file, &arena, &tensors, &d), ERROR_INPUT);
    }
    for (size_t size = 0; size < 8; size++) {
        const struct document_source file = {.name = "short", .text = bytes, .size = size};
        assert_int_equal(safetensors_read(&file, &arena, &tensors, &d), ERROR_INPUT);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_canonical_form_is_exact),
        cmocka_unit_test(bytes_are_read_as_u8),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(files_that_lie_are_refused),
        cmocka_unit_test(a_header_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
