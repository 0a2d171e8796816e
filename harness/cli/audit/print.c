// SPDX-License-Identifier: Apache-2.0
// Results of an audit as text and as JSON.

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cli/audit/audit.h"
#include "harness/cli/cli.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

static const double LN_10 = 2.302585092994046;

double audit_log10(double log)
{
    return (double)(int64_t)(log / LN_10 * 1000 + (log < 0 ? -0.5 : 0.5)) / 1000;
}

// p = 10^x as a person reads it, also where it is below what a double holds.
const char *audit_text_p(double log_p, char *text, size_t size)
{
    const double exponent = log_p / LN_10;
    if (exponent > -4)
        snprintf(text, size, "%.2g", __builtin_exp(log_p));
    else if (exponent > -1e9)
        snprintf(text, size, "1e%.0f", exponent);
    else
        snprintf(text, size, "0");
    return text;
}

const char *audit_text_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    unsigned u = 0;
    double value = (double)bytes;
    for (; value >= 1024 && u < 5; u++)
        value /= 1024;
    snprintf(text, size, value < 10 && value != (double)(int)value ? "%.1f %s" : "%.0f %s", value,
             unit[u]);
    return text;
}

static void put_finding(struct text *text, const struct audit_finding *finding)
{
    json_begin_object(text);
    json_put_pairs(text, {"test", finding->test ? finding->test : ""}, {"what", finding->what},
                   {"means", finding->about ? finding->about : ""});
    json_put_real_at(text, "log10_p", audit_log10(finding->log_p));
    json_put_real_at(text, "observed", finding->observed);
    json_put_real_at(text, "expected", finding->expected);
    json_put_unsigned_at(text, "first_byte", finding->first_block * AUDIT_BLOCK_BYTES);
    json_put_unsigned_at(text, "bytes", finding->blocks * AUDIT_BLOCK_BYTES);
    json_put_unsigned_at(text, "end_byte", finding->end_block * AUDIT_BLOCK_BYTES);
    json_end_object(text);
}

static void put_result(struct text *text, const struct audit_arguments *a,
                       const struct audit_result *result, bool timed)
{
    json_begin_object(text);
    json_put_pairs(text, {"source", a->source}, {"profile", a->profile},
                   {"verdict", result->verdict == AUDIT_FLAWED ? "flawed" : "clean"});
    json_put_unsigned_at(text, "bytes", result->judged * AUDIT_BLOCK_BYTES);
    if (timed)
        json_put_real_at(text, "seconds", (double)(int64_t)(result->seconds * 1e3) / 1e3);
    json_put_unsigned_at(text, "looks", result->looks);
    json_put_boolean_at(text, "ended_early", result->ended);
    json_put_unsigned_at(text, "bytes_skipped", result->skipped * AUDIT_BLOCK_BYTES);
    json_put_unsigned_at(text, "bytes_left_over", result->words_left * 4);
    json_put_unsigned_at(text, "suspicions_repeated", result->repeats);
    json_put_boolean_at(text, "unconfirmed", result->unconfirmed);
    json_put_key(text, "strongest");
    put_finding(text, &result->finding);
    if (result->window.words) {
        json_begin_object_at(text, "window");
        json_put_unsigned_at(text, "first_word", result->window.first);
        json_put_unsigned_at(text, "words", result->window.words);
        json_put_real_at(text, "log10_p", audit_log10(result->window.log_p));
        json_end_object(text);
    } else if (*result->window.none) {
        json_put_pair(text, "no_window", result->window.none);
    }
    if (result->repeated) {
        json_put_key(text, "repeat");
        put_finding(text, &result->repeat);
    }
    if (a->entry) {
        json_begin_object_at(text, "night");
        audit_put_night(text, a->entry);
        json_end_object(text);
    }
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
}

void audit_print_json(const struct audit_arguments *a, const struct audit_result *result)
{
    struct text text = {0};
    put_result(&text, a, result, true);
    if (!text.failed)
        printf("%s", text.bytes);
    text_release(&text);
}

enum error audit_write_result(const struct audit_arguments *a, const struct audit_result *result,
                              struct diagnostic *diagnostic)
{
    struct text text = {0};
    put_result(&text, a, result, false);
    const enum error error = text.failed
                                 ? diagnostic_no_memory(diagnostic)
                                 : file_replace_with(a->out, text.bytes, text.size, diagnostic);
    text_release(&text);
    return error;
}

enum error audit_keep_window(const struct audit_arguments *a, const struct audit_result *result,
                             struct diagnostic *diagnostic)
{
    const struct audit_window *const window = &result->window;
    struct stat status;
    if (!a->window)
        return ERROR_NONE;
    if (window->words) {
        bytes_copy_little_endian(window->words_kept, window->words_kept, 4, (size_t)window->words);
        return file_replace_with(a->window, window->words_kept, (size_t)window->words * 4,
                                 diagnostic);
    }
    // A window that an earlier audit left would be taken for this one's.
    if (!stat(a->window, &status) && S_ISREG(status.st_mode) && unlink(a->window))
        return diagnostic_fail(diagnostic, ERROR_SYSTEM,
                               "%s, of an earlier audit, cannot be removed: %s", a->window,
                               strerror(errno));
    return ERROR_NONE;
}

static void print_window(const struct audit_arguments *a, const struct audit_window *window)
{
    char p[32];
    if (window->words)
        printf("  clearest in words %" PRIu64 " to %" PRIu64 ": p = %s there alone%s%s\n",
               window->first, window->first + window->words - 1,
               audit_text_p(window->log_p, p, sizeof p),
               a->window ? ", kept in " : " (--window FILE keeps them)",
               a->window ? a->window : "");
    else
        printf("  no window of words to keep: %s\n", window->none);
}

static void print_flaw(const struct audit_arguments *a, const struct audit_result *result)
{
    char p[32], size[32];
    const struct audit_finding *const f = &result->finding, *const again = &result->repeat;
    printf("  %s\n", f->about);
    printf(
        "  test %s: %s\n  observed %.7g, expected %.7g; p = %s with every other look counted in\n",
        f->test, f->what, f->observed, f->expected, audit_text_p(f->log_p, p, sizeof p));
    if (f->blocks) {
        printf("  seen in %s from byte %" PRIu64 " on",
               audit_text_bytes(f->blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
               f->first_block * AUDIT_BLOCK_BYTES);
        if (f->end_block != f->first_block + f->blocks)
            printf(", up to byte %" PRIu64 " without what repeats took",
                   f->end_block * AUDIT_BLOCK_BYTES - 1);
        printf("\n");
    }
    if (result->repeated && again->blocks)
        printf("  and again on fresh data: observed %.7g in %s from byte %" PRIu64 " on, p = %s\n",
               again->observed,
               audit_text_bytes(again->blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
               again->first_block * AUDIT_BLOCK_BYTES, audit_text_p(again->log_p, p, sizeof p));
    else if (result->repeated)
        printf("  and again on fresh inputs: observed %.7g, p = %s\n", again->observed,
               audit_text_p(again->log_p, p, sizeof p));
    print_window(a, &result->window);
    printf("  How sure: a perfect source is called flawed less than once in 900 million audits.\n");
}

static void print_clean(const struct audit_result *result)
{
    char p[32];
    const struct audit_finding *const f = &result->finding;
    if (f->test && f->log_p < 0)
        printf("  strongest evidence: %s, %s; p = %s with every other look counted in\n", f->test,
               f->what, audit_text_p(f->log_p, p, sizeof p));
    else
        printf("  no look stands out: p = 1 with every other look counted in\n");
    if (result->repeats)
        printf("  %u suspicion%s put to fresh data and did not hold there", result->repeats,
               result->repeats > 1 ? "s were" : " was");
    if (result->repeats && result->repeated)
        printf(" (%sp = %s)", result->repeats > 1 ? "the strongest: " : "",
               audit_text_p(result->repeat.log_p, p, sizeof p));
    if (result->repeats)
        printf("\n");
    if (result->unconfirmed)
        printf("  WARNING: the source ended before a suspicion could be put to fresh data\n");
    if (result->ended)
        printf("  the source ended before the profile did\n");
}

void audit_print_text(const struct audit_arguments *a, const struct audit_result *result)
{
    char size[32];
    const bool flawed = result->verdict == AUDIT_FLAWED;
    const bool colour = cli_coloured(stdout);
    printf("%s%s%s: %s after %s, %.2f s, %u looks\n",
           colour ? (flawed ? "\033[1;31m" : "\033[1;32m") : "", flawed ? "FLAWED" : "clean",
           colour ? "\033[0m" : "", a->source,
           audit_text_bytes(result->judged * AUDIT_BLOCK_BYTES, size, sizeof size), result->seconds,
           result->looks);
    if (flawed)
        print_flaw(a, result);
    else
        print_clean(result);
    if (result->skipped)
        printf("  %s between were put to repeats only: more than a source in order can be asked "
               "for again\n",
               audit_text_bytes(result->skipped * AUDIT_BLOCK_BYTES, size, sizeof size));
    if (result->words_left)
        printf("  the last %" PRIu64 " bytes, less than a block of 256 KiB, were not judged\n",
               result->words_left * 4);
}

void audit_show_progress(void *context, uint64_t blocks, uint64_t of, double log_p)
{
    (void)context;
    char size[32], all[32], p[32];
    fprintf(stderr, "\r  %s of %s, strongest p %s   ",
            audit_text_bytes(blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
            audit_text_bytes(of * AUDIT_BLOCK_BYTES, all, sizeof all),
            audit_text_p(log_p, p, sizeof p));
    if (blocks >= of)
        fprintf(stderr, "\r%60s\r", "");
}
