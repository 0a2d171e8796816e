// SPDX-License-Identifier: Apache-2.0
// results.jsonl in memory: what a report is made from, and the only thing it is made from.
//
// The file is read as hostile input: every line is checked against the tables of results_shape.c,
// names must be those that the header declares, no case may come twice, and the footer's count and
// digest must be right. What a page of one case needs and a list does not (elements, histograms,
// texts) is left in the file and read again by results_detail.

#ifndef ASSAY_REPORTS_RESULTS_H
#define ASSAY_REPORTS_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ref/base/arena.h"
#include "ref/base/digest.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/base/verdict.h"
#include "reports/histogram.h"

enum {
    RESULTS_LINE_MAX = 1024 * 1024,
    RESULTS_CASES_MAX = 4 * 1000 * 1000,
    RESULTS_FILES_MAX = 64,
    RESULTS_KILLERS_SHOWN = 3
};

enum results_level {
    LEVEL_DISTRIBUTION,
    LEVEL_BOUND,
    LEVEL_BITS,
    LEVEL_COUNT,
    LEVEL_NONE = LEVEL_COUNT
};

enum results_known { KNOWN_NOT, KNOWN_EXPECTED, KNOWN_CURED };

struct results_operator {
    const char *name, *sha256; // of its declaration
};

struct results_suite {
    const char *name, *version, *title, *sha256;
    const char *vectors, *manifest, *reference_only; // NULL when absent
    const char *file;                                // of one's own; NULL: assay comes with it
    uint64_t cases;                                  // that it has; 0: not stated
    size_t operator_first,
        operator_count; // in results.operators: declared ones that its cases ask for
};

struct results_requirement {
    uint32_t suite;
    const char *id, *text, *clause; // clause may be NULL
    uint64_t cases;                 // of its suite that cover it; 0: not stated
};

// Where a specification contradicts itself or is silent.
struct results_erratum {
    uint32_t suite;
    const char *id, *clause, *says, *decided;
};

struct results_library {
    const char *file, *sha256;
};

// Where a target's answers come from that were recorded.
struct results_recorded {
    const char *at, *by, *sha256;
    const char *suites, *signer; // NULL when absent
};

struct results_target {
    const char *name, *kind;
    const char *version, *file, *sha256, *unavailable; // NULL when absent
    const char *held_to;     // class of processors that its library was held to; NULL: none
    const char *model;       // by which it declares to compute, as JSON; NULL: the standard one
    const char *outside;     // what went wrong outside of cases; NULL: nothing
    const char *environment; // that its processes start with; NULL: all that the caller's has
    const char *unseen;      // what is missing among its libraries; NULL: nothing
    const char *untried;     // conditions that its cases were not run under; NULL: none
    struct results_recorded recorded;    // its answers were; at: NULL: they were not
    uint64_t files;                      // bit i: results.file[i] declares it
    size_t library_first, library_count; // in results.library
    struct histogram histogram;          // of all its cases
};

struct results_case {
    uint32_t target, suite;
    const char *id, *op;
    const char *stated_by;               // who states its values; NULL: they were derived
    uint32_t covers_first, covers_count; // in results.covers
    uint8_t standing;                    // of stated ones to the reference: RESULTS_UNDERIVED, ...
    uint8_t verdict, required, reached, known;
    bool negative;
    bool has_profile; // the line names a profile
    bool observed;    // bounds from the target's own output of the step before
    bool partial;     // step by step, or under one set of conditions
    uint8_t file;     // in results.file
    uint32_t length;  // of the line
    uint64_t offset;  // where it starts
    unsigned line;
};

enum { RESULTS_UNDERIVED, RESULTS_AGREES, RESULTS_DIFFERS, RESULTS_STANDINGS };

struct results_mutant {
    uint32_t suite;
    const char *op, *profile;     // "rounds=9"
    const char *killers, *waived; // killers: the first ids, with commas
    uint64_t kills;
    bool killed;
    uint32_t covers_first, covers_count; // requirements that kill it
};

// What tests of others notice of a suite's known mistakes.
struct results_score {
    uint32_t suite;
    const char *source;            // what the tests are
    const char *declared;          // the operator; NULL: those of the suite that are not declared
    uint64_t tests, held, refused; // right implementations that one refuses
    size_t mistake_first, mistake_count, flaw_first, flaw_count;
};

struct results_mistake {
    const char *profile, *theirs, *ours; // the tests that notice it; NULL: none
};

// A test that expects what is not right. Where `output` is not NULL, so are dtype, expected and
// right: bits of its first such element. The others may be NULL; profile is never.
struct results_flaw {
    const char *test, *verdict, *reason, *profile, *output, *dtype, *expected, *right, *lower,
        *upper;
    uint64_t at, wrong, compared;
};

struct results_evidence {
    uint32_t target;
    const char *test, *night, *verdict, *reason; // all but test may be NULL
    double p, e, statistic;                      // e and statistic: NaN when absent
    uint64_t bits;
};

struct results_timing {
    const char *what, *peer; // peer: NULL for ours
    bool ours;
    double seconds, ratio; // ratio: NaN when absent
    uint64_t bytes, operations, threads;
};

struct results_file {
    const char *path, *command, *plan, *tool, *tool_version, *tool_sha256, *started, *selection,
        *seed;
    const char *known_name, *known_sha256;
    const char *architecture, *processor, *instructions, *class, *system, *compiler;
    uint64_t processors, shard_index, shard_count; // shard_count 1: the whole plan
    bool quick;
    bool drawn;                   // the seed was drawn after the targets' files were digested
    const char *mode;             // NULL: the standard one
    uint64_t time_ms;             // longest that a call might take, where it was given; else 0
    char sha256[DIGEST_HEX_SIZE]; // of the whole file
    FILE *stream;
};

// Names in order, so that one is found in log n steps whatever an input chooses as names.
struct results_index {
    const char **name;
    uint32_t *number;
    size_t count;
};

struct results {
    struct results_file file[RESULTS_FILES_MAX];
    struct results_suite *suite;
    struct results_requirement *requirement;
    struct results_erratum *erratum;
    struct results_target *target;
    struct results_library *library;
    struct results_operator *operators;
    struct results_case *cases; // in the order of the files
    struct results_mutant *mutant;
    struct results_score *score;
    struct results_mistake *mistake;
    struct results_flaw *flaw;
    struct results_evidence *evidence;
    struct results_timing *timing;
    uint32_t *covers; // indices of requirements
    size_t file_count, suite_count, requirement_count, erratum_count, target_count, library_count,
        case_count, mutant_count, score_count, mistake_count, flaw_count, evidence_count,
        timing_count, covers_count, operator_count;
    // Private.
    struct results_index suites, requirements, targets;
    char *pool;
    size_t pool_left;
    void **blocks;
    size_t block_count;
};

// Adds the file at `path` to `results` (zero-initialised before the first). Several files are parts
// of one report: what they say of a suite or a target of the same name must agree, and no case may
// come twice. ERROR_INPUT with the place for anything malformed; `results` must then be released.
enum error results_read(struct results *results, const char *path, struct diagnostic *diagnostic);
// The same for a file that lies in memory, which is called `name`; `bytes` must live as long.
enum error results_read_bytes(struct results *results, const char *name, char *bytes, size_t size,
                              struct diagnostic *diagnostic);
void results_release(struct results *results);

// The whole line of a case as a tree, whose memory is `arena`'s. `line` must live as long as the
// tree.
enum error results_detail(const struct results *results, const struct results_case *item,
                          struct arena *arena, struct document_source *line,
                          struct document_node **root, struct diagnostic *diagnostic);

const char *results_level_name(enum results_level level); // "none" for LEVEL_NONE

// An unexpected failure, or an expected one that did not occur.
bool results_case_unexpected(const struct results_case *item);

// ---- for the files that read results ----------------------------------------

enum error results_take_header(struct results *results, struct results_file *file,
                               const struct document_node *root, struct diagnostic *diagnostic);
enum error results_take_record(struct results *results, const struct document_node *root,
                               const struct results_case *place, struct diagnostic *diagnostic);
// A copy of `text` that lives as long as `results`; NULL for NULL and when there is no memory.
const char *results_keep(struct results *results, const char *text);
// "rounds=9 rounding=fused" and the like, in the order of the file: at most `most` of the node's
// pairs or items. NULL: no memory.
const char *results_join(struct results *results, const struct document_node *node, bool pairs,
                         size_t most);
// The number of the suite or target that the root names under `key`.
enum error results_look_up(const struct results_index *index, const struct document_node *root,
                           const char *key, uint32_t *number, struct diagnostic *diagnostic);
// The same of a requirement of a suite; false: the header has none of this name.
bool results_find_requirement(const struct results *results, uint32_t suite, const char *id,
                              uint32_t *number);
enum error results_take_score(struct results *results, const struct document_node *root,
                              const struct results_case *place, struct diagnostic *diagnostic);

#endif
