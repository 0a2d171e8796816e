// A target for assay: @NAME@, for the operation @OPERATION@.
//
//   cc -std=c11 -O2 -fPIC -shared -o @NAME@.so @NAME@.c $(pkg-config --cflags assay-plugin)
//   assay certify --plugin ./@NAME@.so @SUITE@
//
// One function is yours to fill in: compute(). As it stands, the target says of every case that it
// does not support it.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <assay/plugin.h>

// Set this to true when compute() is done.
static const bool DONE = false;

// The attribute of that name; NULL: it is absent.
static const struct assay_attribute *attribute(const struct assay_request *request,
                                               const char *name)
{
    for (size_t i = 0; i < request->attribute_count; i++)
        if (!strcmp(request->attributes[i].name, name))
            return &request->attributes[i];
    return NULL;
}

// The tensor of that name; NULL: it is absent, or not asked for.
static const struct assay_tensor *tensor(const struct assay_tensor *tensors, size_t count,
                                         const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(tensors[i].name, name))
            return &tensors[i];
    return NULL;
}

// Writes the outputs (@OUTPUTS@) of the inputs (@INPUTS@). Data of a tensor are
// at ->layout.data, its sizes at ->layout.shape. Call your library here; ASSAY_REJECTED says that
// it refuses the request as invalid, ASSAY_FAILED that it failed, both with the reason in *message.
static enum assay_status compute(const struct assay_request *request, struct assay_message *message)
{
@ATTRIBUTES@
    (void)request;
    (void)message;
    (void)attribute;
    (void)tensor;
    return ASSAY_OK;
}

// ---- the contract -----------------------------------------------------------

static enum assay_status unsupported(struct assay_message *message, const char *why)
{
    snprintf(message->text, sizeof message->text, "%s", why);
    return ASSAY_UNSUPPORTED;
}

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
    if (!DONE)
        return unsupported(message, "compute() is not written yet");
    if (strcmp(request->operation, "@OPERATION@") != 0)
        return unsupported(message, "this target computes @OPERATION@ only");
    return ASSAY_OK;
}

static enum assay_status prepare(struct assay_session *session, const struct assay_request *request,
                                 struct assay_instance **instance, struct assay_message *message)
{
    (void)session, (void)request, (void)message;
    *instance = NULL; // compile a model or make a primitive here
    return ASSAY_OK;
}

static enum assay_status run(struct assay_instance *instance, const struct assay_request *request,
                             struct assay_message *message)
{
    (void)instance;
    return compute(request, message);
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
