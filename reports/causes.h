// SPDX-License-Identifier: Apache-2.0
// Cases that did not pass, gathered by cause, so that a report concludes before it lists.
//
// The cause of a new failure is the explanation that the search found, else what was observed, with
// its numbers left open ("element # of output 'x' is # in one call and # in an equal one"); that of
// a listed failure is its entry's reason; that of an unsupported case what the target says.

#ifndef ASSAY_REPORTS_CAUSES_H
#define ASSAY_REPORTS_CAUSES_H

#include "reports/results.h"

enum cause_kind { CAUSE_NEW, CAUSE_CURED, CAUSE_KNOWN, CAUSE_UNSUPPORTED, CAUSE_KINDS };

// One case and its cause. Texts are the arena's.
struct cause_entry {
    uint32_t item; // in results.cases
    uint32_t target, suite;
    uint8_t kind, verdict;
    const char *text;      // the cause, by which entries are gathered
    const char *exact;     // with its numbers
    const char *explained; // "rounds=9"; NULL: no explanation was found
};

// Entries of one cause: of one kind, target and verdict, and of one suite unless they are listed or
// unsupported.
struct cause {
    const struct cause_entry *entry; // `count` of them, in the order of the results
    size_t count;
};

struct causes {
    struct cause_entry *entry;
    struct cause *cause; // by kind, then the most frequent first
    size_t entry_count, cause_count;
    size_t first[CAUSE_KINDS + 1]; // causes of kind k: first[k] up to first[k + 1]
    size_t total[CAUSE_KINDS];     // entries of each kind
    struct arena arena;
};

// Reads the cause of every case that has one. Release it also after an error.
enum error causes_collect(struct causes *causes, const struct results *results,
                          struct diagnostic *diagnostic);
void causes_release(struct causes *causes);

// The cause in words: with its numbers where all entries have the same.
const char *cause_text(const struct cause *cause);

// How many failing cases of the cause's target and suite have its explanation, be they new or
// listed; *failing: how many fail there at all.
size_t causes_count_fits(const struct causes *causes, const struct cause *cause, size_t *failing);

#endif
