// SPDX-License-Identifier: Apache-2.0
// A statistical test of a stream of words: integer counts over fixed units, merged by addition,
// judged once at the end.
//
// A unit is an aligned group of 2^unit_log2 words of 32 bits (a 64-bit source gives its low half
// first). What `count` adds for a unit depends on the words of that unit and its place alone, so
// any number of threads, shards and instruction sets gives the same sums.

#ifndef ASSAY_STATS_BATTERY_FRAME_H
#define ASSAY_STATS_BATTERY_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Values that a test keeps: a multiset that merges by union.
struct bag {
    uint64_t *item;
    size_t count, capacity;
    bool failed; // out of memory
};

void bag_add(struct bag *bag, uint64_t item);
void bag_release(struct bag *bag);

// Sorts the values, of which only the low `bits` bits are looked at. false without memory: the bag
// has failed.
bool bag_sort(struct bag *bag, unsigned bits);

// How often the value that comes most often is kept, the smallest of several, which goes to *value;
// unless `only` is UINT32_MAX, how often that value is kept. Values below 2^bits. 0 of an empty
// bag, whose *value is left alone, and without memory, when the bag has failed.
uint64_t bag_commonest(struct bag *bag, unsigned bits, uint32_t only, uint32_t *value);

// One hypothesis of a test's family that stands out.
struct suspicion {
    uint32_t index;  // which hypothesis: the test's `describe` names it
    double log_p;    // of this hypothesis alone, natural logarithm
    double observed; // in units that the description states
    double expected;
};

enum { JUDGEMENT_KEPT = 8 };

// What law a count has under the null, where it is known.
enum judgement_law {
    LAW_P_VALUE,
    LAW_BINOMIAL,
    LAW_RARE,
    LAW_POISSON,
    LAW_POISSON_UPPER,
    LAW_CELLS
};

// A family of hypotheses after counting. The family's p-value is Holm's first step: hypotheses
// times the smallest p.
struct judgement {
    uint64_t hypotheses;
    unsigned kept; // entries of worst[], ascending in log_p
    struct suspicion worst[JUDGEMENT_KEPT];
    double farthest[JUDGEMENT_KEPT]; // the largest deviances of binomial counts so far, descending
    unsigned far;
    // Set by the caller to hear of one hypothesis only (a repeat): UINT32_MAX for all.
    uint32_t only;
    // What is known of the count of the hypothesis that was added last: its law under the null, for
    // those who calibrate.
    struct {
        enum judgement_law kind;
        double n, p; // trials and chance; Poisson: the mean in n
    } law;
    // Set to gather evidence instead (stats/law/evidence.h): the sum of the e-values of all counts
    // with a known law.
    bool weighing;
    uint64_t weighed;
    double log_sum;
};

void judgement_begin(struct judgement *judgement, uint32_t only);
void judgement_add(struct judgement *judgement, uint32_t index, double log_p, double observed,
                   double expected);
// A count that is Binomial(n, p) under the null. Tails are computed only for the counts of largest
// deviance, which have the smallest p; of a family of thousands that is some dozens.
void judgement_add_binomial(struct judgement *judgement, uint32_t index, uint64_t count, uint64_t n,
                            double p);
// The same for p = 1/2, reported as a fraction.
void judgement_add_fair(struct judgement *judgement, uint32_t index, uint64_t ones, uint64_t n);
// The same where only too many speak against the source; nothing is added for n = 0.
void judgement_add_rare(struct judgement *judgement, uint32_t index, uint64_t count, uint64_t n,
                        double p);
// A count that is Poisson(mean); `low_too`: too few are as wrong as too many. Nothing is added for
// a mean of 0.
void judgement_add_poisson(struct judgement *judgement, uint32_t index, uint64_t count, double mean,
                           bool low_too);
// A table of counts against cell probabilities (NULL: equal), as null_cells_test judges it.
void judgement_add_cells(struct judgement *judgement, uint32_t index, const uint64_t *count,
                         const double *probability, size_t cells, double least);
// Declares `count` hypotheses without a figure of their own: they only enlarge the family.
void judgement_enlarge(struct judgement *judgement, uint64_t count);
// log of min(1, hypotheses * smallest p)
double judgement_log_p(const struct judgement *judgement);

// To gather evidence, and the logarithm of what came together: the average of the e-values over all
// hypotheses, where those that have none (a p-value alone) count as 0; 0 when none has one.
// Averages of e-values are e-values, whatever their dependence.
void judgement_weigh(struct judgement *judgement);
double judgement_log_e(const struct judgement *judgement);

struct counts {
    uint64_t *count; // test->counts of them
    struct bag *bag; // NULL unless the test keeps values
    void *scratch;   // test->scratch bytes, aligned to 64
    uint64_t unit;   // which of the units that the row sees this is, from 0: for tests that keep
                     // values with their place
    uint64_t block;  // where in the source it begins, in blocks of 2^16 words: for tests whose
                     // values run on from unit to unit
};

// What a test has counted over `units` units, for its judge.
struct totals {
    const struct test *test;
    const uint64_t *count; // test->counts of them
    struct bag *bag;       // NULL unless the test keeps values; judges may sort it
    uint64_t units;
};

struct test {
    const char *name;
    const char *about; // what a failure means, in plain words: "the source repeats itself"
    unsigned unit_log2;
    uint32_t counts;
    size_t scratch;
    bool keeps; // whether it uses the bag
    void (*count)(const struct test *test, const uint32_t *words, const struct counts *to);
    void (*judge)(const struct totals *total, struct judgement *judgement);
    void (*describe)(const struct test *test, uint32_t index, char *text, size_t size);
    // Of a test that gets its words in another order (relations/recut.c): what counts and describes
    // them.
    void (*inner_count)(const struct test *test, const uint32_t *words, const struct counts *to);
    void (*inner_describe)(const struct test *test, uint32_t index, char *text, size_t size);
    unsigned p[6];        // parameters, as the test's own file explains
    const unsigned *list; // a table of `listed` numbers that some tests need
    unsigned listed;
};

// The name of a test and its functions, which are named after it.
#define TEST_FUNCTIONS(test)                                                                       \
    .name = #test, .count = count_##test, .judge = judge_##test, .describe = describe_##test

#endif
