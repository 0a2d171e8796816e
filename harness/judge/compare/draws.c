// SPDX-License-Identifier: Apache-2.0
// Counts below sixteenths of the range, between two of them and of pairs in quarters of it have
// exact binomial laws, but for what the type and the grid of the draws round: each is held against
// the nearest chance that rounding leaves open, so any way of rounding will do. The battery then
// gets bits that are fair however the draws are rounded: the upper ones of wide types, where the
// rounding is too little to be seen; of integers those below a power of two; of 16-bit floats which
// of two draws is smaller. It gets one block of them, which is the least that it takes: what only
// more words show is found by an audit of the source.

#include "harness/judge/compare/draws.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"
#include "stats/audit/audit.h"
#include "stats/kernel/sort.h"
#include "stats/law/null.h"

enum { PARTS = 16, QUARTERS = 4, LAGS = 3, UPPER_BITS = 8, BITS_MAX = 16, VALUES_MAX = 4096 };
enum { BELOW = PARTS - 1, BETWEEN = PARTS / 2 - 1 }; // counts of either kind
enum { COUNTS = BELOW + BETWEEN + LAGS * QUARTERS * QUARTERS };
enum { MATCHES = 8 };                              // draws that are matched with each other
enum { PART_DRAWS = 8 };                           // in a part that is looked at for gaps
static const uint64_t SPREAD = 0x9e3779b97f4a7c15; // of the golden ratio, for sorting

static bool is_narrow(enum dtype dtype)
{
    return dtype == DTYPE_F16 || dtype == DTYPE_BF16;
}

enum { CHUNK = 1024 };

static void load(const struct draws *draws, uint64_t first, size_t count, double *values)
{
    const char *const data = (const char *)draws->data + first * dtype_size(draws->dtype);
    if (!is_narrow(draws->dtype)) {
        num_convert_array(DTYPE_F64, values, draws->dtype, data, count);
        return;
    }
    float single[CHUNK]; // exact, and quick
    for (size_t at = 0; at < count; at += CHUNK) {
        const size_t some = count - at < CHUNK ? count - at : CHUNK;
        num_convert_array(DTYPE_F32, single, draws->dtype, data + at * dtype_size(draws->dtype),
                          some);
        for (size_t i = 0; i < some; i++)
            values[at + i] = (double)single[i];
    }
}

bool draws_in_range(const struct draws *draws, char *text, size_t size)
{
    const bool whole = dtype_kind(draws->dtype) == DTYPE_KIND_SIGNED;
    double value[CHUNK];
    for (uint64_t i = 0; i < draws->count; i++) {
        if (i % CHUNK == 0)
            load(draws, i, (size_t)(draws->count - i < CHUNK ? draws->count - i : CHUNK), value);
        const double draw = value[i % CHUNK];
        if (draw >= draws->low && (whole ? draw < draws->high : draw <= draws->high))
            continue;
        snprintf(text, size, "element %llu is %.17g, not in [%.17g, %.17g%c", (unsigned long long)i,
                 draw, draws->low, draws->high, whole ? ')' : ']');
        return false;
    }
    return true;
}

// A count of chance 1/2 is accused from 6.8 standard deviations on (the chance of 1e-9 is shared by
// both sides of COUNTS counts, repeats and the gap), and a law that gives it another chance by
// 1/100 puts it 14.5 away: that it is missed has a chance below 1e-14. Of f64 draws that have 32
// bits, 32 are expected to come before, of which 3 are evidence: fewer come with a chance of 7e-12.
// Of 16-bit floats MATCHES give MATCHES - 1 bits, less those of equal draws, and a block of the
// battery asks for 2^21.
uint64_t draws_wanted(enum dtype dtype)
{
    return is_narrow(dtype) ? (1 << 21) + (1 << 19) : 1 << 19;
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

// The number of the part, of `parts` equal ones, that a draw, which is not below the range, lies
// in. Integers have a law that is known for whole numbers: parts end at those.
static unsigned part_of(const struct draws *draws, double draw, unsigned parts)
{
    const double part = (draw - draws->low) * parts / (draws->high - draws->low);
    return part < parts - 1 ? (unsigned)(int)part : parts - 1;
}

// The draws as numbers, and the 256th part of the range that each lies in: its upper bits are the
// number of a larger part, for a division by a power of two rounds nothing.
struct numbers {
    const struct draws *of;
    const double *value;
    double *made; // of a type that is not its own
    unsigned char *part;
};

static bool numbers_take(struct numbers *numbers, const struct draws *draws)
{
    const size_t count = (size_t)draws->count;
    const bool own_type = draws->dtype == DTYPE_F64 && (uintptr_t)draws->data % sizeof(double) == 0;
    double *const made = own_type ? NULL : malloc(count * sizeof(double) + 1);
    *numbers = (struct numbers){draws, own_type ? draws->data : made, made, malloc(count + 1)};
    if (!numbers->value || !numbers->part)
        return false;
    if (made)
        load(draws, 0, count, made);
    const struct draws own = *draws; // which no store to `part` may change
    for (size_t i = 0; i < count; i++)
        numbers->part[i] = (unsigned char)part_of(&own, numbers->value[i], 1 << UPPER_BITS);
    return true;
}

static void numbers_release(struct numbers *numbers)
{
    free(numbers->made);
    free(numbers->part);
}

// The chance of a draw below `part` of `parts`: of an integer, the whole numbers that lie there.
static double chance_below(const struct draws *draws, unsigned part, unsigned parts)
{
    const double range = draws->high - draws->low, below = range * part / parts;
    return (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT ? below : ceil(below)) / range;
}

static struct count count_of(uint64_t seen, uint64_t of, double chance, double stray)
{
    return (struct count){seen, of, fmax(chance - stray, 1e-9), fmin(chance + stray, 1), ""};
}

// Below each sixteenth, and between two that lie as far from either end: a law that is too wide or
// too narrow moves the latter twice as much.
static void add_parts(const struct numbers *numbers, struct count *counts)
{
    const struct draws *const draws = numbers->of;
    const double stray = rounding(draws);
    uint64_t seen[PARTS] = {0}, below[PARTS] = {0};
    for (uint64_t i = 0; i < draws->count; i++)
        seen[numbers->part[i] / ((1 << UPPER_BITS) / PARTS)]++;
    for (unsigned part = 1; part < PARTS; part++) {
        struct count *const count = &counts[part - 1];
        below[part] = below[part - 1] + seen[part - 1];
        *count = count_of(below[part], draws->count, chance_below(draws, part, PARTS), stray);
        snprintf(count->what, sizeof count->what, "draws below %u/%d of the range", part, PARTS);
    }
    for (unsigned part = 1; part <= BETWEEN; part++) {
        const unsigned to = PARTS - part;
        struct count *const count = &counts[BELOW + part - 1];
        *count =
            count_of(below[to] - below[part], draws->count,
                     chance_below(draws, to, PARTS) - chance_below(draws, part, PARTS), 2 * stray);
        snprintf(count->what, sizeof count->what, "draws from %u/%d to %u/%d of the range", part,
                 PARTS, to, PARTS);
    }
}

// Pairs of draws `lag` apart, each draw in one pair.
static void add_pairs(const struct numbers *numbers, unsigned lag, struct count *counts)
{
    enum { LOWER = (1 << UPPER_BITS) / QUARTERS };
    const struct draws *const draws = numbers->of;
    const double stray = 2 * rounding(draws);
    uint64_t seen[QUARTERS][QUARTERS] = {{0}}, pairs = 0;
    double chance[QUARTERS];
    for (uint64_t first = 0; first + lag < draws->count; first += 2 * lag)
        for (uint64_t i = first; i < first + lag && i + lag < draws->count; i++) {
            seen[numbers->part[i] / LOWER][numbers->part[i + lag] / LOWER]++;
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
static unsigned add_values(const struct numbers *numbers, struct count *counts)
{
    const struct draws *const draws = numbers->of;
    const double range = draws->high - draws->low;
    if (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT || range > VALUES_MAX)
        return 0;
    const double chance = 1 / range, stray = rounding(draws) / range;
    for (unsigned i = 0; i < (unsigned)range; i++) {
        counts[i] = (struct count){0, draws->count, chance - stray, chance + stray, ""};
        snprintf(counts[i].what, sizeof counts[i].what, "draws of %.0f", draws->low + i);
    }
    for (uint64_t i = 0; i < draws->count; i++)
        counts[part_of(draws, numbers->value[i], (unsigned)range)].seen++;
    return (unsigned)range;
}

// Draws that came before: of all, or where that says nothing of the first so many. A draw has one
// given value with a chance of at most `same`, and one of the others' with at most (of - 1) same,
// whatever those are: the law lies below a binomial one. *added is 0 where even that says nothing.
static enum error add_repeats(const struct numbers *numbers, struct count *count, unsigned *added,
                              struct diagnostic *diagnostic)
{
    const struct draws *const draws = numbers->of;
    const bool whole = dtype_kind(draws->dtype) != DTYPE_KIND_FLOAT;
    const double same =
        whole ? 1 / (draws->high - draws->low) + rounding(draws) : 2 * rounding(draws);
    const uint64_t room = same * (double)draws->count < 1 ? draws->count : DRAWS_REPEATS,
                   of = draws->count < room ? draws->count : room;
    const double most = same * ((double)of - 1);
    *added = 0;
    if (of < 2 || most >= 1)
        return ERROR_NONE;
    uint64_t *const key = malloc(2 * (size_t)of * sizeof *key);
    if (!key)
        return diagnostic_no_memory(diagnostic);
    // Times an odd number, which keeps equal what is: spread evenly, which is sorted sooner.
    for (uint64_t i = 0; i < of; i++)
        key[i] = double_bits(numbers->value[i] + 0.0) * SPREAD; // one zero
    sort_u64(key, key + of, (size_t)of, 64);
    *count = (struct count){sorted_repeats_u64(key, (size_t)of), of - 1, 0, most,
                            "draws that came before"};
    free(key);
    *added = 1;
    return ERROR_NONE;
}

// The draws of each of `parts` parts of the range that lie at its ends; of one without draws the
// highest is below the lowest.
struct ends {
    double lowest, highest;
};

static void find_ends(const struct numbers *numbers, struct ends *ends, unsigned parts)
{
    for (unsigned i = 0; i < parts; i++)
        ends[i] = (struct ends){INFINITY, -INFINITY};
    for (uint64_t i = 0; i < numbers->of->count; i++) {
        const double value = numbers->value[i];
        struct ends *const part = &ends[part_of(numbers->of, value, parts)];
        part->lowest = value < part->lowest ? value : part->lowest;
        part->highest = value > part->highest ? value : part->highest;
    }
}

// The widest stretch of the range that no draw lies in. A right draw lies in a given stretch of
// width w with a chance of at least w - 2 stray, as parts of the range: its ends may round away. A
// stretch of 2 stray + t holds a whole one of the cells of width 2 stray + t / 2 that begin at the
// multiples of t / 2: that one of these is empty has a chance below (1 - t / 2)^count (2 / t + 1).
// *log_chance is the logarithm of that, and `text` what was seen. Where t is less than a part of
// PART_DRAWS draws on average the chance is no evidence, so stretches within one part may be
// missed.
static enum error find_gap(const struct numbers *numbers, double *log_chance, char *text,
                           size_t size, struct diagnostic *diagnostic)
{
    const struct draws *const draws = numbers->of;
    const bool whole = dtype_kind(draws->dtype) != DTYPE_KIND_FLOAT;
    const double range = draws->high - draws->low,
                 stray = rounding(draws) + (whole ? 1 / range : 0);
    const unsigned parts = (unsigned)(draws->count / PART_DRAWS) + 1;
    double from = draws->low, widest = 0, begins = draws->low;
    *log_chance = 0;
    struct ends *const ends = malloc(parts * sizeof *ends + 1);
    if (!ends)
        return diagnostic_no_memory(diagnostic);
    find_ends(numbers, ends, parts);
    for (unsigned i = 0; i <= parts; i++) {
        const double to = i < parts ? ends[i].lowest : draws->high;
        if (i < parts && ends[i].highest < to)
            continue;
        if (to - from > widest) {
            widest = to - from;
            begins = from;
        }
        from = i < parts ? ends[i].highest : from;
    }
    free(ends);
    const double half = (widest / range - 2 * stray) / 2;
    if (half > 0 && half < 1)
        *log_chance = fmin((double)draws->count * log1p(-half) + log(1 / half + 1), 0);
    snprintf(text, size, "not uniform: none of %llu draws lies between %.9g and %.9g (p = 1e%.0f)",
             (unsigned long long)draws->count, begins, begins + widest, *log_chance / log(10));
    return ERROR_NONE;
}

// Each count may be too small or too large.
static enum error counts_are_right(const struct numbers *numbers, double chance, bool *right,
                                   char *text, size_t size, struct diagnostic *diagnostic)
{
    const struct draws *const draws = numbers->of;
    struct count *const counts = calloc(COUNTS + VALUES_MAX + 1, sizeof *counts);
    const struct count *worst = counts;
    unsigned all = 0, repeats = 0;
    double gap = 0;
    char about_gap[160];
    *right = true;
    if (!counts)
        return diagnostic_no_memory(diagnostic);
    add_parts(numbers, counts);
    for (unsigned i = 0; i < LAGS; i++)
        add_pairs(numbers, 1U << i, &counts[BELOW + BETWEEN + i * QUARTERS * QUARTERS]);
    all = COUNTS + add_values(numbers, counts + COUNTS);
    enum error error = add_repeats(numbers, &counts[all], &repeats, diagnostic);
    if (!error && !draws->law)
        error = find_gap(numbers, &gap, about_gap, sizeof about_gap, diagnostic);
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
    if (!draws->count)
        return ERROR_NONE;
    struct numbers numbers;
    const enum error error = numbers_take(&numbers, draws)
                                 ? counts_are_right(&numbers, chance, right, text, size, diagnostic)
                                 : diagnostic_no_memory(diagnostic);
    numbers_release(&numbers);
    return error;
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

enum { BLOCK_WORDS = 1 << BATTERY_BLOCK_LOG2, BLOCK_BYTES = 4 * BLOCK_WORDS };

struct words {
    uint32_t *word;       // room for a block and one more
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
static void take_integers(const struct numbers *numbers, struct words *words)
{
    const struct draws *const draws = numbers->of;
    unsigned bits = 0;
    while (bits < BITS_MAX && ldexp(1, (int)bits + 1) <= draws->high - draws->low &&
           draws->high - draws->low < 0x1p52)
        bits++;
    const double below =
        floor((draws->high - draws->low) / ldexp(1, (int)bits)) * ldexp(1, (int)bits);
    for (uint64_t i = 0; bits && i < draws->count && words->count < BLOCK_WORDS; i++) {
        const double draw = numbers->value[i] - draws->low;
        if (draw < below)
            put_bits(words, (uint64_t)draw, bits);
    }
}

// Which of two draws is smaller, then which of the larger ones of two matches, and so on. Two that
// change places leave later matches as they are, so each bit is fair whatever the others are.
static void take_matches(const struct numbers *numbers, struct words *words)
{
    for (uint64_t first = 0; first + MATCHES <= numbers->of->count && words->count < BLOCK_WORDS;
         first += MATCHES) {
        double left[MATCHES];
        memcpy(left, numbers->value + first, sizeof left);
        for (unsigned all = MATCHES; all > 1; all /= 2)
            for (unsigned i = 0; i < all / 2; i++) {
                const double a = left[2 * i], b = left[2 * i + 1];
                if (a != b)
                    put_bits(words, a < b, 1);
                left[i] = a < b ? b : a;
            }
    }
}

// Of a wide type the upper bits, the highest first.
static void take_floats(const struct numbers *numbers, struct words *words)
{
    enum { DRAWS = 4 * BLOCK_WORDS };
    const uint64_t count = numbers->of->count < DRAWS ? numbers->of->count : DRAWS;
    if (is_narrow(numbers->of->dtype)) {
        take_matches(numbers, words);
        return;
    }
    _Static_assert(UPPER_BITS == 8, "a part is a byte of a word");
    for (uint64_t i = 0; i < count; i++) {
        uint32_t byte = numbers->part[i];
        byte = (byte >> 4 & 0x0f) | (byte & 0x0f) << 4;
        byte = (byte >> 2 & 0x33) | (byte & 0x33) << 2;
        byte = (byte >> 1 & 0x55) | (byte & 0x55) << 1;
        words->word[i / 4] |= byte << 8 * (i % 4);
    }
    words->bits = count * UPPER_BITS;
    words->count = words->bits / 32;
}

// Whether upper bits are so near to fair that a battery of this size cannot see the difference: the
// noncentrality of their chi-square, count (2^bits stray)^2, is below 0.01.
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
// nothing of how draws are distributed; and of so few words many rows see nothing, but would take
// memory. The other rows keep their shares of the chance of a false alarm.
static void leave_out_rows(struct battery *battery)
{
    unsigned rows = 0;
    for (unsigned i = 0; i < battery->rows; i++)
        if (!strstr(battery->row[i].test.about, "linear") && battery_seen(&battery->row[i], 1))
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
        battery_limit(&options->battery, BLOCK_BYTES);
        leave_out_rows(&options->battery);
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
    struct words words = {.word = calloc(BLOCK_WORDS + 1, sizeof *words.word)};
    struct numbers numbers;
    bool right = true;
    enum error error = numbers_take(&numbers, draws) && words.word
                           ? counts_are_right(&numbers, 1e-9, &right, text, size, diagnostic)
                           : diagnostic_no_memory(diagnostic);
    char found[AUDIT_TEXT + 128] = "";
    *flawed = !right;
    if (!error && !*flawed && is_wide_enough(draws))
        (dtype_kind(draws->dtype) == DTYPE_KIND_FLOAT ? take_floats : take_integers)(&numbers,
                                                                                     &words);
    numbers_release(&numbers); // the battery needs as much memory again
    const bool enough = words.count >= BLOCK_WORDS;
    if (!error && enough)
        error = audit_words(&words, flawed, found, sizeof found, diagnostic);
    if (*flawed && found[0])
        snprintf(text, size, "%s", found);
    else if (!*flawed)
        snprintf(text, size, "%s in %llu draws; the battery found nothing in %llu KiB of bits",
                 draws->law ? draws->law : "uniform", (unsigned long long)draws->count,
                 enough ? (unsigned long long)BLOCK_BYTES >> 10 : 0);
    free(words.word);
    return error;
}
