// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/export/onnx.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/num/small_float.h"
#include "ref/variant/variant.h"
#include "vectors/onnx.h"

static enum error make_folder(const char *path, bool fresh, struct diagnostic *diagnostic)
{
    if (!mkdir(path, 0777) || (errno == EEXIST && !fresh))
        return ERROR_NONE;
    if (errno == EEXIST)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s is there already; export to a new folder", path);
    return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot make the folder %.400s: %s", path,
                           strerror(errno));
}

// Into a folder that was just made, so that nothing is replaced.
static enum error write_file(const char *folder, const char *name, struct text *text,
                             struct diagnostic *diagnostic)
{
    char path[PATH_MAX];
    if (text->failed)
        return diagnostic_no_memory(diagnostic);
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the path %.400s is too long", folder);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool written = file >= 0 && file_give(file, text->size ? text->bytes : "", text->size);
    const int why = errno;
    if ((file >= 0 && close(file)) || !written)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot write %.400s: %s", path,
                               strerror(written ? errno : why));
    text_clear(text);
    return ERROR_NONE;
}

static enum error write_tensor(const char *folder, const char *kind, unsigned number,
                               const char *name, const struct tensor *tensor, struct text *text,
                               struct diagnostic *diagnostic)
{
    char file[64];
    snprintf(file, sizeof file, "test_data_set_0/%s_%u.pb", kind, number);
    onnx_put_tensor(text, name, tensor);
    return write_file(folder, file, text, diagnostic);
}

// Whether `name` is one of the `names` that are parted by commas, or these are "all".
static bool is_named(const char *names, const char *name)
{
    if (names && !strcmp(names, "all"))
        return true;
    for (const char *at = names; at && *at;) {
        const size_t length = strcspn(at, ",");
        if (strlen(name) == length && !strncmp(name, at, length))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

// Which inputs of the request are to be constants.
static uint32_t initializers_of(const struct onnx_export *export, const struct request *request)
{
    uint32_t chosen = 0;
    for (unsigned i = 0; i < request->operation->input_count; i++)
        if (tensor_present(&request->input[i]) &&
            is_named(export->initializers, request->operation->inputs[i].name))
            chosen |= UINT32_C(1) << i;
    return chosen;
}

// The farthest that an end lies from the value between, rounded up; infinite where that is no
// number.
static double farthest(const struct tensor *value, const struct tensor *end)
{
    const size_t size = dtype_size(value->dtype);
    double most = 0;
    uint64_t count = 0;
    tensor_count(value, &count);
    for (size_t i = 0; i < count; i++) {
        const uint64_t a = element_load(value->data, size, i), b = element_load(end->data, size, i);
        const double distance = fabs(num_to_double(value->dtype, a) - num_to_double(end->dtype, b));
        if (a != b && !(distance <= most))
            most = isfinite(distance) ? nextafter(distance, INFINITY) : INFINITY;
    }
    return most;
}

// What ONNX's runner reads in place of its own tolerance: one that accuses no answer inside the
// intervals, whose widest it is.
static enum error write_tolerance(const char *folder, double most, struct text *text,
                                  struct diagnostic *diagnostic)
{
    if (!isfinite(most))
        return ERROR_NONE;
    json_begin_object(text);
    json_put_real_at(text, "rtol", 0);
    json_put_real_at(text, "atol", most);
    json_end_object(text);
    text_put(text, "\n");
    text->comma = false;
    return write_file(folder, "data.json", text, diagnostic);
}

static enum error write_case(const char *folder, const struct request *request,
                             const struct evaluation *evaluation, uint32_t initializers,
                             struct diagnostic *diagnostic)
{
    const struct operation *const operation = request->operation;
    struct text text = {0};
    unsigned number = 0;
    double most = 0;
    onnx_put_model(&text, request, &evaluation->inference, initializers);
    enum error error = write_file(folder, "model.onnx", &text, diagnostic);
    for (unsigned i = 0; i < operation->input_count && !error; i++)
        if (tensor_present(&request->input[i]) && !(initializers >> i & 1))
            error = write_tensor(folder, "input", number++, operation->inputs[i].name,
                                 &request->input[i], &text, diagnostic);
    number = 0;
    for (unsigned i = 0; operation->outputs[i] && !error; i++) {
        const char *const name = operation->outputs[i];
        if (!onnx_gives(request, &evaluation->inference, i))
            continue;
        error =
            write_tensor(folder, "output", number, name, &evaluation->tensor[i], &text, diagnostic);
        const bool bound = tensor_present(&evaluation->lower[i]);
        if (!error && bound)
            error =
                write_tensor(folder, "low", number, name, &evaluation->lower[i], &text, diagnostic);
        if (!error && bound)
            error = write_tensor(folder, "high", number, name, &evaluation->upper[i], &text,
                                 diagnostic);
        if (bound) {
            most = fmax(most, farthest(&evaluation->tensor[i], &evaluation->lower[i]));
            most = fmax(most, farthest(&evaluation->tensor[i], &evaluation->upper[i]));
        }
        number++;
    }
    if (!error)
        error = write_tolerance(folder, most, &text, diagnostic);
    text_release(&text);
    return error;
}

static bool is_large(const struct onnx_export *export, const struct request *request,
                     const struct inference *inference)
{
    for (unsigned i = 0; request->operation->outputs[i]; i++) {
        uint64_t count = 0;
        if (onnx_gives(request, inference, i) &&
            (!tensor_count(&inference->output[i], &count) || count > export->limit))
            return true;
    }
    return false;
}

static enum error export_case(const struct suite *suite, const struct suite_case *of,
                              struct onnx_export *export, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct request request;
    struct evaluation evaluation;
    struct inference inference = {0};
    char folder[PATH_MAX], data[PATH_MAX + 24];
    snprintf(folder, sizeof folder, "%s/%s", export->to, suite->name);
    enum error error = suite_case_request(suite, of, &arena, &request, diagnostic);
    if (!error)
        error = variant_infer(&request, &inference, diagnostic);
    const bool large = !error && is_large(export, &request, &inference);
    if (!error && !large)
        error = variant_evaluate_with(&request, true, &arena, &evaluation, diagnostic);
    if (!error && !large)
        error = make_folder(folder, false, diagnostic);
    snprintf(folder, sizeof folder, "%s/%s/test_%s", export->to, suite->name, of->id);
    snprintf(data, sizeof data, "%s/test_data_set_0", folder);
    if (!error && !large)
        error = make_folder(folder, true, diagnostic);
    if (!error && !large)
        error = make_folder(data, false, diagnostic);
    if (!error && !large)
        error = write_case(folder, &request, &evaluation, initializers_of(export, &request),
                           diagnostic);
    export->large += !error && large;
    export->written += !error && !large;
    arena_release(&arena);
    return error;
}

enum error export_onnx_suite(const struct suite *suite, struct onnx_export *export,
                             struct diagnostic *diagnostic)
{
    enum error error = make_folder(export->to, false, diagnostic);
    for (size_t i = 0; i < suite->case_count && !error; i++) {
        const struct suite_case *const of = suite->sorted[i];
        if (!onnx_is_operator(of->operation) ||
            (export->pattern && fnmatch(export->pattern, of->id, 0) != 0))
            continue;
        if (!onnx_has_opset(of->operation))
            export->unversioned++;
        else if (!suite_case_is_answered(of))
            export->refused++;
        else if (!suite_case_has_values(of) || of->level == SUITE_LEVEL_DISTRIBUTION)
            export->valueless++;
        else
            error = export_case(suite, of, export, diagnostic);
    }
    return error;
}

// Whether an ONNX operator of the suite has an input of that name, of `length` bytes.
static bool suite_has_input(const struct suite *suite, const char *name, size_t length)
{
    for (size_t o = 0; o < suite->operation_count; o++)
        for (unsigned i = 0; i < suite->operation[o]->input_count; i++) {
            const char *const own = suite->operation[o]->inputs[i].name;
            if (onnx_is_operator(suite->operation[o]) && strlen(own) == length &&
                !strncmp(own, name, length))
                return true;
        }
    return false;
}

enum error export_onnx_check(const struct onnx_export *export, const struct suite *suites,
                             size_t count, struct diagnostic *diagnostic)
{
    const char *at = export->initializers;
    while (at && *at && strcmp(export->initializers, "all") != 0) {
        const size_t length = strcspn(at, ",");
        bool found = false;
        for (size_t s = 0; s < count && !found; s++)
            found = suite_has_input(&suites[s], at, length);
        if (!found)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "--initializers: no ONNX operator of these suites has an "
                                   "input '%.*s'",
                                   (int)(length < 80 ? length : 80), at);
        at += length + (at[length] == ',');
    }
    return ERROR_NONE;
}
