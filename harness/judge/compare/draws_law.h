// SPDX-License-Identifier: Apache-2.0
// What a request says of its draws: where they may lie, their law, and whether a seed repeats them.
//
// Whatever the law, it is held by one test: a draw x of a continuous law F is taken as F(x), and a
// draw k of weights w as w[0] + ... + w[k-1] + w[k] v with v uniform and independent of it
// (the randomised probability integral transform). Right draws are then uniform in [0, 1).

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_DRAWS_LAW_H
#define ASSAY_HARNESS_JUDGE_COMPARE_DRAWS_LAW_H

#include "harness/judge/compare/draws.h"
#include "ref/base/arena.h"

enum draws_kind {
    DRAWS_UNIFORM,  // floats or signed integers, from `low` up to `high`
    DRAWS_NORMAL,   // of mean `low` and standard deviation `high`
    DRAWS_WEIGHTED, // whole numbers below `classes`, each element with weights of its own
};

struct draws_law {
    enum draws_kind kind;
    enum dtype dtype; // of the output
    double low, high;
    uint64_t classes, each; // `each` elements in a row have the same weights
    const struct request *request;
};

// The law of the request's first output, of type `dtype`; false where it has none that is known
// here, or draws are of another kind than their range. `request` must outlive it.
bool draws_take_law(const struct request *request, enum dtype dtype, struct draws_law *law);

// Whether a seed is given, which equal requests repeat.
bool draws_repeat(const struct request *request);

// How many draws an audit of this law takes in `rank` dimensions. In several the law alone is
// looked at, of as many draws as are compared with each other whatever their type: so each row with
// the others.
uint64_t draws_wanted_of(const struct draws_law *law, unsigned rank);

// Takes `count` draws at `data`: *right is false, and `text` says why, where one lies outside of
// what is possible; else `draws` are uniform ones, in memory of the arena. `salt` tells calls apart
// whose draws are compared. ERROR_MEMORY.
enum error draws_take(const struct draws_law *law, const void *data, uint64_t count, uint64_t salt,
                      struct arena *arena, struct draws *draws, bool *right, char *text,
                      size_t size, struct diagnostic *diagnostic);

// Asks for `count` draws in `rank` dimensions in place of those of `request`, and with `reseed` for
// those of another seed, where it has one. False to *asked where that cannot be asked.
enum error draws_ask(struct request *request, unsigned rank, uint64_t count, bool reseed,
                     struct arena *arena, bool *asked, struct diagnostic *diagnostic);

#endif
