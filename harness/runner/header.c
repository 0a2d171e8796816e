// SPDX-License-Identifier: Apache-2.0
// What a record says first: when, what and where.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "harness/runner/runner.h"
#include "ref/base/digest_file.h"
#include "ref/base/file.h"
#include "ref/base/version.h"

static const char untried[] =
    "inaccessible pages beside tensors, checks of what a call does to its process, several numbers "
    "of threads, rows that stand apart, two calls at once, a process apart from the runner's, "
    "other requests of a relation, more draws than a case asks for";

static void put_processor(struct text *text)
{
    char start[4096];
    const char *line = NULL;
    if (file_read_start("/proc/cpuinfo", start, sizeof start))
        line = strstr(start, "model name");
    line = line ? strchr(line, ':') : NULL;
    if (!line)
        return;
    line += 1 + strspn(line + 1, " ");
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\n"), line);
    json_put_pair(text, "processor", name);
}

static void put_machine(struct text *text)
{
    struct utsname system;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&system))
        memset(&system, 0, sizeof system);
    json_begin_object_at(text, "machine");
    json_put_pair(text, "architecture", system.machine[0] ? system.machine : "unknown");
    put_processor(text);
    char kernel[160];
    snprintf(kernel, sizeof kernel, "%.60s %.90s", system.sysname, system.release);
    json_put_pair(text, "system", kernel);
    if (processors > 0)
        json_put_unsigned_at(text, "processors", (uint64_t)processors);
    json_end_object(text);
}

// What is mapped into this process as code.
static enum error put_libraries(struct text *text, const char *own, struct diagnostic *diagnostic)
{
    FILE *const maps = fopen("/proc/self/maps", "re");
    char line[4352], last[4352] = "", sha256[DIGEST_HEX_SIZE];
    enum error error = ERROR_NONE;
    json_begin_list_at(text, "libraries");
    while (maps && !error && fgets(line, sizeof line, maps)) {
        const char *const path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || !strstr(line, " r-xp ") || !strcmp(path, last) || !strcmp(path, own) ||
            !digest_is_there(path))
            continue;
        snprintf(last, sizeof last, "%s", path);
        error = digest_path(path, sha256, diagnostic);
        if (!error)
            json_put_object(text, {"file", path}, {"sha256", sha256});
    }
    if (maps)
        fclose(maps);
    json_end_list(text);
    return error;
}

static enum error put_suites(const struct runner *runner, struct text *text, struct arena *arena,
                             struct diagnostic *diagnostic)
{
    struct document_node *root;
    const enum error error = json_read(&runner->form.header, arena, &root, diagnostic);
    if (error)
        return error;
    const struct document_node *const suites =
        root->kind == DOCUMENT_MAPPING ? document_find(root, "suites") : NULL;
    if (!suites || !text_same(document_text(root, "format"), REQUESTS_FORMAT))
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "these are no requests of the format %s", REQUESTS_FORMAT);
    json_put_document_at(text, "suites", suites);
    return ERROR_NONE;
}

enum error runner_put_header(struct runner *runner, struct text *text,
                             struct diagnostic *diagnostic)
{
    char sha256[DIGEST_HEX_SIZE], now[32];
    const time_t seconds = time(NULL);
    struct tm parts;
    char *const own = realpath(runner->path, NULL);
    if (!own || !gmtime_r(&seconds, &parts) ||
        !strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &parts)) {
        free(own);
        return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot find out the time or the plugin");
    }
    enum error error = digest_path(own, sha256, diagnostic);
    json_begin_object(text);
    json_put_pairs(text, {"record", "header"}, {"format", RECORD_FORMAT}, {"recorded", now},
                   {"by", "assay-runner " ASSAY_VERSION});
    json_begin_object_at(text, "target");
    json_put_pair(text, "name", runner->name ? runner->name : runner->description.name);
    record_put_description(text, &runner->description);
    json_put_pairs(text, {"file", file_name(own)}, {"sha256", error ? NULL : sha256},
                   {"unseen", "files were not watched: known are those that were mapped as code"},
                   {"untried", untried});
    if (!error)
        error = put_libraries(text, own, diagnostic);
    json_end_object(text);
    put_machine(text);
    if (!error)
        error = put_suites(runner, text, &runner->arena, diagnostic);
    free(own);
    return error;
}
