// SPDX-License-Identifier: Apache-2.0
// The target of a source TARGET:OPERATION: which it is, its worker, its version.

#include <stdio.h>
#include <string.h>

#include "harness/cli/audit/source.h"
#include "harness/cli/target_table.h"
#include "ref/base/digest_file.h"

enum error audit_source_choose_target(const char *name, struct arena *arena, struct target **target,
                                      struct diagnostic *diagnostic)
{
    size_t count;
    const size_t length = strlen(name);
    const bool plugin = length > 3 && !strcmp(name + length - 3, ".so"),
               program = !plugin && strchr(name, '/');
    return targets_choose(plugin || program ? NULL : name, plugin ? name : NULL,
                          program ? name : NULL, arena, target, &count, diagnostic);
}

enum error audit_source_start(const char *name, struct arena *arena, const struct target **target,
                              struct host **host, struct diagnostic *diagnostic)
{
    const char *const full = !strcmp(name, "random123") ? "random123:" : name;
    const char *const colon = strrchr(full, ':');
    struct target *chosen = NULL;
    *target = NULL;
    *host = NULL;
    if (!colon || !strncmp(full, "file:", 5) || !strncmp(full, "panel:", 6))
        return ERROR_NONE;
    const char *const which = arena_copy_text(arena, full, (size_t)(colon - full));
    enum error error = which ? audit_source_choose_target(which, arena, &chosen, diagnostic)
                             : diagnostic_no_memory(diagnostic);
    if (!error)
        error = target_open(chosen, AUDIT_TARGET_TIME_MS, host, diagnostic);
    *target = chosen;
    return error;
}

enum error audit_source_version(const char *name, char *text, size_t size,
                                struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    const struct target *target;
    struct host *host;
    char hex[DIGEST_HEX_SIZE] = "";
    *text = 0;
    enum error error = audit_source_start(name, &arena, &target, &host, diagnostic);
    if (!error && host && !target->program)
        error = digest_path(target->path, hex, diagnostic);
    if (!error && host)
        snprintf(text, size, "%.60s%s%.16s", host_describe(host)->version,
                 target->program ? "" : " sha256:", hex);
    if (host)
        host_close(host, NULL);
    arena_release(&arena);
    return error;
}
