// SPDX-License-Identifier: Apache-2.0
// assay list: what there is. Suites, their cases, requirements, choices and errata; operations
// and mappings.

#include "harness/cli/list/list.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/suite_table.h"

bool list_takes(struct list *list, const char *name)
{
    const bool taken = !list->pattern || !fnmatch(list->pattern, name, 0);
    if (!taken)
        nearest_offer(&list->nearest, name);
    list->listed += taken;
    return taken;
}

void list_end(struct text *line)
{
    json_end_object(line);
    text_put_bytes(line, "\n", 1);
    cli_put_text(line);
    text_release(line);
}

static enum error list_suite(struct list *list, const struct suite *suite,
                             struct diagnostic *diagnostic)
{
    (void)diagnostic;
    if (!list_takes(list, suite->name))
        return ERROR_NONE;
    if (!list->json) {
        printf("%-26s %-8s %5zu cases %4zu requirements %3zu choices %3zu errata   %s\n",
               suite->name, suite->version, suite->case_count, suite->requirement_count,
               suite->choice_count, suite->erratum_count, suite->title);
        return ERROR_NONE;
    }
    struct text line = {0};
    json_begin_object(&line);
    json_put_pairs(&line, {"suite", suite->name}, {"version", suite->version},
                   {"title", suite->title});
    json_put_unsigned_at(&line, "cases", suite->case_count);
    json_begin_list_at(&line, "operations");
    for (size_t i = 0; i < suite->operation_count; i++)
        json_put_string(&line, suite->operation[i]->name);
    json_end_list(&line);
    json_put_unsigned_at(&line, "errata", suite->erratum_count);
    list_end(&line);
    return ERROR_NONE;
}

static const char *kind_of(const struct suite_case *of)
{
    static const char *const level[] = {"", "bits", "bound", "distribution"};
    return of->reject          ? "reject"
           : of->survive       ? "survive"
           : of->relation.kind ? "agrees"
                               : level[of->level];
}

static bool covers(const struct suite *suite, const struct suite_case *of, const char *requirement)
{
    for (size_t i = 0; i < of->covers_count; i++)
        if (!strcmp(suite->requirement[of->covers[i]].id, requirement))
            return true;
    return false;
}

static enum error list_cases(struct list *list, const struct suite *suite,
                             struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (size_t i = 0; i < suite->case_count; i++) {
        const struct suite_case *const of = &suite->cases[i];
        if ((list->covers && !covers(suite, of, list->covers)) || !list_takes(list, of->id))
            continue;
        if (!list->json) {
            printf("%s %s%s%s\n", suite->name, of->id, kind_of(of)[0] ? "  " : "", kind_of(of));
            continue;
        }
        struct text line = {0};
        json_begin_object(&line);
        json_put_pairs(&line, {"suite", suite->name}, {"case", of->id},
                       {"op", of->operation->name});
        json_begin_list_at(&line, "covers");
        for (size_t k = 0; k < of->covers_count; k++)
            json_put_string(&line, suite->requirement[of->covers[k]].id);
        json_end_list(&line);
        json_put_pair(&line, "reject", of->reject);
        json_put_boolean_at(&line, "portable", of->portable);
        json_put_boolean_at(&line, "digests", suite_case_keeps_digests(of));
        list_end(&line);
    }
    return ERROR_NONE;
}

static enum error list_requirements(struct list *list, const struct suite *suite,
                                    struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (size_t i = 0; i < suite->requirement_count; i++) {
        const struct suite_requirement *const requirement = &suite->requirement[i];
        if (!list_takes(list, requirement->id))
            continue;
        if (!list->json) {
            printf("%-26s %-20s %4zu cases  %s%s%s\n", suite->name, requirement->id,
                   requirement->cases, requirement->text,
                   requirement->untested ? "; untested: " : "",
                   requirement->untested ? requirement->untested : "");
            continue;
        }
        struct text line = {0};
        json_begin_object(&line);
        json_put_pairs(&line, {"suite", suite->name}, {"requirement", requirement->id},
                       {"text", requirement->text}, {"clause", requirement->clause},
                       {"untested", requirement->untested});
        json_put_unsigned_at(&line, "cases", requirement->cases);
        list_end(&line);
    }
    return ERROR_NONE;
}

static enum error list_errata(struct list *list, const struct suite *suite,
                              struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (size_t i = 0; i < suite->erratum_count; i++) {
        const struct suite_erratum *const erratum = &suite->erratum[i];
        if (!list_takes(list, erratum->id))
            continue;
        if (!list->json) {
            printf("%s %s, %s\n  the text: %s\n  decided: %s\n  because: %s\n", suite->name,
                   erratum->id, erratum->clause, erratum->says, erratum->decided, erratum->because);
            if (erratum->option)
                printf("  the literal reading: %s\n", erratum->option);
            continue;
        }
        struct text line = {0};
        json_begin_object(&line);
        json_put_pairs(&line, {"suite", suite->name}, {"erratum", erratum->id},
                       {"clause", erratum->clause}, {"says", erratum->says},
                       {"decided", erratum->decided}, {"because", erratum->because},
                       {"option", erratum->option});
        json_begin_list_at(&line, "cases");
        for (size_t k = 0; k < erratum->count; k++)
            json_put_string(&line, erratum->cases[k]);
        json_end_list(&line);
        list_end(&line);
    }
    return ERROR_NONE;
}

static const struct subject {
    const char *name;
    enum error (*of_suite)(struct list *list, const struct suite *suite,
                           struct diagnostic *diagnostic);
    enum error (*of_all)(struct list *list,
                         struct diagnostic *diagnostic); // not NULL: where no suite is named
} subjects[] = {
    {"suites", list_suite, NULL},
    {"cases", list_cases, NULL},
    {"requirements", list_requirements, NULL},
    {"choices", list_choices, NULL},
    {"errata", list_errata, NULL},
    {"operations", list_operations_of, list_operations},
    {"mappings", NULL, list_mappings},
};

static const struct subject *find_subject(const char *name)
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (!strcmp(subjects[i].name, name))
            return &subjects[i];
    return NULL;
}

static int no_such_subject(const struct cli_command *command, const char *name)
{
    struct nearest nearest = {.asked = name};
    char hint[NEAREST_HINT_SIZE];
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        nearest_offer(&nearest, subjects[i].name);
    return cli_usage(command,
                     "'%s' cannot be listed; expected suites, cases, requirements, "
                     "choices, errata, operations or mappings%s",
                     name, nearest_hint(&nearest, hint));
}

static enum error list_suites(struct list *list, const struct subject *subject, const char *names,
                              struct diagnostic *diagnostic)
{
    struct arena arena = {0};
    char **paths = NULL;
    size_t count = 0;
    enum error error = suites_choose(names, &arena, &paths, &count, diagnostic);
    for (size_t i = 0; i < count && !error; i++) {
        struct suite suite;
        error = suites_read_file(paths[i], &suite, diagnostic);
        if (!error)
            error = subject->of_suite(list, &suite, diagnostic);
        suite_release(&suite);
    }
    arena_release(&arena);
    return error;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct list list = {.pattern = NULL};
    const char *suite = NULL;
    const struct cli_option options[] = {
        {"suite", CLI_TEXT, &suite, "NAME,...", "suites by name or path; all when not given"},
        {"covers", CLI_TEXT, &list.covers, "ID", "cases: only those that cover this requirement"},
        {"killed", CLI_FLAG, &list.killed, NULL,
         "choices: name the case that kills each deviant option; exit 1 when one survives"},
        {"json", CLI_FLAG, &list.json, NULL, "one JSON object a line"},
    };
    int count;
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, &count);
    if (code)
        return code;
    const struct subject *const subject = find_subject(count ? argv[1] : "suites");
    if (!subject)
        return no_such_subject(command, argv[1]);
    list.pattern = count == 2 ? argv[2] : NULL;
    list.nearest.asked = list.pattern ? list.pattern : "";
    struct diagnostic diagnostic = {.text = ""};
    const bool all = subject->of_all && !(suite && subject->of_suite);
    if (all ? subject->of_all(&list, &diagnostic) : list_suites(&list, subject, suite, &diagnostic))
        return cli_fail(&diagnostic);
    if (!list.listed) {
        char hint[NEAREST_HINT_SIZE];
        fprintf(stderr, "assay list: there are no such %s%s\n", subject->name,
                nearest_hint(&list.nearest, hint));
        return CLI_NOTHING;
    }
    return list.survivors ? CLI_DIFFERS : CLI_CONFORMS;
}

const struct cli_command command_list = {
    .name = "list",
    .arguments = "[SUBJECT] [PATTERN]",
    .summary = "what there is to certify against",
    .help = "Lists suites, or another subject: cases, requirements, choices, errata, "
            "operations, mappings. PATTERN is a shell pattern of names.\n\n"
            "  assay list requirements --suite openvino.random_uniform\n"
            "  assay list cases 'seeds-*' --suite openvino.random_uniform\n"
            "  assay list choices --killed\n"
            "  assay list operations --suite ./mine.yaml   its own operators, too\n"
            "  assay list mappings   how users of Philox and Threefry make numbers of words",
    .exits = {"listed; with --killed: every deviant option is killed",
              "with --killed: a deviant option survives", [CLI_NOTHING] = "nothing was selected"},
    .takes = {0, 2, "a subject and a pattern at most"},
    .run = run,
};
