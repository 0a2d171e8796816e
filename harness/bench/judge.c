// SPDX-License-Identifier: Apache-2.0
// What judging costs: a case certified (in a worker process, between guard pages, under its rows of
// conditions, compared with the reference) beside the same request prepared and run once, bare, in
// this process.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/bench/bench.h"
#include "harness/bench/call.h"
#include "harness/judge/run/certify.h"

enum { PATH_SIZE = 4096 };

static const struct {
    const char *plugin, *suite, *id;
    bool quick;
} works[] = {
    {"zoo/good.so", "philox", "batch-4x32-257", true},
    {"zoo/good.so", "philox", "batch-4x32-257", false},
    {"targets/openvino.so", "openvino.random_uniform", "example-1", true},
    {"targets/openvino.so", "openvino.random_uniform", "example-1", false},
};

struct state {
    struct suite suite;
    struct suite_case of;
    struct host *host;
    bool quick;
    uint64_t before; // host_spent before the first case was judged
    unsigned judged; // how often it was
    struct arena arena;
    // Bare:
    const struct assay_plugin *plugin;
    struct assay_session *session;
    struct bench_call call;
};

static void judged(void *context)
{
    struct state *const state = context;
    struct diagnostic diagnostic;
    struct judge_run run;
    const struct judge_options options = {.quick = state->quick};
    if (judge_certify(&state->suite, state->host, &options, &run, &diagnostic) ||
        run.result[0].verdict != VERDICT_PASS)
        abort();
    judge_release(&run);
    state->judged++;
}

// The target's calls of one judgement, under all conditions.
static double waited(void *context)
{
    const struct state *const state = context;
    return 1e-9 * (double)(host_spent(state->host) - state->before) / state->judged;
}

static void bare(void *context)
{
    struct state *const state = context;
    struct assay_message message;
    struct assay_instance *instance = NULL;
    if (state->plugin->prepare(state->session, &state->call.request, &instance, &message) ||
        state->plugin->run(instance, &state->call.request, &message))
        abort();
    if (instance)
        state->plugin->release(instance);
    bench_use(state->call.request.outputs->layout.data);
}

static void stop(struct bench_pair *pair)
{
    struct state *const state = pair->state;
    if (state->host)
        host_close(state->host, NULL);
    if (state->session)
        state->plugin->close(state->session);
    state->suite.cases = NULL;
    suite_release(&state->suite);
    arena_release(&state->call.arena);
    arena_release(&state->arena);
    free(state);
}

static enum error make_request(struct state *state, struct diagnostic *diagnostic)
{
    struct request *const request = arena_take(&state->arena, sizeof *request);
    if (!request)
        return diagnostic_no_memory(diagnostic);
    const enum error error =
        suite_case_request(&state->suite, &state->of, &state->arena, request, diagnostic);
    return error ? error : bench_call_make(&state->call, request, true, diagnostic);
}

static bool open_bare(struct state *state, const char *path, char why[BENCH_WHY_SIZE])
{
    struct assay_message message = {{0}};
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const symbol = library ? dlsym(library, "assay_plugin_entry") : NULL;
    const struct assay_plugin *(*entry)(void) = NULL;
    memcpy(&entry, &symbol, sizeof symbol);
    state->plugin = symbol ? entry() : NULL;
    if (state->plugin && !state->plugin->open(&state->session, &message))
        return true;
    snprintf(why, BENCH_WHY_SIZE, "%.200s",
             state->plugin ? message.text : "the plugin is not built: make all");
    return false;
}

static bool start(const struct bench_row *row, struct bench_pair *pair, char why[BENCH_WHY_SIZE])
{
    char self[PATH_SIZE] = "", path[2 * PATH_SIZE], assay[2 * PATH_SIZE], suite[256];
    struct diagnostic diagnostic = {.text = ""};
    struct state *const state = calloc(1, sizeof *state);
    if (!state || readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || !strrchr(self, '/')) {
        free(state);
        snprintf(why, BENCH_WHY_SIZE, "out of memory");
        return false;
    }
    *strrchr(self, '/') = '\0';
    *pair = (struct bench_pair){
        .peer = "a bare call", .ours = judged, .theirs = bare, .waited = waited, .state = state};
    snprintf(path, sizeof path, "%s/%s", self, works[row->variant].plugin);
    snprintf(assay, sizeof assay, "%s/assay", self);
    snprintf(suite, sizeof suite, "yaml/suites/%s.yaml", works[row->variant].suite);
    state->quick = works[row->variant].quick;
    const struct host_options options = {.plugin = path, .executable = assay};
    bool right = !suite_read(suite, &state->suite, &diagnostic);
    const struct suite_case *const of =
        right ? suite_find_case(&state->suite, works[row->variant].id) : NULL;
    if (of) {
        state->of = *of;
        state->suite.cases = &state->of;
        state->suite.case_count = 1;
    }
    right =
        of && !make_request(state, &diagnostic) && !host_open(&options, &state->host, &diagnostic);
    if (!right)
        snprintf(why, BENCH_WHY_SIZE, "%.200s", diagnostic.text);
    if (right)
        state->before = host_spent(state->host);
    if (right && open_bare(state, path, why))
        return true;
    stop(pair);
    return false;
}

static const struct bench_frame frame = {.start = start, .stop = stop};

static const struct bench_row rows[] = {
    {"judge/philox-quick", "257 blocks, one row of conditions, beside a bare call", 0, 0, &frame},
    {"judge/philox", "257 blocks, guarded and repeated, beside a bare call", 0, 1, &frame},
    {"judge/openvino-quick", "RandomUniform, one row of conditions, beside a bare call", 0, 2,
     &frame},
    {"judge/openvino", "RandomUniform, guarded and repeated, beside a bare call", 0, 3, &frame},
};

const struct bench_table bench_judge = {rows, sizeof rows / sizeof *rows};
