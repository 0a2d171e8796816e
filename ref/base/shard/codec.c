// SPDX-License-Identifier: Apache-2.0
// Members of structures, written and read by the same calls.

#include "ref/base/shard/codec.h"

#include <assert.h>
#include <string.h>

#include "ref/base/bytes.h"

bool shard_code_failed(const struct shard_codec *codec)
{
    assert(!codec->to != !codec->from);
    return codec->from && codec->from->failed;
}

bool shard_code_check(const struct shard_codec *codec, bool right)
{
    assert(right || codec->from);
    if (codec->from && !right)
        codec->from->failed = true;
    return !shard_code_failed(codec);
}

static uint64_t code(const struct shard_codec *codec, uint64_t value, uint64_t most)
{
    if (codec->from)
        value = shard_get_number(codec->from);
    if (!shard_code_check(codec, value <= most))
        return 0;
    if (codec->to)
        shard_put_number(codec->to, value);
    return value;
}

void shard_code_number(const struct shard_codec *codec, void *value, size_t size, uint64_t most)
{
    assert(size == 1 || size == 4 || size == 8);
    uint8_t of1 = 0;
    uint32_t of4 = 0;
    uint64_t of8 = 0;
    void *const place = size == 1 ? (void *)&of1 : size == 4 ? (void *)&of4 : (void *)&of8;
    const uint64_t largest = size == 1   ? 1
                             : size == 4 ? UINT32_MAX
                                         : UINT64_MAX; // a byte is a bool
    memcpy(place, value, size);
    of8 = code(codec, size == 1 ? of1 : size == 4 ? of4 : of8, most < largest ? most : largest);
    of1 = (uint8_t)of8;
    of4 = (uint32_t)of8;
    memcpy(value, place, size);
}

void shard_code_double(const struct shard_codec *codec, double *value)
{
    *value = double_from_bits(code(codec, double_bits(*value), UINT64_MAX));
}

bool shard_code_flag(const struct shard_codec *codec, bool there)
{
    return code(codec, there, 1) != 0;
}

void shard_code_text(const struct shard_codec *codec, const char **text)
{
    if (codec->to)
        shard_put_text(codec->to, *text);
    else
        *text = shard_get_text(codec->from, codec->arena);
}

void shard_code_chars(const struct shard_codec *codec, char *text, size_t size)
{
    size_t length = 0;
    if (codec->to) {
        shard_put_text(codec->to, text);
        return;
    }
    const char *const bytes =
        shard_code_flag(codec, false) ? shard_get_bytes(codec->from, &length) : NULL;
    memset(text, 0, size);
    if (shard_code_check(codec, bytes && length < size && !memchr(bytes, '\0', length)))
        memcpy(text, bytes, length);
}

void shard_code_tensor(const struct shard_codec *codec, struct tensor *tensor)
{
    SHARD_CODE(codec, tensor->dtype, DTYPE_COUNT - 1);
    SHARD_CODE(codec, tensor->rank, TENSOR_RANK_MAX);
    for (unsigned d = 0; d < tensor->rank; d++)
        SHARD_CODE(codec, tensor->shape[d], UINT64_MAX);
}

void *shard_code_room(const struct shard_codec *codec, const void *what, uint64_t count,
                      size_t size)
{
    if (codec->to)
        return (void *)what;
    void *const room = shard_code_failed(codec) || count > SIZE_MAX
                           ? NULL
                           : arena_take_array(codec->arena, (size_t)count, size);
    shard_code_check(codec, room);
    return room;
}

void *shard_code_bytes(const struct shard_codec *codec, const void *what, uint64_t count,
                       size_t size)
{
    size_t there;
    assert(size);
    if (codec->to) {
        shard_put_bytes(codec->to, what, (size_t)count * size);
        return (void *)what;
    }
    const void *const bytes = shard_get_bytes(codec->from, &there);
    if (!shard_code_check(codec, bytes && there / size == count && there % size == 0))
        return NULL;
    void *const room = shard_code_room(codec, NULL, count, size);
    if (room)
        memcpy(room, bytes, there);
    return room;
}

void *shard_code_one(const struct shard_codec *codec, const void *what, size_t size)
{
    return shard_code_flag(codec, what) ? shard_code_room(codec, what, 1, size) : NULL;
}

void *shard_code_list(const struct shard_codec *codec, const void *what, size_t *count, size_t size,
                      uint64_t most)
{
    SHARD_CODE(codec, *count, most);
    // A structure takes at least one byte, so a count beyond what is left is a lie.
    if (codec->from)
        shard_code_check(codec, *count <= (size_t)(codec->from->end - codec->from->at));
    void *const list = *count ? shard_code_room(codec, what, *count, size) : NULL;
    *count = list ? *count : 0;
    return list;
}
