// SPDX-License-Identifier: Apache-2.0
// What a payload is made of, described once for both directions: a function that codes a structure
// member by member writes it where the codec writes, and reads it where the codec reads. What is
// read is bounded by the same words that check what is written.

#ifndef ASSAY_REF_BASE_SHARD_CODEC_H
#define ASSAY_REF_BASE_SHARD_CODEC_H

#include "ref/base/shard/shard.h"
#include "ref/base/tensor.h"

// Either `to` or `from` is set. A read that fails sets from->failed; all further ones give 0 and
// NULL. Memory of what is read is the arena's.
struct shard_codec {
    struct shard_payload *to;
    struct shard_reader *from;
    struct arena *arena;
};

bool shard_code_failed(const struct shard_codec *codec);

// Fails a read unless `right`, which must hold of what is written. Returns whether to go on.
bool shard_code_check(const struct shard_codec *codec, bool right);

// A bool, an enumeration or an unsigned integer of `size` bytes, at most `most`.
void shard_code_number(const struct shard_codec *codec, void *value, size_t size, uint64_t most);
#define SHARD_CODE(codec, member, most)                                                            \
    shard_code_number(codec, &(member), sizeof(member), (uint64_t)(most))

void shard_code_double(const struct shard_codec *codec, double *value);

// Whether something follows; `there` is what is written.
bool shard_code_flag(const struct shard_codec *codec, bool there);

void shard_code_text(const struct shard_codec *codec, const char **text);        // NULL stays NULL
void shard_code_chars(const struct shard_codec *codec, char *text, size_t size); // ends in a NUL

// Dtype, rank and shape; the dimensions may be any.
void shard_code_tensor(const struct shard_codec *codec, struct tensor *tensor);

// Each returns `what` where the codec writes, and else zeroed memory for it, or NULL.
// `count` elements of `size` bytes, to be coded next:
void *shard_code_room(const struct shard_codec *codec, const void *what, uint64_t count,
                      size_t size);
// `count` elements as bytes:
void *shard_code_bytes(const struct shard_codec *codec, const void *what, uint64_t count,
                       size_t size);
// One structure, to be coded next, or NULL:
void *shard_code_one(const struct shard_codec *codec, const void *what, size_t size);
// The number of structures, at most `most`; they are to be coded next, none after a failure:
void *shard_code_list(const struct shard_codec *codec, const void *what, size_t *count, size_t size,
                      uint64_t most);

#endif
