// A target for assay: @NAME@.
//
//   cc -std=c11 -O2 -fPIC -shared -o @NAME@.so @NAME@.c $(pkg-config --cflags assay-plugin)
//   assay certify --plugin ./@NAME@.so --suite philox
//
// One function is yours to fill in: compute(). As it stands, the target says of every case that it
// does not support it. It is written for the operation `philox` in four words of 32 bits; `assay
// show --help` and the operation's suite say what others take and give.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <assay/plugin.h>

// Set this to true when compute() is done.
static const bool DONE = false;

// One block: `output` from `counter` and `key`. Call your library here.
static void compute(const uint32_t counter[4], const uint32_t key[2], uint32_t output[4])
{
    (void)counter;
    (void)key;
    memset(output, 0, 4 * sizeof *output);
}

// ---- what is the same for every target of this operation --------------------

static const struct assay_tensor *find(const struct assay_tensor *tensors, size_t count,
                                       const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(tensors[i].name, name))
            return &tensors[i];
    return NULL;
}

static int64_t elements(const struct assay_tensor *tensor)
{
    int64_t count = 1;
    for (int32_t i = 0; i < tensor->layout.ndim; i++)
        count *= tensor->layout.shape[i];
    return count;
}

// Whether the last dimension of a u32 tensor has `words` elements.
static bool is_words(const struct assay_tensor *tensor, int64_t words)
{
    return tensor && tensor->dtype == ASSAY_U32 && tensor->layout.ndim >= 1 &&
           tensor->layout.shape[tensor->layout.ndim - 1] == words;
}

// Whether there is one key for all counters, or one for each.
static bool has_rows_of(const struct assay_tensor *key, const struct assay_tensor *counter)
{
    bool same = key->layout.ndim == counter->layout.ndim;
    for (int32_t i = 0; same && i < key->layout.ndim - 1; i++)
        same = key->layout.shape[i] == counter->layout.shape[i];
    return same || key->layout.ndim == 1;
}

static int64_t integer(const struct assay_request *request, const char *name, int64_t otherwise)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name))
            return request->attributes[i].integer;
    return otherwise;
}

static enum assay_status answer(struct assay_message *message, enum assay_status status,
                                const char *why)
{
    snprintf(message->text, sizeof message->text, "%s", why);
    return status;
}

static enum assay_status unsupported(struct assay_message *message, const char *why)
{
    return answer(message, ASSAY_UNSUPPORTED, why);
}

// ---- the contract -----------------------------------------------------------

static enum assay_status open_session(struct assay_session **session, struct assay_message *message)
{
    (void)message;
    *session = NULL; // start your library here; state goes into *session
    return ASSAY_OK;
}

static const char *version(struct assay_session *session)
{
    (void)session;
    return "0"; // your library's
}

// Asked for every case before the first is run. What is refused here counts as not supported, with
// the reason, and never as passed.
static enum assay_status supports(struct assay_session *session,
                                  const struct assay_request *request,
                                  struct assay_message *message)
{
    (void)session;
    const struct assay_tensor *const counter =
        find(request->inputs, request->input_count, "counter");
    const struct assay_tensor *const key = find(request->inputs, request->input_count, "key");
    if (!DONE)
        return unsupported(message, "compute() is not written yet");
    if (strcmp(request->operation, "philox") != 0)
        return unsupported(message, "this target computes philox only");
    if (!is_words(counter, 4) || !is_words(key, 2) || request->output_count != 1)
        return unsupported(message, "four words of 32 bits and a key of two only");
    if (integer(request, "rounds", 10) != 10)
        return unsupported(message, "ten rounds only");
    return ASSAY_OK;
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)session;
    *instance = NULL; // compile a model or make a primitive here
    // A request that the operation does not allow is refused here, or in run.
    if (!has_rows_of(find(request->inputs, request->input_count, "key"),
                     find(request->inputs, request->input_count, "counter")))
        return answer(message, ASSAY_REJECTED, "one key, or one for each counter");
    return ASSAY_OK;
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    (void)instance;
    (void)message;
    const struct assay_tensor *const counter =
        find(request->inputs, request->input_count, "counter");
    const struct assay_tensor *const key = find(request->inputs, request->input_count, "key");
    const uint32_t *const counters = counter->layout.data, *const keys = key->layout.data;
    uint32_t *const output = request->outputs[0].layout.data;
    const int64_t blocks = elements(counter) / 4, key_count = elements(key) / 2;
    for (int64_t i = 0; i < blocks; i++)
        compute(counters + 4 * i, keys + (key_count > 1 ? 2 * i : 0), output + 4 * i);
    return ASSAY_OK;
}

static void release(struct assay_instance *instance)
{
    (void)instance;
}

static void close_session(struct assay_session *session)
{
    (void)session;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const char *const feeds[] = {"parameter"};
    static const struct assay_plugin plugin = {
        .abi_version = ASSAY_PLUGIN_ABI_VERSION,
        .size = sizeof plugin,
        .name = "@NAME@",
        .capabilities = ASSAY_CAPABILITY_REENTRANT,
        .feed_count = 1,
        .feeds = feeds,
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
