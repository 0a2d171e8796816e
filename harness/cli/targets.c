// SPDX-License-Identifier: Apache-2.0
// assay targets: which targets there are, and whether they can be used here.

#include <stdio.h>

#include "harness/cli/commands.h"
#include "harness/cli/target_table.h"
#include "ref/base/json.h"

static const struct {
    uint32_t bit;
    const char *name;
} capabilities[] = {
    {ASSAY_CAPABILITY_WINDOW, "window"},
    {ASSAY_CAPABILITY_STRIDED, "strided"},
    {ASSAY_CAPABILITY_THREADS, "threads"},
    {ASSAY_CAPABILITY_REENTRANT, "reentrant"},
    {ASSAY_CAPABILITY_NONDETERMINISTIC, "nondeterministic"},
    {ASSAY_CAPABILITY_STATES, "states"},
    {ASSAY_CAPABILITY_LAYOUTS, "layouts"},
};

enum { CAPABILITY_COUNT = sizeof capabilities / sizeof capabilities[0] };

static enum error print_line(const struct target *target,
                             const struct host_description *description, const char *why)
{
    printf("%-12s %-8s", target->name, target->program ? "process" : "plugin");
    if (!description) {
        printf(" not available: %s\n", why);
        return ERROR_NONE;
    }
    printf(" %s", description->version);
    if (target->held_to)
        printf(", held to %s", target->held_to);
    for (unsigned i = 0; i < CAPABILITY_COUNT; i++)
        if (description->capabilities & capabilities[i].bit)
            printf(", %s", capabilities[i].name);
    for (uint32_t i = 0; i < description->feed_count && description->feed_count > 1; i++)
        printf("%s%s", i ? " or " : ", fed by ", description->feeds[i]);
    printf("\n");
    return ERROR_NONE;
}

static enum error put_json(const struct target *target, const struct host_description *description,
                           const char *why)
{
    struct text text = {0};
    json_begin_object(&text);
    json_put_pairs(
        &text, {"name", target->name}, {"kind", target->program ? "process" : "plugin"},
        {description ? "version" : "unavailable", description ? description->version : why},
        {"held_to", target->held_to});
    if (description) {
        json_begin_list_at(&text, "capabilities");
        for (unsigned i = 0; i < CAPABILITY_COUNT; i++)
            if (description->capabilities & capabilities[i].bit)
                json_put_string(&text, capabilities[i].name);
        json_end_list(&text);
        json_begin_list_at(&text, "feeds");
        for (uint32_t i = 0; i < description->feed_count; i++)
            json_put_string(&text, description->feeds[i]);
        json_end_list(&text);
    }
    json_end_object(&text);
    const bool failed = text.failed;
    if (!failed)
        printf("%s\n", text.bytes);
    text_release(&text);
    return failed ? ERROR_INTERNAL : ERROR_NONE;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    bool json = false;
    const struct cli_option options[] = {{"json", CLI_FLAG, &json, NULL, "one JSON object a line"}};
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    struct target *targets = NULL;
    size_t target_count = 0;
    enum error error = targets_list(&arena, &targets, &target_count, &diagnostic);
    for (size_t i = 0; i < target_count && !error; i++) {
        struct host *host = NULL;
        // A target that cannot be opened is listed so; that memory has run out is no property of a
        // target.
        if (target_open(&targets[i], 0, &host, &diagnostic) == ERROR_INTERNAL)
            error = ERROR_INTERNAL;
        else if ((json ? put_json : print_line)(&targets[i], host ? host_describe(host) : NULL,
                                                diagnostic.text))
            error = diagnostic_no_memory(&diagnostic);
        fflush(stdout);
        if (host)
            host_close(host, NULL);
    }
    arena_release(&arena);
    if (error)
        return cli_fail(&diagnostic);
    return target_count ? CLI_CONFORMS : CLI_NOTHING;
}

const struct cli_command command_targets = {
    .name = "targets",
    .arguments = "[--json]",
    .summary = "list the targets and whether they can be used here",
    .help = "Starts each target once and prints its version and what it can do. A target whose "
            "library is missing is listed with the reason. Plugins of your own are certified with "
            "`assay certify --plugin FILE.so`, programs with `--exec`.",
    .exits = {"listed", [CLI_NOTHING] = "there is no target"},
    .run = run,
};
