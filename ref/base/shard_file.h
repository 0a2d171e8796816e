// SPDX-License-Identifier: Apache-2.0
// The form of a part's file. Private to ref/base/shard*.c.

#ifndef ASSAY_REF_BASE_SHARD_FILE_H
#define ASSAY_REF_BASE_SHARD_FILE_H

#include "ref/base/digest.h"
#include "ref/base/shard.h"

enum { SHARD_FOOT_SIZE = 96 };

struct shard_file {
    struct shard_plan plan;
    const char *digest; // of the plan
    const unsigned char *payload;
    size_t size;
};

enum error shard_plan_digest(const struct shard_plan *plan, char hex[DIGEST_HEX_SIZE], struct diagnostic *diagnostic);
enum error shard_foot(const void *bytes, size_t size, char foot[SHARD_FOOT_SIZE], struct diagnostic *diagnostic);
void shard_path(const char *folder, unsigned index, unsigned count, char path[SHARD_PATH_SIZE]);

// Reads the file; `whole`: the payload too, and checks the digest over all. ERROR_INPUT for a damaged one.
enum error shard_file_read(const char *path, bool whole, struct arena *arena, struct shard_file *file,
                           struct diagnostic *diagnostic);

#endif
