// SPDX-License-Identifier: Apache-2.0
// A request of the fleet's RNN: its sizes, types and tensors, and mistakes in reading and writing
// these.

#include "harness/judge/tests/fleet/rnn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/targets/helper/request.h"

static const char *const input_names[INPUTS] = {
    [X_] = "src_layer",
    [H0_] = "src_iter",
    [C0_] = "src_iter_c",
    [A_] = "attention",
    [W_] = "weights_layer",
    [U_] = "weights_iter",
    [P_] = "weights_peephole",
    [R_] = "weights_projection",
    [B_] = "bias",
    [DIFF_Y] = "diff_dst_layer",
    [DIFF_H] = "diff_dst_iter",
    [DIFF_C] = "diff_dst_iter_c",
    [INITIAL_W] = "diff_weights_layer",
    [INITIAL_U] = "diff_weights_iter",
    [INITIAL_P] = "diff_weights_peephole",
    [INITIAL_R] = "diff_weights_projection",
    [INITIAL_B] = "diff_bias",
};
static const char *const output_names[OUTPUTS] = {
    [Y_OUT] = "dst_layer",
    [H_OUT] = "dst_iter",
    [C_OUT] = "dst_iter_c",
    [DIFF_OUT + X_] = "diff_src_layer",
    [DIFF_OUT + H0_] = "diff_src_iter",
    [DIFF_OUT + C0_] = "diff_src_iter_c",
    [DIFF_OUT + A_] = "diff_attention",
    [DIFF_OUT + W_] = "diff_weights_layer",
    [DIFF_OUT + U_] = "diff_weights_iter",
    [DIFF_OUT + P_] = "diff_weights_peephole",
    [DIFF_OUT + R_] = "diff_weights_projection",
    [DIFF_OUT + B_] = "diff_bias",
};

float *fleet_take(struct rnn *n, size_t count)
{
    if (n->memory_count == sizeof n->memory / sizeof *n->memory)
        abort();
    float *const memory = calloc(count + 1, sizeof *memory);
    if (!memory)
        abort();
    n->memory[n->memory_count++] = memory;
    return memory;
}

// ---- what is asked ----------------------------------------------------------

static const struct assay_tensor *input(const struct rnn *n, enum tensor_name name)
{
    return assay_input_named(n->request, input_names[name]);
}

// Index of the attribute's word among `words`; `otherwise` where it is not given.
static int word(const struct assay_request *request, const char *name, const char *const *words,
                int otherwise)
{
    const struct assay_attribute *const given = assay_attribute_named(request, name);
    if (!given || !given->text)
        return otherwise;
    for (int i = 0; words[i]; i++)
        if (!strcmp(given->text, words[i]))
            return i;
    return -1;
}

static int type_of(const struct assay_tensor *tensor, int otherwise)
{
    static const enum assay_dtype types[] = {ASSAY_F32, ASSAY_BF16, ASSAY_F16, ASSAY_U8, ASSAY_I8};
    for (int i = 0; tensor && i < 5; i++)
        if (tensor->dtype == types[i])
            return i;
    return otherwise;
}

static int type_named(const struct assay_request *request, const char *name, int otherwise)
{
    static const char *const types[] = {"f32", "bf16", "f16", "u8", "i8", NULL};
    return word(request, name, types, otherwise);
}

static void read_cell(const struct assay_request *request, struct rnn *n)
{
    static const char *const cells[] = {"vanilla_rnn", "",      "",          "lstm", "gru",
                                        "lbr_gru",     "augru", "lbr_augru", NULL};
    static const char *const activations[] = {"relu", "tanh", "logistic", NULL};
    static const char *const directions[] = {"left2right", "right2left", "bidirectional_concat",
                                             "bidirectional_sum", NULL};
    static const char *const propagations[] = {"forward_inference", "forward_training", "backward",
                                               NULL};
    static const int gates[] = {1, 1, 1, 4, 3, 3, 3, 3}, rows[] = {1, 1, 1, 4, 3, 4, 3, 4};
    n->cell = (enum kind)word(request, "cell", cells, 0);
    if (n->cell == RELU)
        n->cell = (enum kind)word(request, "activation", activations, 0);
    n->direction = (enum direction)word(request, "direction", directions, 0);
    n->propagation = (enum propagation)word(request, "propagation", propagations, 0);
    n->gates = gates[n->cell];
    n->rows = rows[n->cell];
    const struct assay_attribute *const alpha = assay_attribute_named(request, "alpha");
    n->alpha = alpha ? (float)alpha->real : 0;
}

static void read_scales(const struct assay_request *request, struct rnn *n)
{
    const struct assay_attribute *const scale = assay_attribute_named(request, "data_scale"),
                                        *const shift = assay_attribute_named(request, "data_shift"),
                                        *const scales =
                                            assay_attribute_named(request, "weights_scales"),
                                        *const more =
                                            assay_attribute_named(request, "projection_scales");
    n->scale = scale ? (float)scale->real : 1;
    n->shift = shift ? (float)shift->real : 0;
    n->scales = scales ? scales->reals : NULL;
    n->scale_count = scales ? scales->count : 0;
    n->projection_scales = more ? more->reals : NULL;
    n->projection_scale_count = more ? more->count : 0;
}

bool fleet_read(const struct assay_request *request, struct rnn *n)
{
    *n = (struct rnn){.request = request};
    const struct assay_tensor *const x = input(n, X_), *const w = input(n, W_),
                                     *const u = input(n, U_), *const r = input(n, R_);
    if (strcmp(request->operation, "onednn.rnn") != 0 || !x || !w || !u)
        return false;
    read_cell(request, n);
    read_scales(request, n);
    n->type = (enum type)type_of(x, F32);
    n->h_type =
        (enum type)type_of(input(n, H0_), type_named(request, "dst_iter_type", (int)n->type));
    n->c_type = (enum type)type_of(input(n, C0_), type_named(request, "dst_iter_c_type", F32));
    n->y_type = (enum type)type_named(request, "dst_layer_type", (int)n->type);
    n->times = (int)x->layout.shape[0];
    n->batch = (int)x->layout.shape[1];
    n->slc = (int)x->layout.shape[2];
    n->layers = (int)w->layout.shape[0];
    n->directions = (int)w->layout.shape[1];
    n->dhc = (int)w->layout.shape[4];
    n->sic = (int)u->layout.shape[2];
    n->dic = r ? (int)r->layout.shape[3] : n->dhc;
    n->width = n->dhc > n->dic ? n->dhc : n->dic;
    n->width = n->sic > n->width ? n->sic : n->width;
    return true;
}

// ---- which requests a mistake concerns --------------------------------------

static int size_of(const struct rnn *n, char letter)
{
    switch (letter) {
    case 'T':
        return n->times;
    case 'N':
        return n->batch;
    case 'L':
        return n->layers;
    case 'D':
        return n->directions;
    case 'S':
        return n->slc;
    case 'I':
        return n->sic;
    case 'C':
        return n->dhc;
    case 'O':
        return n->dic;
    default:
        abort(); // no letter of a size
    }
}

static bool has_sizes(const struct rnn *n, const char *sizes)
{
    while (sizes && *sizes) {
        char *end;
        const int size = size_of(n, sizes[0]), bound = (int)strtol(sizes + 2, &end, 10);
        if (sizes[1] == '>' ? size <= bound : sizes[1] == '<' ? size >= bound : size != bound)
            return false;
        sizes = end + strspn(end, " ");
    }
    return true;
}

static bool is_in(unsigned set, unsigned member)
{
    return !set || set >> member & 1;
}

static bool has_input(const struct rnn *n, const char *name)
{
    return assay_input_named(n->request, name) != NULL;
}

bool fleet_is_asked(const struct rnn *n, const struct mistake *m)
{
    return is_in(m->cells, n->cell) && is_in(m->types, n->type) &&
           is_in(m->directions, n->direction) && is_in(m->propagations, n->propagation) &&
           has_sizes(n, m->sizes) && (!m->with || has_input(n, m->with)) &&
           (!m->without || !has_input(n, m->without)) && (!m->stack || m->stack <= n->directions);
}

bool fleet_concerns(const struct assay_request *request, const struct mistake *mistake)
{
    struct rnn n;
    if (!fleet_read(request, &n) || !fleet_is_asked(&n, mistake))
        return false;
    if (mistake->at == INPUT)
        return has_input(&n, mistake->tensor);
    if (mistake->at == ABSENT)
        return !has_input(&n, mistake->tensor);
    return mistake->at != OUTPUT || assay_output_named(request, mistake->tensor);
}

// ---- tensors ----------------------------------------------------------------

static size_t count_of(int rank, const int *shape)
{
    size_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= (size_t)shape[i];
    return count;
}

static float load(const struct assay_tensor *tensor, size_t i)
{
    const unsigned char *const bytes = tensor->layout.data;
    uint16_t half = 0;
    uint32_t bits;
    float value = 0;
    switch (tensor->dtype) {
    case ASSAY_U8:
        return bytes[i];
    case ASSAY_I8:
        return ((const signed char *)bytes)[i];
    case ASSAY_F32:
        memcpy(&value, bytes + 4 * i, sizeof value);
        return value;
    default:
        memcpy(&half, bytes + 2 * i, sizeof half);
    }
    if (tensor->dtype == ASSAY_BF16) {
        bits = (uint32_t)half << 16;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const int exponent = half >> 10 & 31, digits = half & 1023;
    value = exponent == 31  ? digits ? NAN : INFINITY
            : exponent == 0 ? ldexpf((float)digits, -24)
                            : ldexpf((float)(digits + 1024), exponent - 25);
    return half >> 15 ? -value : value;
}

// The value is one of the type, but for mistakes that change outputs.
static void save(const struct assay_tensor *tensor, size_t i, float value)
{
    unsigned char *const bytes = tensor->layout.data;
    uint32_t bits;
    if (tensor->dtype == ASSAY_U8)
        bytes[i] = (unsigned char)(value > 255 ? 255 : value > 0 ? value : 0);
    else if (tensor->dtype == ASSAY_I8)
        ((signed char *)bytes)[i] = (signed char)(value > 127 ? 127 : value > -128 ? value : -128);
    if (tensor->dtype == ASSAY_U8 || tensor->dtype == ASSAY_I8)
        return;
    memcpy(&bits, &value, sizeof bits);
    if (tensor->dtype == ASSAY_F32) {
        memcpy(bytes + 4 * i, &bits, sizeof bits);
        return;
    }
    uint16_t half = (uint16_t)(bits >> 16);
    if (tensor->dtype == ASSAY_F16) {
        const double size = fabs((double)value);
        int exponent = 0;
        half = half & 0x8000;
        frexp(size, &exponent);
        if (isnan(value))
            half |= 0x7E00;
        else if (size >= 65520)
            half |= 0x7C00;
        else if (size < ldexp(1, -14))
            half |= (uint16_t)nearbyint(ldexp(size, 24));
        else
            half = (uint16_t)(half + (uint16_t)((exponent + 13) << 10) +
                              (uint16_t)(nearbyint(ldexp(size, 11 - exponent))));
    }
    memcpy(bytes + 2 * i, &half, sizeof half);
}

static bool is_there(const struct mistake *m, const int *shape, const int *index)
{
    const int from = m->from, at = index[m->axis];
    return from == FIRST ? at == 0 : from == LAST ? at == shape[m->axis] - 1 : at >= from;
}

// What the mistake makes of a tensor's values.
static void spoil_tensor(struct rnn *n, const struct mistake *m, const struct assay_tensor *tensor,
                         float *values)
{
    int shape[8] = {0}, index[8];
    const int rank = tensor->layout.ndim;
    for (int a = 0; a < rank; a++)
        shape[a] = (int)tensor->layout.shape[a];
    const size_t count = count_of(rank, shape);
    float *const before = fleet_take(n, count);
    memcpy(before, values, count * sizeof *before);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, step = 1;
        for (int a = rank; a-- > 0; rest /= (size_t)shape[a])
            index[a] = (int)(rest % (size_t)shape[a]);
        if (!is_there(m, shape, index))
            continue;
        if (m->action != IS_MOVED) {
            values[i] = (float)fleet_act(m, (double)values[i]);
            continue;
        }
        for (int a = m->along + 1; a < rank; a++)
            step *= (size_t)shape[a];
        const int size = shape[m->along], at = index[m->along];
        values[i] = before[i + step * (size_t)((at + m->by + size) % size) - step * (size_t)at];
    }
}

static void read_input(struct rnn *n, enum tensor_name name)
{
    const struct assay_tensor *const tensor = input(n, name);
    const int of_absent[INPUTS][4] = {
        [H0_] = {n->layers, n->directions, n->batch, n->sic},
        [C0_] = {n->layers, n->directions, n->batch, n->dhc},
        [P_] = {n->layers, n->directions, 3, n->dhc},
        [B_] = {n->layers, n->directions, n->rows, n->dhc},
        [DIFF_H] = {n->layers, n->directions, n->batch, n->dic},
        [DIFF_C] = {n->layers, n->directions, n->batch, n->dhc},
    };
    struct assay_tensor instead = {.name = input_names[name], .layout = {.ndim = 4}};
    int64_t shape[4];
    size_t count = 1;
    if (tensor) {
        for (int a = 0; a < tensor->layout.ndim; a++)
            count *= (size_t)tensor->layout.shape[a];
        n->in[name] = fleet_take(n, count);
        for (size_t i = 0; i < count; i++)
            n->in[name][i] = load(tensor, i);
    }
    for (int k = 0; k < MISTAKES_MAX; k++) {
        const struct mistake *const m = n->mistake[k];
        if (!m || m->at != (tensor ? INPUT : ABSENT) || strcmp(m->tensor, input_names[name]) != 0)
            continue;
        for (int a = 0; a < 4 && !tensor; a++)
            shape[a] = of_absent[name][a];
        instead.layout.shape = shape;
        if (!tensor && !n->in[name])
            n->in[name] = fleet_take(n, count_of(4, of_absent[name]));
        spoil_tensor(n, m, tensor ? tensor : &instead, n->in[name]);
    }
}

static const struct assay_tensor *output(const struct rnn *n, int name)
{
    return assay_output_named(n->request, output_names[name]);
}

void fleet_write(struct rnn *n)
{
    for (int o = 0; o < OUTPUTS; o++) {
        const struct assay_tensor *const tensor = output(n, o);
        size_t count = 1;
        if (!tensor)
            continue;
        for (int a = 0; a < tensor->layout.ndim; a++)
            count *= (size_t)tensor->layout.shape[a];
        for (int k = 0; k < MISTAKES_MAX; k++)
            if (n->mistake[k] && n->mistake[k]->at == OUTPUT &&
                !strcmp(n->mistake[k]->tensor, output_names[o]))
                spoil_tensor(n, n->mistake[k], tensor, n->out[o]);
        for (size_t i = 0; i < count; i++)
            save(tensor, i, n->out[o][i]);
    }
}

// Room for every output, whether it is asked for or not.
static void take_outputs(struct rnn *n)
{
    const size_t stacks = (size_t)n->layers * (size_t)n->directions, batch = (size_t)n->batch,
                 times = (size_t)n->times, dhc = (size_t)n->dhc, slc = (size_t)n->slc,
                 sic = (size_t)n->sic, dic = (size_t)n->dic, gates = (size_t)n->gates;
    const size_t sizes[OUTPUTS] = {
        [Y_OUT] = times * batch * dic * 2,
        [H_OUT] = stacks * batch * dic,
        [C_OUT] = stacks * batch * dhc,
        [DIFF_OUT + X_] = times * batch * slc,
        [DIFF_OUT + H0_] = stacks * batch * sic,
        [DIFF_OUT + C0_] = stacks * batch * dhc,
        [DIFF_OUT + A_] = times * batch,
        [DIFF_OUT + W_] = stacks * slc * gates * dhc,
        [DIFF_OUT + U_] = stacks * sic * gates * dhc,
        [DIFF_OUT + P_] = stacks * 3 * dhc,
        [DIFF_OUT + R_] = stacks * dhc * dic,
        [DIFF_OUT + B_] = stacks * (size_t)n->rows * dhc,
    };
    for (int o = 0; o < OUTPUTS; o++)
        n->out[o] = fleet_take(n, sizes[o]);
    n->trace = fleet_take(n, stacks * times * batch * VECTORS * (size_t)n->width);
}

bool fleet_run(const struct assay_request *request, const struct mistake *const *mistakes,
               size_t count)
{
    struct rnn n;
    if (!fleet_read(request, &n))
        return false;
    for (size_t i = 0; i < count; i++)
        if (fleet_is_asked(&n, mistakes[i])) {
            n.mistake[i] = mistakes[i];
            n.at[mistakes[i]->at] = true;
        }
    for (int i = 0; i < INPUTS; i++)
        read_input(&n, (enum tensor_name)i);
    take_outputs(&n);
    fleet_forward(&n);
    if (n.propagation == BACKWARD)
        fleet_backward(&n);
    fleet_write(&n);
    for (int i = 0; i < n.memory_count; i++)
        free(n.memory[i]);
    return true;
}
