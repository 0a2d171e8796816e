// SPDX-License-Identifier: Apache-2.0
// assay list: choices with what kills them, and the table of operations.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/cli/cli.h"
#include "harness/cli/list/list.h"
#include "harness/judge/search/mutants.h"

// ---- choices ----------------------------------------------------------------

struct option {
    size_t choice, option;
    const struct suite_case *killer;
};

// The first case that kills each deviant option, in the order of the list.
static enum error find_killers(const struct suite *suite, struct option *option, size_t count,
                               struct diagnostic *diagnostic)
{
    struct mutants mutants;
    const enum error error = mutants_run(suite, NULL, false, &mutants, diagnostic);
    for (size_t m = 0; m < mutants.count && !error; m++)
        for (size_t i = 0; i < count; i++)
            if (option[i].choice == mutants.mutant[m].choice &&
                option[i].option == mutants.mutant[m].option)
                option[i].killer = mutants.mutant[m].kills ? mutants.mutant[m].killer[0] : NULL;
    mutants_release(&mutants);
    return error;
}

static void put_option(struct list *list, const struct suite *suite, const struct option *at)
{
    const struct suite_choice *const choice = &suite->choice[at->choice];
    const bool deviant = choice->class[at->option] == SUITE_DEVIANT;
    const char *const class = !at->option ? "default" : deviant ? "deviant" : "allowed";
    const char *const killer = !list->killed || !deviant ? NULL
                               : at->killer              ? at->killer->id
                                                         : "SURVIVES";
    list->survivors += list->killed && deviant && !at->killer;
    if (!list->json) {
        printf("%-26s %-20s %-20s %-8s%s%s\n", suite->name, choice->name,
               choice->option[at->option], class, killer ? " " : "", killer ? killer : "");
        return;
    }
    struct text line = {0};
    json_begin_object(&line);
    json_put_pairs(&line, {"suite", suite->name}, {"choice", choice->name},
                   {"option", choice->option[at->option]}, {"class", class},
                   {"about", choice->about}, {"killed_by", at->killer ? at->killer->id : NULL});
    if (list->killed && deviant && !at->killer)
        json_put_boolean_at(&line, "survives", true);
    list_end(&line);
}

enum error list_choices(struct list *list, const struct suite *suite, struct diagnostic *diagnostic)
{
    size_t count = 0;
    for (size_t c = 0; c < suite->choice_count; c++)
        count += suite->choice[c].count;
    struct option *const option = calloc(count + 1, sizeof *option);
    if (!option)
        return diagnostic_no_memory(diagnostic);
    count = 0;
    for (size_t c = 0; c < suite->choice_count; c++)
        for (size_t o = 0; o < suite->choice[c].count && list_takes(list, suite->choice[c].name);
             o++)
            option[count++] = (struct option){.choice = c, .option = o};
    const enum error error =
        list->killed && count ? find_killers(suite, option, count, diagnostic) : ERROR_NONE;
    for (size_t i = 0; i < count && !error; i++)
        put_option(list, suite, &option[i]);
    free(option);
    return error;
}

// ---- operations -------------------------------------------------------------

static void put_attribute(struct text *line, const struct attribute_spec *spec)
{
    static const char *const kind[] = {"integer", "integer64", "boolean", "word", "dtype",
                                       "sizes",   "words",     "real",    "reals"};
    json_begin_object(line);
    json_put_pairs(line, {"name", spec->name}, {"kind", kind[spec->kind]});
    json_put_boolean_at(line, "required", spec->presence == ATTRIBUTE_REQUIRED);
    if (spec->kind == ATTRIBUTE_WORD || spec->kind == ATTRIBUTE_WORDS) {
        json_begin_list_at(line, "words");
        for (const char *const *word = spec->words; *word; word++)
            json_put_string(line, *word);
        json_end_list(line);
    }
    if (spec->kind == ATTRIBUTE_DTYPE) {
        json_begin_list_at(line, "dtypes");
        for (enum dtype dtype = DTYPE_BOOL; dtype < DTYPE_COUNT; dtype++)
            if (spec->dtypes & DTYPE_BIT(dtype))
                json_put_string(line, dtype_name(dtype));
        json_end_list(line);
    }
    json_end_object(line);
}

static void put_operation_json(const struct operation *operation)
{
    struct text line = {0};
    json_begin_object(&line);
    json_put_pairs(&line, {"op", operation->name}, {"summary", operation->summary});
    json_begin_list_at(&line, "attributes");
    for (unsigned i = 0; i < operation->attribute_count; i++)
        put_attribute(&line, &operation->attributes[i]);
    json_end_list(&line);
    json_begin_list_at(&line, "inputs");
    for (unsigned i = 0; i < operation->input_count; i++) {
        json_begin_object(&line);
        json_put_pair(&line, "name", operation->inputs[i].name);
        json_put_boolean_at(&line, "required", !operation->inputs[i].optional);
        json_end_object(&line);
    }
    json_end_list(&line);
    json_begin_list_at(&line, "outputs");
    for (unsigned i = 0; operation->outputs[i]; i++)
        json_put_string(&line, operation->outputs[i]);
    json_end_list(&line);
    list_end(&line);
}

static void list_operation(struct list *list, const struct operation *operation)
{
    if (!list_takes(list, operation->name))
        return;
    if (list->json) {
        put_operation_json(operation);
        return;
    }
    printf("%-26s %s\n%28sattributes", operation->name, operation->summary, "");
    for (unsigned k = 0; k < operation->attribute_count; k++)
        printf(" %s%s", operation->attributes[k].name,
               operation->attributes[k].presence == ATTRIBUTE_REQUIRED ? "*" : "");
    printf("; inputs");
    for (unsigned k = 0; k < operation->input_count; k++)
        printf(" %s%s", operation->inputs[k].name, operation->inputs[k].optional ? "" : "*");
    printf("; outputs");
    for (unsigned k = 0; operation->outputs[k]; k++)
        printf(" %s", operation->outputs[k]);
    printf("   (* required)\n");
}

enum error list_operations_of(struct list *list, const struct suite *suite,
                              struct diagnostic *diagnostic)
{
    (void)diagnostic;
    for (size_t i = 0; i < suite->operation_count; i++)
        list_operation(list, suite->operation[i]);
    return ERROR_NONE;
}

enum error list_operations(struct list *list, struct diagnostic *diagnostic)
{
    char folder[PATH_MAX];
    struct operators operators = {.folder = cli_data_path("yaml/operators", folder, sizeof folder)};
    const enum error error = operators_add_folder(&operators, diagnostic);
    for (unsigned i = 0; i < operation_count; i++)
        list_operation(list, operation_table[i]);
    for (unsigned i = 0; i < operators.count && !error; i++)
        list_operation(list, &operators.item[i]->operation);
    operators_release(&operators);
    return error;
}
