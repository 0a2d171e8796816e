// SPDX-License-Identifier: Apache-2.0
// Errors are counted by side; the logarithm of a binomial coefficient is summed term by term.

#include "harness/judge/compare/lean.h"

#include <assert.h>
#include <math.h>

#include "ref/base/bytes.h"
#include "ref/num/small_float.h"

// -1: toward zero, 1: away from it, 0: exact.
static int side_of(enum dtype dtype, struct function_pair exact, const void *got, uint64_t i)
{
    const double value = num_to_double(dtype, element_load(got, dtype_size(dtype), (size_t)i));
    // the difference of two neighbours is exact
    const double off = copysign(1, exact.high) * (value - exact.high - exact.low);
    return (off > 0) - (off < 0);
}

static double evidence_of(uint64_t m, uint64_t k)
{
    double evidence = (double)m - log2((double)m + 1);
    for (uint64_t i = 1; i <= k; i++) // binomial(m, k) is the product of (m - k + i) / i
        evidence -= log2((double)(m - k + i) / (double)i);
    return evidence;
}

struct lean compare_lean(const struct expected *expected, const struct function_pair *exact,
                         const void *got, uint64_t count, struct comparison *comparison)
{
    assert(dtype_kind(expected->dtype) == DTYPE_KIND_FLOAT);
    const enum dtype dtype = expected->dtype;
    const size_t size = dtype_size(dtype);
    struct lean lean = {.count = 0};
    for (uint64_t i = 0; i < count; i++) {
        const int side = side_of(dtype, exact[i], got, i);
        lean.count += side != 0;
        lean.toward += side < 0;
    }
    lean.evidence = evidence_of(lean.count, lean.toward);
    if (lean.evidence < LEAN_EVIDENCE || comparison->wrong)
        return lean;
    const int accused = 2 * lean.toward > lean.count ? -1 : 1;
    for (uint64_t i = 0; i < count; i++) {
        if (side_of(dtype, exact[i], got, i) != accused)
            continue;
        comparison->wrong++;
        if (comparison->element_count < COMPARE_ELEMENTS_MAX)
            comparison->element[comparison->element_count++] = (struct compare_element){
                .at = i,
                .expected = element_load(expected->bits, size, (size_t)i),
                .got = element_load(got, size, (size_t)i),
                .lower = expected->lower ? element_load(expected->lower, size, (size_t)i) : 0,
                .upper = expected->upper ? element_load(expected->upper, size, (size_t)i) : 0};
    }
    return lean;
}
