// SPDX-License-Identifier: Apache-2.0

#include "harness/bench/random123.h"

#include <string.h>

#include <Random123/philox.h>

void bench_random123_philox(uint32_t *out, size_t count)
{
    const philox4x32_key_t key = {{1, 2}};
    philox4x32_ctr_t counter = {{0, 0, 0, 0}};
    for (size_t i = 0; i < count; i += 4, counter.v[0]++) {
        const philox4x32_ctr_t block = philox4x32(counter, key);
        memcpy(out + i, block.v, sizeof block.v);
    }
}
