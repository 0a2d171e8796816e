// SPDX-License-Identifier: Apache-2.0
// What the specification leaves to chance: whether draws lie in their range and follow their law.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_DRAWS_H
#define ASSAY_HARNESS_JUDGE_COMPARE_DRAWS_H

#include "ref/op/operation.h"

// Draws that are uniform in [low, high): floats or signed integers. Where they were made of draws
// of another law (draws_law.h), that is named, with what a draw may be off by, as a part of the
// range, beside its own rounding, and the bits of chance in all of them, or a thousand where there
// are more.
struct draws {
    enum dtype dtype;
    const void *data;
    uint64_t count;
    double low, high;
    const char *law; // NULL: uniform
    double stray, bits;
};

// Whether every draw lies in its range; a float may be `high` itself, by rounding. `text`, of
// `size` bytes, says of the first that does not.
bool draws_in_range(const struct draws *draws, char *text, size_t size);

// Whether the draws of one call, which lie in their range, may be uniform: counts below parts of
// the range, of pairs, and of draws that came before have laws for any number of draws. Right draws
// are called wrong with a chance below `chance`; `text` then says what is wrong. ERROR_MEMORY.
enum error draws_judge(const struct draws *draws, double chance, bool *right, char *text,
                       size_t size, struct diagnostic *diagnostic);

// The same of the draws of two calls, `a` and `b`, of one type, range and number: taken in turn
// they are as independent as those of one call.
enum error draws_judge_two(const struct draws *a, const struct draws *b, double chance, bool *right,
                           char *text, size_t size, struct diagnostic *diagnostic);

// How many bits of chance these draws have, where they are right: of each a float those of its
// type's grid, an integer the logarithm of its range, and where no range is known those of its
// type; 0 where a float's range is too narrow for it.
double draws_bits(const struct draws *draws);

// So many draws are held against each other, where of more a right source repeats some, too.
enum { DRAWS_REPEATS = 1 << 16 };

// How many draws an audit of this type takes.
uint64_t draws_wanted(enum dtype dtype);

// Audits draws that lie in their range. A bend by less than a step of the type's own grid (of bf16
// 1/128 of the range) is not seen: it may be rounding. *flawed with what is wrong in `text`, or
// what was seen. Right draws are called flawed with a chance below 3e-9: 1e-9 for the counts and
// 1.1e-9 for the battery (stats/audit/audit.h). ERROR_SYSTEM and ERROR_INTERNAL.
enum error draws_audit(const struct draws *draws, bool *flawed, char *text, size_t size,
                       struct diagnostic *diagnostic);

#endif
