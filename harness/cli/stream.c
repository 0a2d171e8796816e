// SPDX-License-Identifier: Apache-2.0
// assay stream: outputs larger than memory, by the digests of their chunks.
//
// A file of digests is one line of JSON (of which request, from which element, how many), 32 bytes
// a chunk, and a line with SHA-256 over all before it: 8 MiB for 2^34 elements.

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cli/commands.h"
#include "harness/cli/target_table.h"
#include "harness/judge/run/stream.h"
#include "ref/base/bytes.h"
#include "ref/base/clock.h"
#include "ref/base/file.h"
#include "ref/num/text.h"
#include "ref/op/request.h"
#include "ref/variant/variant.h"
#include "yaml/declared/operator.h"
#include "yaml/fill.h"
#include "yaml/reader.h"

enum { HEAD_SIZE = 512, FOOT_SIZE = 96 };

struct arguments {
    const char *target, *plugin, *program, *chunks, *against;
    unsigned long long first, count, threads, time_ms;
};

struct chosen {
    const struct target *target;
    unsigned time_ms;
};

struct files {
    char head[HEAD_SIZE];
    struct file_replacement out;
    struct digest digest; // of all bytes put
    bool writing;
    const unsigned char *kept; // digests to be met
};

// ---- the file of digests ----------------------------------------------------

static enum error put(struct files *files, const void *bytes, size_t size,
                      struct diagnostic *diagnostic)
{
    const enum error error = digest_add(&files->digest, bytes, size, diagnostic);
    return error ? error : file_put(&files->out, bytes, size, diagnostic);
}

static enum error take(void *context, const unsigned char *digests, uint64_t chunks,
                       struct diagnostic *diagnostic)
{
    struct files *const files = context;
    return files->writing ? put(files, digests, (size_t)chunks * DIGEST_SIZE, diagnostic)
                          : ERROR_NONE;
}

static enum error begin_file(struct files *files, const char *path, struct diagnostic *diagnostic)
{
    enum error error = file_replace(&files->out, path, diagnostic);
    if (!error)
        error = digest_begin(&files->digest, diagnostic);
    files->writing = !error;
    return error ? error : put(files, files->head, strlen(files->head), diagnostic);
}

static void make_foot(const unsigned char digest[DIGEST_SIZE], char foot[FOOT_SIZE])
{
    char hex[DIGEST_HEX_SIZE];
    digest_write_hex(digest, hex);
    snprintf(foot, FOOT_SIZE, "\n{\"sha256\": \"%s\"}\n", hex);
}

static enum error end_file(struct files *files, struct diagnostic *diagnostic)
{
    unsigned char digest[DIGEST_SIZE];
    char foot[FOOT_SIZE];
    enum error error = digest_end(&files->digest, digest, diagnostic);
    if (!error) {
        make_foot(digest, foot);
        error = file_put(&files->out, foot, strlen(foot), diagnostic);
    }
    return error ? error : file_commit(&files->out, diagnostic);
}

static enum error expect(void *context, uint64_t first, uint64_t chunks, unsigned char *digests,
                         struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct files *const files = context;
    memcpy(digests, files->kept + first * DIGEST_SIZE, (size_t)chunks * DIGEST_SIZE);
    return ERROR_NONE;
}

static enum error read_kept(struct files *files, const char *path, uint64_t chunks,
                            struct arena *arena, struct diagnostic *diagnostic)
{
    struct document_source file;
    unsigned char digest[DIGEST_SIZE];
    char foot[FOOT_SIZE];
    enum error error = file_read(path, arena, &file, diagnostic);
    if (error)
        return error;
    const size_t head = strlen(files->head), body = head + (size_t)chunks * DIGEST_SIZE;
    if (file.size < head || memcmp(file.text, files->head, head) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s holds the digests of something else; expected %.*s", path,
                               (int)head - 1, files->head);
    if (file.size < body)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%.300s is cut short", path);
    if ((error = digest_of(file.text, body, digest, diagnostic)))
        return error;
    make_foot(digest, foot);
    if (file.size != body + strlen(foot) || memcmp(file.text + body, foot, strlen(foot)) != 0)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.300s is damaged: its last line is not the digest of the others",
                               path);
    files->kept = (const unsigned char *)file.text + head;
    return ERROR_NONE;
}

// ---- the request ------------------------------------------------------------

static enum error read_request(const char *path, struct operators *operators, struct arena *arena,
                               struct request *request, char digest[DIGEST_HEX_SIZE],
                               struct diagnostic *diagnostic)
{
    static const char *const more[] = {"profile", NULL};
    const struct request_sources sources = {
        .fill = fill_make_tensor, .operators = operators, .find = operators_source};
    struct document_source *const file = arena_take(arena, sizeof *file);
    struct document_node *root = NULL;
    unsigned char bytes[DIGEST_SIZE];
    if (!file)
        return diagnostic_no_memory(diagnostic);
    enum error error = file_read(path, arena, file, diagnostic);
    if (!error)
        error = digest_of(file->text, file->size, bytes, diagnostic);
    if (!error)
        error = yaml_read(file, arena, &root, diagnostic);
    if (!error)
        error = request_read(root, more, &sources, arena, request, diagnostic);
    const struct document_node *const profile = error ? NULL : document_find(root, "profile");
    if (profile)
        error = variant_read_profile(profile, request->operation, &request->profile, diagnostic);
    if (!error && (request->windowed || request->runs > 1))
        error = document_fail(root, ERROR_INPUT, diagnostic,
                              "--first and --count choose the elements, of one run");
    if (!error) {
        digest_write_hex(bytes, digest);
        request->windowed = true; // an empty one so far: operations with a limit on whole outputs
                                  // give windows of larger ones
    }
    return error;
}

// All elements from `first` on, where no number is given.
static enum error choose_range(const struct arguments *a, const struct request *request,
                               struct stream *stream, struct diagnostic *diagnostic)
{
    struct inference inference;
    uint64_t total = 0;
    const enum error error = variant_infer(request, &inference, diagnostic);
    for (unsigned i = 0; !error && request->operation->outputs[i] && !total; i++)
        if (tensor_present(&inference.output[i]) &&
            (!request->outputs || (request->outputs >> i & 1)))
            tensor_count(&inference.output[i], &total);
    stream->first = a->first;
    stream->count = a->count ? a->count : total > a->first ? total - a->first : 0;
    return error;
}

static enum error open_target(void *context, struct host **host, struct diagnostic *diagnostic)
{
    const struct chosen *const chosen = context;
    return target_open(chosen->target, chosen->time_ms, host, diagnostic);
}

// ---- the command ------------------------------------------------------------

static void print_wrong(const struct stream_result *result, const char *who)
{
    const struct stream_element *const wrong = &result->wrong;
    char expected[24], got[24], decimal[2][NUM_TEXT_SIZE];
    printf("%s: %" PRIu64 " of %" PRIu64 " chunks differ\n", who, result->wrong_chunks,
           result->chunks);
    if (wrong->found) {
        bytes_write_hex(expected, wrong->expected, dtype_size(result->dtype));
        bytes_write_hex(got, wrong->got, dtype_size(result->dtype));
        num_format(result->dtype, wrong->expected, decimal[0], sizeof decimal[0]);
        num_format(result->dtype, wrong->got, decimal[1], sizeof decimal[1]);
        printf("  first wrong element %" PRIu64 ": expected %s (%s), got %s (%s)\n", wrong->at,
               expected, decimal[0], got, decimal[1]);
    }
    if (result->changed)
        printf("  not deterministic: elements %" PRIu64 " to %" PRIu64
               ", asked for a second time, came with other bits\n",
               result->wrong_first, result->wrong_last);
    else if (!wrong->found)
        printf("  elements %" PRIu64 " to %" PRIu64
               " are what the reference gives, both times alike: the kept digests are of something "
               "else\n",
               result->wrong_first, result->wrong_last);
}

static int report(const struct stream *stream, const struct stream_result *result,
                  const struct arguments *a, const char *who, double seconds)
{
    printf("%s  %s from element %" PRIu64 ", %" PRIu64 " elements in %" PRIu64 " chunks\n",
           result->digest, who, stream->first, stream->count, result->chunks);
    fprintf(stderr, "%.1f s, %.0f million elements a second\n", seconds,
            (double)stream->count / seconds * 1e-6);
    if (result->wrong_chunks)
        print_wrong(result, who);
    else if (a->against || stream->target)
        printf("%s: every chunk is %s\n", who, a->against ? "as kept" : "the reference's");
    return result->wrong_chunks ? CLI_DIFFERS : CLI_CONFORMS;
}

static enum error prepare_files(struct files *files, const struct arguments *a, const char *request,
                                struct stream *stream, struct arena *arena,
                                struct diagnostic *diagnostic)
{
    enum error error = ERROR_NONE;
    snprintf(files->head, sizeof files->head,
             "{\"assay_chunks\": 1, \"request\": \"%s\", \"first\": %" PRIu64
             ", \"count\": %" PRIu64 ", \"chunk\": %d}\n",
             request, stream->first, stream->count, STREAM_CHUNK);
    if (a->against)
        error = read_kept(files, a->against, (stream->count + STREAM_CHUNK - 1) / STREAM_CHUNK,
                          arena, diagnostic);
    if (!error && a->chunks)
        error = begin_file(files, a->chunks, diagnostic);
    stream->take = take;
    stream->expect = a->against ? expect : NULL;
    stream->context = files;
    return error;
}

static int stream_one(const struct arguments *a, const char *path)
{
    struct arena arena = {0};
    struct diagnostic diagnostic = {.text = ""};
    struct request request = {.runs = 1};
    struct operators operators = {.folder = NULL};
    struct target *targets = NULL;
    struct files files = {.writing = false};
    struct stream_result result = {.chunks = 0};
    char digest[DIGEST_HEX_SIZE], folder[PATH_MAX];
    size_t target_count = 0;
    operators.folder = cli_data_path("yaml/operators", folder, sizeof folder);
    enum error error = read_request(path, &operators, &arena, &request, digest, &diagnostic);
    if (!error && (a->target || a->plugin || a->program))
        error = targets_choose(a->target, a->plugin, a->program, &arena, &targets, &target_count,
                               &diagnostic);
    if (!error && target_count > 1)
        error = diagnostic_fail(&diagnostic, ERROR_INPUT, "one target at a time");
    struct chosen chosen = {.target = targets, .time_ms = (unsigned)a->time_ms};
    const struct stream_target target = {.open = open_target, .context = &chosen};
    struct stream stream = {.request = &request,
                            .threads = (unsigned)a->threads,
                            .target = target_count ? &target : NULL};
    if (!error)
        error = choose_range(a, &request, &stream, &diagnostic);
    if (!error && !stream.count && !a->first) {
        fprintf(stderr, "assay stream: the output has no elements\n");
        operators_release(&operators);
        arena_release(&arena);
        return CLI_NOTHING;
    }
    if (!error)
        error = prepare_files(&files, a, digest, &stream, &arena, &diagnostic);
    const uint64_t start = clock_now();
    if (!error)
        error = stream_run(&stream, &result, &diagnostic);
    const double seconds = 1e-9 * (double)(clock_now() - start);
    if (!error && files.writing)
        error = end_file(&files, &diagnostic);
    file_abandon(&files.out);
    const int code =
        error ? cli_fail(&diagnostic)
              : report(&stream, &result, a, target_count ? targets->name : "reference", seconds);
    operators_release(&operators);
    arena_release(&arena);
    return code;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct arguments a = {.first = 0};
    const struct cli_option options[] = {
        {"target", CLI_TEXT, &a.target, "NAME",
         "a target that gives windows; without one, the reference"},
        {"plugin", CLI_TEXT, &a.plugin, "FILE.so", "a plugin of your own"},
        {"exec", CLI_TEXT, &a.program, "PROGRAM",
         "a process target of your own, with its arguments"},
        {"first", CLI_NUMBER, &a.first, "N", "the first element, a multiple of 65,536 (0)"},
        {"count", CLI_NUMBER, &a.count, "N", "how many elements (all from the first on)"},
        {"chunks", CLI_OUT, &a.chunks, "FILE", "write the digests of all chunks there"},
        {"against", CLI_TEXT, &a.against, "FILE",
         "hold every chunk against the digests kept there, not against the reference"},
        {"threads", CLI_NUMBER, &a.threads, "N", "threads (all); the result does not depend on it"},
        {"time", CLI_NUMBER, &a.time_ms, "MS",
         "longest that one call of the target, for up to 2^20 elements, may take (10,000)"},
    };
    const int code = cli_parse(command, CLI_TABLE(options), argc, argv, NULL);
    if (code)
        return code;
    if (a.threads > 1024)
        return cli_usage(command, "--threads is at most 1024");
    return stream_one(&a, argv[1]);
}

const struct cli_command command_stream = {
    .name = "stream",
    .arguments = "FILE [--target NAME] [--first N --count N] [--against FILE]",
    .summary = "verify an output larger than memory, chunk by chunk",
    .help =
        "Makes the first output of a request in chunks of 65,536 elements, on all threads, and "
        "prints the digest of their digests, as golden vectors keep it. With a target that gives "
        "windows, every element is compared with the reference's, or every chunk with digests "
        "that were kept; the first wrong element is named. Any range of elements can be verified "
        "alone, so many machines can share one output: a range and a file of digests for each."
        "\n\n"
        "  assay stream request.yaml --chunks kept\n"
        "  assay stream request.yaml --target mine --against kept\n"
        "  assay stream request.yaml --target mine --first 8589934592 --count 1073741824",
    .exits = {"every chunk is as expected",
              "some chunks differ", [CLI_NOTHING] = "the output has no elements"},
    .takes = {1, 1, "one file with a request"},
    .run = run,
};
