// SPDX-License-Identifier: Apache-2.0
// Several streams as one source: what one stream says of another shows as dependence between words.
//
// A grain takes equally many words of each stream. Even grains deal them out word by word, so that neighbours and lags compare
// streams at the same place; odd grains lay them one after the other, so that a piece that two streams share stands in one piece.
//
// Two streams that are one and the same are no matter of statistics: the first grain is read at once and its parts compared.

#include "stats/source.h"

#include <stdlib.h>
#include <string.h>

struct streams {
    unsigned count;
    size_t head_words;           // that every stream gave; less than its share of a grain: one ended
    uint32_t head[SOURCE_GRAIN]; // the first words of each, one after the other
    struct source source[];
};

static size_t share_of(unsigned count)
{
    return SOURCE_GRAIN / count;
}

static enum error streams_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                               struct diagnostic *diagnostic)
{
    const struct streams *const streams = context;
    const size_t share = share_of(streams->count);
    uint32_t *const part = malloc(share * sizeof *part);
    *got = 0;
    if (!part)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    enum error error = ERROR_NONE;
    for (uint64_t grain = first / SOURCE_GRAIN; *got < words && !error; grain++) {
        uint32_t *const out = to + *got;
        size_t least = share;
        for (unsigned s = 0; s < streams->count && !error; s++) {
            size_t had = streams->head_words;
            if (grain)
                error = streams->source[s].read(streams->source[s].context, grain * share, share, part, &had, diagnostic);
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
        error = streams->source[s].read(streams->source[s].context, 0, share, streams->head + s * share, &had, diagnostic);
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
            if (!memcmp(streams->head + a * share, streams->head + b * share, found->compared * sizeof *streams->head)) {
                found->twin[0] = a;
                found->twin[1] = b;
                return;
            }
}

enum error source_join(struct source *joined, struct source *streams, unsigned count, struct diagnostic *diagnostic)
{
    struct streams *const made = calloc(1, sizeof *made + count * sizeof *streams);
    if (!made)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    made->count = count;
    int random_access = 1;
    for (unsigned s = 0; s < count; s++) {
        random_access = random_access && streams[s].random_access;
        made->source[s] = streams[s];
        streams[s] = (struct source){0};
    }
    const enum error error = read_heads(made, diagnostic);
    if (error) {
        streams_close(made);
        return error;
    }
    *joined = (struct source){
        .name = "streams", .random_access = random_access, .context = made, .read = streams_read, .close = streams_close};
    find_twins(made, &joined->streams);
    return ERROR_NONE;
}
