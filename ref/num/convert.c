// SPDX-License-Identifier: Apache-2.0
// Conversions of whole arrays: the portable form, and the choice of a faster one.

#include "ref/num/convert.h"

#include <string.h>

#include "ref/base/bytes.h"
#include "ref/base/isa.h"
#include "ref/num/exact.h"

static void convert_one_by_one(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    const size_t to_size = dtype_size(to), from_size = dtype_size(from);
    for (size_t i = 0; i < count; i++)
        element_store(out, to_size, i, num_convert(to, from, element_load(in, from_size, i), NUM_NEAREST_EVEN, NUM_IEEE));
}

void num_convert_array(enum dtype to, void *out, enum dtype from, const void *in, size_t count)
{
    size_t done = 0;
#if defined(__x86_64__)
    if (isa_chosen() == ISA_AVX2 || isa_chosen() == ISA_AVX512)
        done = convert_array_avx2(to, out, from, in, count);
#endif
    convert_one_by_one(to, (char *)out + done * dtype_size(to), from, (const char *)in + done * dtype_size(from), count - done);
}
