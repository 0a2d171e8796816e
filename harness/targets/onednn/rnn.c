// SPDX-License-Identifier: Apache-2.0
#include "harness/targets/onednn/rnn.h"

#include "harness/targets/helper/request.h"

// Dimensions in the order of a request; the attribute that names the format, NULL: it has the one;
// the word of `views` that it is among.
static const struct {
    const char *name;
    int argument;
    const char *letters, *format, *part;
} slots[RNN_DIFF] = {
    [RNN_SRC_LAYER] = {"src_layer", 1, "tnc", "src_layer_format", "data"},
    [RNN_SRC_ITER] = {"src_iter", 2, "ldnc", "iter_format", "states"},
    [RNN_SRC_ITER_C] = {"src_iter_c", 3, "ldnc", "iter_format", "states"},
    [RNN_ATTENTION] = {"attention", 4, "tnc", NULL, "attention"},
    [RNN_WEIGHTS_LAYER] = {"weights_layer", 33, "ldigo", "weights_layer_format", "weights"},
    [RNN_WEIGHTS_ITER] = {"weights_iter", 34, "ldigo", "weights_iter_format", "weights"},
    [RNN_WEIGHTS_PEEPHOLE] = {"weights_peephole", 35, "ldgo", NULL, "parameters"},
    [RNN_WEIGHTS_PROJECTION] = {"weights_projection", 36, "ldio", "projection_format", "weights"},
    [RNN_BIAS] = {"bias", 41, "ldgo", NULL, "parameters"},
    [RNN_DST_LAYER] = {"dst_layer", 17, "tnc", "dst_layer_format", "data"},
    [RNN_DST_ITER] = {"dst_iter", 18, "ldnc", "iter_format", "states"},
    [RNN_DST_ITER_C] = {"dst_iter_c", 19, "ldnc", "iter_format", "states"},
};

const char *rnn_name(unsigned slot, char *name)
{
    snprintf(name, RNN_NAME_SIZE, "%s%s", slot >= RNN_DIFF ? "diff_" : "",
             slots[slot % RNN_DIFF].name);
    return name;
}

int rnn_argument(unsigned slot)
{
    return slots[slot % RNN_DIFF].argument + (slot >= RNN_DIFF ? 128 : 0);
}

bool rnn_is_matrix(unsigned slot)
{
    const unsigned of = slot % RNN_DIFF;
    return of == RNN_WEIGHTS_LAYER || of == RNN_WEIGHTS_ITER || of == RNN_WEIGHTS_PROJECTION;
}

bool rnn_is_result(unsigned slot)
{
    const unsigned of = slot % RNN_DIFF;
    return slot < RNN_DIFF ? of >= RNN_DST_LAYER : of <= RNN_ATTENTION;
}

static int type_of(uint32_t dtype)
{
    switch (dtype) {
    case ASSAY_F16:
        return RNN_F16;
    case ASSAY_BF16:
        return RNN_BF16;
    case ASSAY_F32:
        return RNN_F32;
    case ASSAY_I8:
        return RNN_I8;
    case ASSAY_U8:
        return RNN_U8;
    default:
        return 0;
    }
}

static size_t element_bytes(int type)
{
    return type == RNN_F32 ? 4 : type <= RNN_BF16 ? 2 : 1;
}

// Strides NULL: dense.
void rnn_set_tensor(struct rnn_tensor *tensor, int rank, const int64_t *dims, int type,
                    const int64_t *strides)
{
    tensor->present = rank <= RNN_RANK_MAX;
    tensor->rank = rank;
    tensor->type = type;
    for (int d = rank - 1; d >= 0 && tensor->present; d--) {
        const int64_t dense =
            d == rank - 1 ? 1 : tensor->strides[d + 1] * (dims[d + 1] ? dims[d + 1] : 1);
        tensor->dims[d] = dims[d];
        tensor->strides[d] = strides ? strides[d] : dense;
        tensor->padded = tensor->padded || tensor->strides[d] != dense;
    }
}

static const char *word_of(const struct assay_request *request, const char *name)
{
    const struct assay_attribute *const found = name ? assay_attribute_named(request, name) : NULL;
    return found ? found->text : NULL;
}

// Gives a tensor the place in memory that the request asks for. Where `strides`, the request's own,
// are NULL, for it only asks whether that is supported, those of any such place serve.
static void place(const struct assay_request *request, unsigned slot, const int64_t *strides,
                  struct rnn_tensor *tensor)
{
    enum { GAP = 3 };
    const char *const letters = slots[slot % RNN_DIFF].letters,
                      *const format = word_of(request, slots[slot % RNN_DIFF].format),
                      *const views = word_of(request, "views");
    const bool view =
        views && (!strcmp(views, "all") || !strcmp(views, slots[slot % RNN_DIFF].part));
    tensor->any = format && !strcmp(format, "any");
    tensor->formatted = format || view;
    if (!tensor->present || tensor->any || !tensor->formatted ||
        tensor->rank != (int)strlen(letters))
        return;
    int64_t stride = 1;
    tensor->padded = true;
    for (int k = tensor->rank - 1; k >= 0; k--) {
        const int d = format ? (int)(strchr(letters, format[k]) - letters) : k;
        tensor->strides[d] = strides ? strides[d] : stride;
        stride *= tensor->dims[d] + (!view ? 0 : k == tensor->rank - 1 ? GAP : 1);
    }
}

// States, inputs and outputs; with RNN_DATA_STRIDED the weights of products too, with
// RNN_ALL_STRIDED bias and peepholes as well.
static bool keeps_strides(unsigned slot, enum rnn_strides strides)
{
    const unsigned of = slot % RNN_DIFF;
    if (of == RNN_ATTENTION) // taken with strides, and read without them
                             // (reports/findings/onednn-attention-strides.md)
        return false;
    if (of == RNN_BIAS || of == RNN_WEIGHTS_PEEPHOLE)
        return strides == RNN_ALL_STRIDED;
    return rnn_is_matrix(slot) ? strides <= RNN_DATA_STRIDED : strides <= RNN_STATES_STRIDED;
}

// Sets the tensor of a slot as the request and `strides` have it.
static void set_slot(const struct assay_request *request, unsigned slot, enum rnn_strides strides,
                     int rank, const int64_t *dims, int type, struct rnn *rnn)
{
    char name[RNN_NAME_SIZE];
    const struct assay_tensor *own = assay_output_named(request, rnn_name(slot, name));
    if (!own)
        own = assay_input_named(request, name);
    rnn_set_tensor(&rnn->tensor[slot], rank, dims, type,
                   own && keeps_strides(slot, strides) ? own->layout.strides : NULL);
    place(request, slot, own ? own->layout.strides : NULL, &rnn->tensor[slot]);
}

// The type that an output attribute names, else `standard`.
static int type_named(const struct assay_request *request, const char *name, int standard)
{
    static const char *const words[] = {"?", "f16", "bf16", "f32", "?", "i8", "u8", NULL};
    const int type = assay_word(request, name, words);
    return type > 0 ? type : standard;
}

// Shapes of the outputs follow from the inputs; the request lists the outputs only where it is
// valid.
static void set_outputs(const struct assay_request *request, enum rnn_strides strides,
                        struct rnn *rnn)
{
    struct rnn_tensor *const all = rnn->tensor;
    const struct rnn_tensor *const x = &all[RNN_SRC_LAYER], *const w = &all[RNN_WEIGHTS_LAYER],
                                   *const r = &all[RNN_WEIGHTS_PROJECTION];
    const int64_t dhc = w->rank == 5 ? w->dims[4] : 1,
                  dic = r->present && r->rank == 4 ? r->dims[3] : dhc;
    const int64_t layers = w->dims[0], directions = w->dims[1], batch = x->dims[1];
    const int64_t layer[] = {x->dims[0], batch, dic * (rnn->direction == RNN_CONCAT ? 2 : 1)};
    const int64_t h[] = {layers, directions, batch, dic}, c[] = {layers, directions, batch, dhc};
    const int h_type = type_named(request, "dst_iter_type",
                                  all[RNN_SRC_ITER].present ? all[RNN_SRC_ITER].type : x->type);
    const int c_type = type_named(request, "dst_iter_c_type",
                                  all[RNN_SRC_ITER_C].present ? all[RNN_SRC_ITER_C].type : RNN_F32);
    const bool state = rnn->propagation != RNN_BACKWARD ||
                       assay_input_named(request, "diff_dst_iter") ||
                       assay_input_named(request, "diff_dst_iter_c");
    set_slot(request, RNN_DST_LAYER, strides, 3, layer,
             type_named(request, "dst_layer_type", x->type), rnn);
    if (state)
        set_slot(request, RNN_DST_ITER, strides, 4, h, h_type, rnn);
    if (state && rnn->cell == RNN_LSTM)
        set_slot(request, RNN_DST_ITER_C, strides, 4, c, c_type, rnn);
    for (unsigned slot = 0; rnn->propagation == RNN_BACKWARD && slot < RNN_DIFF; slot++)
        if (all[slot].present)
            set_slot(request, RNN_DIFF + slot, strides, all[slot].rank, all[slot].dims, RNN_F32,
                     rnn);
}

// The words' places, the first where the attribute is absent.
static int choose(const struct assay_request *request, const char *name, const char *const *words)
{
    const int place = assay_word(request, name, words);
    return place < 0 ? 0 : place;
}

// ---- what has no place ------------------------------------------------------

static bool takes(const struct rnn *rnn, unsigned slot)
{
    switch (slot % RNN_DIFF) {
    case RNN_SRC_ITER_C:
    case RNN_WEIGHTS_PEEPHOLE:
    case RNN_WEIGHTS_PROJECTION:
    case RNN_DST_ITER_C:
        return rnn->cell == RNN_LSTM;
    case RNN_ATTENTION:
        return rnn->cell >= RNN_AUGRU;
    default:
        return slot < RNN_DIFF || rnn->propagation == RNN_BACKWARD;
    }
}

static bool is_tensor_left_over(const struct rnn *rnn, const char *name)
{
    char known[RNN_NAME_SIZE];
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++)
        if (!strcmp(rnn_name(slot, known), name))
            return !takes(rnn, slot) || (slot >= RNN_DIFF && !rnn->tensor[slot].present);
    return true;
}

bool rnn_is_left_over(const struct assay_request *request, const struct rnn *rnn, char *text,
                      size_t size)
{
    static const char *const scales[] = {"weights_scales", "projection_scales"};
    static const char *const masks[] = {"weights_scales_mask", "projection_scales_mask"};
    for (size_t i = 0; i < request->input_count; i++)
        if (is_tensor_left_over(rnn, request->inputs[i].name))
            return snprintf(text, size, "the primitive takes no %s", request->inputs[i].name) > 0;
    if (rnn->cell != RNN_VANILLA && assay_attribute_named(request, "activation"))
        return snprintf(text, size, "the primitive takes no activation") > 0;
    if (rnn->cell != RNN_VANILLA && (rnn->alpha < 0 || rnn->alpha > 0))
        return snprintf(text, size, "the primitive takes no alpha") > 0;
    if (rnn->cell != RNN_LSTM && assay_attribute_named(request, "dst_iter_c_type"))
        return snprintf(text, size, "the primitive gives no dst_iter_c, and it can have no type") >
               0;
    if (!assay_attribute_named(request, "data_scale") !=
        !assay_attribute_named(request, "data_shift"))
        return snprintf(text, size, "the call for data_scale and data_shift takes both") > 0;
    for (int i = 0; i < 2; i++)
        if (!assay_attribute_named(request, scales[i]) && assay_integer(request, masks[i], 0))
            return snprintf(text, size, "the call for %s takes %s with them", masks[i], scales[i]) >
                   0;
    return false;
}

// ---- reading ----------------------------------------------------------------

void rnn_read(const struct assay_request *request, enum rnn_strides strides, struct rnn *rnn)
{
    static const char *const cells[] = {"vanilla_rnn", "lstm",      "gru", "lbr_gru",
                                        "augru",       "lbr_augru", NULL};
    static const char *const directions[] = {"left2right", "right2left", "bidirectional_concat",
                                             "bidirectional_sum", NULL};
    static const char *const propagations[] = {"forward_inference", "forward_training", "backward",
                                               NULL};
    static const char *const activations[] = {"relu", "tanh", "logistic", NULL};
    *rnn = (struct rnn){
        .cell = (enum rnn_cell)choose(request, "cell", cells),
        .direction = (enum rnn_direction)choose(request, "direction", directions),
        .activation = assay_attribute_named(request, "activation")
                          ? (enum rnn_activation)choose(request, "activation", activations)
                          : RNN_NO_ACTIVATION,
        .propagation = (enum rnn_propagation)choose(request, "propagation", propagations),
        .alpha = (float)assay_real(request, "alpha", 0),
        .overwrite = assay_integer(request, "diff_weights_overwrite", 0)};
    for (unsigned slot = RNN_SRC_LAYER; slot <= RNN_BIAS; slot++) {
        const struct assay_tensor *const tensor = assay_input_named(request, slots[slot].name);
        if (tensor)
            set_slot(request, slot, strides, tensor->layout.ndim, tensor->layout.shape,
                     type_of(tensor->dtype), rnn);
    }
    set_outputs(request, strides, rnn);
}

bool rnn_outputs_fit(const struct assay_request *request, const struct rnn *rnn, char *name)
{
    for (unsigned slot = 0; slot < RNN_SLOTS; slot++) {
        const struct rnn_tensor *const tensor = &rnn->tensor[slot];
        const struct assay_tensor *const output = assay_output_named(request, rnn_name(slot, name));
        if (!tensor->present || !output)
            continue;
        bool fits = output->layout.ndim == tensor->rank && type_of(output->dtype) == tensor->type;
        for (int d = 0; fits && d < tensor->rank; d++)
            fits = output->layout.shape[d] == tensor->dims[d];
        if (!fits)
            return false;
    }
    return true;
}

size_t rnn_span(const struct rnn_tensor *tensor)
{
    int64_t last = 0;
    for (int d = 0; d < tensor->rank; d++) {
        if (!tensor->dims[d])
            return 0;
        last += (tensor->dims[d] - 1) * tensor->strides[d];
    }
    return (size_t)(last + 1) * element_bytes(tensor->type);
}

// The elements of dimension `d` and those within.
static void copy_from(const struct rnn_tensor *tensor, int d, char *to, const int64_t *to_strides,
                      const char *from, const int64_t *from_strides)
{
    const size_t size = element_bytes(tensor->type);
    if (d == tensor->rank) {
        memcpy(to, from, size);
        return;
    }
    if (d == tensor->rank - 1 && to_strides[d] == 1 && from_strides[d] == 1) {
        memcpy(to, from, (size_t)tensor->dims[d] * size);
        return;
    }
    for (int64_t i = 0; i < tensor->dims[d]; i++)
        copy_from(tensor, d + 1, to + (size_t)(i * to_strides[d]) * size, to_strides,
                  from + (size_t)(i * from_strides[d]) * size, from_strides);
}

void rnn_copy(const struct rnn_tensor *tensor, void *to, const int64_t *to_strides,
              const void *from, const int64_t *from_strides)
{
    struct rnn_tensor dense = {0};
    rnn_set_tensor(&dense, tensor->rank, tensor->dims, tensor->type, NULL);
    copy_from(tensor, 0, to, to_strides ? to_strides : dense.strides, from,
              from_strides ? from_strides : dense.strides);
}
