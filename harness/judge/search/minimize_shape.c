// SPDX-License-Identifier: Apache-2.0
// Cuts of what is large: runs, window, outputs, inputs that may be absent, and the sizes of inputs.
//
// Sizes that belong together are cut together. For the RNN the axes have letters (time, batch,
// layers, directions, channels of each kind), and channels that happen to be equal may have to stay
// so. Elsewhere every axis is cut alone, and all axes of one size at once. What does not fit is
// refused by the operation itself.

#include <string.h>

#include "harness/judge/search/minimize.h"

// ---- frame ------------------------------------------------------------------

static bool try_runs(struct minimizer *minimizer, uint32_t runs)
{
    struct specimen candidate;
    if (!runs || runs >= minimizer_request(minimizer)->runs ||
        !minimizer_copy(minimizer, &candidate))
        return false;
    candidate.request.runs = runs;
    return minimizer_offer(minimizer, &candidate);
}

static bool try_window(struct minimizer *minimizer, bool windowed, uint64_t first, uint64_t count)
{
    struct specimen candidate;
    if (!minimizer_request(minimizer)->windowed || !minimizer_copy(minimizer, &candidate))
        return false;
    candidate.request.windowed = windowed;
    candidate.request.window_first = windowed ? first : 0;
    candidate.request.window_count = windowed ? count : 0;
    return minimizer_offer(minimizer, &candidate);
}

static bool try_absent(struct minimizer *minimizer, unsigned input)
{
    struct specimen candidate;
    if (!minimizer_copy(minimizer, &candidate))
        return false;
    candidate.request.input[input] = (struct tensor){.dtype = DTYPE_NONE};
    return minimizer_offer(minimizer, &candidate);
}

bool minimize_frame(struct minimizer *minimizer)
{
    const struct operation *const operation = minimizer_request(minimizer)->operation;
    bool cut = false;
    for (unsigned i = 0; i < operation->input_count; i++)
        if (operation->inputs[i].optional &&
            tensor_present(&minimizer_request(minimizer)->input[i]))
            cut = try_absent(minimizer, i) || cut;
    cut = try_runs(minimizer, 1) || cut;
    while (try_runs(minimizer, minimizer_request(minimizer)->runs - 1))
        cut = true;
    cut = try_window(minimizer, false, 0, 0) || cut;
    cut = try_window(minimizer, true, 0, minimizer_request(minimizer)->window_count) || cut;
    cut = try_window(minimizer, true, minimizer_request(minimizer)->window_first, 1) || cut;
    for (bool again = true; again; cut = cut || again) {
        const struct request *const request = minimizer_request(minimizer);
        const uint64_t half = request->window_count / 2;
        again = half && (try_window(minimizer, true, request->window_first, half) ||
                         try_window(minimizer, true,
                                    minimizer_request(minimizer)->window_first + half, half));
    }
    return cut;
}

// ---- axes -------------------------------------------------------------------

enum { AXES_MAX = OPERATION_INPUTS_MAX * TENSOR_RANK_MAX, LETTERS = 128 };

// Letters of the axes of the RNN's inputs: time, N rows, layers, directions, S channels of
// src_layer, I of src_iter, H hidden, C of the output, O of dst_layer (C, or twice that where
// directions are concatenated). Small letters are fixed.
static const struct {
    const char *input, *axes;
} rnn_axes[] = {
    {"src_layer", "TNS"},
    {"src_iter", "LDNI"},
    {"src_iter_c", "LDNH"},
    {"attention", "TNa"},
    {"weights_layer", "LDSgH"},
    {"weights_iter", "LDIgH"},
    {"weights_peephole", "LDpH"},
    {"weights_projection", "LDHC"},
    {"bias", "LDbH"},
    {"diff_dst_layer", "TNO"},
    {"diff_dst_iter", "LDNC"},
    {"diff_dst_iter_c", "LDNH"},
    {"diff_weights_layer", "LDSgH"},
    {"diff_weights_iter", "LDIgH"},
    {"diff_weights_peephole", "LDpH"},
    {"diff_weights_projection", "LDHC"},
    {"diff_bias", "LDbH"},
};

static bool is_rnn(const struct request *request)
{
    return !strcmp(request->operation->name, "onednn.rnn");
}

static const char *rnn_letters(const struct request *request, unsigned input)
{
    for (size_t i = 0; i < sizeof rnn_axes / sizeof *rnn_axes; i++)
        if (!strcmp(rnn_axes[i].input, request->operation->inputs[input].name))
            return rnn_axes[i].axes;
    return "";
}

// Keeps `count` of the indices of one axis, from `first` on.
static bool slice(struct specimen *specimen, unsigned input, unsigned axis, uint64_t first,
                  uint64_t count)
{
    struct tensor *const tensor = &specimen->request.input[input];
    struct tensor to = *tensor;
    const size_t size = dtype_size(tensor->dtype);
    uint64_t elements = 0, inner = 1, outer = 1;
    to.shape[axis] = count;
    for (unsigned d = 0; d < tensor->rank; d++) {
        outer *= d < axis ? tensor->shape[d] : 1;
        inner *= d > axis ? tensor->shape[d] : 1;
    }
    if (!tensor_count(&to, &elements))
        return false;
    to.data = arena_take_array(&specimen->arena, (size_t)elements, size);
    if (!to.data)
        return false;
    for (uint64_t o = 0; o < outer; o++)
        memcpy((char *)to.data + o * count * inner * size,
               (const char *)tensor->data + (o * tensor->shape[axis] + first) * inner * size,
               (size_t)(count * inner) * size);
    *tensor = to;
    return true;
}

// A set of axes, by input and axis.
struct axes {
    bool in[OPERATION_INPUTS_MAX][TENSOR_RANK_MAX];
};

// Cuts every axis of the set from `size` to `count`; one that is a multiple of `size` in
// proportion.
static bool try_cut(struct minimizer *minimizer, const struct axes *axes, uint64_t size,
                    uint64_t count, bool back)
{
    struct specimen candidate;
    bool done = true;
    if (!minimizer_copy(minimizer, &candidate))
        return false;
    for (unsigned i = 0; i < OPERATION_INPUTS_MAX; i++)
        for (unsigned d = 0; d < candidate.request.input[i].rank && done; d++)
            if (axes->in[i][d]) {
                const uint64_t old = candidate.request.input[i].shape[d], new = old / size *count;
                done = slice(&candidate, i, d, back ? old - new : 0, new);
            }
    if (done)
        return minimizer_offer(minimizer, &candidate);
    specimen_release(&candidate);
    return false;
}

// Tries 1, a half, and one less, of the first and of the last, as long as a cut is kept.
static bool cut_axes(struct minimizer *minimizer, const struct axes *axes, uint64_t size)
{
    bool any = false;
    for (bool cut = true; cut && size > 1; any = any || cut) {
        const uint64_t counts[] = {1, size / 2, size - 1};
        cut = false;
        for (int i = 0; i < 6 && !cut; i++) {
            const uint64_t count = counts[i / 2];
            if (count < 1 || (i > 1 && count == 1))
                continue;
            cut = try_cut(minimizer, axes, size, count, i & 1);
            if (cut)
                size = count;
        }
    }
    return any;
}

// The axes whose letter is in `letters`, and their size; false when they differ in it. O goes with
// C where weights_projection is present or C is an axis, else with H.
static bool find_letters(const struct request *request, const char *letters, struct axes *axes,
                         uint64_t *size)
{
    const int projection = operation_input(request->operation, "weights_projection");
    const bool projected = projection >= 0 && tensor_present(&request->input[projection]);
    memset(axes, 0, sizeof *axes);
    *size = 0;
    for (unsigned i = 0; i < request->operation->input_count; i++) {
        const char *const names = rnn_letters(request, i);
        for (unsigned d = 0; d < request->input[i].rank && names[d]; d++) {
            const char name =
                names[d] == 'C' || names[d] == 'O' ? (projected ? 'C' : 'H') : names[d];
            if (!strchr(letters, name))
                continue;
            axes->in[i][d] = true;
            if (names[d] == 'O')
                continue;
            if (*size && *size != request->input[i].shape[d])
                return false;
            *size = request->input[i].shape[d];
        }
    }
    return *size > 1;
}

// One direction instead of two: the first or the second.
static bool cut_directions(struct minimizer *minimizer)
{
    const struct request *const request = minimizer_request(minimizer);
    const int direction = operation_attribute(request->operation, "direction");
    struct axes axes, output;
    uint64_t size = 0;
    memset(&output, 0, sizeof output);
    if (direction < 0 || !find_letters(request, "D", &axes, &size))
        return false;
    const bool concatenated =
        !strcmp(request_word(request, (unsigned)direction), "bidirectional_concat");
    for (int back = 0; back < 2; back++) {
        struct specimen candidate;
        if (!minimizer_copy(minimizer, &candidate))
            return false;
        bool done = true;
        for (unsigned i = 0; i < candidate.request.operation->input_count; i++) {
            const char *const names = rnn_letters(&candidate.request, i);
            for (unsigned d = 0; d < candidate.request.input[i].rank && names[d] && done; d++) {
                const uint64_t half = candidate.request.input[i].shape[d] / 2;
                if (names[d] == 'D' || (names[d] == 'O' && concatenated))
                    done = slice(&candidate, i, d, back ? half : 0, half);
            }
        }
        for (int64_t word = 0; candidate.request.operation->attributes[direction].words[word];
             word++)
            if (!strcmp(candidate.request.operation->attributes[direction].words[word],
                        back ? "right2left" : "left2right"))
                candidate.request.attribute[direction].integer = word;
        if (!done)
            specimen_release(&candidate);
        else if (minimizer_offer(minimizer, &candidate))
            return true;
    }
    return false;
}

static bool cut_rnn(struct minimizer *minimizer)
{
    static const char *const sets[] = {"T",  "N",  "L",   "SIHC", "SIH", "IHC", "IH", "SI", "SH",
                                       "HC", "IC", "SIC", "SHC",  "S",   "H",   "I",  "C"};
    bool cut = cut_directions(minimizer);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        struct axes axes;
        uint64_t size = 0;
        if (find_letters(minimizer_request(minimizer), sets[i], &axes, &size))
            cut = cut_axes(minimizer, &axes, size) || cut;
    }
    return cut;
}

// All axes of the size that input `input` has in axis `axis`.
static bool cut_equal(struct minimizer *minimizer, unsigned input, unsigned axis)
{
    const struct request *const request = minimizer_request(minimizer);
    const uint64_t size = request->input[input].shape[axis];
    struct axes axes;
    memset(&axes, 0, sizeof axes);
    for (unsigned i = 0; i < request->operation->input_count; i++)
        for (unsigned d = 0; d < request->input[i].rank; d++)
            axes.in[i][d] = request->input[i].shape[d] == size;
    return cut_axes(minimizer, &axes, size);
}

bool minimize_axes(struct minimizer *minimizer)
{
    bool cut = false;
    if (is_rnn(minimizer_request(minimizer)))
        return cut_rnn(minimizer);
    for (unsigned i = 0; i < minimizer_request(minimizer)->operation->input_count; i++)
        for (unsigned d = 0; d < minimizer_request(minimizer)->input[i].rank; d++) {
            struct axes axes;
            if (!tensor_present(&minimizer_request(minimizer)->input[i]))
                continue;
            cut = cut_equal(minimizer, i, d) || cut;
            memset(&axes, 0, sizeof axes);
            axes.in[i][d] = true;
            cut =
                cut_axes(minimizer, &axes, minimizer_request(minimizer)->input[i].shape[d]) || cut;
        }
    return cut;
}
