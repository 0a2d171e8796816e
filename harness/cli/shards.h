// SPDX-License-Identifier: Apache-2.0
// Parts of a job on the command line: their plans, and how each command joins its own.

#ifndef ASSAY_HARNESS_CLI_SHARDS_H
#define ASSAY_HARNESS_CLI_SHARDS_H

#include <stdbool.h>

#include "ref/base/shard.h"

// The plan of an emit: suites with the digests of their files.
enum error shards_describe_emit(char *const *paths, size_t count, bool portable, struct json_text *text,
                                struct diagnostic *diagnostic);

// Each prints what its command would have printed and returns its exit code. `out` may be NULL, except for emit.
int audit_merge(const struct shard_set *set, const char *out);
int certify_merge(const struct shard_set *set, const char *out);

#endif
