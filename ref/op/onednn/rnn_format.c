// SPDX-License-Identifier: Apache-2.0
// Memory formats and views, clause "data representation": which order of its dimensions a request
// asks for in the memory of each tensor. No value depends on it.
//
// A dimension is a letter of oneDNN's format tags: t time, n batch, c channels, l layers, d
// directions, i inputs, g gates, o outputs.

#include <string.h>

#include "ref/op/onednn/rnn_problem.h"

#define LAYER(which) "tnc", RNN_PART_DATA, RNN_##which##_LAYER_FORMAT
#define STATE "ldnc", RNN_PART_STATES, RNN_ITER_FORMAT
#define WEIGHT(which) "ldigo", RNN_PART_WEIGHTS, RNN_WEIGHTS_##which##_FORMAT
#define PROJECTED "ldio", RNN_PART_WEIGHTS, RNN_PROJECTION_FORMAT
#define PARAMETER "ldgo", RNN_PART_PARAMETERS, RNN_FORMAT_FIXED
#define ATTENTIVE "tnc", RNN_PART_ATTENTION, RNN_FORMAT_FIXED

#define INPUT(index, text, absent, ...) {__VA_ARGS__},
#define OUTPUT(index, text, ...) {__VA_ARGS__},
static const struct rnn_form inputs[] = {RNN_INPUT_ROWS(INPUT)};
static const struct rnn_form outputs[] = {RNN_OUTPUT_ROWS(OUTPUT)};

const struct rnn_form *rnn_form_of(bool output, unsigned index)
{
    return output ? &outputs[index] : &inputs[index];
}

// The word of the tensor's format, NULL where the request names none.
static const char *format_of(const struct request *request, const struct rnn_form *form)
{
    return form->format == RNN_FORMAT_FIXED || !request->attribute[form->format].present
               ? NULL
               : request_word(request, (unsigned)form->format);
}

static bool is_view(const struct request *request, const struct rnn_form *form)
{
    const struct attribute_value *const views = &request->attribute[RNN_VIEWS];
    return views->present &&
           (views->integer == RNN_PART_ALL || views->integer == (int64_t)form->part);
}

bool rnn_is_of_any_format(const struct request *request, const struct rnn_form *form)
{
    const char *const format = format_of(request, form);
    return format && !strcmp(format, "any");
}

struct tensor_layout rnn_layout(const struct request *request, bool output, unsigned index)
{
    const struct rnn_form *const form = rnn_form_of(output, index);
    const bool any = rnn_is_of_any_format(request, form);
    const char *const asked = any ? NULL : format_of(request, form);
    struct tensor_layout layout = {.view = !any && is_view(request, form)};
    const char *const order = asked ? asked : form->letters;
    layout.asked = asked || layout.view;
    for (; order[layout.rank]; layout.rank++)
        layout.order[layout.rank] =
            (uint8_t)(strchr(form->letters, order[layout.rank]) - form->letters);
    return layout;
}

// Whether the request has an output of that form.
static bool gives(const struct rnn_problem *p, enum rnn_part part)
{
    return part == RNN_PART_ALL || part == RNN_PART_DATA ||
           (part == RNN_PART_STATES && !p->backward);
}

enum error rnn_check_formats(const struct rnn_problem *p, struct diagnostic *diagnostic)
{
    const struct request *const request = p->request;
    const struct attribute_value *const views = &request->attribute[RNN_VIEWS];
    bool any = false, seen = !views->present || gives(p, (enum rnn_part)views->integer);
    if (request->attribute[RNN_PROJECTION_FORMAT].present && !p->projection)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "projection_format is of weights_projection, which is absent");
    for (unsigned i = 0; i < OPERATION_ROWS(inputs); i++) {
        const bool view = is_view(request, &inputs[i]);
        seen = seen || (view && rnn_has(p, (enum rnn_input)i));
        any = any || (view && rnn_is_of_any_format(request, &inputs[i]));
    }
    if (any)
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                               "views of tensors in a format that the library chooses");
    return seen ? ERROR_NONE
                : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                  "views of tensors that the request does not have");
}
