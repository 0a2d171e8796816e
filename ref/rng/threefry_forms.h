// SPDX-License-Identifier: Apache-2.0
// What the driver of threefry_fill asks of an instruction set's form. Private to ref/rng.

#ifndef ASSAY_REF_RNG_THREEFRY_FORMS_H
#define ASSAY_REF_RNG_THREEFRY_FORMS_H

#include <stddef.h>
#include <stdint.h>

#include "ref/rng/threefry_element.h"

// Makes as many elements as it likes of the `count` from the counter (high, low) on, whose low word
// does not wrap among them, and says how many: the driver does the rest. With `streaming`, `out` is
// aligned to 64 bytes and the stores bypass the cache; the driver fences.
typedef size_t threefry_elements(enum threefry_element element, const uint32_t key[2],
                                 uint32_t high, uint32_t low, size_t count, void *out,
                                 int streaming);

threefry_elements threefry_elements_avx2, threefry_elements_avx512, threefry_elements_neon;

#endif
