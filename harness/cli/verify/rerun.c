// SPDX-License-Identifier: Apache-2.0
// What a certificate says of each case of its suites. The suites say which cases there are, so that
// one that was taken out of the certificate is missed, and drawn as often as any other.

#include "harness/cli/verify/rerun.h"

#include <stdlib.h>
#include <string.h>

#include "harness/cli/again.h"
#include "harness/cli/cli.h"
#include "harness/cli/suite_table.h"
#include "harness/cli/verify/files.h"
#include "reports/shape.h"
#include "yaml/suite.h"

enum { NAME_SIZE = 1024 };

struct rerun {
    const struct verify_case_lists *lists;
    const struct verify_places *places;
    const char *program, *target;
    size_t wanted, total, at; // cases to run, cases of all suites, the next one's number
    unsigned faults;
};

static bool names(const struct document_node *list, const char *name)
{
    for (size_t i = 0; list && list->kind == DOCUMENT_SEQUENCE && i < list->count; i++)
        if (list->item[i]->kind == DOCUMENT_SCALAR && !strcmp(list->item[i]->text, name))
            return true;
    return false;
}

// A case that proves nothing, as it is unsupported, undefined or vacuous, leaves nothing to
// compare.
static void check_case(struct rerun *rerun, const struct suite *suite, const struct suite_case *of)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.500s/%.500s", suite->name, of->id);
    const bool unsupported = names(rerun->lists->unsupported, name);
    const bool proves = names(rerun->lists->passed, name) && !of->survive;
    const size_t number = rerun->at++;
    if (!unsupported && !names(rerun->lists->passed, name) && !names(rerun->lists->warned, name)) {
        verify_say("missing  ", name, ": the certificate says nothing of this case");
        rerun->faults++;
        return;
    }
    // Draws cases at equal distances: number i where i * wanted / total rises.
    if ((number + 1) * rerun->wanted / rerun->total == number * rerun->wanted / rerun->total)
        return;
    const char *const more[] = {"--suite", suite_asked(suite), "--case", of->id, NULL};
    const int code = again_certify(&(struct again_target){.plugin = rerun->places->target,
                                                          .program = rerun->program,
                                                          .recorded = rerun->places->recorded},
                                   rerun->target, more);
    const bool same = code == (proves ? CLI_CONFORMS : CLI_NOTHING);
    rerun->faults += !same;
    verify_say(same ? "again    " : "NOT AGAIN", name,
               same          ? unsupported ? ": unsupported" : ""
               : unsupported ? ": it is not unsupported now"
                             : ": it does not pass now");
}

// The suites that the certificate is about, as they are here.
static enum error read_suites(const struct document_node *list, const struct verify_places *places,
                              struct arena *arena, struct suite **suites, size_t *count,
                              struct diagnostic *diagnostic)
{
    struct text text = {0};
    char **paths = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct document_node *const node = list->item[i];
        const char *const name = node->kind == DOCUMENT_MAPPING ? shape_text(node, "name") : NULL;
        text_put(&text, i ? "," : "");
        const struct suite *const own = name ? verify_own_suite(places, name) : NULL;
        text_put(&text, own ? own->path : name && !strchr(name, '/') ? name : "nameless");
    }
    enum error error =
        text.failed ? diagnostic_no_memory(diagnostic)
                    : suites_choose(text.bytes ? text.bytes : "", arena, &paths, count, diagnostic);
    if (!error)
        error = suites_read(paths, *count, arena, suites, diagnostic);
    text_release(&text);
    return error;
}

enum error verify_cases(const struct verify_case_lists *lists, const struct verify_places *places,
                        const char *program, const char *target, unsigned long long wanted,
                        unsigned *faults, struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    struct suite *suites = NULL;
    size_t count = 0;
    struct rerun rerun = {.lists = lists, .places = places, .program = program, .target = target};
    enum error error = ERROR_NONE;
    if (!lists->suites || lists->suites->kind != DOCUMENT_SEQUENCE || !lists->suites->count) {
        verify_say("missing  ", "suites", ": the certificate names none");
        ++*faults;
    } else
        error = read_suites(lists->suites, places, &arena, &suites, &count, diagnostic);
    for (size_t i = 0; lists->seed && !error && i < count; i++)
        error = suite_draw(&suites[i], strtoull(lists->seed, NULL, 10), diagnostic);
    for (size_t i = 0; !error && i < count; i++)
        rerun.total += suites[i].case_count;
    rerun.wanted = wanted < rerun.total ? (size_t)wanted : rerun.total;
    for (size_t i = 0; !error && i < count; i++)
        for (size_t k = 0; k < suites[i].case_count; k++)
            check_case(&rerun, &suites[i], &suites[i].cases[k]);
    for (size_t i = 0; suites && i < count; i++)
        suite_release(&suites[i]);
    *faults += rerun.faults;
    arena_release(&arena);
    return error;
}
