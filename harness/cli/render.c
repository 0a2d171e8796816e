// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/render.h"

#include <assert.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "harness/cli/seal.h"
#include "ref/base/file.h"
#include "reports/junit.h"
#include "reports/page/page.h"
#include "reports/results.h"
#include "reports/summary.h"
#include "reports/tally.h"

typedef enum error write_results(const struct text_sink *, const struct results *,
                                 const struct tally *, struct diagnostic *);
static write_results *const forms[RENDER_FORMS] = {
    [RENDER_SUMMARY] = summary_write,
    [RENDER_MARKDOWN] = summary_write_markdown,
    [RENDER_JUNIT] = junit_write,
    [RENDER_HTML] = page_write,
};

static enum error write_form(write_results *write, const char *path, const struct results *results,
                             const struct tally *tally, struct diagnostic *diagnostic)
{
    if (!strcmp(path, "-"))
        return write(&(struct text_sink){.stream = stdout, .coloured = cli_coloured(stdout)},
                     results, tally, diagnostic);
    struct file_replacement file = {0};
    enum error error = file_replace(&file, path, diagnostic);
    if (!error)
        error = write(&(struct text_sink){.file = &file}, results, tally, diagnostic);
    if (!error)
        return file_commit(&file, diagnostic);
    file_abandon(&file);
    return error;
}

enum error render_results(const char *const path[RENDER_FORMS], const struct results *results,
                          const struct tally *tally, struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    for (unsigned i = 0; i < RENDER_FORMS && !error; i++)
        if (path[i])
            error = write_form(forms[i], path[i], results, tally, diagnostic);
    return error;
}

enum error render_run(const struct render_run *run, char *bytes, size_t size, struct text *outcome,
                      struct diagnostic *diagnostic)
{
    struct results results = {0};
    struct tally tally = {0};
    assert(size);
    enum error error = results_read_bytes(&results, run->name, bytes, size, diagnostic);
    if (!error)
        error = tally_count(&tally, &results, diagnostic);
    if (!error)
        error = render_results(run->path, &results, &tally, diagnostic);
    if (!error && run->seal)
        error = seal_results(run->name, run->key, &results, &tally, diagnostic);
    if (!error && outcome)
        tally_put_outcome(outcome, &tally, tally.targets);
    if (!error && outcome && outcome->failed)
        error = diagnostic_no_memory(diagnostic);
    tally_release(&tally);
    results_release(&results);
    return error;
}
