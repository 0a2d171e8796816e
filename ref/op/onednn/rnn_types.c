// SPDX-License-Identifier: Apache-2.0
// The types of onednn.rnn: one row for each type of src_layer, and the quantisation that u8 and i8
// need.

#include <math.h>

#include "ref/op/onednn/rnn_problem.h"

// Sets of types, except where the type of src_layer itself decides.
struct type_row {
    enum dtype data, weights;
    unsigned states, bias, c,
        dst_layer;  // src_iter and dst_iter; bias; src_iter_c and dst_iter_c; dst_layer
    unsigned cells; // bit of each enum rnn_cell_kind
};

#define CELL_BIT(cell) (1U << (cell))

enum {
    F32 = DTYPE_BIT(DTYPE_F32),
    BF16 = DTYPE_BIT(DTYPE_BF16),
    F16 = DTYPE_BIT(DTYPE_F16),
    U8 = DTYPE_BIT(DTYPE_U8),
    I8 = DTYPE_BIT(DTYPE_I8),
    ALL_CELLS = CELL_BIT(RNN_LBR_AUGRU + 1) - 1,
};

static const struct type_row rows[] = {
    {DTYPE_F32, DTYPE_F32, F32, F32, F32, F32, ALL_CELLS},
    {DTYPE_BF16, DTYPE_BF16, BF16, F32 | BF16, F32 | BF16, BF16, ALL_CELLS},
    {DTYPE_F16, DTYPE_F16, F16, F32 | F16, F32 | F16, F16, ALL_CELLS},
    {DTYPE_U8, DTYPE_I8, U8 | F32, F32, F32, U8 | F32, CELL_BIT(RNN_LSTM) | CELL_BIT(RNN_GRU)},
    {DTYPE_I8, DTYPE_I8, I8 | F32, F32, F32, I8 | F32, CELL_BIT(RNN_LSTM)},
};

static enum error check_input(const struct rnn_problem *p, enum rnn_input input, unsigned dtypes,
                              struct diagnostic *diagnostic)
{
    return rnn_has(p, input) ? operation_check_dtype(p->request, input, dtypes, diagnostic)
                             : ERROR_NONE;
}

static enum error check_inputs(const struct rnn_problem *p, const struct type_row *row,
                               struct diagnostic *diagnostic)
{
    const unsigned weights = DTYPE_BIT(row->weights);
    const struct {
        enum rnn_input input;
        unsigned dtypes;
    } checks[] = {
        {RNN_SRC_ITER, row->states},           {RNN_SRC_ITER_C, row->c},
        {RNN_ATTENTION, DTYPE_BIT(row->data)}, {RNN_WEIGHTS_LAYER, weights},
        {RNN_WEIGHTS_ITER, weights},           {RNN_WEIGHTS_PEEPHOLE, p->frame ? weights : F32},
        {RNN_WEIGHTS_PROJECTION, weights},     {RNN_BIAS, row->bias}};
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && !error; i++)
        error = check_input(p, checks[i].input, checks[i].dtypes, diagnostic);
    for (enum rnn_input i = RNN_DIFF_DST_LAYER; i <= RNN_INITIAL_BIAS && !error; i++)
        error = check_input(p, i, F32, diagnostic);
    return error;
}

// The type of an output: as given, else `standard`; refused outside `dtypes`.
static enum error read_type(const struct rnn_problem *p, enum rnn_attribute attribute,
                            enum dtype standard, unsigned dtypes, enum dtype *dtype,
                            struct diagnostic *diagnostic)
{
    const struct attribute_value *const given = &p->request->attribute[attribute];
    *dtype = given->present ? (enum dtype)given->integer : standard;
    if (DTYPE_BIT(*dtype) & dtypes)
        return ERROR_NONE;
    char known[64];
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "attribute %s is %s; with src_layer of type %s it is %s",
                           p->request->operation->attributes[attribute].name, dtype_name(*dtype),
                           dtype_name(p->request->input[RNN_SRC_LAYER].dtype),
                           dtype_describe_set(dtypes, known, sizeof known));
}

static enum error check_same(const struct rnn_problem *p, enum rnn_attribute attribute,
                             enum dtype dtype, enum rnn_input source, struct diagnostic *diagnostic)
{
    const enum dtype expected = p->request->input[source].dtype;
    if (!rnn_has(p, source) || dtype == expected)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                           "attribute %s is %s; it equals the type of %s, %s",
                           p->request->operation->attributes[attribute].name, dtype_name(dtype),
                           p->request->operation->inputs[source].name, dtype_name(expected));
}

static const struct type_row *row_of(enum dtype data)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].data == data)
            return &rows[i];
    return NULL;
}

enum error rnn_check_types(struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct tensor *const in = p->request->input;
    enum error error =
        operation_check_dtype(p->request, RNN_SRC_LAYER, F32 | BF16 | F16 | U8 | I8, diagnostic);
    if (error)
        return error;
    const struct type_row *const row = row_of(in[RNN_SRC_LAYER].dtype);
    p->quantised = row->weights == DTYPE_I8;
    p->state = row->data;
    if (!(row->cells & CELL_BIT(p->cell)))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "src_layer of type %s is for %s alone", dtype_name(row->data),
                               row->data == DTYPE_I8 ? "lstm" : "lstm and gru");
    if (p->quantised && p->peephole)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "lstm on %s data has no peephole", dtype_name(row->data));
    if (p->quantised && p->request->attribute[RNN_PROPAGATION].integer != RNN_INFERENCE)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "%s data is for propagation forward_inference alone",
                               dtype_name(row->data));
    error = check_inputs(p, row, diagnostic);
    if (!error)
        error =
            read_type(p, RNN_DST_LAYER_TYPE, row->data, row->dst_layer, &p->dst_layer, diagnostic);
    if (!error)
        error = read_type(p, RNN_DST_ITER_TYPE,
                          rnn_has(p, RNN_SRC_ITER) ? in[RNN_SRC_ITER].dtype : row->data,
                          row->states, &p->dst_iter, diagnostic);
    if (!error)
        error = check_same(p, RNN_DST_ITER_TYPE, p->dst_iter, RNN_SRC_ITER, diagnostic);
    if (!error && p->cell != RNN_LSTM && p->request->attribute[RNN_DST_ITER_C_TYPE].present)
        error = diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                "attribute dst_iter_c_type is for lstm alone");
    if (!error)
        error = read_type(p, RNN_DST_ITER_C_TYPE,
                          rnn_has(p, RNN_SRC_ITER_C) ? in[RNN_SRC_ITER_C].dtype : DTYPE_F32, row->c,
                          &p->c, diagnostic);
    if (!error)
        error = check_same(p, RNN_DST_ITER_C_TYPE, p->c, RNN_SRC_ITER_C, diagnostic);
    return error;
}

// ---- quantisation -----------------------------------------------------------

// One scale, or one for each of `many` with the mask `mask`; every one finite and positive.
static enum error check_scales(const struct rnn_problem *p, enum rnn_attribute attribute,
                               int64_t mask, size_t many, struct diagnostic *diagnostic)
{
    const struct attribute_spec *const spec = p->request->operation->attributes;
    const struct attribute_value *const scales = &p->request->attribute[attribute];
    const int64_t given = p->request->attribute[attribute + 1].integer;
    if (given != 0 && given != mask)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute %s is %d; expected 0 or %d", spec[attribute + 1].name,
                               (int)given, (int)mask);
    const size_t expected = given ? many : 1;
    const size_t count = scales->present ? scales->count : 1; // absent: one scale of 1
    if (count != expected)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute %s has %zu values; with mask %d there are %zu",
                               spec[attribute].name, count, (int)given, expected);
    for (size_t i = 0; scales->present && i < count; i++)
        if (!(scales->reals[i] > 0) || isinf(scales->reals[i]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "attribute %s holds %g; a scale is finite and above 0",
                                   spec[attribute].name, scales->reals[i]);
    return ERROR_NONE;
}

// An attribute that says more than its default does: an interface may hand every default over.
static bool says_something(const struct attribute_spec *spec, const struct attribute_value *value)
{
    return value->present &&
           (spec->presence != ATTRIBUTE_DEFAULT || value->integer != spec->standard);
}

enum error rnn_check_quantisation(struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct attribute_spec *const spec = p->request->operation->attributes;
    const struct attribute_value *const given = p->request->attribute;
    for (enum rnn_attribute a = RNN_DATA_SCALE; a <= RNN_PROJECTION_SCALES_MASK && !p->quantised;
         a++)
        if (says_something(&spec[a], &given[a]))
            return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                   "attribute %s is for src_layer of type u8 or i8", spec[a].name);
    if (!p->quantised)
        return ERROR_NONE;
    if (!given[RNN_DATA_SCALE].present || !given[RNN_DATA_SHIFT].present)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "src_layer of type %s needs the attributes data_scale and "
                               "data_shift",
                               dtype_name(p->state));
    p->scale = (float)given[RNN_DATA_SCALE].real;
    p->shift = (float)given[RNN_DATA_SHIFT].real;
    if (!(p->scale > 0) || isinf(p->scale))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute data_scale is %g; a scale is finite and above 0",
                               (double)p->scale);
    if (!isfinite(p->shift))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "attribute data_shift is %g; it is finite", (double)p->shift);
    if (!p->projection &&
        (says_something(&spec[RNN_PROJECTION_SCALES], &given[RNN_PROJECTION_SCALES]) ||
         says_something(&spec[RNN_PROJECTION_SCALES_MASK], &given[RNN_PROJECTION_SCALES_MASK])))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "projection_scales without weights_projection");
    const enum error error =
        check_scales(p, RNN_WEIGHTS_SCALES, 24, p->gates * p->hidden_channels, diagnostic);
    return error || !p->projection
               ? error
               : check_scales(p, RNN_PROJECTION_SCALES, 8, p->output_channels, diagnostic);
}
