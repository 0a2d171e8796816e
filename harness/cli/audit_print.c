// SPDX-License-Identifier: Apache-2.0
// Results of an audit as text and as JSON.

#include <inttypes.h>
#include <string.h>

#include "harness/cli/audit.h"
#include "harness/cli/cli.h"
#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "ref/base/json.h"

static const double LN_10 = 2.302585092994046;

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
    snprintf(text, size, value < 10 && value != (double)(int)value ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

static void put_finding(struct json_text *text, const struct audit_finding *finding)
{
    json_begin_object(text);
    json_put_key(text, "test");
    json_put_string(text, finding->test ? finding->test : "");
    json_put_key(text, "what");
    json_put_string(text, finding->what);
    json_put_key(text, "means");
    json_put_string(text, finding->about ? finding->about : "");
    json_put_key(text, "log10_p");
    json_put_real(text, (double)(int64_t)(finding->log_p / LN_10 * 1000 - 0.5) / 1000);
    json_put_key(text, "observed");
    json_put_real(text, finding->observed);
    json_put_key(text, "expected");
    json_put_real(text, finding->expected);
    json_put_key(text, "first_byte");
    json_put_unsigned(text, finding->first_block * AUDIT_BLOCK_BYTES);
    json_put_key(text, "bytes");
    json_put_unsigned(text, finding->blocks * AUDIT_BLOCK_BYTES);
    json_end_object(text);
}

static void put_result(struct json_text *text, const struct audit_arguments *a, const struct audit_result *result, bool timed)
{
    json_begin_object(text);
    json_put_key(text, "source");
    json_put_string(text, a->source);
    json_put_key(text, "profile");
    json_put_string(text, a->profile);
    json_put_key(text, "verdict");
    json_put_string(text, result->verdict == AUDIT_FLAWED ? "flawed" : "clean");
    json_put_key(text, "bytes");
    json_put_unsigned(text, result->blocks * AUDIT_BLOCK_BYTES);
    if (timed) {
        json_put_key(text, "seconds");
        json_put_real(text, (double)(int64_t)(result->seconds * 1e3) / 1e3);
    }
    json_put_key(text, "looks");
    json_put_unsigned(text, result->looks);
    json_put_key(text, "ended_early");
    json_put_boolean(text, result->ended);
    json_put_key(text, "unconfirmed");
    json_put_boolean(text, result->unconfirmed);
    json_put_key(text, "strongest");
    put_finding(text, &result->finding);
    if (result->window.words) {
        json_put_key(text, "window");
        json_begin_object(text);
        json_put_key(text, "first_word");
        json_put_unsigned(text, result->window.first);
        json_put_key(text, "words");
        json_put_unsigned(text, result->window.words);
        json_put_key(text, "log10_p");
        json_put_real(text, (double)(int64_t)(result->window.log_p / LN_10 * 1000 - 0.5) / 1000);
        json_end_object(text);
    }
    if (result->repeated) {
        json_put_key(text, "repeat");
        put_finding(text, &result->repeat);
    }
    if (a->entry) {
        json_put_key(text, "night");
        json_begin_object(text);
        audit_put_night(text, a->entry);
        json_end_object(text);
    }
    json_end_object(text);
    json_put_raw(text, "\n", 1);
}

void audit_print_json(const struct audit_arguments *a, const struct audit_result *result)
{
    struct json_text text = {0};
    put_result(&text, a, result, true);
    if (!text.failed)
        printf("%s", text.bytes);
    json_text_release(&text);
}

enum error audit_write_result(const struct audit_arguments *a, const struct audit_result *result, struct diagnostic *diagnostic)
{
    struct json_text text = {0};
    put_result(&text, a, result, false);
    const enum error error = text.failed ? diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory")
                                         : file_replace_with(a->out, text.bytes, text.size, diagnostic);
    json_text_release(&text);
    return error;
}

enum error audit_keep_window(const struct audit_arguments *a, const struct audit_result *result, struct diagnostic *diagnostic)
{
    const struct audit_window *const window = &result->window;
    if (!a->window || !window->words)
        return ERROR_NONE;
    bytes_copy_little_endian(window->words_kept, window->words_kept, 4, (size_t)window->words);
    return file_replace_with(a->window, window->words_kept, (size_t)window->words * 4, diagnostic);
}

void audit_print_text(const struct audit_arguments *a, const struct audit_result *result)
{
    char p[32], size[32], where[32];
    const struct audit_finding *const f = &result->finding;
    const bool flawed = result->verdict == AUDIT_FLAWED;
    const bool colour = cli_coloured(stdout);
    printf("%s%s%s: %s after %s, %.2f s, %u looks\n", colour ? (flawed ? "\033[1;31m" : "\033[1;32m") : "",
           flawed ? "FLAWED" : "clean", colour ? "\033[0m" : "", a->source,
           audit_text_bytes(result->blocks * AUDIT_BLOCK_BYTES, size, sizeof size), result->seconds, result->looks);
    if (flawed) {
        printf("  %s\n", f->about);
        printf("  test %s: %s\n  observed %.7g, expected %.7g; p = %s with every other look counted in\n", f->test, f->what,
               f->observed, f->expected, audit_text_p(f->log_p, p, sizeof p));
        if (f->blocks)
            printf("  seen in %s from byte %" PRIu64 " on\n",
                   audit_text_bytes(f->blocks * AUDIT_BLOCK_BYTES, where, sizeof where), f->first_block * AUDIT_BLOCK_BYTES);
        if (result->repeated)
            printf("  and again on fresh data: observed %.7g in %s from byte %" PRIu64 " on, p = %s\n", result->repeat.observed,
                   audit_text_bytes(result->repeat.blocks * AUDIT_BLOCK_BYTES, where, sizeof where),
                   result->repeat.first_block * AUDIT_BLOCK_BYTES, audit_text_p(result->repeat.log_p, p, sizeof p));
        const struct audit_window *const w = &result->window;
        if (w->words)
            printf("  clearest in words %" PRIu64 " to %" PRIu64 ": p = %s there alone%s%s\n", w->first,
                   w->first + w->words - 1, audit_text_p(w->log_p, p, sizeof p),
                   a->window ? ", kept in " : " (--window FILE keeps them)", a->window ? a->window : "");
        printf("  How sure: a perfect source is called flawed less than once in 900 million audits.\n");
        return;
    }
    printf("  strongest evidence: %s, %s; p = %s with every other look counted in\n", f->test, f->what,
           audit_text_p(f->log_p, p, sizeof p));
    if (result->repeated)
        printf("  a suspicion was put to fresh data and did not hold there (p = %s)\n",
               audit_text_p(result->repeat.log_p, p, sizeof p));
    if (result->unconfirmed)
        printf("  WARNING: the source ended before a suspicion could be put to fresh data\n");
    if (result->ended)
        printf("  the source ended before the profile did\n");
}

void audit_show_progress(void *context, uint64_t blocks, uint64_t of, double log_p)
{
    (void)context;
    char size[32], all[32], p[32];
    fprintf(stderr, "\r  %s of %s, strongest p %s   ", audit_text_bytes(blocks * AUDIT_BLOCK_BYTES, size, sizeof size),
            audit_text_bytes(of * AUDIT_BLOCK_BYTES, all, sizeof all), audit_text_p(log_p, p, sizeof p));
    if (blocks >= of)
        fprintf(stderr, "\r%60s\r", "");
}
