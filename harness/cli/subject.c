// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/subject.h"

#include <assert.h>
#include <stdio.h>

#include "harness/cli/cli.h"

enum error subject_choose(struct subject *subject, struct diagnostic *diagnostic)
{
    const enum error error =
        targets_choose(subject->target, subject->plugin, subject->program, &subject->arena,
                       &subject->targets, &subject->target_count, diagnostic);
    return error ? error
                 : suites_choose(subject->suites, &subject->arena, &subject->paths,
                                 &subject->path_count, diagnostic);
}

enum error subject_choose_one(struct subject *subject, struct diagnostic *diagnostic)
{
    const enum error error = subject_choose(subject, diagnostic);
    if (error || subject->target_count == 1)
        return error;
    return diagnostic_fail(diagnostic, ERROR_INPUT, "one target at a time; %zu are named",
                           subject->target_count);
}

enum error subject_find_case(struct subject *subject, const char *id, struct diagnostic *diagnostic)
{
    assert(id && subject->paths);
    subject->nearest = (struct nearest){.asked = id};
    for (size_t i = 0; i < subject->path_count; i++) {
        uint64_t seed;
        enum error error = suites_read_file(subject->paths[i], &subject->suite, diagnostic);
        if (error)
            return error;
        subject->of = suite_find_case(&subject->suite, id);
        if (!subject->of && suite_drawn_seed(id, &seed)) {
            error = suite_draw(&subject->suite, seed, diagnostic);
            subject->of = error ? NULL : suite_find_case(&subject->suite, id);
        }
        if (error || subject->of)
            return error;
        subject_offer_cases(&subject->nearest, &subject->suite);
        suite_release(&subject->suite);
    }
    return ERROR_NONE;
}

void subject_offer_cases(struct nearest *nearest, const struct suite *suite)
{
    for (size_t i = 0; i < suite->case_count; i++)
        nearest_offer(nearest, suite->cases[i].id);
}

int subject_no_case(const struct nearest *nearest)
{
    char hint[NEAREST_HINT_SIZE];
    fprintf(stderr, "assay: no suite has a case '%s'%s `assay list cases` names them all\n",
            nearest->asked, *nearest_hint(nearest, hint) ? hint : ";");
    return CLI_NOTHING;
}

void subject_release(struct subject *subject)
{
    suite_release(&subject->suite);
    arena_release(&subject->arena);
}
