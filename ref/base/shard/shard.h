// SPDX-License-Identifier: Apache-2.0
// One part of a job that is split among processes or machines: a file that is whole or not there.
//
// A plan says what is computed (as JSON text) and into how many parts it is split; its digest
// stands in every part. A part is one line of JSON (command, plan, digest, index, count, size), the
// payload, and one line with SHA-256 over all before it. It is written beside its place and
// renamed, so that a killed process leaves nothing that looks like a part. Each command
// defines its payload: numbers of 7 bits a byte and counted bytes, read back with every bound
// checked. The folder belongs to one plan, which stands in its file `plan.json` from the moment
// that the first part is begun: parts of two plans never lie side by side.

#ifndef ASSAY_REF_BASE_SHARD_SHARD_H
#define ASSAY_REF_BASE_SHARD_SHARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"
#include "ref/base/json.h"

enum { SHARD_COUNT_MAX = 100000, SHARD_PATH_SIZE = 4096 };
static const uint64_t SHARD_BYTES_MAX =
    UINT64_C(1) << 34; // of a payload; the largest audit takes a tenth of it

struct shard_plan {
    const char *command;   // "emit", "certify", "audit"
    const char *text;      // what is computed: one JSON object
    unsigned index, count; // this part, from 1; the number of parts
};

// Reads "I/N", 1 <= I <= N <= SHARD_COUNT_MAX.
bool shard_parse(const char *text, unsigned *index, unsigned *count);

// The share of part `index` in `items` items: [*first, *end), consecutive parts meeting each other.
void shard_range(const struct shard_plan *plan, uint64_t items, uint64_t *first, uint64_t *end);

// ---- plans ------------------------------------------------------------------

// To be called before any work: makes `folder` when it is missing, tries whether it can be written,
// and takes it for the plan unless it is taken. ERROR_INPUT when it belongs to another plan, naming
// the first key that differs with both values; ERROR_SYSTEM when nothing can be written there.
// *complete: the part is there and whole; a damaged one is not, and will be replaced.
enum error shard_begin(const char *folder, const struct shard_plan *plan, bool *complete,
                       struct diagnostic *diagnostic);

// Only looks whether parts of the plan may be written to `folder`: ERROR_INPUT when it belongs to
// another one that differs in more than the key `but` (NULL: none). A folder that is missing or
// empty belongs to none.
enum error shard_check_plan(const char *folder, const struct shard_plan *plan, const char *but,
                            struct diagnostic *diagnostic);

// Writes to `text` the first key in which two plans' texts differ, its value in `a` (which is
// `there`) and in `b` (`here`); keys named `but` are passed over. False when nothing differs.
bool shard_plan_difference(const char *a, const char *there, const char *b, const char *here,
                           const char *but, char *text, size_t size);

// ---- writing ----------------------------------------------------------------

// Zero-initialised is empty; a failed allocation shows in shard_write.
struct shard_payload {
    struct text bytes;
};

void shard_put_number(struct shard_payload *payload, uint64_t value);
void shard_put_bytes(struct shard_payload *payload, const void *bytes, size_t size);
void shard_put_text(struct shard_payload *payload, const char *text); // NULL is kept apart from ""

// Writes the part. The payload is released.
enum error shard_write(const char *folder, const struct shard_plan *plan,
                       struct shard_payload *payload, struct diagnostic *diagnostic);

// ---- reading ----------------------------------------------------------------

// A payload being read. After a read beyond its end, or one of something else, `failed` is set and
// everything further is 0.
struct shard_reader {
    const unsigned char *at, *end;
    bool failed;
};

uint64_t shard_get_number(struct shard_reader *reader);
const void *shard_get_bytes(struct shard_reader *reader, size_t *size);
const char *shard_get_text(struct shard_reader *reader,
                           struct arena *arena); // NULL as it was put; a copy of the arena's

// All parts of one job.
struct shard_set {
    const char *command, *text;
    unsigned count;
    const char **path; // by index, from 0
};

// Looks at the parts in `folder`. ERROR_INPUT when there are none, when one is missing (naming
// which) or there twice, when plans are mixed (naming the key), when a head is damaged, or when
// something else than a file has the name of a part. Payloads are checked by shard_open.
enum error shard_survey(const char *folder, struct arena *arena, struct shard_set *set,
                        struct diagnostic *diagnostic);

// Writes the indices of missing parts as "3,5-7" to `text`; an empty text: none. They
// can be submitted again. Missing is also one that is damaged, has another's index, or is not of
// the folder's plan: its plan.json, or else its first whole part. `count` is how many there should
// be; ERROR_INPUT when the folder's plan has another number of parts.
enum error shard_missing(const char *folder, unsigned count, struct text *text,
                         struct diagnostic *diagnostic);

// Part `index` (from 0) of the set; memory is the arena's. ERROR_INPUT when its digest is not that
// of its bytes.
enum error shard_open(const struct shard_set *set, unsigned index, struct arena *arena,
                      struct shard_reader *reader, struct diagnostic *diagnostic);

// Fails unless everything of the payload was read and nothing beyond: ERROR_INPUT naming the part.
enum error shard_finish(const struct shard_set *set, unsigned index,
                        const struct shard_reader *reader, struct diagnostic *diagnostic);

#endif
