// SPDX-License-Identifier: Apache-2.0
// What the elements of arrays from threefry2x32 are.

#ifndef ASSAY_REF_RNG_THREEFRY_ELEMENT_H
#define ASSAY_REF_RNG_THREEFRY_ELEMENT_H

// What an element of an array is made of its block (x0, x1).
enum threefry_element {
    THREEFRY_XOR,      // u32: x0 ^ x1
    THREEFRY_PAIR,     // two u32: x0, then x1
    THREEFRY_U64,      // u64: x0 is the high half
    THREEFRY_UNIT_F32, // f32 in [0, 1): the high 23 bits of x0 ^ x1, times 2^-23
};

#endif
