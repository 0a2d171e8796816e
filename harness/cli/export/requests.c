// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/export/requests.h"

#include <fnmatch.h>

#include "harness/host/record/record.h"
#include "harness/judge/run/trial.h"
#include "ref/base/digest_file.h"
#include "ref/base/version.h"

struct requests {
    struct form_writer *form;
    struct text line;
    size_t written, left_out;
};

// What a runner cannot see in JSON: whether a number is real, a list of words, ...
static void put_kinds(struct text *text, const struct host_request *request)
{
    static const char *const kinds[] = {
        [ASSAY_INTEGER] = "integer", [ASSAY_REAL] = "real",         [ASSAY_BOOLEAN] = "boolean",
        [ASSAY_TEXT] = "text",       [ASSAY_INTEGERS] = "integers", [ASSAY_REALS] = "reals"};
    json_begin_object_at(text, "kinds");
    for (size_t i = 0; i < request->attribute_count; i++) {
        const struct assay_attribute *const attribute = &request->attributes[i];
        const bool words = attribute->kind == ASSAY_TEXT && attribute->count;
        json_put_pair(text, attribute->name, words ? "words" : kinds[attribute->kind]);
    }
    json_end_object(text);
}

static enum error put_request(struct requests *requests, const struct trial *trial,
                              struct diagnostic *diagnostic)
{
    struct text *const line = &requests->line;
    unsigned char digest[DIGEST_SIZE];
    enum error error = request_digest(&trial->call, digest, diagnostic);
    if (error)
        return error;
    json_begin_object(line);
    json_put_pairs(line, {"record", "request"}, {"case", trial->label});
    json_put_digest_at(line, "request", digest);
    error = request_put(line, &trial->call, requests->form, diagnostic);
    put_kinds(line, &trial->call);
    json_put_unsigned_at(line, "runs", trial->runs);
    if (trial->stateful)
        json_put_boolean_at(line, "stateful", true);
    form_put_line(requests->form, line);
    requests->written++;
    return error;
}

static enum error put_case(struct requests *requests, const struct suite *suite,
                           const struct suite_case *of, struct diagnostic *diagnostic)
{
    static const struct host_description plain = {.process = true, .kept = true, .feed_count = 1};
    struct trial trial;
    enum error error = trial_make(suite, of, &plain, false, &trial, diagnostic);
    if (!error)
        error = put_request(requests, &trial, diagnostic);
    else if (error != ERROR_INTERNAL) {
        requests->left_out++;
        error = ERROR_NONE;
    }
    trial_release(&trial);
    return error;
}

static enum error put_header(struct text *text, const struct suite *suites, size_t count,
                             struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    json_begin_object(text);
    json_put_pairs(text, {"record", "header"}, {"format", REQUESTS_FORMAT},
                   {"by", "assay " ASSAY_VERSION});
    json_begin_list_at(text, "suites");
    for (size_t i = 0; i < count && !error; i++) {
        char sha256[DIGEST_HEX_SIZE];
        error = digest_path(suites[i].path, sha256, diagnostic);
        if (!error)
            json_put_object(text, {"name", suites[i].name}, {"version", suites[i].version},
                            {"sha256", sha256});
    }
    json_end_list(text);
    return error;
}

enum error export_requests(const struct suite *suites, size_t count, const char *to,
                           const char *pattern, size_t *written, size_t *left_out,
                           struct diagnostic *diagnostic)
{
    struct requests requests = {.written = 0};
    struct text header = {0};
    char sha256[DIGEST_HEX_SIZE];
    enum error error = form_begin(to, REQUESTS_NAME, &requests.form, diagnostic);
    for (size_t s = 0; s < count && !error; s++)
        for (size_t i = 0; i < suites[s].case_count && !error; i++)
            if (!pattern || !fnmatch(pattern, suites[s].cases[i].id, 0))
                error = put_case(&requests, &suites[s], &suites[s].cases[i], diagnostic);
    if (!error)
        error = put_header(&header, suites, count, diagnostic);
    if (!error && requests.written)
        error = form_close(requests.form, &header, sha256, diagnostic);
    if (!error && requests.written)
        error = form_commit(requests.form, diagnostic);
    form_release(requests.form);
    text_release(&header);
    text_release(&requests.line);
    *written = requests.written;
    *left_out = requests.left_out;
    return error;
}
