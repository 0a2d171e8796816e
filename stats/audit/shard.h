// SPDX-License-Identifier: Apache-2.0
// An audit in parts: each part counts a stretch of the source, and the joined counts are judged as
// if one process had counted.
//
// The first group of 16 blocks is always counted by the process that judges. The others are split
// into consecutive stretches, and within a part by the stages at which the audit looks, so that
// every look sees the sums it would have seen. Repeats read the source themselves, and take nothing
// from what the parts have counted.

#ifndef ASSAY_STATS_AUDIT_SHARD_H
#define ASSAY_STATS_AUDIT_SHARD_H

#include "ref/base/shard/shard.h"
#include "stats/audit/audit.h"

// Counts the stretch of part `index` of `count`. ERROR_UNSUPPORTED for a source without random
// access, ERROR_INPUT when it ends.
enum error audit_count_part(const struct audit_options *options, const struct source *source,
                            unsigned index, unsigned count, struct shard_payload *payload,
                            struct diagnostic *diagnostic);

// Adds the next stretch of a part to the tally, up to block *to, which is beyond `most` in no sound
// part. `path` names the part. ERROR_INPUT when it does not begin where the tally ends.
struct tally;
enum error audit_take_stretch(struct shard_reader *reader, const char *path, struct tally *tally,
                              uint64_t most, uint64_t *to, struct diagnostic *diagnostic);

// Makes audits with `options` take the counts of all parts, which begin at block `first_block`:
// another first block in the options is ERROR_INPUT then. `source` of the audit is read for the
// first group and for repeats. NULL without memory.
struct audit_parts;
struct audit_parts *audit_parts_attach(struct audit_options *options, const struct shard_set *set,
                                       uint64_t first_block);
void audit_parts_detach(struct audit_options *options, struct audit_parts *parts);

// audit_run with the counts of all parts, which begin at the options' first block.
enum error audit_run_parts(const struct audit_options *options, const struct source *source,
                           const struct shard_set *set, struct audit_result *result,
                           struct diagnostic *diagnostic);

#endif
