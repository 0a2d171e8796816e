// SPDX-License-Identifier: Apache-2.0
// Known failures: what is expected to fail, what the library does instead, and why. A case that
// fails otherwise is a new failure, and one that passes although the list says otherwise is an
// error, so that the list cannot rot.
//
// A YAML file: a list under `known`, and `classes`, patterns of the classes of processors on which
// native targets were looked at. An entry says which cases it covers: target, suite, case
// (shell patterns, one or a list), where (a mapping of what is asked of the request to patterns),
// feed, version, when: {isa: CLASS, threads: N, mode: NAME}. An entry whose version or `when` does
// not hold is not consulted; isa is a pattern for the class of processors that the library was held
// to, or else that it ran on. It says what the library does, in exactly one of these ways:
//
//   equals: {CHOICE: OPTION, ...}  what the reference gives under these options, the others by
//                                  default: the same bits, or, at level bound, inside the radius;
//                                  a refusal, or another shape, where the reference has that; a
//                                  list of such mappings: one of them. Of a batch or a sequence
//                                  and its pieces (yaml/relation.h) at level bound, both
//   refused: PATTERN               it refuses, with such a message
//   signal: N                      its process is killed by this signal
//   unwritten: [OUTPUT, ...]       these are not written; the others are right
//   accepted: true                 it answers what must be refused
//   in_words: TEXT                 what it does, in words: the output is not held against them
//   unexplained: TEXT              it is not known; what was tried
//
// and why. `verdict` may be given beside; nondeterministic stands for any failure: chance may show
// itself in one run as a wrong result and in another as none. With `by_chance: true` beside it a
// case that passes is not cured: what differs between equal calls need not do so in every run.

#ifndef ASSAY_HARNESS_JUDGE_KNOWN_ENTRY_H
#define ASSAY_HARNESS_JUDGE_KNOWN_ENTRY_H

#include "harness/judge/compare/verdict.h"
#include "ref/base/document.h"

// Shell patterns, of which any may fit; none: everything fits.
struct known_patterns {
    size_t count;
    const char **pattern;
};

// Something that is asked of a request: "op", the name of an attribute, of an input (its value is
// "given" or "absent"), or of an input with ".dtype" or ".shape" ("0x3x17"); "*.dtype" of any
// input.
struct known_where {
    const char *key;
    struct known_patterns value;
};

enum known_claim {
    KNOWN_EQUALS,
    KNOWN_REFUSED,
    KNOWN_SIGNAL,
    KNOWN_UNWRITTEN,
    KNOWN_ACCEPTED,
    KNOWN_IN_WORDS,
    KNOWN_UNEXPLAINED,
    KNOWN_CLAIMS
};

struct known_entry {
    struct known_patterns target, suite, id;
    const char *version, *why, *isa, *mode, *feed; // but for why: NULL: any
    unsigned threads;                              // 0: any
    size_t where_count;
    struct known_where *where;
    enum known_claim claim;
    size_t alternative_count;            // KNOWN_EQUALS
    struct document_node *const *equals; // one mapping each
    struct known_patterns claimed;       // KNOWN_REFUSED: of messages; KNOWN_UNWRITTEN: of outputs
    long long signal;                    // KNOWN_SIGNAL
    enum verdict verdict;                // VERDICT_COUNT: that of the claim
    bool by_chance;                      // a pass does not speak against it
    unsigned line;
    bool consulted;   // it holds for some run
    size_t used;      // failures that it explains
    const char *idle; // a suite, run whole, of which it covers no case; NULL: none
};

// Whether any of the patterns fits.
bool known_fits(const struct known_patterns *patterns, const char *text);

#endif
