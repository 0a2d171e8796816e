// SPDX-License-Identifier: Apache-2.0
// Whether wrong elements follow a pattern that a person would look for: some steps or rows only,
// odd channels only, the last group only, all values moved by some places, zeros, signs.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_PATTERN_H
#define ASSAY_HARNESS_JUDGE_COMPARE_PATTERN_H

#include "harness/judge/compare/compare.h"

enum { PATTERN_TEXT_SIZE = 256 };

// Describes how the `count` elements of `got`, all of `tensor` (or a window: then no dimensions are
// told), are wrong against `expected`. False when fewer than two are wrong or nothing is to be
// said. `axes` names the dimensions ("time", "row"), NULL: by number.
bool pattern_describe(const struct expected *expected, const struct tensor *tensor,
                      const char *const *axes, const void *got, uint64_t count, char *text,
                      size_t size);

// The names of the dimensions of an output, NULL where they have none.
const char *const *pattern_axes(const char *operation, const char *output);

#endif
