// SPDX-License-Identifier: Apache-2.0
// An audit: a battery over a source, judged at fixed places, ending in a verdict.
//
// Evidence: each row has a weight w, shared equally among the stages at which it is judged; the
// weights of all looks sum to 1. Within a look Holm's step makes one p of the family; divided by
// the look's weight it is what is compared. Below 1e-9 the source is flawed. From there to 1e-4 the
// same hypothesis, and no other, is put to fresh blocks, four times as many (twice from 4 GiB on);
// below 1e-6 there it is flawed, else clean. So a perfect source is called flawed with a chance of
// at most 1e-9 + 1e-4 * 1e-6 = 1.1e-9 for an audit.
//
// Fresh are the blocks behind those that the look has seen. They are not taken from the tally,
// which goes on with them as if there had been no look: for each look, that it suspects a
// hypothesis and that the blocks behind it confirm that one are independent events, of a chance of
// at most 1e-4 times the look's share and 1e-6, and the bound is the sum over all looks. It does
// not ask what the blocks of one look mean to another. So suspicions of one look share one repeat
// as well. Only a source that gives its words in order, and cannot keep as many as the repeat
// takes, loses them to it.

#ifndef ASSAY_STATS_AUDIT_AUDIT_H
#define ASSAY_STATS_AUDIT_AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "ref/base/error.h"
#include "stats/audit/window.h"
#include "stats/battery/battery.h"
#include "stats/source/source.h"

enum audit_verdict { AUDIT_CLEAN, AUDIT_FLAWED };

enum { AUDIT_TEXT = 200, AUDIT_REPEATS_MAX = 64 };

// What one look at one row found.
struct audit_finding {
    const char *test, *about;
    unsigned row;
    uint32_t hypothesis;
    char what[AUDIT_TEXT];
    uint64_t first_block,
        blocks; // of the source, of 256 KiB; 0 blocks: it is not about a stretch of the stream
    uint64_t end_block; // behind the last one: not first_block + blocks where a repeat took some
                        // that lie between
    uint64_t before;    // blocks of the tally that the look before this one had seen
    double
        log_p; // natural logarithm of p after Holm and weight (a repeat: of the hypothesis alone)
    double observed, expected;
};

struct tally;
struct audit_result;

struct audit_options {
    struct battery battery;
    unsigned threads;     // 0: all
    uint64_t first_block; // where in the source to begin
    bool stream_only; // look at no other positions than the stream's: nights must not meet the same
                      // words twice
    // How many blocks of a source in order can be kept (at least 64, the first look of a tally
    // beyond its head; 0: 256, 64 MiB): while a repeat reads ahead, or all the time, so that there
    // are more to look for a window in.
    uint64_t kept_blocks;
    bool keep_always;
    void (*progress)(void *context, uint64_t blocks, uint64_t of, double log_p); // may be NULL
    // Called with the final counts, before they are given back; may be NULL.
    enum error (*finish)(void *context, struct tally *tally, const struct audit_result *result,
                         struct diagnostic *diagnostic);
    void *context;
    // Counts on as tally_advance does, from wherever; NULL: tally_advance.
    enum error (*advance)(void *context, struct tally *tally, const struct source *source,
                          uint64_t origin, uint64_t blocks, struct diagnostic *diagnostic);
    void *advance_context;
};

struct audit_result {
    enum audit_verdict verdict;
    struct audit_finding
        finding;   // the strongest evidence met; of a flawed source, what condemns it
    bool repeated; // that very finding was put to fresh blocks, with this outcome
    struct audit_finding repeat;
    struct audit_window window; // of a flawed source; audit_release frees its words
    unsigned repeats;           // suspicions that were put to fresh blocks
    bool ended;                 // the source ended before the last stage
    uint64_t words_left; // words behind the last whole block of a source that ended, which were not
                         // judged
    bool unconfirmed;    // it ended before a suspicion could be put to fresh blocks
    uint64_t judged;     // blocks that the battery has judged
    uint64_t skipped;    // blocks between them that a source in order lost to repeats
    uint64_t blocks; // from the first to the last that was read: the next audit begins behind them
    unsigned looks;  // judgements made
    double seconds;
};

void audit_release(struct audit_result *result);

// The part of the chance of a false alarm that each look at row `row` has.
double audit_share(const struct audit_options *options, const struct source *source, unsigned row);

// Runs the audit. ERROR_INPUT when the source holds less than one block.
enum error audit_run(const struct audit_options *options, const struct source *source,
                     struct audit_result *result, struct diagnostic *diagnostic);

#endif
