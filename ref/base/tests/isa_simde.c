// SPDX-License-Identifier: Apache-2.0
// The choice of instruction set in programs whose AVX-512 source runs through SIMDe: every one is
// there. AVX2, which Debian's libraries and the rest of the source may use, must be there indeed.

#define __builtin_cpu_supports(name) 1

#include "ref/base/isa.c"
