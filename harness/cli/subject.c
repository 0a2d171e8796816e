// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/subject.h"

enum error subject_choose(struct subject *subject, struct diagnostic *diagnostic)
{
    const enum error error =
        targets_choose(subject->target, subject->plugin, subject->program, &subject->arena,
                       &subject->targets, &subject->target_count, diagnostic);
    return error ? error
                 : suites_choose(subject->suites, &subject->arena, &subject->paths,
                                 &subject->path_count, diagnostic);
}

enum error subject_find_case(struct subject *subject, const char *id, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < subject->path_count; i++) {
        const enum error error = suite_read(subject->paths[i], &subject->suite, diagnostic);
        subject->of = error ? NULL : suite_find_case(&subject->suite, id);
        if (error || subject->of)
            return error;
        suite_release(&subject->suite);
    }
    return diagnostic_fail(diagnostic, ERROR_INPUT, "no suite has a case '%s'", id);
}

void subject_release(struct subject *subject)
{
    suite_release(&subject->suite);
    arena_release(&subject->arena);
}
