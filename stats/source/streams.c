// SPDX-License-Identifier: Apache-2.0
// Several streams as one source: what one stream says of another shows as dependence between words.
//
// A grain takes equally many words of each stream. Even grains deal them out word by word, so that
// neighbours and lags compare streams at the same place; odd grains lay them one after the other,
// so that a piece that two streams share stands in one piece.
//
// Two streams that are one and the same, or one of which begins within the other, are no matter of
// statistics: the first grain is read at once and its parts compared.

#include "stats/source/source.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/kernel/sort.h"

struct streams {
    unsigned count;
    size_t head_words; // that every stream gave; less than its share of a grain: one ended
    uint32_t head[SOURCE_GRAIN]; // the first words of each, one after the other
    struct source source[];
};

static size_t share_of(unsigned count)
{
    return SOURCE_GRAIN / count;
}

static enum error streams_read(void *context, uint64_t first, size_t words, uint32_t *to,
                               size_t *got, struct diagnostic *diagnostic)
{
    const struct streams *const streams = context;
    const size_t share = share_of(streams->count);
    uint32_t *const part = malloc(share * sizeof *part);
    *got = 0;
    if (!part)
        return diagnostic_no_memory(diagnostic);
    enum error error = ERROR_NONE;
    for (uint64_t grain = first / SOURCE_GRAIN; *got < words && !error; grain++) {
        uint32_t *const out = to + *got;
        size_t least = share;
        for (unsigned s = 0; s < streams->count && !error; s++) {
            size_t had = streams->head_words;
            if (grain)
                error = streams->source[s].read(streams->source[s].context, grain * share, share,
                                                part, &had, diagnostic);
            const uint32_t *const word = grain ? part : streams->head + s * share;
            least = had < least ? had : least;
            for (size_t i = 0; i < share; i++)
                out[grain % 2 ? s * share + i : i * streams->count + s] = word[i];
        }
        if (least < share)
            break; // a stream ends: so does the source
        *got += SOURCE_GRAIN;
    }
    free(part);
    return error;
}

static void streams_close(void *context)
{
    struct streams *const streams = context;
    for (unsigned s = 0; s < streams->count; s++)
        source_close(&streams->source[s]);
    free(streams);
}

static enum error read_heads(struct streams *streams, struct diagnostic *diagnostic)
{
    const size_t share = share_of(streams->count);
    enum error error = ERROR_NONE;
    streams->head_words = share;
    for (unsigned s = 0; s < streams->count && !error; s++) {
        size_t had = 0;
        error = streams->source[s].read(streams->source[s].context, 0, share,
                                        streams->head + s * share, &had, diagnostic);
        streams->head_words = had < streams->head_words ? had : streams->head_words;
    }
    return error;
}

static void find_twins(const struct streams *streams, struct source_streams *found)
{
    const size_t share = share_of(streams->count);
    *found = (struct source_streams){.count = streams->count, .compared = streams->head_words};
    for (unsigned b = 1; b < streams->count && found->compared; b++)
        for (unsigned a = 0; a < b; a++)
            if (!memcmp(streams->head + a * share, streams->head + b * share,
                        found->compared * sizeof *streams->head)) {
                found->twin[0] = a;
                found->twin[1] = b;
                return;
            }
}

enum { OVERLAP_LEAST = 8, STREAM_BITS = 10 };
_Static_assert(SOURCE_STREAMS_MAX <= 1 << STREAM_BITS,
               "a stream's number fits below its first words");

static uint64_t first_bits(const uint32_t *word)
{
    return (word[0] | (uint64_t)word[1] << 32) >> STREAM_BITS << STREAM_BITS;
}

// Whether stream b begins at word `at` of stream a, as far as both are known.
static bool overlap(const struct streams *streams, unsigned a, size_t at, unsigned b)
{
    const size_t share = share_of(streams->count);
    return a != b && !memcmp(streams->head + a * share + at, streams->head + b * share,
                             (streams->head_words - at) * sizeof *streams->head);
}

// The beginnings are sorted, and every place of every stream is looked up among them.
static enum error find_overlap(const struct streams *streams, struct source_streams *found,
                               struct diagnostic *diagnostic)
{
    const size_t share = share_of(streams->count), known = streams->head_words;
    uint64_t *const begin = malloc(2 * streams->count * sizeof *begin);
    if (!begin)
        return diagnostic_no_memory(diagnostic);
    for (unsigned s = 0; s < streams->count; s++)
        begin[s] = first_bits(streams->head + s * share) | s;
    sort_u64(begin, begin + streams->count, streams->count, 64);
    for (unsigned a = 0; a < streams->count && found->twin[0] == found->twin[1]; a++)
        for (size_t at = 1; at + OVERLAP_LEAST <= known && found->twin[0] == found->twin[1]; at++) {
            const uint64_t bits = first_bits(streams->head + a * share + at);
            unsigned low = 0, high = streams->count;
            while (low < high) {
                const unsigned middle = (low + high) / 2;
                if (begin[middle] < bits)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (; low < streams->count && begin[low] >> STREAM_BITS == bits >> STREAM_BITS;
                 low++) {
                const unsigned b = begin[low] & (SOURCE_STREAMS_MAX - 1);
                if (!overlap(streams, a, at, b))
                    continue;
                found->twin[0] = a;
                found->twin[1] = b;
                found->offset = at;
                break;
            }
        }
    free(begin);
    return ERROR_NONE;
}

enum error source_join(struct source *joined, struct source *streams, unsigned count,
                       struct diagnostic *diagnostic)
{
    assert(count >= 1 && count <= SOURCE_STREAMS_MAX && (count & (count - 1)) == 0);
    struct streams *const made = calloc(1, sizeof *made + count * sizeof *streams);
    if (!made)
        return diagnostic_no_memory(diagnostic);
    made->count = count;
    bool random_access = true;
    for (unsigned s = 0; s < count; s++) {
        random_access = random_access && streams[s].random_access;
        made->source[s] = streams[s];
        streams[s] = (struct source){0};
    }
    struct source_streams found = {0};
    enum error error = read_heads(made, diagnostic);
    if (!error) {
        find_twins(made, &found);
        if (found.twin[0] == found.twin[1])
            error = find_overlap(made, &found, diagnostic);
    }
    if (error) {
        streams_close(made);
        return error;
    }
    *joined = (struct source){.name = "streams",
                              .random_access = random_access,
                              .context = made,
                              .read = streams_read,
                              .close = streams_close};
    joined->streams = found;
    return ERROR_NONE;
}
