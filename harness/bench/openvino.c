// SPDX-License-Identifier: Apache-2.0
// OpenVINO's C API, from the wheel beside this program (build/venv) or at ASSAY_OPENVINO.

#define _GNU_SOURCE
#include "harness/bench/openvino.h"
#include "harness/targets/helper/openvino_types.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct ov_handle ov_handle;
struct ov_shape {
    int64_t rank;
    int64_t *dims;
};
struct ov_version {
    const char *build, *description;
};

struct bench_openvino {
    void *library;
    ov_handle *core, *model, *compiled, *request;
    int (*infer)(ov_handle *);
    char name[96];
};

struct type_name {
    const char *name, *precision;
    int code;
};

#define ROW(dtype, ir, precision, name, code) {ir, precision, code},
static const struct type_name types[] = {OPENVINO_TYPES(ROW)};
#undef ROW

static const struct type_name *type_named(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    abort();
}

static void *open_library(void)
{
    const char *const chosen = getenv("ASSAY_OPENVINO");
    char self[2048] = "", pattern[4096];
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !strrchr(self, '/'))
        return NULL;
    *strrchr(self, '/') = 0;
    snprintf(pattern, sizeof pattern,
             "%s/venv/lib/python3*/site-packages/openvino/libs/libopenvino_c.so.*", self);
    glob_t found;
    void *library = NULL;
    if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
        library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

// A function of the library; the caller's pointer has its type.
static int find(void *library, const char *name, void *function)
{
    void *const address = library ? dlsym(library, name) : NULL;
    memcpy(function, &address, sizeof address);
    return address ? 0 : -1;
}

static void put_ports(FILE *out, const struct bench_openvino_input *input, int id)
{
    fprintf(out, "<port id=\"%d\" precision=\"%s\">", id, type_named(input->type)->precision);
    if (input->rank)
        fprintf(out, "<dim>%lld</dim>", (long long)input->size[0]);
    fputs("</port>", out);
}

static void put_output(FILE *out, int id, const char *type, unsigned rank)
{
    fprintf(out, "<port id=\"%d\" precision=\"%s\">", id, type_named(type)->precision);
    for (unsigned i = 0; i < rank; i++)
        fputs("<dim>-1</dim>", out);
    fputs("</port>", out);
}

static char *write_model(const char *const node[3], const char *output, unsigned rank,
                         const struct bench_openvino_input *input, size_t *size)
{
    char *text = NULL;
    FILE *const out = open_memstream(&text, size);
    if (!out)
        return NULL;
    fputs("<?xml version=\"1.0\"?><net name=\"bench\" version=\"11\"><layers>", out);
    for (int i = 0; i < BENCH_OPENVINO_INPUTS; i++) {
        fprintf(out,
                "<layer id=\"%d\" name=\"in%d\" type=\"Parameter\" version=\"opset1\"><data "
                "element_type=\"%s\" shape=\"",
                i, i, input[i].type);
        if (input[i].rank)
            fprintf(out, "%lld", (long long)input[i].size[0]);
        fputs("\"/><output>", out);
        put_ports(out, &input[i], 0);
        fputs("</output></layer>", out);
    }
    fprintf(out, "<layer id=\"3\" name=\"node\" type=\"%s\" version=\"%s\">%s<input>", node[0],
            node[1], node[2]);
    for (int i = 0; i < BENCH_OPENVINO_INPUTS; i++)
        put_ports(out, &input[i], i);
    fputs("</input><output>", out);
    put_output(out, 3, output, rank);
    fputs("</output></layer><layer id=\"4\" name=\"result\" type=\"Result\" "
          "version=\"opset1\"><input>",
          out);
    put_output(out, 0, output, rank);
    fputs("</input></layer></layers><edges>", out);
    for (int i = 0; i < BENCH_OPENVINO_INPUTS; i++)
        fprintf(out, "<edge from-layer=\"%d\" from-port=\"0\" to-layer=\"3\" to-port=\"%d\"/>", i,
                i);
    fputs("<edge from-layer=\"3\" from-port=\"3\" to-layer=\"4\" to-port=\"0\"/></edges></net>",
          out);
    fclose(out);
    return text;
}

static bool compile(struct bench_openvino *model, const char *text, size_t size)
{
    int (*create)(ov_handle **),
        (*read)(const ov_handle *, const char *, size_t, const ov_handle *, ov_handle **);
    int (*compile_model)(const ov_handle *, const ov_handle *, const char *, size_t, ov_handle **,
                         ...);
    int (*new_request)(const ov_handle *, ov_handle **);
    return !find(model->library, "ov_core_create", &create) &&
           !find(model->library, "ov_core_read_model_from_memory_buffer", &read) &&
           !find(model->library, "ov_core_compile_model", &compile_model) &&
           !find(model->library, "ov_compiled_model_create_infer_request", &new_request) &&
           !find(model->library, "ov_infer_request_infer", &model->infer) &&
           !create(&model->core) && !read(model->core, text, size, NULL, &model->model) &&
           !compile_model(model->core, model->model, "CPU", 4, &model->compiled,
                          "INFERENCE_NUM_THREADS", "1", "INFERENCE_PRECISION_HINT", "f32") &&
           !new_request(model->compiled, &model->request);
}

static bool set_inputs(struct bench_openvino *model, const struct bench_openvino_input *input)
{
    int (*from_host)(int, struct ov_shape, void *, ov_handle **),
        (*set)(ov_handle *, size_t, const ov_handle *);
    void (*release)(ov_handle *);
    if (find(model->library, "ov_tensor_create_from_host_ptr", &from_host) ||
        find(model->library, "ov_infer_request_set_input_tensor_by_index", &set) ||
        find(model->library, "ov_tensor_free", &release))
        return false;
    for (size_t i = 0; i < BENCH_OPENVINO_INPUTS; i++) {
        int64_t dims = input[i].size[0];
        ov_handle *tensor = NULL;
        if (from_host(type_named(input[i].type)->code, (struct ov_shape){input[i].rank, &dims},
                      input[i].data, &tensor))
            return false;
        const int status = set(model->request, i, tensor);
        release(tensor);
        if (status)
            return false;
    }
    return true;
}

static void release(const struct bench_openvino *model, const char *function, ov_handle *handle)
{
    void (*free_handle)(ov_handle *);
    if (handle && !find(model->library, function, &free_handle))
        free_handle(handle);
}

static void close_model(struct bench_openvino *model)
{
    release(model, "ov_infer_request_free", model->request);
    release(model, "ov_compiled_model_free", model->compiled);
    release(model, "ov_model_free", model->model);
    release(model, "ov_core_free", model->core);
    free(model); // the library stays: its threads may still be ending
}

struct bench_openvino *bench_openvino_open(
    const char *const node[3], const char *output, unsigned rank,
    const struct bench_openvino_input input[BENCH_OPENVINO_INPUTS], char why[BENCH_WHY_SIZE])
{
    struct bench_openvino *const model = calloc(1, sizeof *model);
    int (*get_version)(struct ov_version *);
    const char *(*last_error)(void);
    if (!model || !(model->library = open_library()) ||
        find(model->library, "ov_get_openvino_version", &get_version) ||
        find(model->library, "ov_get_last_err_msg", &last_error)) {
        snprintf(why, BENCH_WHY_SIZE, "OpenVINO is not installed (scripts/setup does it)");
        free(model);
        return NULL;
    }
    struct ov_version version = {"", ""};
    get_version(&version);
    snprintf(model->name, sizeof model->name, "OpenVINO %.*s", (int)strcspn(version.build, "-"),
             version.build);
    size_t size = 0;
    char *const text = write_model(node, output, rank, input, &size);
    const bool ready = text && compile(model, text, size) && set_inputs(model, input) &&
                       !model->infer(model->request);
    free(text);
    if (ready)
        return model;
    snprintf(why, BENCH_WHY_SIZE, "OpenVINO refuses: %.200s", last_error());
    close_model(model);
    return NULL;
}

static void infer(struct bench_openvino *model)
{
    if (model->infer(model->request))
        abort();
}

const char *bench_openvino_name(const struct bench_openvino *model)
{
    return model->name;
}

struct bench_openvino_state *bench_openvino_take(size_t elements, char why[BENCH_WHY_SIZE])
{
    struct bench_openvino_state *const state = calloc(1, sizeof *state);
    if (!state || !(state->data = bench_take_output(4 * elements, why))) {
        free(state);
        return NULL;
    }
    state->bytes = 4 * elements;
    state->size = (int64_t)elements;
    return state;
}

void bench_openvino_stop(struct bench_pair *pair)
{
    struct bench_openvino_state *const state = pair->state;
    if (state->peer)
        close_model(state->peer);
    free(state->data);
    free(state);
}

void bench_openvino_ours(void *context)
{
    struct bench_openvino_state *const state = context;
    struct diagnostic diagnostic;
    struct inference inference = {0};
    const struct operation *const operation = state->request.operation;
    if (operation->infer(&state->request, &inference, &diagnostic) ||
        operation->fill(&state->request, &inference,
                        &(struct slice){.count = inference.output[0].shape[0], .data = state->data},
                        &diagnostic))
        abort();
    bench_use(state->data);
}

void bench_openvino_theirs(void *context)
{
    infer(((struct bench_openvino_state *)context)->peer);
}
