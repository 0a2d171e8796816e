// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/run/companion.h"

enum { COMPANION_EACH = 16, COMPANION_BYTES = 1 << 16, COMPANION_TRIES = 4 };

static bool is_plain(const struct trial *trial)
{
    return !trial->negative && !trial->chance && !trial->stateful && !trial->windows &&
           trial->runs == 1 && trial->bytes <= COMPANION_BYTES;
}

// The trial of case `of` becomes the companion, if it is one that may. Large inputs are not made of
// one that does not say that it is as `small` as the trial.
static enum error take(const struct suite *suite, const struct host_description *description,
                       const struct suite_case *of, bool small, struct trial *trial,
                       struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    struct trial *const made = arena_take(&trial->arena, sizeof *made);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    if (!small) {
        error = trial_make(suite, of, description, true, made, diagnostic);
        small = !error && is_plain(made);
        trial_release(made);
    }
    if (small)
        error = trial_make(suite, of, description, false, made, diagnostic);
    if (small && !error && is_plain(made))
        trial->companion = made;
    else if (small)
        trial_release(made);
    return error == ERROR_INTERNAL ? error : ERROR_NONE;
}

static enum error take_twin(const struct suite *suite, const struct host_description *description,
                            struct trial *trial, struct diagnostic *diagnostic)
{
    bool good = false;
    struct suite_case *const twin = arena_take(&trial->arena, sizeof *twin);
    const enum error error =
        twin ? suite_draw_twin(suite, trial->of, &trial->arena, twin, &good, diagnostic)
             : diagnostic_no_memory(diagnostic);
    return error || !good ? error : take(suite, description, twin, true, trial, diagnostic);
}

static enum error take_neighbour(const struct suite *suite,
                                 const struct host_description *description, struct trial *trial,
                                 struct diagnostic *diagnostic)
{
    const struct suite_case *const of = suite_find_case(suite, trial->of->id);
    enum error error = ERROR_NONE;
    const size_t at = of ? (size_t)(of - suite->cases) : 0;
    for (size_t k = 1; of && k <= COMPANION_TRIES && !error && !trial->companion; k++) {
        const struct suite_case *const next = &suite->cases[(at + k) % suite->case_count];
        if (next != of && next->operation == of->operation && suite_case_is_answered(next))
            error = take(suite, description, next, false, trial, diagnostic);
    }
    return error;
}

enum error companion_find(const struct suite *suite, const struct host_description *description,
                          size_t index, struct trial *trial, struct diagnostic *diagnostic)
{
    const struct suite_case *const of = trial->of;
    enum error error = ERROR_NONE;
    if (description->process || index % COMPANION_EACH || of->step || of->window ||
        !is_plain(trial))
        return ERROR_NONE;
    for (size_t turn = index / COMPANION_EACH, k = 0; k < 2 && !error && !trial->companion; k++)
        error =
            ((turn + k) % 2 ? take_neighbour : take_twin)(suite, description, trial, diagnostic);
    return error;
}
