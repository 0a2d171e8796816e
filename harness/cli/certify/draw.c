// SPDX-License-Identifier: Apache-2.0
// Drawn cases of a certification: after the targets' files are digested, so that no target can have
// been made for them.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "harness/cli/certify/work.h"
#include "ref/base/digest_file.h"

// The digest of a target's file, empty where it is not known, as a program that is looked for.
static enum error digest_target(const struct target *target, char hex[DIGEST_HEX_SIZE],
                                struct diagnostic *diagnostic)
{
    hex[0] = '\0';
    return target->path && !access(target->path, R_OK) ? digest_path(target->path, hex, diagnostic)
                                                       : ERROR_NONE;
}

static enum error choose_seed(struct certify_work *work, uint64_t *seed,
                              struct diagnostic *diagnostic)
{
    const char *const text = work->arguments->seed;
    char *end;
    if (!text) // a case is asked for by a name that holds it
        return ERROR_NONE;
    work->drawn = !strcmp(text, CERTIFY_DRAW);
    if (work->drawn)
        return getrandom(seed, sizeof *seed, 0) == sizeof *seed
                   ? ERROR_NONE
                   : diagnostic_fail(diagnostic, ERROR_SYSTEM, "no random number: %s",
                                     strerror(errno));
    errno = 0;
    *seed = strtoull(text, &end, 10);
    return !errno && *text && strspn(text, "0123456789") == (size_t)(end - text) && !*end
               ? ERROR_NONE
               : diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT,
                                 "--seed is '%.80s'; expected a number below 2^64, or %s", text,
                                 CERTIFY_DRAW);
}

enum error certify_draw(struct certify_work *work, struct diagnostic *diagnostic)
{
    const char *const pattern = work->arguments->pattern;
    uint64_t seed = 0;
    const bool named = pattern && suite_drawn_seed(pattern, &seed);
    if (!work->arguments->seed && !named)
        return ERROR_NONE;
    work->fixed = arena_take_array(&work->arena, work->target_count + 1, sizeof *work->fixed);
    enum error error = work->fixed ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (size_t t = 0; t < work->target_count && !error; t++)
        error = digest_target(&work->targets[t], work->fixed[t], diagnostic);
    if (!error)
        error = choose_seed(work, &seed, diagnostic);
    for (size_t s = 0; s < work->suite_count && !error; s++)
        error = suite_draw(&work->suites[s], seed, diagnostic);
    if (error)
        return error;
    work->seed = arena_print(&work->arena, "%" PRIu64, seed);
    return work->seed ? ERROR_NONE : diagnostic_no_memory(diagnostic);
}

enum error certify_check_fixed(const struct certify_work *work, struct diagnostic *diagnostic)
{
    char hex[DIGEST_HEX_SIZE];
    for (size_t t = 0; work->seed && t < work->target_count; t++) {
        const enum error error = digest_target(&work->targets[t], hex, diagnostic);
        if (error)
            return error;
        if (strcmp(hex, work->fixed[t]) != 0)
            return diagnostic_fail(
                diagnostic, ERROR_SYSTEM, "%.300s is another file than when its cases were drawn",
                work->targets[t].path ? work->targets[t].path : work->targets[t].name);
    }
    return ERROR_NONE;
}
