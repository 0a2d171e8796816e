// SPDX-License-Identifier: Apache-2.0
// The frame of a suite: its head, requirements and errata. Cases are read in suite_case.c, choices
// in suite_choice.c.

#include "yaml/suite.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/file.h"
#include "ref/base/share.h"
#include "yaml/reader.h"
#include "yaml/suite_words.h"

enum error suite_check_word(const struct document_node *at, const char *text, bool lower,
                            const char *what, struct diagnostic *diagnostic)
{
    const size_t length = strlen(text);
    bool right = length > 0 && length < SUITE_ID_SIZE_MAX;
    for (size_t i = 0; i < length && right; i++) {
        const char c = text[i];
        const bool letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z' && !lower) || (c >= '0' && c <= '9');
        right = letter || (i && strchr("._-", c));
    }
    return right ? ERROR_NONE
                 : document_fail(at, ERROR_INPUT, diagnostic,
                                 "%s '%.150s' is not a word: %s, digits, '.', '_', '-', at most %d",
                                 what, text, lower ? "lower-case letters" : "letters",
                                 SUITE_ID_SIZE_MAX - 1);
}

enum error suite_read_text(const struct document_node *node, const char *key, bool needed,
                           const char **text, struct diagnostic *diagnostic)
{
    const struct document_node *const value = document_find(node, key);
    *text = NULL;
    if (!value)
        return needed
                   ? document_fail(node, ERROR_INPUT, diagnostic, "the key %s is missing here", key)
                   : ERROR_NONE;
    const enum error error = document_expect(value, DOCUMENT_SCALAR, key, diagnostic);
    if (error)
        return error;
    if (!value->count)
        return document_fail(value, ERROR_INPUT, diagnostic, "%s is empty", key);
    *text = value->text;
    return ERROR_NONE;
}

int suite_requirement_index(const struct suite *suite, const char *id)
{
    for (size_t i = 0; i < suite->requirement_count; i++)
        if (!strcmp(suite->requirement[i].id, id))
            return (int)i;
    return -1;
}

static bool is_version(const char *text)
{
    for (int part = 0; part < 3; part++) {
        const size_t digits = strspn(text, "0123456789");
        if (!digits || digits > 6 || (digits > 1 && *text == '0') ||
            text[digits] != (part < 2 ? '.' : '\0'))
            return false;
        text += digits + 1;
    }
    return true;
}

static enum error read_head(struct suite *suite, const struct document_node *root,
                            struct diagnostic *diagnostic)
{
    static const char *const keys[] = {
        "suite",  "version", "about",   "specification", "requirements", "choices",   "errata",
        "shared", "cases",   "sources", "operations",    "reference",    "operators", NULL};
    static const char *const specification_keys[] = {"title", "source", "text", NULL};
    const char *about, *text;
    enum error error;
    if ((error = document_only_keys(root, keys, "a suite", diagnostic)) ||
        (error = suite_read_text(root, "suite", true, &suite->name, diagnostic)) ||
        (error = suite_check_word(document_find(root, "suite"), suite->name, true,
                                  "the suite's name", diagnostic)) ||
        (error = suite_read_text(root, "version", true, &suite->version, diagnostic)) ||
        (error = suite_read_text(root, "about", false, &about, diagnostic)))
        return error;
    const struct document_node *const version = document_find(root, "version");
    if (!is_version(suite->version))
        return document_fail(version, ERROR_INPUT, diagnostic,
                             "version is '%.40s'; expected three numbers such as 1.0.0",
                             suite->version);
    suite->version_line = version->line;
    const struct document_node *const shared = document_find(root, "shared");
    if (shared && (error = document_expect(shared, DOCUMENT_MAPPING, "shared", diagnostic)))
        return error;
    const struct document_node *const specification = document_find(root, "specification");
    if (!specification)
        return document_fail(root, ERROR_INPUT, diagnostic,
                             "the key specification is missing here");
    if ((error =
             document_only_keys(specification, specification_keys, "specification", diagnostic)) ||
        (error = suite_read_text(specification, "title", true, &suite->title, diagnostic)) ||
        (error = suite_read_text(specification, "source", false, &suite->source, diagnostic)) ||
        (error = suite_read_text(specification, "text", false, &text, diagnostic)))
        return error;
    // The file is found by the suite's name, so the two may not differ.
    const char *const file = file_name(suite->path);
    const size_t length = strlen(suite->name);
    if (strncmp(file, suite->name, length) != 0 || strcmp(file + length, ".yaml") != 0)
        return document_fail(document_find(root, "suite"), ERROR_INPUT, diagnostic,
                             "suite %s must stand in a file %s.yaml", suite->name, suite->name);
    return ERROR_NONE;
}

// `operators`: files beside the suite, and the folder of those that assay comes with.
static enum error read_operators(struct suite *suite, const struct document_node *node,
                                 struct diagnostic *diagnostic)
{
    char path[PATH_MAX];
    char *const folder = arena_take(&suite->arena, PATH_MAX);
    if (!folder)
        return diagnostic_no_memory(diagnostic);
    suite->operators.folder = share_path("yaml/operators", folder, PATH_MAX);
    enum error error =
        node ? document_expect(node, DOCUMENT_SEQUENCE, "operators", diagnostic) : ERROR_NONE;
    for (size_t i = 0; node && i < node->count && !error; i++) {
        const struct document_node *const item = node->item[i];
        if ((error = document_expect(item, DOCUMENT_SCALAR, "a file", diagnostic)))
            break;
        const int length = (int)(file_name(suite->path) - suite->path);
        snprintf(path, sizeof path, "%.*s%s", item->text[0] == '/' ? 0 : length, suite->path,
                 item->text);
        error = operators_add_file(&suite->operators, path, diagnostic);
        if (error && !diagnostic->line)
            error =
                document_fail(item, ERROR_INPUT, diagnostic, "'%.200s' cannot be read", item->text);
    }
    return error;
}

static enum error read_requirements(struct suite *suite, const struct document_node *root,
                                    struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"text", "clause", "untested", "whole", NULL};
    const struct document_node *const node = document_find(root, "requirements");
    if (!node)
        return document_fail(root, ERROR_INPUT, diagnostic, "the key requirements is missing here");
    enum error error = document_expect(node, DOCUMENT_MAPPING, "requirements", diagnostic);
    if (error)
        return error;
    if (!node->count)
        return document_fail(node, ERROR_INPUT, diagnostic, "requirements is empty");
    suite->requirement = arena_take_array(&suite->arena, node->count, sizeof *suite->requirement);
    if (!suite->requirement)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count; i++) {
        struct suite_requirement *const requirement =
            &suite->requirement[suite->requirement_count++];
        requirement->id = node->key[i]->text;
        if ((error = suite_check_word(node->key[i], requirement->id, false, "requirement",
                                      diagnostic)) ||
            (error = document_only_keys(node->item[i], keys, "a requirement", diagnostic)) ||
            (error =
                 suite_read_text(node->item[i], "text", true, &requirement->text, diagnostic)) ||
            (error = suite_read_text(node->item[i], "clause", false, &requirement->clause,
                                     diagnostic)) ||
            (error = suite_read_text(node->item[i], "untested", false, &requirement->untested,
                                     diagnostic)))
            return error;
        const struct document_node *const whole = document_find(node->item[i], "whole");
        if (whole && (error = document_boolean(whole, &requirement->whole, "whole", diagnostic)))
            return error;
    }
    return ERROR_NONE;
}

// After the cases: each requirement is covered, or says why not.
static enum error check_coverage(const struct suite *suite, const struct document_node *root,
                                 struct diagnostic *diagnostic)
{
    const struct document_node *const node = document_find(root, "requirements");
    for (size_t i = 0; i < suite->requirement_count; i++) {
        const struct suite_requirement *const requirement = &suite->requirement[i];
        if (!requirement->cases && !requirement->untested)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                 "no case covers requirement %s; add one, or say `untested: why`",
                                 requirement->id);
        if (requirement->cases && requirement->untested)
            return document_fail(node->key[i], ERROR_INPUT, diagnostic,
                                 "requirement %s says untested, but %zu cases cover it",
                                 requirement->id, requirement->cases);
    }
    return ERROR_NONE;
}

static bool names_cases(const struct suite *suite, const char *id)
{
    for (size_t i = 0; i < suite->form_count; i++)
        if (!strcmp(suite->form[i].id->text, id))
            return true;
    return suite_find_case(suite, id) != NULL;
}

static bool has_option(const struct suite *suite, const char *text)
{
    const char *const equals = strchr(text, '=');
    for (size_t i = 0; equals && i < suite->choice_count; i++) {
        const struct suite_choice *const choice = &suite->choice[i];
        if (strlen(choice->name) != (size_t)(equals - text) ||
            strncmp(choice->name, text, (size_t)(equals - text)) != 0)
            continue;
        for (size_t o = 0; o < choice->count; o++)
            if (!strcmp(choice->option[o], equals + 1))
                return true;
    }
    return false;
}

static enum error read_erratum(struct suite *suite, const struct document_node *key,
                               const struct document_node *node, struct diagnostic *diagnostic)
{
    static const char *const keys[] = {"clause", "says",  "decided", "because",
                                       "option", "cases", NULL};
    struct suite_erratum *const erratum = &suite->erratum[suite->erratum_count++];
    erratum->id = key->text;
    enum error error;
    if ((error = suite_check_word(key, key->text, false, "erratum", diagnostic)) ||
        (error = document_only_keys(node, keys, "an erratum", diagnostic)) ||
        (error = suite_read_text(node, "clause", true, &erratum->clause, diagnostic)) ||
        (error = suite_read_text(node, "says", true, &erratum->says, diagnostic)) ||
        (error = suite_read_text(node, "decided", true, &erratum->decided, diagnostic)) ||
        (error = suite_read_text(node, "because", true, &erratum->because, diagnostic)) ||
        (error = suite_read_text(node, "option", false, &erratum->option, diagnostic)))
        return error;
    if (erratum->option && !has_option(suite, erratum->option))
        return document_fail(document_find(node, "option"), ERROR_INPUT, diagnostic,
                             "'%.80s' is not a choice=option of this suite", erratum->option);
    const struct document_node *const cases = document_find(node, "cases");
    if (!cases)
        return document_fail(node, ERROR_INPUT, diagnostic, "the key cases is missing here");
    if ((error = document_expect(cases, DOCUMENT_SEQUENCE, "cases", diagnostic)))
        return error;
    erratum->cases = arena_take_array(&suite->arena, cases->count, sizeof *erratum->cases);
    if (!erratum->cases)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < cases->count; i++) {
        if ((error = document_expect(cases->item[i], DOCUMENT_SCALAR, "a case", diagnostic)))
            return error;
        if (!names_cases(suite, cases->item[i]->text))
            return document_fail(cases->item[i], ERROR_INPUT, diagnostic,
                                 "there is no case '%.150s'", cases->item[i]->text);
        erratum->cases[erratum->count++] = cases->item[i]->text;
    }
    return ERROR_NONE;
}

static enum error read_errata(struct suite *suite, const struct document_node *node,
                              struct diagnostic *diagnostic)
{
    if (!node)
        return ERROR_NONE;
    enum error error = document_expect(node, DOCUMENT_MAPPING, "errata", diagnostic);
    if (error)
        return error;
    suite->erratum = arena_take_array(&suite->arena, node->count, sizeof *suite->erratum);
    if (!suite->erratum)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < node->count && !error; i++)
        error = read_erratum(suite, node->key[i], node->item[i], diagnostic);
    return error;
}

enum error suite_read(const char *path, struct suite *suite, struct diagnostic *diagnostic)
{
    *suite = (struct suite){0};
    struct document_source *const source = arena_take(&suite->arena, sizeof *source);
    struct document_node *root;
    enum error error;
    if (!source)
        return diagnostic_no_memory(diagnostic);
    unsigned char digest[DIGEST_SIZE];
    if ((error = file_read(path, &suite->arena, source, diagnostic)) ||
        (error = digest_of(source->text, source->size, digest, diagnostic)) ||
        (error = yaml_read(source, &suite->arena, &root, diagnostic)))
        return error;
    digest_write_hex(digest, suite->sha256);
    suite->path = source->name;
    if ((error = read_head(suite, root, diagnostic)) ||
        (error = read_operators(suite, document_find(root, "operators"), diagnostic)) ||
        (error = read_requirements(suite, root, diagnostic)) ||
        (error = suite_read_stored(suite, root, diagnostic)))
        return error;
    const struct document_node *const cases = document_find(root, "cases");
    if (!cases)
        return document_fail(root, ERROR_INPUT, diagnostic, "the key cases is missing here");
    if ((error = suite_read_cases(suite, cases, diagnostic)) ||
        (error = suite_read_choices(suite, document_find(root, "choices"), root, diagnostic)) ||
        (error = read_errata(suite, document_find(root, "errata"), diagnostic)))
        return error;
    return check_coverage(suite, root, diagnostic);
}

void suite_release(struct suite *suite)
{
    operators_release(&suite->operators);
    arena_release(&suite->arena);
    *suite = (struct suite){0};
}

static int compare_to_case(const void *id, const void *of)
{
    return strcmp(id, (*(const struct suite_case *const *)of)->id);
}

const struct suite_case *suite_find_case(const struct suite *suite, const char *id)
{
    const struct suite_case *const *const found =
        suite->case_count
            ? bsearch(id, suite->sorted, suite->case_count, sizeof *suite->sorted, compare_to_case)
            : NULL;
    return found ? *found : NULL;
}

enum suite_class suite_classify(const struct suite *suite, const struct suite_case *of,
                                const char *choice, const char *option)
{
    for (size_t i = 0; i < of->override_count; i++)
        if (!strcmp(of->overrides[i].choice, choice) && !strcmp(of->overrides[i].option, option))
            return of->overrides[i].class;
    for (size_t i = 0; i < suite->choice_count; i++)
        for (size_t o = 0; !strcmp(suite->choice[i].name, choice) && o < suite->choice[i].count;
             o++)
            if (!strcmp(suite->choice[i].option[o], option))
                return suite->choice[i].class[o];
    return SUITE_DEVIANT;
}
