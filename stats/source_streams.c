// SPDX-License-Identifier: Apache-2.0
// Several streams as one source: what one stream says of another shows as dependence between words.
//
// A grain takes equally many words of each stream. Even grains deal them out word by word, so that neighbours and lags compare
// streams at the same place; odd grains lay them one after the other, so that a piece that two streams share stands in one piece.

#include "stats/source.h"

#include <stdlib.h>

struct streams {
    unsigned count;
    struct source source[];
};

static enum error streams_read(void *context, uint64_t first, size_t words, uint32_t *to, size_t *got,
                               struct diagnostic *diagnostic)
{
    const struct streams *const streams = context;
    const size_t share = SOURCE_GRAIN / streams->count;
    uint32_t *const part = malloc(share * sizeof *part);
    *got = 0;
    if (!part)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    enum error error = ERROR_NONE;
    for (uint64_t grain = first / SOURCE_GRAIN; *got < words && !error; grain++) {
        uint32_t *const out = to + *got;
        size_t least = share;
        for (unsigned s = 0; s < streams->count && !error; s++) {
            size_t had;
            error = streams->source[s].read(streams->source[s].context, grain * share, share, part, &had, diagnostic);
            least = had < least ? had : least;
            for (size_t i = 0; i < share; i++)
                out[grain % 2 ? s * share + i : i * streams->count + s] = part[i];
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

enum error source_join(struct source *joined, struct source *streams, unsigned count, struct diagnostic *diagnostic)
{
    struct streams *const made = malloc(sizeof *made + count * sizeof *streams);
    if (!made)
        return diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
    made->count = count;
    int random_access = 1;
    for (unsigned s = 0; s < count; s++) {
        random_access = random_access && streams[s].random_access;
        made->source[s] = streams[s];
        streams[s] = (struct source){0};
    }
    *joined = (struct source){"streams", random_access, made, streams_read, streams_close, 0, NULL};
    return ERROR_NONE;
}
