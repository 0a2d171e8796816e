// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/seal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ref/base/file.h"
#include "reports/envelope.h"
#include "reports/results.h"
#include "reports/statement.h"
#include "reports/tally.h"

enum error seal_write(const char *path, const char *key, const struct results *results,
                      const struct tally *tally, uint32_t target, struct diagnostic *diagnostic)
{
    struct text text = {0};
    enum error error = ERROR_NONE;
    const char *reason;
    if (key && !statement_may_certify(results, tally, target, &reason))
        return diagnostic_fail(diagnostic, ERROR_INVALID_ARGUMENT, "no certificate for %.100s: %s",
                               results->target[target].name, reason);
    for (unsigned kind = STATEMENT_KIND_TEST_RESULT; !error && kind <= STATEMENT_KIND_CONFORMANCE;
         kind++) {
        struct text statement = {0};
        error = statement_write(&statement, results, tally, target, kind, diagnostic);
        text.comma = false;
        if (!error && key)
            error = envelope_sign(&text, statement.bytes, statement.size, key, diagnostic);
        else if (!error)
            text_put_bytes(&text, statement.bytes, statement.size);
        text_put_bytes(&text, "\n", 1);
        text_release(&statement);
    }
    if (!error && text.failed)
        error = diagnostic_no_memory(diagnostic);
    if (!error)
        error = file_replace_with(path, text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

// "results.jsonl" and target "acme" give "results-acme.certificate.jsonl"; the target is left out
// where it is the only one.
static void name_file(const char *results, const char *target, const char *what, char *path,
                      size_t size)
{
    const size_t length = strlen(results),
                 stem = length > 6 && !strcmp(results + length - 6, ".jsonl") ? length - 6 : length;
    snprintf(path, size, "%.*s%s%s.%s.jsonl", (int)stem, results, target ? "-" : "",
             target ? target : "", what);
}

static enum error seal_target(const char *path, const char *key, const struct results *results,
                              const struct tally *tally, uint32_t target,
                              struct diagnostic *diagnostic)
{
    enum { PATH_SIZE = 4096 };
    char file[PATH_SIZE];
    const char *const name = results->target[target].name, *reason;
    const char *const part = results->target_count > 1 ? name : NULL;
    if (results->target[target].unavailable)
        return ERROR_NONE;
    name_file(path, part, "statement", file, sizeof file);
    enum error error = seal_write(file, NULL, results, tally, target, diagnostic);
    if (error)
        return error;
    printf("statement: %s\n", file);
    name_file(path, part, "certificate", file, sizeof file);
    const bool may = statement_may_certify(results, tally, target, &reason);
    if (!key)
        reason = "the list of known failures covers what is not there";
    if (!may || !key) {
        if (remove(file) && errno != ENOENT) // an older one is about other results
            return diagnostic_fail(diagnostic, ERROR_SYSTEM, "cannot remove the older %.400s: %s",
                                   file, strerror(errno));
        printf("no certificate for %s: %s\n", name, reason);
        return ERROR_NONE;
    }
    error = seal_write(file, key, results, tally, target, diagnostic);
    if (!error)
        printf("certificate: %s\n", file);
    return error;
}

enum error seal_check_key(const char *key, struct diagnostic *diagnostic)
{
    struct text text = {0};
    const enum error error = envelope_sign(&text, "{}", 2, key, diagnostic);
    text_release(&text);
    return error;
}

enum error seal_results(const char *path, const char *key, const struct results *results,
                        const struct tally *tally, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (uint32_t i = 0; !error && i < results->target_count; i++)
        error = seal_target(path, key, results, tally, i, diagnostic);
    return error;
}
