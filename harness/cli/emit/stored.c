// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/emit/stored.h"

#include <stdio.h>

#include "harness/judge/search/stored.h"

enum error stored_tell(const struct suite *suite, size_t *differ, struct diagnostic *diagnostic)
{
    size_t count[STORED_STANDINGS] = {0}, stored = 0;
    enum error error = ERROR_NONE;
    for (size_t i = 0; i < suite->case_count && !error; i++) {
        const struct suite_case *const of = suite->sorted[i];
        enum stored_standing standing;
        char text[STORED_TEXT_SIZE];
        if (!suite_case_is_stored(of))
            continue;
        error = judge_stored(suite, of, true, &standing, text, diagnostic);
        if (error)
            return error;
        stored++;
        count[standing]++;
        if (standing == STORED_DIFFERS)
            printf("%s: case %s: what is stored differs from the reference: %s\n", suite->name,
                   of->id, text);
    }
    *differ = count[STORED_DIFFERS];
    if (stored)
        printf("%s: %zu cases are stored, not derived: the reference agrees with %zu, differs from "
               "%zu and has none of %zu\n",
               suite->name, stored, count[STORED_AGREES], count[STORED_DIFFERS],
               count[STORED_UNDERIVED]);
    return error;
}
