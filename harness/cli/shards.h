// SPDX-License-Identifier: Apache-2.0
// Parts of a job on the command line: their plans, and how each command joins its own.

#ifndef ASSAY_HARNESS_CLI_SHARDS_H
#define ASSAY_HARNESS_CLI_SHARDS_H

#include "harness/cli/cli.h"
#include "ref/base/shard/shard.h"

// Reads --shard I/N (NULL: not given, both stay): CLI_CONFORMS, or CLI_INPUT after a usage message.
int shards_parse(const struct cli_command *command, const char *text, unsigned *index,
                 unsigned *count);

// Every plan begins with what computes it: puts the version and the digest of the running program
// into the object under way.
enum error shards_put_program(struct text *text, struct diagnostic *diagnostic);

// Puts the name and the digest of what lies at `path` as an object. ERROR_INPUT when it cannot be
// read.
enum error shards_put_file(struct text *text, const char *name, const char *path,
                           struct diagnostic *diagnostic);

// Whether this program made the parts: ERROR_INPUT with both versions or digests.
enum error shards_check_program(const struct shard_set *set, struct diagnostic *diagnostic);

// --plan: whether `folder` may take the part, wherever it would run. Prints and returns the exit
// code.
int shards_say_plan(const char *folder, const struct shard_plan *plan);

// The plan's key that says where parts ran.
#define SHARDS_MACHINE "machine"

// Each prints what its command would have printed and returns its exit code. `out` may be NULL,
// except for emit.
int audit_merge(const struct shard_set *set, const char *out, const char *night, const char *alpha);
int certify_merge(const struct shard_set *set, const char *out);

#endif
