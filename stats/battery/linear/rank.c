// SPDX-License-Identifier: Apache-2.0
// Rank of square matrices over GF(2) filled with consecutive bits of the stream. Null: Kovalenko's
// law, exact (doi:10.1137/1117013). Deficiencies 0, 1, 2, 3 and more are cells. The rarest outcome
// seen is judged alone, as chi-square is not valid for cells that expect less than one. Source:
// Marsaglia, Tsay, doi:10.1016/0024-3795(85)90192-2. Parameters of rank: p[0] rows, a multiple of
// 64; p[1] matrices in a unit.
//
// frames: rows of every length from p[0] to p[1] words, from a place of the whole source that is a
// multiple of the length. What a device adds to each frame of its words (check bits, an
// error-correcting code) is a linear relation within a row, at whatever length frames come. A unit
// has one matrix of each length. Matrices of different lengths share words, so the family is joined
// by Holm's step.

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "stats/law/null.h"
#include "stats/law/real.h"
#include "stats/battery/catalogue.h"

// From SETTLED rows on the law of a deficiency below CELLS changes by less than a part of 2^-53.
enum { RANK_LOG2 = 16, CELLS = 32, SETTLED = 96, BLOCK_LOG2 = 16, EIGHT = 8 };

// A matrix of up to 32 * `length` rows, and what it takes to find its rank, one after another.
struct matrix {
    uint64_t *row, *chosen; // which pivots are added to a row
    uint64_t *column;       // one word of each row
    uint64_t *sum;          // sums of all subsets of eight pivots
};

static size_t matrix_words(unsigned length)
{
    const size_t size = 32 * (size_t)length, across = (length + 1) / 2;
    return size * across + 2 * size + (across << EIGHT);
}

static struct matrix matrix_in(void *scratch, unsigned length)
{
    const size_t size = 32 * (size_t)length, across = (length + 1) / 2;
    uint64_t *const row = scratch;
    return (struct matrix){row, row + size * across, row + size * across + size,
                           row + size * across + 2 * size};
}

static void swap(uint64_t *a, uint64_t *b)
{
    const uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

// Rows from `at` on: finds the pivots of the 64 columns of one word, brings them to the top, and
// notes in chosen[r] which of them, when all are added to row r, clear its word. The matrix itself
// is as before, but for the order of rows: the word is cleared in a copy.
static unsigned clear_word(struct matrix *of, unsigned size, unsigned across, unsigned at,
                           unsigned word)
{
    uint64_t *const row = of->row, *const chosen = of->chosen, *const column = of->column;
    unsigned found = 0;
    memset(chosen + at, 0, (size - at) * sizeof *chosen);
    for (unsigned r = at; r < size; r++)
        column[r] = row[(size_t)r * across + word];
    for (unsigned bit = 0; bit < 64 && at + found < size; bit++) {
        const unsigned top = at + found;
        unsigned pivot = top;
        while (pivot < size && !(column[pivot] >> bit & 1))
            pivot++;
        if (pivot == size)
            continue;
        for (unsigned w = word + 1; w < across && pivot > top; w++)
            swap(&row[(size_t)pivot * across + w], &row[(size_t)top * across + w]);
        swap(&chosen[pivot], &chosen[top]);
        swap(&column[pivot], &column[top]);
        const uint64_t by = column[top], note = UINT64_C(1) << found;
        for (unsigned r = top + 1; r < size; r++) {
            const uint64_t has = 0 - (column[r] >> bit & 1);
            column[r] ^= by & has;
            chosen[r] |= note & has;
        }
        found++;
    }
    return found;
}

// Adds what was chosen to the words after `word` of all rows: first to the pivots themselves, in
// turn, then by eights.
static void clear_rest(uint64_t *row, unsigned size, unsigned across, unsigned at, unsigned found,
                       unsigned word, const uint64_t *chosen, uint64_t *sum)
{
    const size_t rest = across - word - 1;
    uint64_t *const first = row + (size_t)at * across + word + 1;
    for (unsigned p = 1; p < found; p++)
        for (unsigned q = 0; q < p; q++)
            if (chosen[at + p] >> q & 1)
                for (size_t w = 0; w < rest; w++)
                    first[(size_t)p * across + w] ^= first[(size_t)q * across + w];
    for (unsigned eight = 0; eight < found; eight += EIGHT) {
        const unsigned here = found - eight < EIGHT ? found - eight : EIGHT;
        memset(sum, 0, rest * sizeof *sum);
        for (unsigned set = 1; set < 1u << here; set++) {
            const unsigned low = (unsigned)__builtin_ctz(set);
            const uint64_t *const a = sum + (set & (set - 1)) * rest, *const b =
                                                                          first +
                                                                          (size_t)(eight + low) *
                                                                              across;
            for (size_t w = 0; w < rest; w++)
                sum[set * rest + w] = a[w] ^ b[w];
        }
        for (unsigned r = at + found; r < size; r++) {
            const uint64_t *const add = sum + (chosen[r] >> eight & 255) * rest;
            uint64_t *const to = row + (size_t)r * across + word + 1;
            for (size_t w = 0; w < rest; w++)
                to[w] ^= add[w];
        }
    }
}

// `across` words a row; bits past `size` are 0. The method of four Russians: rows are cleared word
// by word, not column by column.
static unsigned rank_of(struct matrix *of, unsigned size, unsigned across)
{
    unsigned rank = 0;
    for (unsigned word = 0; word < across && rank < size; word++) {
        const unsigned found = clear_word(of, size, across, rank, word);
        clear_rest(of->row, size, across, rank, found, word, of->chosen, of->sum);
        rank += found;
    }
    return rank;
}

// Counts the matrix whose rows are `length` words each.
static void count_matrix(const uint32_t *words, unsigned length, void *scratch, uint64_t *cell)
{
    const unsigned size = 32 * length, across = (length + 1) / 2;
    struct matrix of = matrix_in(scratch, length);
    for (unsigned r = 0; r < size; r++, words += length)
        for (unsigned w = 0; w < across; w++)
            of.row[(size_t)r * across + w] =
                words[2 * w] | (2 * w + 1 < length ? (uint64_t)words[2 * w + 1] << 32 : 0);
    const unsigned missing = size - rank_of(&of, size, across);
    cell[missing < CELLS ? missing : CELLS - 1]++;
}

static void count_rank(const struct test *test, const uint32_t *words, const struct counts *to)
{
    const unsigned size = test->p[0];
    for (unsigned m = 0; m < test->p[1]; m++)
        count_matrix(words + (size_t)m * size * size / 32, size / 32, to->scratch, to->count);
}

static void count_frames(const struct test *test, const uint32_t *words, const struct counts *to)
{
    for (unsigned length = test->p[0]; length <= test->p[1]; length++) {
        const unsigned over = (unsigned)((to->block << BLOCK_LOG2) % length);
        count_matrix(words + (over ? length - over : 0), length, to->scratch,
                     to->count + (size_t)(length - test->p[0]) * CELLS);
    }
}

// The largest of `n` deficiencies. P(deficiency >= worst) is within a factor 1.2 of its first term;
// 2 bounds it.
static void judge_worst(const uint64_t *cell, const double *probability, uint64_t n, uint32_t index,
                        struct judgement *judgement)
{
    unsigned worst = CELLS - 1;
    while (worst && !cell[worst])
        worst--;
    const double p = worst < 2 ? 0 : real_log(probability[worst]) + real_log(2.0 * (double)n);
    judgement_add(judgement, index, p < 0 ? p : 0, worst, 0);
}

static void judge_rank(const struct totals *total, struct judgement *judgement)
{
    const uint64_t n = total->units * total->test->p[1];
    double probability[CELLS];
    for (unsigned d = 0; d < CELLS; d++)
        probability[d] = null_rank_probability(total->test->p[0], d);
    judgement_add_cells(judgement, 0, total->count, probability, CELLS, 100);
    judge_worst(total->count, probability, n, 1, judgement);
    judgement_add_binomial(judgement, 2, total->count[0], n, probability[0]);
}

static void judge_frames(const struct totals *total, struct judgement *judgement)
{
    double probability[CELLS];
    for (unsigned d = 0; d < CELLS; d++)
        probability[d] = null_rank_probability(SETTLED, d);
    for (unsigned i = 0; i <= total->test->p[1] - total->test->p[0]; i++) {
        judge_worst(total->count + (size_t)i * CELLS, probability, total->units, 2 * i, judgement);
        judgement_add_binomial(judgement, 2 * i + 1, total->count[(size_t)i * CELLS], total->units,
                               probability[0]);
    }
}

static void describe_rank(const struct test *test, uint32_t index, char *text, size_t size)
{
    static const char *const what[] = {"chi-square of the rank", "largest missing rank",
                                       "fraction of regular matrices"};
    snprintf(text, size, "%s of %u x %u matrices of consecutive bits", what[index], test->p[0],
             test->p[0]);
}

struct test test_rank(unsigned size, unsigned matrices)
{
    assert(size % 32 == 0 && matrices > 0);
    return (struct test){TEST_FUNCTIONS(rank),
                         .about = "bits are linearly dependent",
                         .unit_log2 = RANK_LOG2,
                         .counts = CELLS,
                         .scratch = matrix_words(size / 32) * sizeof(uint64_t),
                         .p = {size, matrices}};
}

static void describe_frames(const struct test *test, uint32_t index, char *text, size_t size)
{
    snprintf(text, size, "%s of matrices whose rows are %u words each",
             index & 1 ? "fraction of regular ones" : "largest missing rank",
             test->p[0] + (unsigned)index / 2);
}

struct test test_frames(unsigned first, unsigned last)
{
    assert(first >= 3 && first <= last && last <= 180);
    const size_t words = (size_t)32 * last * last + last;
    unsigned unit_log2 = BLOCK_LOG2;
    while ((size_t)1 << unit_log2 < words)
        unit_log2++;
    return (struct test){TEST_FUNCTIONS(frames),
                         .about = "bits of every so many words are linearly dependent",
                         .unit_log2 = unit_log2,
                         .counts = (last - first + 1) * CELLS,
                         .scratch = matrix_words(last) * sizeof(uint64_t),
                         .p = {first, last}};
}
