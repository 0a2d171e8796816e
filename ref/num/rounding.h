// SPDX-License-Identifier: Apache-2.0
// How a number is rounded, and what becomes of one beyond the range of its type.

#ifndef ASSAY_REF_NUM_ROUNDING_H
#define ASSAY_REF_NUM_ROUNDING_H

enum num_rounding {
    NUM_NEAREST_EVEN,
    NUM_TOWARD_ZERO,
    NUM_UP,     // toward +inf
    NUM_DOWN,   // toward -inf
    NUM_TO_ODD, // toward zero, then the last bit is set if anything was lost
};

// What becomes of a number beyond the target's range.
enum num_overflow {
    NUM_IEEE, // floats: infinity or the largest number, as the rounding has it (NaN where there is
              // no infinity; f4e2m1, without either: NUM_SATURATE); integers: NUM_SATURATE
    NUM_SATURATE, // floats: the largest finite number of that sign, for infinities too; integers:
                  // the nearest end
    NUM_WRAP,     // floats: NUM_IEEE; integers: the rounded integer mod 2^width, infinities 0
};

#endif
