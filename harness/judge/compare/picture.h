// SPDX-License-Identifier: Apache-2.0
// Histograms and maps for reports: how far an output's elements are from what is expected, how much
// of the radius they use, and where the wrong ones lie.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_PICTURE_H
#define ASSAY_HARNESS_JUDGE_COMPARE_PICTURE_H

#include "harness/judge/compare/compare.h"
#include "ref/base/arena.h"
#include "ref/base/json.h"
#include "ref/base/shard/codec.h"

enum { PICTURE_ULP_BINS = 36, PICTURE_RADIUS_BINS = 11, PICTURE_SIDE_MAX = 64 };

// ulp: bin 0 holds what is exact, bin 1 what is off by less than 1 ulp of the expected value, bin i
// what lies in [2^(i-2), 2^(i-1)), the last all above, infinity and NaN included. radius: bin i
// holds the used part in [i/10, (i+1)/10), the last all from 1 up. cells: wrong elements over the
// first dimension that is longer than 1 and the last one, `rows` times `columns` of them.
struct picture {
    uint64_t ulp[PICTURE_ULP_BINS], radius[PICTURE_RADIUS_BINS];
    double ulp_largest, radius_largest;
    unsigned rows, columns; // 0: no map
    uint64_t row_count, column_count;
    uint64_t row_size; // elements from one row to the next
    bool first;        // rows are the first dimension
    uint32_t *cells;
};

// Draws the `count` elements of `got`, all of the tensor or (then without a map) a window of it.
// Only floats have ulp, and only where some element differs; only intervals have a radius. *picture
// is NULL when there is nothing to draw. Memory is the arena's.
enum error picture_draw(const struct expected *expected, const struct tensor *got, uint64_t count,
                        const struct comparison *comparison, struct arena *arena,
                        const struct picture **picture, struct diagnostic *diagnostic);

// The members "ulp", "radius" and "map" of an output's record; `time_first` says that the
// dimensions are time and channel.
void picture_put(struct text *text, const struct picture *picture, bool time_first);

// For parts of a certification: what was written or read; `picture` may be NULL.
const struct picture *picture_code(const struct shard_codec *codec, const struct picture *picture);

#endif
