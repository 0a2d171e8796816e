// SPDX-License-Identifier: Apache-2.0
// A pattern is a condition, or two together, that hold for the failing rows and for no others. Bits
// that equal calls share are a function of the conditions: it is said on which of them it depends.

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/judge/search/survey.h"

static unsigned value_of(const struct survey_row *of, int axis)
{
    const struct host_conditions *const row = &of->conditions;
    const unsigned values[AXIS_COUNT] = {row->threads, row->feed,
                                         row->guard,   row->poison == HOST_POISON_B,
                                         row->padded,  row->together};
    return values[axis];
}

// "threads=3", "feed=constant", ...
static const char *name_value(const struct host_description *description, int axis, unsigned value,
                              char *text, size_t size)
{
    static const char *const plain[AXIS_COUNT][3] = {
        [AXIS_GUARD] = {"buffers flush at their end", "buffers flush at their start",
                        "buffers flush at neither end"},
        [AXIS_POISON] = {"outputs of a5 before", "outputs of 5a before"},
        [AXIS_PADDED] = {"dense tensors", "padded rows"},
        [AXIS_TOGETHER] = {"one call at a time", "two calls at once"}};
    if (axis == AXIS_THREADS && !value)
        snprintf(text, size, "the library's own number of threads");
    else if (axis == AXIS_THREADS)
        snprintf(text, size, "threads=%u", value);
    else if (axis == AXIS_FEED)
        snprintf(text, size, "feed=%s", value < HOST_FEEDS_MAX ? description->feeds[value] : "?");
    else
        snprintf(text, size, "%s", plain[axis][value % 3]);
    return text;
}

// Whether exactly the rows where both hold fail (or, with `but`, exactly the others).
static bool fits(const struct survey_row *row, size_t rows, const int *axis, const unsigned *value,
                 bool but)
{
    for (size_t i = 0; i < rows; i++) {
        const bool holds =
            value_of(&row[i], axis[0]) == value[0] && value_of(&row[i], axis[1]) == value[1];
        if (row[i].fails != (holds != but))
            return false;
    }
    return true;
}

// The values that the rows have in this axis, each once.
static unsigned list_values(const struct survey_row *row, size_t rows, int axis, unsigned *values)
{
    unsigned count = 0;
    for (size_t i = 0; i < rows; i++) {
        unsigned known = 0;
        while (known < count && values[known] != value_of(&row[i], axis))
            known++;
        if (known == count && count < CONDITIONS_VALUES_MAX)
            values[count++] = value_of(&row[i], axis);
    }
    return count;
}

// Looks for the values of two axes, or of one where they are the same.
static bool find_values(const struct host_description *description, const struct survey_row *row,
                        size_t rows, const int *axis, char *text, size_t size)
{
    char first[64], second[64];
    unsigned v[CONDITIONS_VALUES_MAX], w[CONDITIONS_VALUES_MAX];
    const unsigned count_v = list_values(row, rows, axis[0], v),
                   count_w = list_values(row, rows, axis[1], w);
    const bool pair = axis[0] != axis[1];
    for (unsigned i = 0; i < count_v; i++)
        for (unsigned k = pair ? 0 : i; k < (pair ? count_w : i + 1); k++)
            for (int but = 0; but < 2; but++) {
                const unsigned value[] = {v[i], w[k]};
                if (!fits(row, rows, axis, value, but != 0))
                    continue;
                snprintf(text, size, "%s %s%s%s", but ? "always but with" : "exactly with",
                         name_value(description, axis[0], v[i], first, sizeof first),
                         pair ? " and " : "",
                         pair ? name_value(description, axis[1], w[k], second, sizeof second) : "");
                return true;
            }
    return false;
}

static void find_pattern(const struct host_description *description, const struct survey_row *row,
                         size_t rows, char *text, size_t size)
{
    for (int a = 0; a < AXIS_COUNT; a++)
        if (find_values(description, row, rows, (const int[]){a, a}, text, size))
            return;
    for (int a = 0; a < AXIS_COUNT; a++)
        for (int b = a + 1; b < AXIS_COUNT; b++)
            if (find_values(description, row, rows, (const int[]){a, b}, text, size))
                return;
}

// ---- bits -------------------------------------------------------------------

struct words {
    char *text;
    size_t size, at; // what does not fit is cut off
};

__attribute__((format(printf, 2, 3))) static void put(struct words *words, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (words->at < words->size)
        words->at +=
            (size_t)vsnprintf(words->text + words->at, words->size - words->at, format, arguments);
    va_end(arguments);
}

static bool varies(const struct survey_row *row)
{
    return row->bits[SURVEY_REVERSED] != row->bits[SURVEY_IN_ORDER] ||
           row->bits[SURVEY_REPEATED] != row->bits[SURVEY_IN_ORDER];
}

// Whether two rows agree in these axes, of which bit n stands for axis n.
static bool agree(const struct survey_row *a, const struct survey_row *b, unsigned axes)
{
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if ((axes >> axis & 1) && value_of(a, axis) != value_of(b, axis))
            return false;
    return true;
}

// Whether some two rows that agree in these axes have different bits.
static bool differ_within(const struct survey_row *row, size_t rows, unsigned axes)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < i; k++)
            if (row[i].bits[SURVEY_IN_ORDER] != row[k].bits[SURVEY_IN_ORDER] &&
                agree(&row[i], &row[k], axes))
                return true;
    return false;
}

static const char *name_short(const struct host_description *description, int axis, unsigned value,
                              char *text, size_t size)
{
    static const char *const guards[] = {"end", "start", "neither"};
    if (axis == AXIS_THREADS && value)
        snprintf(text, size, "%u", value);
    else
        snprintf(text, size, "%s",
                 axis == AXIS_THREADS                          ? "own"
                 : axis == AXIS_GUARD                          ? guards[value % 3]
                 : axis == AXIS_FEED && value < HOST_FEEDS_MAX ? description->feeds[value]
                                                               : "?");
    return text;
}

static const struct survey_row *find_first(const struct survey_row *row, int axis, unsigned value)
{
    while (value_of(row, axis) != value)
        row++;
    return row;
}

// "own, 1 | 2, 3": the values of the one axis that decides, those with the same bits together. Of
// two values nothing need be said.
static void put_groups(const struct host_description *description, const struct survey_row *row,
                       size_t rows, int axis, struct words *words)
{
    char name[64];
    unsigned values[CONDITIONS_VALUES_MAX];
    const unsigned count = list_values(row, rows, axis, values);
    bool said[CONDITIONS_VALUES_MAX] = {false};
    for (unsigned v = 0; v < count && count > 2; v++) {
        const uint64_t bits = find_first(row, axis, values[v])->bits[SURVEY_IN_ORDER];
        const char *separator = v ? " | " : ": ";
        for (unsigned w = v; w < count && !said[v]; w++)
            if (find_first(row, axis, values[w])->bits[SURVEY_IN_ORDER] == bits) {
                put(words, "%s%s", separator,
                    name_short(description, axis, values[w], name, sizeof name));
                separator = ", ";
                said[w] = w > v;
            }
    }
}

static void put_dependence(const struct host_description *description, const struct survey_row *row,
                           size_t rows, struct words *words)
{
    static const char *const names[AXIS_COUNT] = {"threads",
                                                  "the feed",
                                                  "which end of its buffers is flush",
                                                  "what its outputs held",
                                                  "padding",
                                                  "a second call at the same time"};
    const unsigned all = (1U << AXIS_COUNT) - 1;
    unsigned needed = 0;
    int count = 0, last = 0;
    for (int axis = 0; axis < AXIS_COUNT; axis++)
        if (differ_within(row, rows, all & ~(1U << axis))) {
            needed |= 1U << axis;
            count++;
            last = axis;
        }
    if (!count || differ_within(row, rows, needed)) {
        put(words, "; its bits depend on no single condition");
        return;
    }
    put(words, "; its bits depend on");
    for (int axis = 0, k = 0; axis < AXIS_COUNT; axis++)
        if (needed >> axis & 1) {
            put(words, "%s %s", !k ? "" : axis == last ? " and" : ",", names[axis]);
            k++;
        }
    if (count == 1) {
        put(words, " alone");
        put_groups(description, row, rows, last, words);
    }
}

// Says with which values of an axis equal calls gave different bits, where there are others with
// which none did, and this would be so in less than one of a thousand draws of as many rows.
static void put_places(const struct host_description *description, const struct survey_row *row,
                       size_t rows, int axis, size_t varying, struct words *words)
{
    char name[64];
    unsigned values[CONDITIONS_VALUES_MAX];
    const unsigned count = list_values(row, rows, axis, values);
    bool seen[CONDITIONS_VALUES_MAX] = {false};
    size_t quiet = rows;
    double chance = 1;
    for (unsigned v = 0; v < count; v++) {
        size_t having = 0;
        for (size_t i = 0; i < rows; i++) {
            having += value_of(&row[i], axis) == values[v];
            seen[v] = seen[v] || (value_of(&row[i], axis) == values[v] && varies(&row[i]));
        }
        quiet -= seen[v] ? having : 0;
    }
    for (size_t k = 0; k < varying; k++)
        chance *= 1 - (double)quiet / (double)(rows - k);
    const char *separator = "; only with ";
    for (unsigned v = 0; v < count && quiet && chance < 1e-3; v++)
        if (seen[v]) {
            put(words, "%s%s", separator,
                name_value(description, axis, values[v], name, sizeof name));
            separator = " or ";
        }
}

void survey_describe(const struct host_description *description, const struct survey_row *row,
                     size_t rows, char *text, size_t size)
{
    assert(rows && rows <= SURVEY_ROWS_MAX && size);
    char pattern[192] = "";
    struct words words = {.text = text, .size = size};
    size_t failing = 0, varying = 0;
    bool repeats = true;
    for (size_t i = 0; i < rows; i++) {
        failing += row[i].fails;
        varying += varies(&row[i]);
        repeats = repeats && row[i].bits[SURVEY_REPEATED] == row[i].bits[SURVEY_IN_ORDER];
    }
    if (failing && failing < rows)
        find_pattern(description, row, rows, pattern, sizeof pattern);
    put(&words, failing == rows ? "under all %zu conditions" : "under %zu of %zu conditions",
        failing, rows);
    if (pattern[0])
        put(&words, ": %s", pattern);
    if (varying)
        put(&words, "; equal calls gave other bits under %zu of %zu conditions, %s", varying, rows,
            repeats ? "by what ran before" : "by chance");
    for (int axis = 0; axis < AXIS_COUNT && varying; axis++)
        put_places(description, row, rows, axis, varying, &words);
    if (!varying && differ_within(row, rows, 0))
        put_dependence(description, row, rows, &words);
}
