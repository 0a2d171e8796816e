// SPDX-License-Identifier: Apache-2.0
// A source that an audit can read twice. One with random access can anyway; of one that gives its
// words in order the last words read are kept as long as they may be needed again: a repeat reads
// ahead of the counts, and a window looks back.

#ifndef ASSAY_STATS_AUDIT_MEMORY_H
#define ASSAY_STATS_AUDIT_MEMORY_H

#include <stdbool.h>
#include "stats/source/source.h"

struct audit_memory {
    struct source source; // to be read in place of the one that was given; belongs to this struct,
                          // which may not move
    const struct source *of;
    uint32_t *words;      // a ring: word w of the source at w % capacity
    size_t capacity;      // words, a multiple of SOURCE_GRAIN; 0 where all is at hand
    uint64_t first, head; // words [first, head) are kept; the source goes on at `head`
    bool recording, ended;
};

// `blocks` of 2^16 words are kept at most (at least one). The source must outlive the memory, and
// is not closed with it.
void audit_memory_open(struct audit_memory *memory, const struct source *of, uint64_t blocks);
void audit_memory_close(struct audit_memory *memory);

// From here on words are kept, or no longer; those that are kept stay until they were read again.
// ERROR_INTERNAL without memory.
enum error audit_memory_record(struct audit_memory *memory, bool recording,
                               struct diagnostic *diagnostic);

// Whether `blocks` blocks can be read and then read again.
bool audit_memory_fits(const struct audit_memory *memory, uint64_t blocks);

// Whether words [first, first + words), which have been read, can be read again now.
bool audit_memory_holds(const struct audit_memory *memory, uint64_t first, uint64_t words);

#endif
