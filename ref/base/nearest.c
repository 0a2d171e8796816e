// SPDX-License-Identifier: Apache-2.0
// "did you mean": optimal string alignment, three rows at a time.

#include "ref/base/nearest.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    assert(a_length < NEAREST_WORD_MAX && b_length < NEAREST_WORD_MAX);
    unsigned rows[3][NEAREST_WORD_MAX]; // row i % 3: the first i letters of a, against those of b
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *const row = rows[i % 3];
        const unsigned *const above = rows[(i - 1) % 3];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            row[j] = least(above[j], row[j - 1]) + 1;
            row[j] = least(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void nearest_offer(struct nearest *nearest, const char *word)
{
    assert(nearest->asked);
    const size_t length = nearest->length ? nearest->length : strlen(nearest->asked);
    const size_t word_length = strlen(word);
    if (length < 2 || length >= NEAREST_WORD_MAX || word_length >= NEAREST_WORD_MAX)
        return;
    const unsigned distance = !strncmp(nearest->asked, word, length)
                                  ? 1
                                  : nearest_distance(nearest->asked, length, word, word_length);
    if (distance > 3 || distance > (length + 2) / 3)
        return;
    if (*nearest->best && distance >= nearest->distance)
        return;
    memcpy(nearest->best, word, word_length + 1);
    nearest->distance = distance;
}

const char *nearest_hint(const struct nearest *nearest, char hint[NEAREST_HINT_SIZE])
{
    *hint = '\0';
    if (*nearest->best)
        snprintf(hint, NEAREST_HINT_SIZE, "; did you mean '%s'?", nearest->best);
    return hint;
}
