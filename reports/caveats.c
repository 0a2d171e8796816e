// SPDX-License-Identifier: Apache-2.0
#include "reports/caveats.h"

#include <assert.h>
#include <string.h>

#include "ref/base/digest_file.h"

enum { FILE_LINES = 6, TARGET_LINES = 8, SUITE_LINES = 2 };

static void add(struct arena *arena, struct caveats *caveats, const char *format, const char *what)
{
    if (what)
        caveats->line[caveats->count++] = arena_print(arena, format, what);
}

static void add_file(struct arena *arena, struct caveats *caveats, const struct results_file *file)
{
    char limit[32];
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)file->time_ms);
    add(arena, caveats, "failures that %.400s lists were expected", file->known_name);
    add(arena, caveats, "%s", file->quick ? "each case was run under one set of conditions" : NULL);
    add(arena, caveats, "only the cases that match '%.400s' were run", file->selection);
    add(arena, caveats, "bounds over many steps were derived in the mode %s", file->mode);
    add(arena, caveats,
        file->drawn
            ? "also ran cases that were drawn, once its files were digested, with the seed %s"
            : "also ran cases that were drawn with the seed %s, which was given",
        file->seed);
    add(arena, caveats, "a call was given up to %s ms", file->time_ms ? limit : NULL);
}

// The files that a target made, changed or removed, the first few by name; NULL: none.
static const char *name_changed(const struct results *results, const struct results_target *about,
                                struct arena *arena)
{
    enum { NAMED = 4 };
    const char *text = NULL;
    size_t count = 0;
    for (size_t i = 0; i < about->library_count; i++) {
        const char *const name = results->library[about->library_first + i].file;
        const size_t length = strlen(name);
        if (!length || name[length - 1] != DIGEST_CHANGED || ++count > NAMED)
            continue;
        text = arena_print(arena, "%s%s%.*s", text ? text : "", text ? ", " : "", (int)length - 1,
                           name);
    }
    return count > NAMED ? arena_print(arena, "%s and %zu more", text, count - NAMED) : text;
}

static void add_recorded(struct arena *arena, struct caveats *caveats,
                         const struct results_recorded *recorded)
{
    if (!recorded->at)
        return;
    caveats->line[caveats->count++] = arena_print(
        arena, "its answers were recorded at %s by %.200s, on the machine that is named, %s%.80s",
        recorded->at, recorded->by,
        recorded->signer ? "and signed by the key " : "and no signature was checked",
        recorded->signer ? recorded->signer : "");
    add(arena, caveats, "they were recorded for %.600s", recorded->suites);
}

static bool has_cases_of(const struct results *results, size_t suite, uint32_t target)
{
    for (size_t i = 0; i < results->case_count; i++)
        if (results->cases[i].suite == suite && results->cases[i].target == target)
            return true;
    return false;
}

// Who states the stored values; the first few by name.
static const char *name_sources(const struct results *results, size_t suite, uint32_t target,
                                struct arena *arena)
{
    enum { NAMED = 4 };
    const char *names[NAMED], *text = NULL;
    size_t count = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        bool before = item->suite != suite || item->target != target || !item->stated_by;
        for (size_t k = 0; k < count && !before; k++)
            before = !strcmp(names[k], item->stated_by);
        if (before)
            continue;
        if (count == NAMED)
            return arena_print(arena, "%s and others", text);
        names[count++] = item->stated_by;
        text =
            arena_print(arena, "%s%s%.160s", text ? text : "", text ? ", " : "", item->stated_by);
    }
    return text;
}

static const char *describe_stored(const struct results *results, size_t suite, uint32_t target,
                                   struct arena *arena)
{
    size_t count[RESULTS_STANDINGS] = {0}, stored = 0, all = 0;
    for (size_t i = 0; i < results->case_count; i++) {
        const struct results_case *const item = &results->cases[i];
        if (item->suite != suite || item->target != target)
            continue;
        all++;
        if (!item->stated_by)
            continue;
        stored++;
        count[item->standing]++;
    }
    return stored ? arena_print(arena,
                                "values of %zu of %zu cases of suite %.100s are stored, not "
                                "derived: the reference agrees with %zu, differs from %zu and has "
                                "none of %zu; by %s",
                                stored, all, results->suite[suite].name, count[RESULTS_AGREES],
                                count[RESULTS_DIFFERS], count[RESULTS_UNDERIVED],
                                name_sources(results, suite, target, arena))
                  : NULL;
}

enum error caveats_of_target(const struct results *results, uint32_t target, struct arena *arena,
                             struct caveats *caveats, struct diagnostic *diagnostic)
{
    assert(target < results->target_count);
    const struct results_target *const about = &results->target[target];
    const size_t room =
        TARGET_LINES + FILE_LINES * results->file_count + SUITE_LINES * results->suite_count;
    *caveats = (struct caveats){.line = arena_take_array(arena, room, sizeof *caveats->line)};
    if (!caveats->line)
        return diagnostic_no_memory(diagnostic);
    add_recorded(arena, caveats, &about->recorded);
    add(arena, caveats, "failed outside of cases: %.600s", about->outside);
    for (size_t i = 0; i < results->suite_count; i++)
        add(arena, caveats, "%s", describe_stored(results, i, target, arena));
    add(arena, caveats, "declares a model of its own, which its bounds follow: %.400s",
        about->model);
    add(arena, caveats, "made, changed or removed files outside of the folder that it is given: %s",
        name_changed(results, about, arena));
    for (size_t i = 0; i < results->file_count; i++)
        if (about->files >> i & 1)
            add_file(arena, caveats, &results->file[i]);
    add(arena, caveats, "%s", about->unseen);
    add(arena, caveats, "was not run under: %.400s", about->untried);
    for (size_t i = 0; i < results->suite_count; i++)
        if (!results->suite[i].manifest && has_cases_of(results, i, target))
            add(arena, caveats, "suite %.100s has no golden vectors: the reference alone decided",
                results->suite[i].name);
    for (size_t i = 0; i < caveats->count; i++)
        if (!caveats->line[i])
            return diagnostic_no_memory(diagnostic);
    return ERROR_NONE;
}

static bool holds(const struct caveats *caveats, const char *line)
{
    for (size_t i = 0; i < caveats->count; i++)
        if (!strcmp(caveats->line[i], line))
            return true;
    return false;
}

// "acme, numpy: LINE", of the targets from `first` on; nothing where one before has it.
static const char *name_targets(const struct results *results, const struct caveats *each,
                                size_t first, const char *line, struct arena *arena)
{
    const char *text = results->target[first].name;
    for (size_t t = first + 1; t < results->target_count && text; t++)
        if (holds(&each[t], line))
            text = arena_print(arena, "%s, %s", text, results->target[t].name);
    return text ? arena_print(arena, "%s: %s", text, line) : NULL;
}

enum error caveats_of_all(const struct results *results, struct arena *arena,
                          struct caveats *caveats, struct diagnostic *diagnostic)
{
    const size_t targets = results->target_count;
    struct caveats *const each = arena_take_array(arena, targets + 1, sizeof *each);
    size_t room = 1;
    enum error error = each ? ERROR_NONE : diagnostic_no_memory(diagnostic);
    for (uint32_t t = 0; t < targets && !error; t++) {
        error = caveats_of_target(results, t, arena, &each[t], diagnostic);
        room += error ? 0 : each[t].count;
    }
    if (error)
        return error;
    *caveats = (struct caveats){.line = arena_take_array(arena, room, sizeof *caveats->line)};
    if (!caveats->line)
        return diagnostic_no_memory(diagnostic);
    for (size_t t = 0; t < targets; t++)
        for (size_t i = 0; i < each[t].count; i++) {
            bool before = false;
            for (size_t k = 0; k < t; k++)
                before |= holds(&each[k], each[t].line[i]);
            if (before)
                continue;
            const char *const line = name_targets(results, each, t, each[t].line[i], arena);
            if (!line)
                return diagnostic_no_memory(diagnostic);
            caveats->line[caveats->count++] = line;
        }
    return ERROR_NONE;
}
