// SPDX-License-Identifier: Apache-2.0
// OpenBLAS: MatMul and Gemm of f32 and f64 through cblas_sgemm and cblas_dgemm, a stack of matrices
// one by one. Its sbgemm gives f32 for bf16, which is no operator of ONNX.

#define _GNU_SOURCE
#include <stdlib.h>

#include "harness/targets/helper/library.h"
#include "harness/targets/helper/request.h"

enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112, RANK_MAX = 8, VERSION_SIZE = 64 };

struct calls {
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                  float, float *, int);
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int);
    void (*set_threads)(int);
    int (*threads)(void);
    const char *(*config)(void);
};

static const struct assay_symbol symbols[] = {
    {"cblas_sgemm", offsetof(struct calls, sgemm)},
    {"cblas_dgemm", offsetof(struct calls, dgemm)},
    {"openblas_set_num_threads", offsetof(struct calls, set_threads)},
    {"openblas_get_num_threads", offsetof(struct calls, threads)},
    {"openblas_get_config", offsetof(struct calls, config)},
};

struct assay_session {
    struct calls calls;
    char version[VERSION_SIZE];
};

// The operands of one request: rows, depth and columns of each product, and the axes before them.
struct product {
    int rows, depth, columns;
    bool turned[2]; // the operand is stored the other way round
    int stack;      // axes before the matrices
    int64_t size[RANK_MAX], step[2][RANK_MAX];
};

struct assay_instance {
    struct assay_session *session;
    struct product product;
};

static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    void *const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return assay_answer(message, ASSAY_FAILED,
                            "OpenBLAS is not installed: scripts/setup does it (%s)", dlerror());
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    const char *const missing =
        assay_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, &session->calls);
    if (missing) {
        free(session);
        return assay_answer(message, ASSAY_FAILED, "this OpenBLAS has no %s", missing);
    }
    // "OpenBLAS 0.3.21 ..."
    if (sscanf(session->calls.config(), "OpenBLAS %63s", session->version) != 1)
        snprintf(session->version, sizeof session->version, "unknown");
    *result = session;
    return ASSAY_OK;
}

static const char *version(struct assay_session *session)
{
    return session->version;
}

// The library stays: its threads may still be ending.
static void close_session(struct assay_session *session)
{
    free(session);
}

// ---- requests ---------------------------------------------------------------

static int64_t size_from_end(const struct assay_tensor *tensor, int place)
{
    const int at = tensor->layout.ndim - place;
    return at >= 0 ? tensor->layout.shape[at] : 1;
}

// The axes before the matrices, the last one first, each of one size or broadcast.
static bool read_stack(const struct assay_tensor *const *operand, struct product *to)
{
    int64_t step[2] = {(int64_t)to->rows * to->depth, (int64_t)to->depth * to->columns};
    for (int side = 0; side < 2; side++)
        if (operand[side]->layout.ndim - 2 > to->stack)
            to->stack = operand[side]->layout.ndim - 2;
    if (to->stack > RANK_MAX)
        return false;
    for (int i = 0; i < to->stack; i++) {
        const int64_t size[2] = {size_from_end(operand[0], 3 + i),
                                 size_from_end(operand[1], 3 + i)};
        if (size[0] != size[1] && size[0] != 1 && size[1] != 1)
            return false;
        to->size[i] = size[0] == 1 ? size[1] : size[0];
        for (int side = 0; side < 2; side++) {
            to->step[side][i] = size[side] == 1 ? 0 : step[side];
            step[side] *= size[side];
        }
    }
    return true;
}

// Whether the two matrices, and C, fit together: the library gets sizes, not shapes.
static enum assay_status read_product(const struct assay_request *request, struct product *to,
                                      struct assay_message *message)
{
    const struct assay_tensor *const operand[2] = {assay_input_named(request, "A"),
                                                   assay_input_named(request, "B")};
    const bool gemm = !strcmp(request->operation, "onnx.gemm");
    memset(to, 0, sizeof *to);
    if (!gemm && strcmp(request->operation, "onnx.mat_mul") != 0)
        return assay_answer(message, ASSAY_UNSUPPORTED, "only onnx.mat_mul and onnx.gemm");
    if (!operand[0] || !operand[1] || operand[0]->layout.ndim < 2 || operand[1]->layout.ndim < 2)
        return assay_answer(message, ASSAY_UNSUPPORTED, "gemm multiplies matrices");
    if ((operand[0]->dtype != ASSAY_F32 && operand[0]->dtype != ASSAY_F64) ||
        operand[0]->dtype != operand[1]->dtype)
        return assay_answer(message, ASSAY_UNSUPPORTED, "sgemm and dgemm take f32 or f64");
    to->turned[0] = gemm && assay_integer(request, "transA", 0) != 0;
    to->turned[1] = gemm && assay_integer(request, "transB", 0) != 0;
    to->rows = (int)size_from_end(operand[0], to->turned[0] ? 1 : 2);
    to->depth = (int)size_from_end(operand[0], to->turned[0] ? 2 : 1);
    to->columns = (int)size_from_end(operand[1], to->turned[1] ? 2 : 1);
    if (to->depth != size_from_end(operand[1], to->turned[1] ? 1 : 2) || !read_stack(operand, to))
        return assay_answer(message, ASSAY_UNSUPPORTED,
                            "gemm takes one depth for both, so that it cannot refuse two");
    const struct assay_tensor *const c = assay_input_named(request, "C");
    if (gemm && !c && assay_integer(request, "opset", 11) < 11)
        return assay_answer(message, ASSAY_UNSUPPORTED, "gemm knows no versions of ONNX");
    if (c && ((size_from_end(c, 1) != 1 && size_from_end(c, 1) != to->columns) ||
              (size_from_end(c, 2) != 1 && size_from_end(c, 2) != to->rows) || c->layout.ndim > 2))
        return assay_answer(message, ASSAY_UNSUPPORTED, "gemm takes a C of the result's size");
    return ASSAY_OK;
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    struct product product;
    (void)session;
    return read_product(request, &product, message);
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    struct product product;
    const enum assay_status status = read_product(request, &product, message);
    if (status != ASSAY_OK)
        return status;
    struct assay_instance *const i = calloc(1, sizeof *i);
    if (!i)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    *i = (struct assay_instance){session, product};
    *instance = i;
    return ASSAY_OK;
}

// C, broadcast, to where the result goes.
static void copy_c(const struct assay_tensor *c, const struct product *product, char *to,
                   size_t size)
{
    const bool one_row = size_from_end(c, 2) == 1, one_column = size_from_end(c, 1) == 1;
    const int64_t width = size_from_end(c, 1);
    for (int64_t row = 0; row < product->rows; row++)
        for (int64_t column = 0; column < product->columns; column++)
            memcpy(to + (size_t)(row * product->columns + column) * size,
                   (const char *)c->layout.data +
                       (size_t)((one_row ? 0 : row * width) + (one_column ? 0 : column)) * size,
                   size);
}

static void multiply(const struct assay_instance *i, const struct assay_request *request,
                     double alpha, double beta, int64_t a, int64_t b, int64_t y)
{
    const struct product *const p = &i->product;
    const struct calls *const calls = &i->session->calls;
    const int left = p->turned[0] ? p->rows : p->depth,
              right = p->turned[1] ? p->depth : p->columns;
    const int wide[3] = {left > 0 ? left : 1, right > 0 ? right : 1,
                         p->columns > 0 ? p->columns : 1};
    const int turn[2] = {p->turned[0] ? TRANSPOSED : PLAIN, p->turned[1] ? TRANSPOSED : PLAIN};
    const struct assay_tensor *const first = assay_input_named(request, "A");
    const void *const of[2] = {first->layout.data, assay_input_named(request, "B")->layout.data};
    void *const to = request->outputs[0].layout.data;
    if (first->dtype == ASSAY_F32)
        calls->sgemm(ROW_MAJOR, turn[0], turn[1], p->rows, p->columns, p->depth, (float)alpha,
                     (const float *)of[0] + a, wide[0], (const float *)of[1] + b, wide[1],
                     (float)beta, (float *)to + y, wide[2]);
    else
        calls->dgemm(ROW_MAJOR, turn[0], turn[1], p->rows, p->columns, p->depth, alpha,
                     (const double *)of[0] + a, wide[0], (const double *)of[1] + b, wide[1], beta,
                     (double *)to + y, wide[2]);
}

static enum assay_status run(struct assay_instance *i, const struct assay_request *request,
                             struct assay_message *message)
{
    const struct product *const p = &i->product;
    const struct assay_tensor *const c = assay_input_named(request, "C");
    const double alpha = assay_real(request, "alpha", 1),
                 beta = c ? assay_real(request, "beta", 1) : 0;
    int64_t at[RANK_MAX] = {0}, place[2] = {0}, y = 0;
    (void)message;
    const int before = i->session->calls.threads();
    if (request->threads)
        i->session->calls.set_threads((int)request->threads);
    if (c)
        copy_c(c, p, request->outputs[0].layout.data, request->outputs[0].layout.dtype.bits / 8u);
    bool more = true;
    for (int axis = 0; axis < p->stack; axis++)
        more = more && p->size[axis] > 0;
    while (more) {
        multiply(i, request, alpha, beta, place[0], place[1], y);
        y += (int64_t)p->rows * p->columns;
        more = false;
        for (int axis = 0; axis < p->stack && !more; axis++) {
            more = ++at[axis] < p->size[axis];
            for (int side = 0; side < 2; side++)
                place[side] += (more ? 1 : 1 - p->size[axis]) * p->step[side][axis];
            at[axis] = more ? at[axis] : 0;
        }
    }
    if (request->threads)
        i->session->calls.set_threads(before);
    return ASSAY_OK;
}

static void release(struct assay_instance *instance)
{
    free(instance);
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const char *const feeds[] = {"call"};
    static const struct assay_plugin plugin = {
        .abi_version = ASSAY_PLUGIN_ABI_VERSION,
        .size = sizeof plugin,
        .name = "openblas",
        .capabilities = ASSAY_CAPABILITY_THREADS,
        .feed_count = 1,
        .feeds = feeds,
        .open = open_session,
        .version = version,
        .supports = supports,
        .prepare = prepare,
        .run = run,
        .release = release,
        .close = close_session,
    };
    return &plugin;
}
