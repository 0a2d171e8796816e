// SPDX-License-Identifier: Apache-2.0
// The worker: loads the plugin, serves calls until told to close. `assay worker PLUGIN MEMORY_BYTES
// NETWORK` with the shared memory and the socket already open, or `assay worker --exec MEMORY_BYTES
// NETWORK PROGRAM...`, which confines itself and becomes PROGRAM.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fenv.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/host/confine.h"
#include "harness/host/environment.h"
#include "harness/host/fault.h"
#include "harness/host/host.h"
#include "harness/host/slot.h"
#include "harness/host/trim.h"
#include "harness/host/watch.h"
#include "harness/host/worker_again.h"
#include "ref/base/clock.h"
#include "ref/base/dtype.h"
#include "ref/base/file.h"
#include "ref/base/hash.h"

enum { WORKER_EXIT_SPOKEN = 120 }; // the greeting could not be sent

// Members of version 1; what comes later may be absent.
enum {
    PLUGIN_SIZE_V1 =
        offsetof(struct assay_plugin, close) + sizeof(((struct assay_plugin *)NULL)->close)
};

// Whether the plugin's struct reaches as far as this member.
#define HAS(plugin, member)                                                                        \
    ((plugin)->size >= offsetof(struct assay_plugin, member) + sizeof((plugin)->member))

static bool read_whole(void *bytes, size_t size)
{
    size_t got;
    return file_take(WIRE_SOCKET, FILE_HERE, bytes, size, &got) && got == size;
}

// A child that the target forked and that returned here must not answer for the worker.
static void write_whole(const struct worker *worker, const void *bytes, size_t size)
{
    if (worker->process != getpid())
        _exit(0);
    for (size_t sent = 0; sent < size;) {
        const ssize_t n = send(WIRE_SOCKET, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            worker->fault->cut_off = 1;
            _exit(WORKER_EXIT_SPOKEN);
        }
        sent += (size_t)n;
    }
}

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

// Why the struct cannot be used, or NULL.
static const char *plugin_flaw(const struct assay_plugin *plugin, char *text, size_t size)
{
    if (!plugin)
        return "assay_plugin_entry returned NULL";
    if (plugin->abi_version < 1 || plugin->abi_version > ASSAY_PLUGIN_ABI_VERSION)
        snprintf(text, size, "the plugin speaks ABI version %u; this program speaks 1 to %u",
                 plugin->abi_version, (unsigned)ASSAY_PLUGIN_ABI_VERSION);
    else if (plugin->size < PLUGIN_SIZE_V1 || plugin->size > 65536)
        snprintf(text, size, "the plugin's struct has %u bytes; ABI version 1 has %d", plugin->size,
                 (int)PLUGIN_SIZE_V1);
    else if (HAS(plugin, threads_most) && plugin->threads_most > ASSAY_THREADS_MAX)
        snprintf(text, size, "the plugin declares %u threads; up to %d are possible",
                 plugin->threads_most, (int)ASSAY_THREADS_MAX);
    else if (!plugin->name || !plugin->open || !plugin->supports || !plugin->prepare ||
             !plugin->run || !plugin->release || !plugin->close || !plugin->version)
        return "a member of the plugin's struct is NULL";
    else if (strnlen(plugin->name, HOST_NAME_SIZE) == HOST_NAME_SIZE || !plugin->name[0])
        snprintf(text, size, "the plugin's name is empty or longer than %d bytes",
                 HOST_NAME_SIZE - 1);
    else if (plugin->feed_count < 1 || plugin->feed_count > HOST_FEEDS_MAX || !plugin->feeds)
        snprintf(text, size, "the plugin declares %u feeds; 1 to %d are possible",
                 plugin->feed_count, HOST_FEEDS_MAX);
    else {
        uint32_t feed = 0;
        while (feed < plugin->feed_count && plugin->feeds[feed])
            feed++;
        if (feed == plugin->feed_count)
            return NULL;
        snprintf(text, size, "feed %u of %u has no name", feed, plugin->feed_count);
    }
    return text;
}

static enum assay_status open_plugin(struct worker *worker, const char *path,
                                     struct wire_hello *hello)
{
    struct assay_message message = {{0}};
    char text[ASSAY_MESSAGE_SIZE];
    const uint64_t begun = clock_now();
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        copy_text(hello->message, sizeof hello->message, dlerror());
        return ASSAY_FAILED;
    }
    const struct assay_plugin *(*entry)(void) = NULL;
    void *const symbol = dlsym(library, "assay_plugin_entry");
    memcpy(&entry, &symbol, sizeof symbol);
    if (!symbol) {
        copy_text(hello->message, sizeof hello->message,
                  "the library exports no assay_plugin_entry");
        return ASSAY_FAILED;
    }
    worker->plugin = entry();
    const char *const flaw = plugin_flaw(worker->plugin, text, sizeof text);
    if (flaw) {
        copy_text(hello->message, sizeof hello->message, flaw);
        return ASSAY_FAILED;
    }
    const uint64_t start = clock_now();
    const enum assay_status status = worker->plugin->open(&worker->session, &message);
    worker->opened = clock_now() - start;
    hello->spent = clock_now() - begun;
    message.text[ASSAY_MESSAGE_SIZE - 1] = '\0';
    copy_text(hello->message, sizeof hello->message, message.text);
    if (status != ASSAY_OK)
        return status;
    copy_text(hello->name, sizeof hello->name, worker->plugin->name);
    copy_text(hello->version, sizeof hello->version, worker->plugin->version(worker->session));
    hello->capabilities = worker->plugin->capabilities;
    hello->feed_count = worker->plugin->feed_count;
    for (uint32_t i = 0; i < hello->feed_count; i++)
        copy_text(hello->feeds[i], sizeof hello->feeds[i], worker->plugin->feeds[i]);
    if (HAS(worker->plugin, model) && worker->plugin->model)
        copy_text(hello->model, sizeof hello->model, worker->plugin->model);
    if (HAS(worker->plugin, threads_most))
        hello->threads_most = worker->plugin->threads_most;
    return ASSAY_OK;
}

// In calls of one poison each tensor lies above those before it, in calls of the other below.
static bool open_places(struct job *job)
{
    const size_t count = job->call.tensor_count;
    for (size_t k = 0; k < count; k++) {
        const size_t i = job->call.flags & WIRE_POISON_B ? count - 1 - k : k;
        unsigned char *const base = slot_open(&job->call.places[i]);
        if (!base)
            return false;
        job->call.tensors[i].layout.data = base + job->call.places[i].start;
    }
    return true;
}

static void let_go(struct worker *worker, struct assay_instance **instance)
{
    if (*instance)
        worker->plugin->release(*instance);
    *instance = NULL;
}

static void take_instance(struct job *job)
{
    struct worker *const worker = job->worker;
    const uint32_t flags = job->call.flags;
    struct assay_instance **const kept = flags & WIRE_AGAIN  ? &worker->instance
                                         : flags & WIRE_BACK ? &worker->aside
                                                             : NULL;
    if (kept && *kept) {
        job->instance = *kept;
        *kept = NULL;
        if (flags & WIRE_BACK)
            worker->aside = worker->instance;
        worker->instance = NULL;
        job->status = ASSAY_OK;
        return;
    }
    let_go(worker, &worker->aside);
    if (flags & WIRE_BESIDE)
        worker->aside = worker->instance;
    else
        let_go(worker, &worker->instance);
    worker->instance = NULL;
    job->status =
        worker->plugin->prepare(worker->session, &job->call.request, &job->instance, &job->message);
}

static void prepare(struct job *job)
{
    const uint64_t start = clock_now();
    take_instance(job);
    job->worker->spent += clock_now() - start;
}

void worker_run(struct job *job)
{
    if (job->start)
        pthread_barrier_wait(job->start);
    if (job->status != ASSAY_OK)
        return;
    const uint64_t start = clock_now();
    job->status = job->worker->plugin->run(job->instance, &job->call.request, &job->message);
    if (job->worker->process != getpid())
        _exit(0); // a child that the target forked and that returned here: it may repeat nothing
    job->nanoseconds = clock_now() - start;
}

static void *run(void *job)
{
    worker_run(job);
    return NULL;
}

// One job here, or two at the same time, the second on a thread of its own.
static void run_all(struct job *jobs, unsigned count)
{
    pthread_t thread;
    pthread_barrier_t start;
    if (count < 2 || pthread_barrier_init(&start, NULL, 2)) {
        worker_run(&jobs[0]);
        return;
    }
    jobs[0].start = jobs[1].start = &start;
    if (pthread_create(&thread, NULL, run, &jobs[1])) {
        jobs[0].start = NULL;
        jobs[1].status = ASSAY_FAILED;
        copy_text(jobs[1].message.text, sizeof jobs[1].message.text,
                  "the worker could not start a thread");
        worker_run(&jobs[0]);
    } else {
        worker_run(&jobs[0]);
        pthread_join(thread, NULL);
    }
    pthread_barrier_destroy(&start);
}

// Takes the next message apart into `job`; false at the end of the conversation.
static bool receive(struct worker *worker, struct job *job)
{
    uint32_t length = 0;
    *job = (struct job){.worker = worker};
    if (!read_whole(&length, sizeof length) || length > WIRE_MESSAGE_MAX)
        return false;
    job->bytes = malloc((size_t)length + 1);
    return job->bytes && read_whole(job->bytes, length) &&
           wire_take_call(job->bytes, length, &job->arena, &job->call);
}

static void answer(struct job *job, const char *change)
{
    struct worker *const worker = job->worker;
    const bool stays = worker->grew || (worker->after.child && !worker->before.child);
    struct wire_answer record = {.magic = WIRE_MAGIC,
                                 .serial = job->call.serial,
                                 .status = (uint32_t)job->status,
                                 .changed = stays       ? WIRE_STAYS
                                            : change[0] ? WIRE_CHANGED
                                                        : WIRE_UNCHANGED,
                                 .nanoseconds = job->nanoseconds,
                                 .spent = worker->spent};
    worker->spent = 0;
    job->message.text[ASSAY_MESSAGE_SIZE - 1] = '\0';
    copy_text(record.message, sizeof record.message, job->message.text);
    copy_text(record.change, sizeof record.change, change);
    write_whole(worker, &record, sizeof record);
    arena_release(&job->arena);
    free(job->bytes);
}

// Of all that the target reads and must not change.
static uint64_t digest_of_request(const struct wire_call *call)
{
    uint64_t digest = hash_add(HASH_EMPTY, &call->request, sizeof call->request);
    digest = hash_add(digest, call->tensors, call->tensor_count * sizeof *call->tensors);
    digest = hash_add(digest, call->request.attributes,
                      call->request.attribute_count * sizeof *call->request.attributes);
    for (size_t i = 0; i < call->tensor_count; i++) {
        const DLTensor *const layout = &call->tensors[i].layout;
        digest = hash_add(digest, layout->shape, (size_t)layout->ndim * sizeof *layout->shape);
        digest = hash_add(digest, layout->strides, (size_t)layout->ndim * sizeof *layout->strides);
    }
    return digest;
}

// What the target takes from the heap holds the call's poison and no leftovers: a value that it
// never computed does not depend on the machine, and differs between calls of either poison.
// Nor on what was computed before: of the status flags of floating-point numbers none is set, or
// all are.
static void poison_process(const struct wire_call *call)
{
    const bool second = (call->flags & WIRE_POISON_B) != 0;
#ifdef M_PERTURB
    mallopt(M_PERTURB, host_poison_byte(second ? HOST_POISON_B : HOST_POISON_A) ^ 0xff);
#endif
    if (second)
        feraiseexcept(FE_ALL_EXCEPT);
    else
        feclearexcept(FE_ALL_EXCEPT);
}

// Repeats a job that is followed: to prove what `grew` with it, and made anew where that is asked
// for.
static void repeat(struct job *job, struct environment_growth *growth, bool grew, char *change,
                   size_t size)
{
    const uint64_t start = clock_now();
    if (grew && job->status == ASSAY_OK)
        worker_prove_growth(job, growth, false, change, size);
    if (!change[0] && job->status == ASSAY_OK && (job->call.flags & WIRE_REMADE)) {
        worker_prove_growth(job, growth, true, change, size);
        if (job->status == ASSAY_OK && !change[0])
            worker_open_again(job);
    }
    job->worker->spent += clock_now() - start;
}

// Runs one job, or two at the same time, and answers.
static void serve(struct worker *worker, struct job *jobs, unsigned count)
{
    char change[WIRE_CHANGE_SIZE] = "";
    const bool thorough = (jobs[0].call.flags & WIRE_THOROUGH) != 0,
               again = (jobs[0].call.flags & WIRE_AGAIN) != 0;
    struct environment_growth growth = {0};
    uint64_t asked[2] = {0, 0};
    if (thorough && worker->stands)
        environment_take_from(&worker->before, &worker->after);
    else
        environment_take(&worker->before, thorough);
    poison_process(&jobs[0].call);
    slot_begin((jobs[0].call.flags & WIRE_IN_PLACE) != 0);
    for (unsigned i = 0; i < count; i++) {
        if (!open_places(&jobs[i])) {
            jobs[i].status = ASSAY_FAILED;
            copy_text(jobs[i].message.text, sizeof jobs[i].message.text,
                      "the worker could not map the tensors");
        } else {
            asked[i] = digest_of_request(&jobs[i].call);
            prepare(&jobs[i]);
        }
    }
    const bool watched = again && !(jobs[0].call.flags & WIRE_COUNTS);
    if (watched)
        environment_growth_start(&growth, worker->granted);
    const uint64_t start = clock_now();
    run_all(jobs, count);
    worker->spent += clock_now() - start;
    const bool grew = watched && environment_growth_end(&growth);
    environment_take(&worker->after, thorough);
    worker->stands = environment_stands(&worker->after);
    if (environment_differs(&worker->before, &worker->after, again, change, sizeof change)) {
        environment_restore(&worker->before);
        worker->stands = false;
    } else if (watched)
        repeat(&jobs[0], &growth, grew, change, sizeof change);
    for (unsigned i = 0; i < count; i++)
        slot_shut(jobs[i].call.places, jobs[i].call.tensor_count);
    for (unsigned i = 0; i < count; i++)
        if (!change[0] && asked[i] && asked[i] != digest_of_request(&jobs[i].call))
            copy_text(change, sizeof change, "the request itself was written to");
    for (unsigned i = 1; i < count; i++)
        if (jobs[i].instance) {
            worker->plugin->release(jobs[i].instance);
            worker->stands = false;
        }
    worker->instance = jobs[0].instance;
    for (unsigned i = 0; i < count; i++)
        answer(&jobs[i], change);
}

// The first tensor of a type that came after those that the plugin knows, or NULL.
static const struct assay_tensor *find_unknown(const struct job *job)
{
    const struct assay_plugin *const plugin = job->worker->plugin;
    const uint32_t last =
        HAS(plugin, dtype_last) && plugin->dtype_last ? plugin->dtype_last : ASSAY_F64;
    for (size_t i = 0; i < job->call.tensor_count; i++)
        if (job->call.tensors[i].dtype > last)
            return &job->call.tensors[i];
    return NULL;
}

static void serve_supports(struct job *job)
{
    struct worker *const worker = job->worker;
    char change[WIRE_CHANGE_SIZE] = "";
    const struct assay_tensor *const unknown = find_unknown(job);
    if (unknown) {
        job->status = ASSAY_UNSUPPORTED;
        snprintf(job->message.text, sizeof job->message.text,
                 "'%.100s' is of type %s, later than the last that the plugin knows (dtype_last)",
                 unknown->name, dtype_name((enum dtype)unknown->dtype));
        answer(job, change);
        return;
    }
    worker->stands = false;
    environment_take(&worker->before, false);
    const uint64_t start = clock_now();
    job->status = worker->plugin->supports(worker->session, &job->call.request, &job->message);
    worker->spent += clock_now() - start;
    environment_take(&worker->after, false);
    if (environment_differs(&worker->before, &worker->after, false, change, sizeof change))
        environment_restore(&worker->before);
    answer(job, change);
}

static int serve_all(struct worker *worker)
{
    struct job jobs[2];
    unsigned held = 0;
    while (receive(worker, &jobs[held])) {
        struct job *const job = &jobs[held];
        if (job->call.kind == WIRE_CLOSE) {
            let_go(worker, &worker->aside);
            let_go(worker, &worker->instance);
            worker->plugin->close(worker->session);
            fault_wait();
            answer(job, "");
            return 0;
        }
        if (job->call.kind == WIRE_SUPPORTS) {
            serve_supports(job);
            continue;
        }
        held++;
        if ((job->call.flags & WIRE_TOGETHER) && held < 2)
            continue;
        serve(worker, jobs, held);
        held = 0;
    }
    return 0;
}

static int become_program(int count, char **arguments)
{
    if (count < 4)
        return WORKER_EXIT_SPOKEN;
    const struct confinement confinement = {.memory_bytes = strtoull(arguments[1], NULL, 10),
                                            .allow_network = arguments[2][0] == '1'};
    confine_process(&confinement);
    watch_begin(STDIN_FILENO);
    execvp(arguments[3], arguments + 3);
    fprintf(stderr, "cannot start %s: %s\n", arguments[3], strerror(errno));
    return WORKER_EXIT_SPOKEN;
}

int host_worker_main(int count, char **arguments)
{
    if (count > 0 && !strcmp(arguments[0], "--exec"))
        return become_program(count, arguments);
    if (count != 3)
        return WORKER_EXIT_SPOKEN;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct wire_fault *const fault =
        mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, WIRE_MEMORY, 0);
    if (fault == MAP_FAILED || !fault_install(fault))
        return WORKER_EXIT_SPOKEN;
    const struct confinement confinement = {.memory_bytes = strtoull(arguments[1], NULL, 10),
                                            .allow_network = arguments[2][0] == '1'};
    confine_process(&confinement);
    watch_begin(WIRE_SOCKET);
    struct worker worker = {
        .process = getpid(), .fault = fault, .granted = confinement.memory_bytes / 4};
    trim_keep(worker.granted);
    struct wire_hello hello = {.magic = WIRE_MAGIC};
    struct environment after;
    environment_take(&worker.before, true);
    hello.status = (uint32_t)open_plugin(&worker, arguments[0], &hello);
    environment_take(&after, true);
    if (environment_differs(&worker.before, &after, false, hello.change, sizeof hello.change))
        environment_restore(&worker.before);
    write_whole(&worker, &hello, sizeof hello);
    return hello.status == ASSAY_OK ? serve_all(&worker) : 0;
}
