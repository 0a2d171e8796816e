// SPDX-License-Identifier: Apache-2.0
// The form of a part's file. Private to this folder.

#ifndef ASSAY_REF_BASE_SHARD_SHARD_FILE_H
#define ASSAY_REF_BASE_SHARD_SHARD_FILE_H

#include "ref/base/digest.h"
#include "ref/base/shard/shard.h"

enum { SHARD_FOOT_SIZE = 96 };

struct shard_file {
    struct shard_plan plan;
    const char *digest; // of the plan
    const unsigned char *payload;
    size_t size;
};

// The keys that a part's head and plan.json share, with the digest checked. `plan` gets all but the
// index. Memory is the arena's.
enum error shard_plan_read(const struct document_node *root, struct shard_plan *plan,
                           const char **digest, struct diagnostic *diagnostic);
void shard_plan_put(struct text *text, const struct shard_plan *plan, const char *digest);

// The plan that the folder belongs to: that of plan.json, or of any whole head among its parts.
// plan->text NULL: it has none.
enum error shard_folder_plan(const char *folder, struct arena *arena, struct shard_plan *plan,
                             struct diagnostic *diagnostic);

// Whether a file of that name is a part, and not what a killed process left behind.
bool shard_is_part(const char *name);

enum error shard_plan_digest(const struct shard_plan *plan, char hex[DIGEST_HEX_SIZE],
                             struct diagnostic *diagnostic);
// The last line: the digest of the head, which ends in a newline, and the payload.
enum error shard_foot(const void *head, size_t head_size, const void *payload, size_t size,
                      char foot[SHARD_FOOT_SIZE], struct diagnostic *diagnostic);
void shard_path(const char *folder, unsigned index, unsigned count, char path[SHARD_PATH_SIZE]);

// Reads the file's head; `whole`: the payload too, and checks the digest over all. ERROR_INPUT for
// a damaged one, and for what is no regular file.
enum error shard_file_read(const char *path, bool whole, struct arena *arena,
                           struct shard_file *file, struct diagnostic *diagnostic);

#endif
