// SPDX-License-Identifier: Apache-2.0
// Operations that go step by step through time: what they offer beside a whole evaluation.
//
// A step of a request is a request of its own, started from the states that the reference reached
// before it, so that errors of an implementation cannot add up. An operation without steps has none
// of this.

#ifndef ASSAY_REF_OP_STEPPING_H
#define ASSAY_REF_OP_STEPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"

struct request;

// The numbers that name a step: layer, direction, time, gate (-1: all gates together).
enum { OPERATION_STEP = 4 };

// What `gate_of` answers where an element is no single gate's.
enum { OPERATION_ALL_GATES = -1, OPERATION_NO_GATE = -2 };

// Of which steps a request consists: layers, the directions of each, the times of each direction,
// and the gates of a step.
struct operation_steps {
    size_t layers, directions, times, gates;
    bool backward;           // reached from the last layer and each direction's last time on
    bool reversed[2];        // of each direction: going forward it starts at the last time
    const char *const *gate; // names
    const int *beside;       // another gate that stays when one is asked for alone; -1: none
};

struct operation_stepping {
    // The steps of `request`; refuses a request that has none.
    enum error (*describe)(const struct request *request, struct operation_steps *steps,
                           struct diagnostic *diagnostic);

    // Makes of `request` its step `where`; with a gate from 0 on the others are saturated. Memory
    // is the arena's. Inputs without data (a form that is only checked) stay without.
    enum error (*take)(struct request *request, const int64_t where[OPERATION_STEP],
                       struct arena *arena, struct diagnostic *diagnostic);

    // Of a step with one gate: the gate whose the element of the output is (a gradient of one
    // gate's weights is that gate's alone), or one of the two numbers above.
    int (*gate_of)(const struct request *request, unsigned output, uint64_t element);

    // The output whose elements, as an implementation gave them, are exact operands of its later
    // ones: with them in `observed`, values and bounds are those of each step by itself. -1 where
    // that is not sound.
    int (*observable)(const struct request *request);
};

#endif
