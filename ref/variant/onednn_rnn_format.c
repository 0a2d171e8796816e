// SPDX-License-Identifier: Apache-2.0
// Lenses of onednn.rnn on memory formats and views: a tensor that lies in memory as the request
// asks is taken to lie otherwise.

#include "ref/variant/onednn_rnn.h"

#include <string.h>

#include "ref/op/onednn/rnn_problem.h"

// A format taken for the usual one; data handed over as they are where the library has chosen
// another format; rows of views taken for neighbours.
enum misplacing { AS_USUAL, AS_GIVEN, AS_DENSE };

enum { PADDING = 3, GAP = 0xff, INPUT_KINDS = RNN_INITIAL_BIAS + 1 };

#define HOW_OF(name, how, which) {how, which},

// What an option does, to tensors of one format or of one part.
static const struct {
    enum misplacing how;
    int which;
} options[] = {RNN_MISPLACED(HOW_OF)};

// Elements from one index to the next along each dimension.
static void set_strides(const struct tensor *tensor, const uint8_t *order, bool view,
                        uint64_t *strides)
{
    uint64_t stride = 1;
    for (unsigned k = tensor->rank; k-- > 0;) {
        const uint64_t extent = tensor->shape[order[k]];
        strides[order[k]] = stride;
        stride *= extent + (!view ? 0 : k == tensor->rank - 1 ? PADDING : 1);
    }
}

static uint64_t place_of(const struct tensor *tensor, const uint64_t *strides, uint64_t element)
{
    uint64_t place = 0;
    for (unsigned d = tensor->rank; d-- > 0; element /= tensor->shape[d])
        place += element % tensor->shape[d] * strides[d];
    return place;
}

// Where the tensor lies, and where the option takes it to lie; false where that is the same.
static bool misplace(const struct request *request, bool output, unsigned index, unsigned option,
                     const struct tensor *tensor, uint64_t *lies, uint64_t *taken)
{
    const struct rnn_form *const form = rnn_form_of(output, index);
    const struct tensor_layout of = rnn_layout(request, output, index);
    const enum misplacing how = options[option - 1].how;
    const int which = how == AS_DENSE ? (int)form->part : form->format;
    const unsigned rank = tensor->rank;
    uint8_t usual[TENSOR_RANK_MAX];
    if (rank < 2 || rank != of.rank || which != options[option - 1].which)
        return false;
    for (unsigned d = 0; d < rank; d++)
        usual[d] = (uint8_t)d;
    if (how == AS_USUAL   ? !of.asked || !memcmp(of.order, usual, rank)
        : how == AS_GIVEN ? !rnn_is_of_any_format(request, form)
                          : !of.view)
        return false;
    set_strides(tensor, of.order, of.view, lies);
    if (how == AS_GIVEN) {
        usual[rank - 1] = (uint8_t)(rank - 2);
        usual[rank - 2] = (uint8_t)(rank - 1);
    }
    set_strides(tensor, how == AS_DENSE ? of.order : usual, how != AS_DENSE && of.view, taken);
    return true;
}

// Puts the elements at `to` and gives those at `from`; where none is there is no number.
static enum error replace(const struct lens_call *call, struct tensor *tensor, const uint64_t *to,
                          const uint64_t *from)
{
    const size_t size = dtype_size(tensor->dtype);
    uint64_t count, end = 0;
    if (!tensor->data || !tensor_count(tensor, &count) || !count)
        return ERROR_NONE;
    const uint64_t last_to = place_of(tensor, to, count - 1),
                   last_from = place_of(tensor, from, count - 1);
    end = (last_to > last_from ? last_to : last_from) + 1;
    char *const memory = arena_take_array(call->arena, (size_t)end, size);
    char *const data = arena_take_array(call->arena, (size_t)count, size);
    if (!memory || !data)
        return diagnostic_no_memory(call->diagnostic);
    memset(memory, GAP, (size_t)end * size);
    for (uint64_t i = 0; i < count; i++)
        memcpy(memory + place_of(tensor, to, i) * size, (const char *)tensor->data + i * size,
               size);
    for (uint64_t i = 0; i < count; i++)
        memcpy(data + i * size, memory + place_of(tensor, from, i) * size, size);
    tensor->data = data;
    return ERROR_NONE;
}

enum error rnn_lens_read_format(const struct lens_call *call, struct request *request)
{
    const struct request asked = *request;
    uint64_t lies[TENSOR_RANK_MAX], taken[TENSOR_RANK_MAX];
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < INPUT_KINDS && !error; i++)
        if (tensor_present(&request->input[i]) &&
            misplace(&asked, false, i, call->option, &request->input[i], lies, taken))
            error = replace(call, &request->input[i], lies, taken);
    return error;
}

enum error rnn_lens_write_format(const struct lens_call *call, const struct request *request,
                                 struct tensor *tensor)
{
    uint64_t lies[TENSOR_RANK_MAX], taken[TENSOR_RANK_MAX];
    enum error error = ERROR_NONE;
    for (unsigned o = 0; o < RNN_OUTPUTS && !error; o++) {
        struct tensor changed = tensor[o];
        size_t bytes;
        if (!tensor_present(&changed) || !tensor_bytes(&changed, &bytes) ||
            !misplace(request, true, o, call->option, &changed, lies, taken))
            continue;
        error = replace(call, &changed, taken, lies);
        if (!error && changed.data != tensor[o].data)
            memcpy(tensor[o].data, changed.data, bytes);
    }
    return error;
}

bool rnn_lens_concerns(const struct lens *lens, const struct request *request,
                       const struct inference *inference, unsigned option)
{
    uint64_t lies[TENSOR_RANK_MAX], taken[TENSOR_RANK_MAX];
    bool concerns = lens->result != rnn_lens_write_format;
    for (unsigned o = 0; o < RNN_OUTPUTS && !concerns; o++)
        concerns = tensor_present(&inference->output[o]) &&
                   misplace(request, true, o, option, &inference->output[o], lies, taken);
    return concerns;
}
