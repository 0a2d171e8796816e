// SPDX-License-Identifier: Apache-2.0
// Each test answers one question about the wrong elements. At most three answers are given, the
// most specific first.

#include "harness/judge/compare/pattern.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"

enum { SHIFT_MAX = 64, ANSWERS_MAX = 3, EXTENT_MAX = 1 << 16 };

struct search {
    const struct expected *expected;
    const struct tensor *tensor;
    const char *const *axes;
    const void *got;
    uint64_t count, wrong;
    bool *is_wrong;
    char *text;
    size_t size, at;
    int answers;
};

static uint64_t load(const struct search *s, const void *from, uint64_t i)
{
    return element_load(from, dtype_size(s->expected->dtype), (size_t)i);
}

__attribute__((format(printf, 2, 3))) static void answer(struct search *s, const char *format, ...)
{
    va_list arguments;
    if (s->answers++ >= ANSWERS_MAX || s->at >= s->size)
        return;
    if (s->at)
        s->at += (size_t)snprintf(s->text + s->at, s->size - s->at, "; ");
    va_start(arguments, format);
    if (s->at < s->size)
        s->at += (size_t)vsnprintf(s->text + s->at, s->size - s->at, format, arguments);
    va_end(arguments);
}

// Every wrong element, and at least half of all, is what is expected `shift` places further on.
static bool is_moved(const struct search *s, int64_t shift)
{
    uint64_t met = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        const int64_t from = (int64_t)i + shift;
        if (from < 0 || from >= (int64_t)s->count)
            continue;
        if (!compare_is_right(s->expected, (uint64_t)from, load(s, s->got, i)))
            return false;
        met++;
    }
    return met * 2 >= s->count && met >= 3;
}

static void ask_moved(struct search *s)
{
    for (int64_t k = 1; k <= SHIFT_MAX && k < (int64_t)s->count; k++)
        for (int sign = 1; sign >= -1; sign -= 2)
            if (is_moved(s, sign * k)) {
                answer(s, "every element is the one expected %" PRId64 " place%s %s", k,
                       k == 1 ? "" : "s", sign > 0 ? "further on" : "before");
                return;
            }
}

// All wrong elements are 0, or have the other sign, or are one and the same.
static void ask_values(struct search *s)
{
    const bool floating = dtype_kind(s->expected->dtype) == DTYPE_KIND_FLOAT;
    const uint64_t sign = UINT64_C(1) << (dtype_bits(s->expected->dtype) - 1);
    bool zero = true, negative = floating, same = true, any = false;
    uint64_t first = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        if (!s->is_wrong[i])
            continue;
        const uint64_t got = load(s, s->got, i);
        first = any ? first : got;
        any = true;
        zero = zero && (got == 0 || (floating && got == sign));
        same = same && got == first;
        negative = negative && compare_is_right(s->expected, i, got ^ sign);
    }
    if (zero)
        answer(s, "every wrong element is 0");
    else if (negative)
        answer(s, "every wrong element has the other sign");
    else if (same)
        answer(s, "all wrong elements are the same");
}

// Only the last, incomplete group of 16, 8 or 4.
static void ask_tail(struct search *s)
{
    for (uint64_t group = 16; group >= 4; group /= 2) {
        const uint64_t tail = s->count % group, from = s->count - tail;
        bool only = tail && s->count > group && s->wrong == tail;
        for (uint64_t i = from; i < s->count && only; i++)
            only = s->is_wrong[i];
        if (only) {
            answer(s,
                   "only the last, incomplete group of %" PRIu64 " (elements %" PRIu64
                   " to %" PRIu64 ")",
                   group, from, s->count - 1);
            return;
        }
    }
}

static void ask_parity(struct search *s)
{
    uint64_t odd = 0;
    for (uint64_t i = 0; i < s->count; i++)
        odd += s->is_wrong[i] && (i & 1);
    if (s->count >= 4 && (odd == 0 || odd == s->wrong) && s->wrong * 4 >= s->count)
        answer(s, "only %s elements", odd ? "odd" : "even");
}

static void say_set(struct search *s, unsigned axis, const bool *met, uint64_t extent,
                    uint64_t marked)
{
    char name[32];
    uint64_t first = 0, last = extent - 1, odd = 0;
    while (!met[first])
        first++;
    while (!met[last])
        last--;
    for (uint64_t i = 1; i < extent; i += 2)
        odd += met[i];
    if (s->axes)
        snprintf(name, sizeof name, "%s", s->axes[axis]);
    else
        snprintf(name, sizeof name, "index %u", axis);
    if (first == last && last == extent - 1)
        answer(s, "only the last %s", name);
    else if (first == last)
        answer(s, "only %s %" PRIu64, name, first);
    else if (last - first + 1 == marked)
        answer(s, "only %s %" PRIu64 " to %" PRIu64, name, first, last);
    else if ((odd == 0 || odd == marked) && marked * 4 >= extent)
        answer(s, "only where %s is %s", name, odd ? "odd" : "even");
    else if (marked * 2 <= extent)
        answer(s, "only %" PRIu64 " of %" PRIu64 " values of %s", marked, extent, name);
}

// The indices of each dimension at which anything is wrong.
static void ask_dimensions(struct search *s)
{
    uint64_t inner = s->count;
    for (unsigned d = 0; d < s->tensor->rank; d++) {
        const uint64_t extent = s->tensor->shape[d];
        inner = extent ? inner / extent : 0;
        bool *const met =
            extent > 1 && extent <= EXTENT_MAX ? calloc((size_t)extent, sizeof *met) : NULL;
        if (!met)
            continue;
        uint64_t marked = 0;
        for (uint64_t i = 0; i < s->count; i++)
            met[i / inner % extent] = met[i / inner % extent] || s->is_wrong[i];
        for (uint64_t i = 0; i < extent; i++)
            marked += met[i];
        if (marked < extent)
            say_set(s, d, met, extent, marked);
        free(met);
    }
}

bool pattern_describe(const struct expected *expected, const struct tensor *tensor,
                      const char *const *axes, const void *got, uint64_t count, char *text,
                      size_t size)
{
    assert(size);
    struct search s = {.expected = expected,
                       .tensor = tensor,
                       .axes = axes,
                       .got = got,
                       .count = count,
                       .text = text,
                       .size = size};
    uint64_t whole = 0;
    text[0] = '\0';
    s.is_wrong = count ? calloc((size_t)count, sizeof *s.is_wrong) : NULL;
    if (!s.is_wrong)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        s.is_wrong[i] = !compare_is_right(expected, i, load(&s, got, i));
        s.wrong += s.is_wrong[i];
    }
    if (s.wrong >= 2) {
        ask_moved(&s);
        ask_tail(&s);
        if (tensor_count(tensor, &whole) && whole == count && tensor->rank > 1)
            ask_dimensions(&s);
        if (!s.answers)
            ask_parity(&s);
        ask_values(&s);
    }
    free(s.is_wrong);
    return s.answers > 0;
}

const char *const *pattern_axes(const char *operation, const char *output)
{
    static const char *const sequence[] = {"step", "row", "channel"},
                             *const state[] = {"layer", "direction", "row", "channel"},
                             *const weights[] = {"layer", "direction", "input", "gate", "channel"},
                             *const bias[] = {"layer", "direction", "gate", "channel"},
                             *const projection[] = {"layer", "direction", "input", "channel"};
    static const struct {
        const char *output;
        const char *const *axes;
    } rows[] = {{"dst_layer", sequence},
                {"dst_iter", state},
                {"dst_iter_c", state},
                {"diff_src_layer", sequence},
                {"diff_src_iter", state},
                {"diff_src_iter_c", state},
                {"diff_attention", sequence},
                {"diff_weights_layer", weights},
                {"diff_weights_iter", weights},
                {"diff_weights_peephole", bias},
                {"diff_weights_projection", projection},
                {"diff_bias", bias}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !strcmp(operation, "onednn.rnn"); i++)
        if (!strcmp(rows[i].output, output))
            return rows[i].axes;
    return NULL;
}
