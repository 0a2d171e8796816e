// SPDX-License-Identifier: Apache-2.0
// Writes results.jsonl, as reports/results.schema.json describes it.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_RECORDS_H
#define ASSAY_HARNESS_JUDGE_WRITE_RECORDS_H

#include "harness/judge/run/certify.h"
#include "harness/judge/known/known.h"
#include "harness/judge/search/score.h"
#include "ref/base/digest.h"
#include "ref/base/json.h"

// A file or folder that a target's library consists of.
struct records_library {
    const char *name;             // as the header names it; a folder ends in a slash
    char sha256[DIGEST_HEX_SIZE]; // by digest_path
};

// Where a target's answers come from that were recorded.
struct records_recorded {
    const char *at, *by;     // when, and by which program
    const char *suites;      // for which suites, "philox 1.0.0, ..."
    const char *sha256;      // of the record
    const char *signer;      // id of the key whose signature was checked; NULL: none was
    const char *file_sha256; // of the target's file, there; NULL: not known
};

// A target as the header names it.
struct records_target {
    const char *name, *version, *path; // path of the plugin or program, NULL: not known
    bool process, source;              // a process target; a source of random words; else a plugin
    const char *held_to; // class of processors that the library was held to; NULL: none
    size_t library_count;
    const struct records_library *library;
    const char *model;       // evaluation model that it declares; NULL or empty: the standard one
    const char *outside;     // what it did wrong when it was loaded or closed, NULL: nothing
    const char *environment; // what its processes start with, in words; NULL: all of the caller's
    const char *unseen;      // what is missing among its libraries, NULL: nothing
    const char *untried;     // conditions that its cases were not run under, NULL: none
    const char *unavailable; // why it could not be opened, NULL: it could
    const struct records_recorded *recorded; // its answers were; NULL: it was run here
};

struct records_plan {
    const char *command; // "certify", "mutants", "audit", "bench", "score"
    size_t suite_count;
    const struct suite *const *suite;
    const char *const *vectors; // of each suite the folder of its golden vectors; NULL: none
    size_t target_count;
    const struct records_target *target;
    const char *selection;             // NULL: all
    uint64_t time_ms;                  // limit of a call, where it was given; else 0
    const char *seed;                  // of drawn cases, NULL: there are none
    bool drawn;                        // the seed was drawn after targets were digested
    bool quick;                        // one set of conditions for all cases: no certification
    enum judge_mode mode;              // how bounds over many steps are derived
    const struct known_list *known;    // NULL: none
    const struct machine *machine;     // where the targets ran; NULL: here
    unsigned shard_index, shard_count; // 0, 0: whole
    bool unwritten; // nothing is written that names program and targets: they get no digests
};

struct records {
    struct text text;
    uint64_t records;
    uint64_t verdicts[VERDICT_COUNT];
};

enum error records_begin(struct records *records, const struct records_plan *plan,
                         struct diagnostic *diagnostic);

// One record for each result of the run.
void records_put_run(struct records *records, const char *target, const struct judge_run *run);

// One record for each mutant.
void records_put_mutants(struct records *records, const struct mutants *mutants);

// One record for what the tests of `source` notice of the score's suite.
void records_put_score(struct records *records, const char *source, const struct score *score);

// One night of a source.
struct records_evidence {
    const char *source, *test, *night, *reason; // reason: NULL for none
    uint64_t bits;
    double p, e; // p-value of the night; evidence of all nights up to it
    bool alarm;
};
void records_put_evidence(struct records *records, const struct records_evidence *evidence);

// One work measured on both sides.
struct records_timing {
    const char *what, *peer;
    uint64_t bytes;      // that one work makes; 0: none
    double ours, theirs; // seconds
    unsigned threads;
};
void records_put_timing(struct records *records, const struct records_timing *timing);

// Adds the footer: `text` is a whole file then.
enum error records_close(struct records *records, struct diagnostic *diagnostic);

// The same, and writes the file, whole or not at all.
enum error records_end(struct records *records, const char *path, struct diagnostic *diagnostic);
void records_release(struct records *records);

#endif
