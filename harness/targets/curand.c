// SPDX-License-Identifier: Apache-2.0
// cuRAND's host API (curand.h), PHILOX4_32_10: generators that compute on the processor, which need
// no device, or with ASSAY_CURAND_DEVICE=1 those of a CUDA device.
//
// The library comes with the PyPI wheel nvidia-curand or with CUDA, and is opened by path
// (ASSAY_CURAND, else the virtual environment of the build, else by its name), so that nothing of
// it is needed for building. Memory of a device is that of CUDA's runtime (ASSAY_CUDART, else by
// its name).

#define _GNU_SOURCE
#include <glob.h>
#include <stddef.h>
#include <stdlib.h>

#include "harness/targets/helper/library.h"
#include "harness/targets/helper/request.h"
#include "harness/targets/helper/stateless.h"

enum { PHILOX4_32_10 = 161, NOT_MULTIPLE = 105, OUT_OF_RANGE = 104 };
enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, MULTIPROCESSORS = 16 };
enum { TO_HOST = 2 };
enum { COUNT_MAX = 1 << 26 };

typedef struct curand_generator *generator;

// X(our name, after curand, arguments)
#define CURAND_CALLS(X)                                                                            \
    X(version, GetVersion, (int *))                                                                \
    X(create_here, CreateGeneratorHost, (generator *, int))                                        \
    X(create_there, CreateGenerator, (generator *, int))                                           \
    X(destroy, DestroyGenerator, (generator))                                                      \
    X(seed, SetPseudoRandomGeneratorSeed, (generator, unsigned long long))                         \
    X(offset, SetGeneratorOffset, (generator, unsigned long long))                                 \
    X(ordering, SetGeneratorOrdering, (generator, int))                                            \
    X(bits, Generate, (generator, void *, size_t))                                                 \
    X(uniform, GenerateUniform, (generator, void *, size_t))                                       \
    X(uniform_double, GenerateUniformDouble, (generator, void *, size_t))                          \
    X(normal, GenerateNormal, (generator, void *, size_t, float, float))                           \
    X(normal_double, GenerateNormalDouble, (generator, void *, size_t, double, double))

// X(our name, after cuda, arguments)
#define CUDART_CALLS(X)                                                                            \
    X(allocate, Malloc, (void **, size_t))                                                         \
    X(release, Free, (void *))                                                                     \
    X(copy, Memcpy, (void *, const void *, size_t, int))                                           \
    X(attribute, DeviceGetAttribute, (int *, int, int))                                            \
    X(driver, DriverGetVersion, (int *))

#define MEMBER(name, symbol, arguments) int(*name) arguments;
#define CURAND_SYMBOL(name, symbol, arguments) {"curand" #symbol, offsetof(struct curand, name)},
#define CUDART_SYMBOL(name, symbol, arguments) {"cuda" #symbol, offsetof(struct cudart, name)},

struct curand {
    CURAND_CALLS(MEMBER)
};
struct cudart {
    CUDART_CALLS(MEMBER)
};

struct assay_session {
    struct curand curand;
    struct cudart cudart;
    bool there; // on a device
    char version[160];
};
struct assay_instance {
    struct assay_session *session;
};

// ---- the library ------------------------------------------------------------

static void *open_curand(void)
{
    char folder[3500], pattern[4096];
    glob_t found;
    void *library = NULL;
    const char *const chosen = getenv("ASSAY_CURAND");
    if (chosen)
        return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    if (assay_wheels_folder(folder, sizeof folder)) {
        snprintf(pattern, sizeof pattern,
                 "%s/lib/python3*/site-packages/nvidia/*/lib/libcurand.so.10", folder);
        if (!glob(pattern, 0, NULL, &found) && found.gl_pathc)
            library = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
        globfree(&found);
    }
    return library ? library : dlopen("libcurand.so.10", RTLD_NOW | RTLD_LOCAL);
}

static void *open_cudart(void)
{
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so"};
    const char *const chosen = getenv("ASSAY_CUDART");
    void *library = chosen ? dlopen(chosen, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !chosen && !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static enum assay_status open_device(struct assay_session *session, struct assay_message *message)
{
    static const struct assay_symbol symbols[] = {CUDART_CALLS(CUDART_SYMBOL)};
    void *const library = open_cudart();
    if (!library)
        return assay_answer(message, ASSAY_FAILED,
                            "CUDA's runtime is not installed: set ASSAY_CUDART to libcudart");
    const char *const missing =
        assay_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, &session->cudart);
    if (missing)
        return assay_answer(message, ASSAY_FAILED, "this CUDA runtime has no %s", missing);
    int major = 0, minor = 0, multiprocessors = 0, driver = 0;
    const int error = session->cudart.attribute(&multiprocessors, MULTIPROCESSORS, 0);
    if (error)
        return assay_answer(message, ASSAY_FAILED, "no CUDA device: error %d", error);
    session->cudart.attribute(&major, CAPABILITY_MAJOR, 0);
    session->cudart.attribute(&minor, CAPABILITY_MINOR, 0);
    session->cudart.driver(&driver);
    const size_t length = strlen(session->version);
    snprintf(session->version + length, sizeof session->version - length,
             ", device of compute capability %d.%d with %d multiprocessors, driver for CUDA %d.%d",
             major, minor, multiprocessors, driver / 1000, driver % 1000 / 10);
    return ASSAY_OK;
}

static enum assay_status open_session(struct assay_session **result, struct assay_message *message)
{
    static const struct assay_symbol symbols[] = {CURAND_CALLS(CURAND_SYMBOL)};
    void *const library = open_curand();
    if (!library)
        return assay_answer(message, ASSAY_FAILED,
                            "cuRAND is not installed: scripts/setup all does it, or set "
                            "ASSAY_CURAND to libcurand.so.10");
    struct assay_session *const session = calloc(1, sizeof *session);
    if (!session)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    const char *const device = getenv("ASSAY_CURAND_DEVICE");
    const char *const missing =
        assay_load_symbols(library, symbols, sizeof symbols / sizeof *symbols, &session->curand);
    enum assay_status status =
        missing ? assay_answer(message, ASSAY_FAILED, "this cuRAND has no %s", missing) : ASSAY_OK;
    int version = 0;
    session->there = device && !strcmp(device, "1");
    if (!status && !session->curand.version(&version))
        snprintf(session->version, sizeof session->version, "%d.%d.%d, %s generators",
                 version / 1000, version % 1000 / 100, version % 100,
                 session->there ? "device" : "host");
    if (!status && session->there)
        status = open_device(session, message);
    if (status)
        free(session);
    else
        *result = session;
    return status;
}

static void close_session(struct assay_session *session)
{
    free(session); // the libraries stay
}

static const char *version(struct assay_session *session)
{
    return session->version;
}

// ---- requests ---------------------------------------------------------------

enum kind { BITS, UNIFORM, NORMAL, KINDS };

static enum kind kind_of(const struct assay_request *request)
{
    static const char *const names[] = {"curand.philox_bits", "curand.philox_uniform",
                                        "curand.philox_normal"};
    unsigned kind = 0;
    while (kind < KINDS && strcmp(request->operation, names[kind]) != 0)
        kind++;
    return (enum kind)kind;
}

static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    if (kind_of(request) == KINDS)
        return assay_answer(message, ASSAY_UNSUPPORTED, "only curand.philox_*");
    for (size_t i = 0; i < request->input_count; i++)
        if (request->inputs[i].dtype != ASSAY_U64 || assay_element_count(&request->inputs[i]) != 1)
            return assay_answer(message, ASSAY_UNSUPPORTED, "a call takes one %s of 64 bits",
                                request->inputs[i].name);
    if (!assay_input_named(request, "seed"))
        return assay_answer(message, ASSAY_UNSUPPORTED, "a call takes a seed");
    if (assay_integer(request, "count", 0) > COUNT_MAX)
        return assay_answer(message, ASSAY_UNSUPPORTED, "at most %d elements", COUNT_MAX);
    return ASSAY_OK;
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **result, struct assay_message *message)
{
    (void)request;
    struct assay_instance *const instance = malloc(sizeof *instance);
    if (!instance)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    *instance = (struct assay_instance){session};
    *result = instance;
    return ASSAY_OK;
}

static void release(struct assay_instance *instance)
{
    free(instance);
}

static unsigned long long load(const struct assay_request *request, const char *name)
{
    const struct assay_tensor *const tensor = assay_input_named(request, name);
    uint64_t value = 0;
    if (tensor)
        memcpy(&value, tensor->layout.data, sizeof value);
    return value;
}

static int generate(const struct curand *curand, generator source,
                    const struct assay_request *request, void *data, size_t count)
{
    static const char *const orderings[] = {"default", "best", "legacy", NULL};
    static const int numbers[] = {100, 101, 103};
    const int ordering = assay_word(request, "ordering", orderings);
    int error = curand->ordering(source, numbers[ordering < 0 ? 0 : ordering]);
    if (!error)
        error = curand->seed(source, load(request, "seed"));
    if (!error)
        error = curand->offset(source, load(request, "offset"));
    if (error)
        return error;
    const bool wide = request->outputs[0].dtype == ASSAY_F64;
    switch (kind_of(request)) {
    case UNIFORM:
        return wide ? curand->uniform_double(source, data, count)
                    : curand->uniform(source, data, count);
    case NORMAL:
        return wide ? curand->normal_double(source, data, count, 0, 1)
                    : curand->normal(source, data, count, 0, 1);
    default:
        return curand->bits(source, data, count);
    }
}

// All `count` elements to `data`; the first error of cuRAND or of CUDA.
static int draw(const struct assay_session *session, const struct assay_request *request,
                void *data, size_t count, size_t size)
{
    const struct curand *const curand = &session->curand;
    generator source = NULL;
    void *there = NULL;
    int error =
        (session->there ? curand->create_there : curand->create_here)(&source, PHILOX4_32_10);
    if (error)
        return error;
    if (session->there)
        error = session->cudart.allocate(&there, count * size);
    if (!error)
        error = generate(curand, source, request, session->there ? there : data, count);
    if (!error && session->there)
        error = session->cudart.copy(data, there, count * size, TO_HOST);
    if (there)
        session->cudart.release(there);
    curand->destroy(source);
    return error;
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    const struct assay_tensor *const output = &request->outputs[0];
    const size_t size = output->layout.dtype.bits / 8,
                 count = (size_t)assay_integer(request, "count", 0);
    const size_t first = request->window_count ? request->window_first : 0,
                 wanted = request->window_count ? request->window_count : count;
    if (!count)
        return ASSAY_OK;
    void *const data = malloc(count * size);
    if (!data)
        return assay_answer(message, ASSAY_FAILED, "out of memory");
    const int error = draw(instance->session, request, data, count, size);
    if (!error)
        memcpy(output->layout.data, (char *)data + first * size, wanted * size);
    free(data);
    if (error == NOT_MULTIPLE || error == OUT_OF_RANGE)
        return assay_answer(message, ASSAY_REJECTED, "cuRAND: status %d", error);
    return error ? assay_answer(message, ASSAY_FAILED, "cuRAND: status %d", error) : ASSAY_OK;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = {
        .abi_version = ASSAY_PLUGIN_ABI_VERSION,
        .size = sizeof(struct assay_plugin),
        .name = "curand",
        .capabilities = ASSAY_CAPABILITY_WINDOW,
        .feed_count = 1,
        .feeds = assay_one_feed,
        .open = open_session,
        .version = version,
        .supports = supports,
        .prepare = prepare,
        .run = run,
        .release = release,
        .close = close_session,
        .dtype_last = ASSAY_DTYPE_LAST,
    };
    return &plugin;
}
