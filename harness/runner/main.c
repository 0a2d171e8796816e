// SPDX-License-Identifier: Apache-2.0
// assay-runner: records what a plugin answers on a machine where assay is not installed.
//
// It loads the plugin into its own process, makes each exported request under a few conditions
// (outputs poisoned in two ways, again on the same instance, on a new one) and writes a record. A
// plugin that crashes takes it along; what the harness does with workers, guards and threads is not
// done here, and the record says so.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/runner/runner.h"

static const char usage[] =
    "usage: assay-runner [--name NAME] [--case PATTERN] PLUGIN.so REQUESTS DIR\n\n"
    "Records in DIR what a plugin answers to REQUESTS, which `assay export --requests`\n"
    "wrote. `assay certify --recorded DIR` judges the answers, on any machine.\n\n"
    "Exit codes: 0 recorded, 2 usage or input, 3 the plugin cannot be used,\n"
    "4 it supports none of the requests\n";
// ---- the plugin -------------------------------------------------------------

#define HAS(plugin, member)                                                                        \
    ((plugin)->size >= offsetof(struct assay_plugin, member) + sizeof(plugin)->member)

static enum error load(struct runner *runner, struct diagnostic *diagnostic)
{
    struct assay_message message = {{0}};
    const char *const path = strchr(runner->path, '/')
                                 ? runner->path
                                 : arena_print(&runner->arena, "./%s", runner->path);
    void *const library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%.900s", dlerror());
    const struct assay_plugin *(*entry)(void) = NULL;
    void *const symbol = dlsym(library, "assay_plugin_entry");
    if (!symbol)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%.400s exports no assay_plugin_entry",
                               runner->path);
    memcpy(&entry, &symbol, sizeof symbol);
    const struct assay_plugin *const plugin = entry();
    if (!plugin || plugin->abi_version != ASSAY_PLUGIN_ABI_VERSION || !plugin->name)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "%.400s speaks another ABI than version %d", runner->path,
                               ASSAY_PLUGIN_ABI_VERSION);
    runner->plugin = plugin;
    if (plugin->open(&runner->session, &message) != ASSAY_OK)
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "%.400s cannot be used: %.*s",
                               runner->path, (int)sizeof message.text - 1, message.text);
    // Capabilities that nothing here makes use of are not in force.
    const uint32_t in_force = ASSAY_CAPABILITY_NONDETERMINISTIC;
    struct host_description *const to = &runner->description;
    *to =
        (struct host_description){.capabilities = plugin->capabilities & in_force, .feed_count = 1};
    snprintf(to->name, sizeof to->name, "%s", plugin->name);
    snprintf(to->version, sizeof to->version, "%s", plugin->version(runner->session));
    snprintf(to->feeds[0], sizeof to->feeds[0], "%s",
             plugin->feed_count && plugin->feeds[0] ? plugin->feeds[0] : "usual");
    if (HAS(plugin, model) && plugin->model)
        snprintf(to->model, sizeof to->model, "%s", plugin->model);
    return ERROR_NONE;
}

static bool knows_types(const struct runner *runner, const struct runner_request *request)
{
    const uint32_t last = HAS(runner->plugin, dtype_last) && runner->plugin->dtype_last
                              ? runner->plugin->dtype_last
                              : ASSAY_F64;
    for (size_t i = 0; i < request->host.input_count + request->host.output_count; i++)
        if (request->tensor[i].dtype > last)
            return false;
    return true;
}

static enum host_outcome outcome_of(enum assay_status status)
{
    static const enum host_outcome outcomes[] = {[ASSAY_OK] = HOST_OK,
                                                 [ASSAY_UNSUPPORTED] = HOST_UNSUPPORTED,
                                                 [ASSAY_REJECTED] = HOST_REJECTED,
                                                 [ASSAY_FAILED] = HOST_FAILED,
                                                 [ASSAY_WRONG_RESULT] = HOST_WRONG_RESULT};
    return (unsigned)status < sizeof outcomes / sizeof *outcomes ? outcomes[status] : HOST_FAILED;
}

// ---- calls ------------------------------------------------------------------

static void conclude(struct host_call *call, enum assay_status status,
                     struct assay_message *message)
{
    message->text[ASSAY_MESSAGE_SIZE - 1] = '\0';
    call->outcome = outcome_of(status);
    call->answered = status == ASSAY_OK;
    snprintf(call->message, sizeof call->message, "%s", status == ASSAY_OK ? "" : message->text);
}

static bool ask(struct runner *runner, struct runner_request *request)
{
    struct assay_message message = {{0}};
    struct host_call call = {.request = &request->host, .of = request->of, .ask = true};
    enum assay_status status = ASSAY_UNSUPPORTED;
    if (knows_types(runner, request))
        status = runner->plugin->supports(runner->session, &request->asked, &message);
    else
        snprintf(message.text, sizeof message.text,
                 "the plugin was built before one of its types was known");
    if (status == ASSAY_OK)
        return true;
    conclude(&call, ASSAY_UNSUPPORTED, &message);
    record_put(&runner->record, &call);
    return false;
}

// Outputs with room of their own, poisoned, in a copy of the request.
static struct host_request *make_outputs(struct runner_request *request, enum host_poison poison,
                                         struct arena *arena)
{
    struct host_request *const copy = arena_take(arena, sizeof *copy);
    struct host_tensor *const outputs =
        arena_take_array(arena, request->host.output_count + 1, sizeof *outputs);
    if (!copy || !outputs)
        return NULL;
    *copy = request->host;
    copy->outputs = outputs;
    for (size_t i = 0; i < copy->output_count; i++) {
        size_t bytes = 0;
        outputs[i] = request->host.outputs[i];
        if (!tensor_bytes(&outputs[i].tensor, &bytes) ||
            !(outputs[i].tensor.data = arena_take(arena, bytes + 1)))
            return NULL;
        memset(outputs[i].tensor.data, host_poison_byte(poison), bytes);
        request->tensor[copy->input_count + i].layout.data = outputs[i].tensor.data;
    }
    return copy;
}

static enum error call_once(struct runner *runner, struct runner_request *request,
                            struct assay_instance *instance, enum assay_status prepared,
                            struct assay_message *message, struct host_conditions conditions,
                            struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct host_call call = {.of = request->of, .conditions = conditions};
    struct host_request *const copy = make_outputs(request, conditions.poison, &arena);
    if (!copy) {
        arena_release(&arena);
        return diagnostic_no_memory(diagnostic);
    }
    call.request = copy;
    enum assay_status status = prepared;
    if (status == ASSAY_OK) {
        message->text[0] = '\0';
        status = runner->plugin->run(instance, &request->asked, message);
    }
    conclude(&call, status, message);
    record_put(&runner->record, &call);
    arena_release(&arena);
    return ERROR_NONE;
}

// Makes an instance and calls it `runs` times, under two poisons where it has no state.
static enum error use_instance(struct runner *runner, struct runner_request *request,
                               enum host_poison poison, bool both, struct diagnostic *diagnostic)
{
    struct assay_message message = {{0}};
    struct assay_instance *instance = NULL;
    const enum assay_status status =
        runner->plugin->prepare(runner->session, &request->asked, &instance, &message);
    enum error error = ERROR_NONE;
    for (unsigned run = 0; run < request->runs && !error; run++)
        error = call_once(
            runner, request, instance, status, &message,
            (struct host_conditions){.poison = poison, .again = run > 0, .counts = run > 0},
            diagnostic);
    if (!error && both)
        error =
            call_once(runner, request, instance, status, &message,
                      (struct host_conditions){.poison = HOST_POISON_B, .again = true}, diagnostic);
    if (status == ASSAY_OK && instance)
        runner->plugin->release(instance);
    return error;
}

static enum error record_case(struct runner *runner, struct runner_request *request,
                              struct diagnostic *diagnostic)
{
    const struct host_request *const host = &request->host;
    const bool again = request->runs == 1 && !request->stateful;
    if (!ask(runner, request))
        return ERROR_NONE;
    for (size_t i = 0; i < host->input_count; i++)
        request->tensor[i].layout.data = host->inputs[i].tensor.data;
    runner->answered++;
    enum error error = use_instance(runner, request, HOST_POISON_A, again, diagnostic);
    return error ? error
                 : use_instance(runner, request, again ? HOST_POISON_A : HOST_POISON_B, false,
                                diagnostic);
}

static enum error record_cases(struct runner *runner, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < runner->form.count && !error; i++) {
        struct arena arena = {0};
        struct runner_request request;
        error =
            runner_take_request(&runner->form, &runner->form.line[i], &arena, &request, diagnostic);
        const char *const slash = error ? NULL : strchr(request.of, '/');
        if (!error && (!runner->pattern || (slash && !fnmatch(runner->pattern, slash + 1, 0)))) {
            runner->total++;
            error = record_case(runner, &request, diagnostic);
        }
        arena_release(&arena);
    }
    return error;
}

// ---- the program ------------------------------------------------------------

static enum error record_all(struct runner *runner, struct diagnostic *diagnostic)
{
    struct text header = {0};
    char sha256[DIGEST_HEX_SIZE];
    enum error error =
        form_read(runner->requests, REQUESTS_NAME, &runner->arena, &runner->form, diagnostic);
    if (!error)
        error = load(runner, diagnostic);
    if (!error)
        error = form_begin(runner->to, RECORD_NAME, &runner->record.form, diagnostic);
    if (!error)
        error = record_cases(runner, diagnostic);
    if (!error && runner->answered)
        error = runner_put_header(runner, &header, diagnostic);
    if (!error && runner->answered)
        error = form_close(runner->record.form, &header, sha256, diagnostic);
    if (!error && runner->answered)
        error = form_commit(runner->record.form, diagnostic);
    if (runner->session)
        runner->plugin->close(runner->session);
    form_release(runner->record.form);
    text_release(&runner->record.line);
    text_release(&header);
    return error;
}

static bool parse(struct runner *runner, int argc, char **argv)
{
    const char **const places[] = {&runner->path, &runner->requests, &runner->to};
    unsigned count = 0;
    for (int i = 1; i < argc; i++) {
        const bool name = !strcmp(argv[i], "--name"), pattern = !strcmp(argv[i], "--case");
        if ((name || pattern) && i + 1 < argc)
            *(name ? &runner->name : &runner->pattern) = argv[++i];
        else if (argv[i][0] == '-' || count == 3)
            return false;
        else
            *places[count++] = argv[i];
    }
    return count == 3;
}

int main(int argc, char **argv)
{
    struct runner runner = {.name = NULL};
    struct diagnostic diagnostic = {.text = ""};
    enum { GOOD, INPUT = 2, UNUSABLE = 3, NOTHING = 4 };
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return GOOD;
    }
    if (!parse(&runner, argc, argv)) {
        fputs(usage, stderr);
        return INPUT;
    }
    const enum error error = record_all(&runner, &diagnostic);
    if (error)
        fprintf(stderr, "assay-runner: %s%s%s\n", diagnostic.file, diagnostic.file[0] ? ": " : "",
                diagnostic.text);
    else
        printf("%s %s: answers to %zu of %zu requests%s%s\n", runner.description.name,
               runner.description.version, runner.answered, runner.total,
               runner.answered ? " recorded in " : ": nothing was recorded",
               runner.answered ? runner.to : "");
    arena_release(&runner.arena);
    return error == ERROR_INPUT ? INPUT : error ? UNUSABLE : runner.answered ? GOOD : NOTHING;
}
