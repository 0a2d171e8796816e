// SPDX-License-Identifier: Apache-2.0
// The time that has passed, by a monotonic clock.

#ifndef ASSAY_REF_BASE_CLOCK_H
#define ASSAY_REF_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

// Nanoseconds since some moment before the program began.
static inline uint64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
