// SPDX-License-Identifier: Apache-2.0
// A fill from its document: a table of kinds with their parameters, and the proof that no value
// will have to be rounded.

#include <inttypes.h>
#include <string.h>

#include "ref/base/digest.h"
#include "ref/num/text.h"
#include "yaml/fill.h"
#include "yaml/fill_form.h"

enum { ELEMENTS_MAX_LOG2 = 34 }; // one Philox counter word of four elements each

// What a kind accepts. `low` and `high` name its two whole numbers, where it has some.
struct kind {
    const char *name, *low, *high;
    unsigned dtypes;
    bool values;
};

static const struct kind kinds[FILL_KINDS] = {
    [FILL_BITS] = {.name = "bits", .dtypes = DTYPES_ALL},
    [FILL_INTEGERS] = {.name = "integers",
                       .low = "low",
                       .high = "high",
                       .dtypes = DTYPES_NUMERIC | (DTYPES_PART_OF_BYTE & ~DTYPE_BIT(DTYPE_F4E2M1))},
    [FILL_GRID] = {.name = "grid",
                   .low = "bits",
                   .high = "scale",
                   .dtypes = DTYPES_FLOAT | DTYPES_F8},
    [FILL_POWERS] = {.name = "powers",
                     .low = "lowest",
                     .high = "highest",
                     .dtypes = DTYPES_FLOAT | DTYPES_F8},
    [FILL_FLOATS] = {.name = "floats",
                     .low = "lowest",
                     .high = "highest",
                     .dtypes = DTYPES_FLOAT | DTYPES_F8},
    [FILL_RAMP] = {.name = "ramp", .low = "first", .high = "step", .dtypes = DTYPES_NUMERIC},
    [FILL_CYCLE] = {.name = "cycle", .dtypes = DTYPES_ALL, .values = true},
    [FILL_PICK] = {.name = "pick", .dtypes = DTYPES_ALL, .values = true},
};

struct reader {
    const struct document_node *node;
    struct arena *arena;
    struct fill *fill;
    struct diagnostic *diagnostic;
};

static enum error find_needed(const struct reader *reader, const char *key,
                              const struct document_node **value)
{
    *value = document_find(reader->node, key);
    return *value ? ERROR_NONE
                  : document_fail(reader->node, ERROR_INPUT, reader->diagnostic,
                                  "a fill of kind %s needs the key %s",
                                  kinds[reader->fill->kind].name, key);
}

static enum error read_kind(const struct reader *reader)
{
    const struct document_node *const fill = document_find(reader->node, "fill");
    enum error error = document_expect(fill, DOCUMENT_SCALAR, "fill", reader->diagnostic);
    for (unsigned kind = 0; !error && kind < FILL_KINDS; kind++)
        if (!strcmp(fill->text, kinds[kind].name)) {
            reader->fill->kind = (enum fill_kind)kind;
            return ERROR_NONE;
        }
    return error ? error
                 : document_fail(fill, ERROR_INPUT, reader->diagnostic,
                                 "unknown fill '%.40s'; known: bits, integers, grid, powers, "
                                 "floats, ramp, cycle, pick",
                                 fill->text);
}

static enum error read_type(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    const struct document_node *dtype, *shape;
    enum error error;
    if ((error = find_needed(reader, "dtype", &dtype)) ||
        (error = find_needed(reader, "shape", &shape)) ||
        (error = document_expect(dtype, DOCUMENT_SCALAR, "dtype", reader->diagnostic)) ||
        (error = document_expect(shape, DOCUMENT_SEQUENCE, "shape", reader->diagnostic)))
        return error;
    fill->tensor.dtype = dtype_named(dtype->text);
    if (!fill->tensor.dtype)
        return document_fail(dtype, ERROR_INPUT, reader->diagnostic, "unknown dtype '%.40s'",
                             dtype->text);
    if (!(DTYPE_BIT(fill->tensor.dtype) & kinds[fill->kind].dtypes))
        return document_fail(dtype, ERROR_INPUT, reader->diagnostic,
                             "a fill of kind %s does not make %s", kinds[fill->kind].name,
                             dtype->text);
    if (shape->count > TENSOR_RANK_MAX)
        return document_fail(shape, ERROR_INPUT, reader->diagnostic, "more than %d dimensions",
                             TENSOR_RANK_MAX);
    for (size_t i = 0; i < shape->count; i++) {
        long long size = 0;
        if ((error = document_integer(shape->item[i], 0, INT64_MAX, &size, "a size",
                                      reader->diagnostic)))
            return error;
        fill->tensor.shape[i] = (uint64_t)size;
    }
    fill->tensor.rank = (unsigned)shape->count;
    if (!tensor_count(&fill->tensor, &fill->count) || fill->count > UINT64_C(1)
                                                                        << ELEMENTS_MAX_LOG2)
        return document_fail(shape, ERROR_INPUT, reader->diagnostic,
                             "a fill has at most 2^%d elements", ELEMENTS_MAX_LOG2);
    return ERROR_NONE;
}

static enum error read_number(const struct reader *reader, const char *key, int64_t least,
                              int64_t most, int64_t *number)
{
    const struct document_node *node;
    long long value = 0;
    enum error error = find_needed(reader, key, &node);
    if (!error)
        error = document_integer(node, least, most, &value, key, reader->diagnostic);
    *number = value;
    return error;
}

// The whole numbers that `dtype` holds exactly, as far as they fit in an int64_t. A float holds
// more, but not all of them.
static void exact_range(enum dtype dtype, int64_t *least, int64_t *most)
{
    const unsigned width = dtype_bits(dtype);
    if (dtype_kind(dtype) == DTYPE_KIND_FLOAT) {
        *most = INT64_C(1) << fill_form_of(dtype).precision;
        *least = -*most;
    } else if (dtype_kind(dtype) == DTYPE_KIND_SIGNED) {
        *least = INT64_MIN >> (64 - width);
        *most = INT64_MAX >> (64 - width);
    } else {
        *least = 0;
        *most = width == 64 ? INT64_MAX : (INT64_C(1) << width) - 1;
    }
}

static enum error read_integers(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    int64_t least, most;
    exact_range(fill->tensor.dtype, &least, &most);
    enum error error = read_number(reader, "low", least, most, &fill->low);
    if (!error)
        error = read_number(reader, "high", fill->low, most, &fill->high);
    if (!error && (uint64_t)fill->high - (uint64_t)fill->low > UINT32_MAX)
        error = document_fail(reader->node, ERROR_INPUT, reader->diagnostic,
                              "high - low is above 2^32 - 1: one word cannot reach all of them");
    return error;
}

static enum error read_grid(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    const struct fill_form form = fill_form_of(fill->tensor.dtype);
    const int64_t widest = form.precision + 1 < 32 ? form.precision + 1 : 32;
    int64_t bits = 0, scale = 0;
    enum error error = read_number(reader, "bits", 1, widest, &bits);
    if (!error && document_find(reader->node, "scale"))
        error = read_number(reader, "scale", form.lowest - (int)form.precision + bits, form.highest,
                            &scale);
    fill->bits = (unsigned)bits;
    fill->scale = (int)scale;
    return error;
}

static enum error read_exponents(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    const struct fill_form form = fill_form_of(fill->tensor.dtype);
    // A power alone may be subnormal; with a significand it may not. Above `full` not every
    // significand is a number.
    const int least =
        fill->kind == FILL_POWERS ? form.lowest - (int)form.precision + 1 : form.lowest;
    const int most = fill->kind == FILL_POWERS ? form.highest : form.full;
    enum error error = read_number(reader, "lowest", least, most, &fill->low);
    if (!error)
        error = read_number(reader, "highest", fill->low, most, &fill->high);
    if (!error && fill->kind == FILL_FLOATS && fill->high - fill->low > 255)
        error = document_fail(reader->node, ERROR_INPUT, reader->diagnostic,
                              "more than 256 exponents: 8 bits of a word cannot reach all of them");
    return error;
}

static enum error read_ramp(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    int64_t least, most, last = 0;
    exact_range(fill->tensor.dtype, &least, &most);
    enum error error = read_number(reader, "first", least, most, &fill->low);
    if (!error)
        error = read_number(reader, "step", INT64_MIN, INT64_MAX, &fill->high);
    if (error || dtype_kind(fill->tensor.dtype) != DTYPE_KIND_FLOAT || !fill->count)
        return error;
    if (__builtin_mul_overflow((int64_t)(fill->count - 1), fill->high, &last) ||
        __builtin_add_overflow(last, fill->low, &last) || last < least || last > most)
        return document_fail(reader->node, ERROR_INPUT, reader->diagnostic,
                             "the ramp leaves the whole numbers that %s holds exactly (%" PRId64
                             " to %" PRId64 ")",
                             dtype_name(fill->tensor.dtype), least, most);
    return ERROR_NONE;
}

static enum error read_value(const struct reader *reader, const struct document_node *item,
                             uint64_t *value)
{
    struct diagnostic why = {.text = ""};
    const enum error error = document_expect(item, DOCUMENT_SCALAR, "a value", reader->diagnostic);
    if (error)
        return error;
    return num_parse(reader->fill->tensor.dtype, item->text, item->count, value, &why)
               ? document_fail(item, ERROR_INPUT, reader->diagnostic, "%s", why.text)
               : ERROR_NONE;
}

static enum error read_values(const struct reader *reader)
{
    struct fill *const fill = reader->fill;
    const struct document_node *values;
    enum error error = find_needed(reader, "values", &values);
    if (!error)
        error = document_expect(values, DOCUMENT_SEQUENCE, "values", reader->diagnostic);
    if (error)
        return error;
    if (!values->count)
        return document_fail(values, ERROR_INPUT, reader->diagnostic, "values is empty");
    uint64_t *const value = arena_take_array(reader->arena, values->count, sizeof *value);
    if (!value)
        return diagnostic_no_memory(reader->diagnostic);
    for (size_t i = 0; i < values->count; i++) {
        if ((error = read_value(reader, values->item[i], &value[i])))
            return error;
    }
    fill->value = value;
    fill->values = values->count;
    return ERROR_NONE;
}

static enum error read_sparse(const struct reader *reader, const struct document_node *node)
{
    static const char *const keys[] = {"axis", "count", "else", NULL};
    struct fill *const fill = reader->fill;
    const struct document_node *const other = document_find(node, "else");
    const struct reader inner = {node, reader->arena, fill, reader->diagnostic};
    int64_t axis = 0, count = 0;
    enum error error = document_only_keys(node, keys, "sparse", reader->diagnostic);
    if (!error)
        error = read_number(&inner, "axis", 0, (int64_t)fill->tensor.rank - 1, &axis);
    if (!error)
        error = read_number(&inner, "count", 1, (int64_t)fill->tensor.shape[axis], &count);
    fill->sparse_axis = (unsigned)axis;
    fill->sparse_count = (uint64_t)count;
    return error || !other ? error : read_value(reader, other, &fill->sparse_else);
}

static enum error read_parameters(const struct reader *reader)
{
    switch (reader->fill->kind) {
    case FILL_INTEGERS:
        return read_integers(reader);
    case FILL_GRID:
        return read_grid(reader);
    case FILL_POWERS:
    case FILL_FLOATS:
        return read_exponents(reader);
    case FILL_RAMP:
        return read_ramp(reader);
    case FILL_CYCLE:
    case FILL_PICK:
        return read_values(reader);
    default:
        return ERROR_NONE;
    }
}

enum error fill_read(const struct document_node *node, struct arena *arena, struct fill *fill,
                     struct diagnostic *diagnostic)
{
    const struct reader reader = {node, arena, fill, diagnostic};
    *fill = (struct fill){.kind = FILL_BITS};
    enum error error = read_kind(&reader);
    if (error)
        return error;
    const struct kind *const kind = &kinds[fill->kind];
    const char *keys[10] = {"fill", "dtype", "shape", "sparse", "as"};
    unsigned used = 5;
    if (kind->low)
        keys[used++] = kind->low;
    if (kind->high)
        keys[used++] = kind->high;
    if (kind->values)
        keys[used++] = "values";
    if ((error = document_only_keys(node, keys, "a fill", diagnostic)) ||
        (error = read_type(&reader)) || (error = read_parameters(&reader)))
        return error;
    const struct document_node *const sparse = document_find(node, "sparse");
    const struct document_node *const as = document_find(node, "as");
    if (sparse && (error = read_sparse(&reader, sparse)))
        return error;
    if (as && !(error = document_expect(as, DOCUMENT_SCALAR, "as", diagnostic)))
        fill->as = as->text;
    return error;
}

enum error fill_set_key(struct fill *fill, const char *suite, const char *case_id,
                        const char *tensor, struct diagnostic *diagnostic)
{
    struct digest digest = {0};
    unsigned char result[DIGEST_SIZE];
    const char *const part[] = {suite, "/", case_id, "/", tensor};
    enum error error = digest_begin(&digest, diagnostic);
    if (!error && fill->as)
        error = digest_add(&digest, fill->as, strlen(fill->as), diagnostic);
    for (size_t i = 0; !fill->as && !error && i < sizeof part / sizeof *part; i++)
        error = digest_add(&digest, part[i], strlen(part[i]), diagnostic);
    if (!error)
        error = digest_end(&digest, result, diagnostic);
    for (unsigned word = 0; word < 2 && !error; word++) {
        fill->key[word] = 0;
        for (unsigned byte = 0; byte < 4; byte++)
            fill->key[word] |= (uint32_t)result[4 * word + byte] << (8 * byte);
    }
    return error;
}

enum error fill_make_tensor(void *context, const struct document_node *node, const char *name,
                            struct arena *arena, struct tensor *tensor,
                            struct diagnostic *diagnostic)
{
    const struct fill_names *const names = context;
    struct fill fill = {.kind = FILL_BITS};
    enum error error = fill_read(node, arena, &fill, diagnostic);
    if (!error && !fill.as && !names)
        error = document_fail(node, ERROR_INPUT, diagnostic,
                              "%s: outside a suite a fill must say `as: suite/case/tensor`", name);
    if (!error)
        error = fill_set_key(&fill, names ? names->suite : NULL, names ? names->case_id : NULL,
                             name, diagnostic);
    if (error)
        return error;
    size_t bytes;
    *tensor = fill.tensor;
    tensor->data = tensor_bytes(tensor, &bytes) ? arena_take(arena, bytes) : NULL;
    if (!tensor->data)
        return document_fail(node, ERROR_TOO_LARGE, diagnostic, "%s does not fit in memory", name);
    fill_write(&fill, 0, fill.count, tensor->data);
    return ERROR_NONE;
}
