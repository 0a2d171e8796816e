// SPDX-License-Identifier: Apache-2.0
// Which way a result was found. Every function of this room that has a fast way takes a `struct
// num_path *`, NULL in ordinary use; tests steer with it and benchmarks count with it. It never
// changes a result.

#ifndef ASSAY_REF_NUM_PATH_H
#define ASSAY_REF_NUM_PATH_H

#include <stdbool.h>
#include <stdint.h>

// For one thread at a time. Zero-initialised: the ordinary way, nothing counted yet.
struct num_path {
    bool exact;             // go to the last resort at once
    double perturbation[2]; // move each fast (0) and second (1) result by this share of its claimed
                            // error; up to 1/2 in magnitude it must change nothing (the proofs
                            // leave that much room), far above 1 it does
    uint64_t elements, second,
        third; // counted: results, those that the first look left open, those that the second did
};

#endif
