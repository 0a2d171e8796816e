// SPDX-License-Identifier: Apache-2.0
// Counts below sixteenths of the range and of pairs in quarters of it have exact binomial laws, but
// for what the type and the grid of the draws round: each is held against the nearest chance that
// rounding leaves open, so any way of rounding will do. The battery then gets bits that are fair
// however the draws are rounded: the upper ones of wide types, where the rounding is too little to
// be seen; of integers those below a power of two; of 16-bit floats which of two draws is smaller.

#include "harness/judge/compare/draws.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "stats/audit/audit.h"
#include "stats/law/null.h"

enum { PARTS = 16, QUARTERS = 4, LAGS = 3, UPPER_BITS = 8, BITS_MAX = 16, VALUES_MAX = 4096 };
enum { COUNTS = (PARTS - 1) + LAGS * QUARTERS * QUARTERS };
enum { REPEATS_FEW = 1 << 16, REPEATS_MANY = 1 << 20 }; // of so many draws are repeats counted

static double load(enum dtype dtype, const void *data, uint64_t index)
{
    return num_to_double(dtype, element_load(data, dtype_size(dtype), (size_t)index));
}

bool draws_in_range(const struct draws *draws, char *text, size_t size)
{
    const bool whole = dtype_kind(draws->dtype) == DTYPE_KIND_SIGNED;
    for (uint64_t i = 0; i < draws->count; i++) {
        const double draw = load(draws->dtype, draws->data, i);
        if (draw >= draws->low && (whole ? draw < draws->high : draw <= draws->high))
            continue;
        snprintf(text, size, "element %llu is %.17g, not in [%.17g, %.17g%c", (unsigned long long)i,
                 draw, draws->low, draws->high, whole ? ')' : ']');
        return false;
    }
    return true;
}

static bool is_narrow(enum dtype dtype)
{
    return dtype == DTYPE_F16 || dtype == DTYPE_BF16;
}

uint64_t draws_wanted(enum dtype dtype)
{
    return is_narrow(dtype) ? (1 << 22) + (1 << 18) : 1 << 20;
}

// ---- counts -----------------------------------------------------------------

// Digits of the significand, and steps of the coarsest grid that a specification draws the type
// from, as powers of two.
static const struct real_type {
    enum dtype dtype;
    int digits, grid;
} types[] = {{DTYPE_BF16, 8, 7}, {DTYPE_F16, 11, 10}, {DTYPE_F32, 24, 23}, {DTYPE_F64, 53, 52}};

static const struct real_type *find_type(enum dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

// One unit in the last place of a float, as a part of the range.
static double last_place(const struct draws *draws, const struct real_type *type)
{
    return ldexp(fmax(fabs(draws->low), fabs(draws->high)), 1 - type->digits) /
           (draws->high - draws->low);
}

double draws_bits(const struct draws *draws)
{
    const struct real_type *const type = find_type(draws->dtype);
    const double range = draws->high - draws->low, count = (double)draws->count;
    if (draws->law)
        return draws->bits;
    if (!(range > 0))
        return count * 8 * (double)dtype_size(draws->dtype);
    if (!type)
        return count * log2(fmax(range, 1));
    const double place = last_place(draws, type);
    return place < 1 ? count * fmin(type->grid, -log2(place)) : 0;
}

// How far a draw may lie from the number that it stands for, as a part of the range: one unit in
// the last place and one step of the grid that it is drawn from.
static double rounding(const struct draws *draws)
{
    const double range = draws->high - draws->low;
    const struct real_type *const type = find_type(draws->dtype);
    if (type)
        return last_place(draws, type) + ldexp(1, -type->grid) + draws->stray;
    // An integer is the remainder, or the upper part, of a word of its size.
    return ldexp(range, -8 * (int)dtype_size(draws->dtype));
}

struct count {
    uint64_t seen, of;
    double least, most; // the chance lies between them
    char what[96];
};

// The logarithm of the chance that a right source strays as far.
static double judge_count(const struct count *count)
{
    const double seen = (double)count->seen, of = (double)count->of;
    if (seen < of * count->least)
        return null_binomial_log_lower(count->seen, count->of, count->least);
    return seen > of * count->most && count->most < 1
               ? null_binomial_log_upper(count->seen, count->of, count->most)
               : 0;
}

// The number of the part, of `parts` equal ones, that a draw lies in. Integers have a law that is
// known for whole numbers: parts end at those.
static unsigned part_of(const struct draws *draws, uint64_t index, unsigned parts)
{
    const double draw = load(draws->dtype, draws->data, index);
    const double part = floor((draw - draws->low) * parts / (draws->high - draws->low));
    return part < parts - 1 ? (unsigned)part : parts - 1;
}

// The chance of a draw below `part` of `parts`: of an integer, the whole numbers that lie there.
static double chance_below(const struct draws *draws, unsigned part, unsigned parts)
{
    const double range = draws->high - draws->low, below = range * part / parts;
    return (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT ? below : ceil(below)) / range;
}

static void add_parts(const struct draws *draws, struct count *counts)
{
    const double stray = rounding(draws);
    uint64_t seen[PARTS] = {0}, below = 0;
    for (uint64_t i = 0; i < draws->count; i++)
        seen[part_of(draws, i, PARTS)]++;
    for (unsigned part = 1; part < PARTS; part++) {
        const double chance = chance_below(draws, part, PARTS);
        struct count *const count = &counts[part - 1];
        below += seen[part - 1];
        *count = (struct count){below, draws->count, fmax(chance - stray, 1e-9),
                                fmin(chance + stray, 1), ""};
        snprintf(count->what, sizeof count->what, "draws below %u/%d of the range", part, PARTS);
    }
}

// Pairs of draws `lag` apart, each draw in one pair.
static void add_pairs(const struct draws *draws, unsigned lag, struct count *counts)
{
    const double stray = 2 * rounding(draws);
    uint64_t seen[QUARTERS][QUARTERS] = {{0}}, pairs = 0;
    double chance[QUARTERS];
    for (uint64_t i = 0; i + lag < draws->count; i += i % (2 * lag) == lag - 1 ? lag + 1 : 1) {
        seen[part_of(draws, i, QUARTERS)][part_of(draws, i + lag, QUARTERS)]++;
        pairs++;
    }
    for (unsigned part = 0; part < QUARTERS; part++)
        chance[part] =
            chance_below(draws, part + 1, QUARTERS) - chance_below(draws, part, QUARTERS);
    for (unsigned a = 0; a < QUARTERS; a++)
        for (unsigned b = 0; b < QUARTERS; b++) {
            struct count *const count = &counts[a * QUARTERS + b];
            *count =
                (struct count){seen[a][b], pairs,
                               fmax(fmax(chance[a] - stray, 0) * fmax(chance[b] - stray, 0), 1e-9),
                               fmin((chance[a] + stray) * (chance[b] + stray), 1), ""};
            snprintf(count->what, sizeof count->what,
                     "pairs of draws %u apart in quarters %u and %u", lag, a + 1, b + 1);
        }
}

// Each whole number of a small range; returns how many there are.
static unsigned add_values(const struct draws *draws, struct count *counts)
{
    const double range = draws->high - draws->low;
    if (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT || range > VALUES_MAX)
        return 0;
    const double chance = 1 / range, stray = rounding(draws) / range;
    for (unsigned i = 0; i < (unsigned)range; i++) {
        counts[i] = (struct count){0, draws->count, chance - stray, chance + stray, ""};
        snprintf(counts[i].what, sizeof counts[i].what, "draws of %.0f", draws->low + i);
    }
    for (uint64_t i = 0; i < draws->count; i++)
        counts[part_of(draws, i, (unsigned)range)].seen++;
    return (unsigned)range;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Draws that came before, of the first so many: where hardly any two of a million are the same, of
// a million. A draw has one given value with a chance of at most `same`, and one of the others'
// with at most (of - 1) same, whatever those are: the law lies below a binomial one. *added is 0
// where that says nothing.
static enum error add_repeats(const struct draws *draws, struct count *count, unsigned *added,
                              struct diagnostic *diagnostic)
{
    const bool whole = dtype_kind(draws->dtype) != DTYPE_KIND_FLOAT;
    const double same =
        whole ? 1 / (draws->high - draws->low) + rounding(draws) : 2 * rounding(draws);
    const uint64_t room = same * REPEATS_MANY * REPEATS_MANY < 1 ? REPEATS_MANY : REPEATS_FEW,
                   of = draws->count < room ? draws->count : room;
    const double most = same * ((double)of - 1);
    *added = 0;
    if (of < 2 || most >= 1)
        return ERROR_NONE;
    double *const value = malloc((size_t)of * sizeof *value);
    if (!value)
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < of; i++)
        value[i] = load(draws->dtype, draws->data, i);
    qsort(value, (size_t)of, sizeof *value, by_value);
    *count = (struct count){0, of - 1, 0, most, "draws that came before"};
    for (uint64_t i = 1; i < of; i++)
        count->seen += value[i] == value[i - 1];
    free(value);
    *added = 1;
    return ERROR_NONE;
}

// The widest stretch of the range that no draw lies in. A right draw lies in a given stretch of
// width w with a chance of at least w - 2 stray, as parts of the range: its ends may round away. A
// stretch of 2 stray + t holds a whole one of the cells of width 2 stray + t / 2 that begin at the
// multiples of t / 2: that one of these is empty has a chance below (1 - t / 2)^count (2 / t + 1).
// *log_chance is the logarithm of that, and `text` what was seen.
static enum error find_gap(const struct draws *draws, double *log_chance, char *text, size_t size,
                           struct diagnostic *diagnostic)
{
    const bool whole = dtype_kind(draws->dtype) != DTYPE_KIND_FLOAT;
    const double range = draws->high - draws->low,
                 stray = rounding(draws) + (whole ? 1 / range : 0);
    double from = draws->low, widest = 0, begins = draws->low;
    *log_chance = 0;
    double *const value = malloc((size_t)draws->count * sizeof *value + 1);
    if (!value)
        return diagnostic_no_memory(diagnostic);
    for (uint64_t i = 0; i < draws->count; i++)
        value[i] = load(draws->dtype, draws->data, i);
    qsort(value, (size_t)draws->count, sizeof *value, by_value);
    for (uint64_t i = 0; i <= draws->count; i++) {
        const double to = i < draws->count ? value[i] : draws->high;
        if (to - from > widest) {
            widest = to - from;
            begins = from;
        }
        from = to;
    }
    free(value);
    const double half = (widest / range - 2 * stray) / 2;
    if (half > 0 && half < 1)
        *log_chance = fmin((double)draws->count * log1p(-half) + log(1 / half + 1), 0);
    snprintf(text, size, "not uniform: none of %llu draws lies between %.9g and %.9g (p = 1e%.0f)",
             (unsigned long long)draws->count, begins, begins + widest, *log_chance / log(10));
    return ERROR_NONE;
}

// Each count may be too small or too large.
static enum error counts_are_right(const struct draws *draws, double chance, bool *right,
                                   char *text, size_t size, struct diagnostic *diagnostic)
{
    struct count *const counts = calloc(COUNTS + VALUES_MAX + 1, sizeof *counts);
    const struct count *worst = counts;
    unsigned all = 0, repeats = 0;
    double gap = 0;
    char about_gap[160];
    *right = true;
    if (!counts)
        return diagnostic_no_memory(diagnostic);
    add_parts(draws, counts);
    for (unsigned i = 0; i < LAGS; i++)
        add_pairs(draws, 1U << i, &counts[PARTS - 1 + i * QUARTERS * QUARTERS]);
    all = COUNTS + add_values(draws, counts + COUNTS);
    enum error error = add_repeats(draws, &counts[all], &repeats, diagnostic);
    if (!error && !draws->law)
        error = find_gap(draws, &gap, about_gap, sizeof about_gap, diagnostic);
    all += repeats;
    for (unsigned i = 1; i < all; i++)
        if (judge_count(&counts[i]) < judge_count(worst))
            worst = &counts[i];
    // The gap has the share of one count.
    const double limit = log(chance) - log(2.0 * (all + 1));
    *right = judge_count(worst) >= limit && gap >= limit;
    if (!error && gap < limit && judge_count(worst) >= limit)
        snprintf(text, size, "%s", about_gap);
    else if (!*right)
        snprintf(text, size, "not %s: %llu of %llu %s, expected %.0f to %.0f (p = 1e%.0f)",
                 draws->law ? draws->law : "uniform", (unsigned long long)worst->seen,
                 (unsigned long long)worst->of, worst->what, worst->least * (double)worst->of,
                 worst->most * (double)worst->of, judge_count(worst) / log(10));
    free(counts);
    return error;
}

enum error draws_judge(const struct draws *draws, double chance, bool *right, char *text,
                       size_t size, struct diagnostic *diagnostic)
{
    assert(chance > 0 && chance < 1);
    *right = true;
    return draws->count ? counts_are_right(draws, chance, right, text, size, diagnostic)
                        : ERROR_NONE;
}

enum error draws_judge_two(const struct draws *a, const struct draws *b, double chance, bool *right,
                           char *text, size_t size, struct diagnostic *diagnostic)
{
    assert(a->dtype == b->dtype && a->count == b->count && a->low == b->low && a->high == b->high);
    const size_t bytes = dtype_size(a->dtype), count = (size_t)a->count;
    struct draws both = *a;
    char *const data = malloc(2 * count * bytes + 1);
    *right = true;
    if (!data)
        return diagnostic_no_memory(diagnostic);
    for (size_t i = 0; i < count; i++) {
        memcpy(data + 2 * i * bytes, (const char *)a->data + i * bytes, bytes);
        memcpy(data + (2 * i + 1) * bytes, (const char *)b->data + i * bytes, bytes);
    }
    both.data = data;
    both.count = 2 * count;
    const enum error error = draws_judge(&both, chance, right, text, size, diagnostic);
    free(data);
    return error;
}

// ---- bits -------------------------------------------------------------------

struct words {
    uint32_t *word;
    uint64_t count, bits; // whole words, and bits of all
};

static void put_bits(struct words *words, uint64_t value, unsigned bits)
{
    for (unsigned i = bits; i-- > 0; words->bits++)
        words->word[words->bits / 32] |= (uint32_t)(value >> i & 1) << words->bits % 32;
    words->count = words->bits / 32;
}

// Bits of whole numbers below the largest multiple of a power of two in the range; of a range that
// has numbers which are no doubles, none.
static void take_integers(const struct draws *draws, struct words *words)
{
    unsigned bits = 0;
    while (bits < BITS_MAX && ldexp(1, (int)bits + 1) <= draws->high - draws->low &&
           draws->high - draws->low < 0x1p52)
        bits++;
    const double below =
        floor((draws->high - draws->low) / ldexp(1, (int)bits)) * ldexp(1, (int)bits);
    for (uint64_t i = 0; bits && i < draws->count; i++) {
        const double draw = load(draws->dtype, draws->data, i) - draws->low;
        if (draw < below)
            put_bits(words, (uint64_t)draw, bits);
    }
}

static void take_floats(const struct draws *draws, struct words *words)
{
    for (uint64_t i = 0; !is_narrow(draws->dtype) && i < draws->count; i++)
        put_bits(words, part_of(draws, i, 1 << UPPER_BITS), UPPER_BITS);
    for (uint64_t i = 0; is_narrow(draws->dtype) && i + 1 < draws->count; i += 2) {
        const double a = load(draws->dtype, draws->data, i),
                     b = load(draws->dtype, draws->data, i + 1);
        if (a != b)
            put_bits(words, a < b, 1);
    }
}

// Whether upper bits are so near to fair that no battery of this size tells: the noncentrality of
// their chi-square, count (2^bits stray)^2, is below 0.01.
static bool is_wide_enough(const struct draws *draws)
{
    const double stray = ldexp(rounding(draws), UPPER_BITS);
    return dtype_kind(draws->dtype) != DTYPE_KIND_FLOAT || is_narrow(draws->dtype) ||
           (double)draws->count * stray * stray < 0.01;
}

static enum error read_words(void *context, uint64_t first, size_t count, uint32_t *to, size_t *got,
                             struct diagnostic *diagnostic)
{
    const struct words *const words = context;
    (void)diagnostic;
    *got = first >= words->count          ? 0
           : count < words->count - first ? count
                                          : (size_t)(words->count - first);
    memcpy(to, words->word + first, *got * sizeof *to);
    return ERROR_NONE;
}

// Whether bits depend on each other linearly over GF(2), as those of the Mersenne Twister do, says
// nothing of how draws are distributed. The other rows keep their shares of the chance of a false
// alarm.
static void leave_out_algebra(struct battery *battery)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < battery->rows; i++)
        if (!strstr(battery->row[i].test.about, "linear"))
            battery->row[rows++] = battery->row[i];
    battery->rows = rows;
}

static enum error audit_words(struct words *words, bool *flawed, char *text, size_t size,
                              struct diagnostic *diagnostic)
{
    struct audit_options *const options = calloc(1, sizeof *options);
    struct audit_result *const result = calloc(1, sizeof *result);
    const struct source source = {
        .name = "draws", .random_access = true, .context = words, .read = read_words};
    enum error error = options && result && battery_named("quick", &options->battery)
                           ? ERROR_NONE
                           : diagnostic_no_memory(diagnostic);
    if (!error) {
        options->threads = 1;
        leave_out_algebra(&options->battery);
        battery_limit(&options->battery, words->count * sizeof *words->word);
        error = audit_run(options, &source, result, diagnostic);
    }
    if (!error) {
        *flawed = result->verdict == AUDIT_FLAWED;
        snprintf(text, size, "%s %s: %s", *flawed ? "flawed:" : "", result->finding.test,
                 result->finding.what);
        audit_release(result);
    }
    free(options);
    free(result);
    return error;
}

enum error draws_audit(const struct draws *draws, bool *flawed, char *text, size_t size,
                       struct diagnostic *diagnostic)
{
    assert(draws->count == draws_wanted(draws->dtype));
    struct words words = {.word = calloc(draws->count, sizeof *words.word)};
    bool right = true;
    enum error error = words.word ? counts_are_right(draws, 1e-9, &right, text, size, diagnostic)
                                  : diagnostic_no_memory(diagnostic);
    char found[AUDIT_TEXT + 128] = "";
    *flawed = !right;
    if (!error && !*flawed && is_wide_enough(draws))
        (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT ? take_floats : take_integers)(draws, &words);
    const uint64_t blocks = words.count >> BATTERY_BLOCK_LOG2;
    if (!error && blocks)
        error = audit_words(&words, flawed, found, sizeof found, diagnostic);
    if (*flawed && found[0])
        snprintf(text, size, "%s", found);
    else if (!*flawed)
        snprintf(text, size, "%s in %llu draws; the battery found nothing in %llu KiB of bits",
                 draws->law ? draws->law : "uniform", (unsigned long long)draws->count,
                 (unsigned long long)blocks << 8);
    free(words.word);
    return error;
}
