// SPDX-License-Identifier: Apache-2.0
// Correlation by a number-theoretic transform: the convolution theorem modulo a prime that is
// larger than every count, so that counts come out whole. With P = 119 * 2^23 + 1 a transform of
// 2^log2 values takes log2 * 2^(log2 - 1) butterflies, where trying 65,536 lags one by one would
// take eight times the work. Values are kept below 2 P between butterflies, and a factor w comes
// with floor(w 2^32 / P), so that a product is reduced by two multiplications. Source: Pollard,
// doi:10.1090/S0025-5718-1971-0301966-0; Harvey, doi:10.1016/j.jsc.2013.09.002 (the lazy
// reduction).

#include "stats/kernel/correlate.h"

#include "stats/kernel/kernel.h"

enum { ROOT = 3 }; // generates the multiplicative group

static const uint32_t P = KERNEL_PRIME;

static uint32_t times(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b % P);
}

static uint32_t power(uint32_t a, uint32_t n)
{
    uint32_t product = 1;
    for (; n; n >>= 1, a = times(a, a))
        product = n & 1 ? times(product, a) : product;
    return product;
}

struct work {
    uint32_t *x, *y, *factor, *quotient; // factors of the level of 2 h values from place h on
};

static struct work divide(void *scratch, size_t n)
{
    uint32_t *const at = scratch;
    return (struct work){at, at + n, at + 2 * n, at + 3 * n};
}

size_t correlate_scratch(unsigned log2)
{
    return ((size_t)4 << log2) * sizeof(uint32_t);
}

static void make_factors(const struct work *work, size_t n)
{
    for (size_t half = n / 2; half; half /= 2) {
        uint32_t *const w = work->factor + half, *const q = work->quotient + half;
        if (half == n / 2) {
            const uint32_t root = power(ROOT, (P - 1) / (uint32_t)n);
            for (size_t j = 0; j < half; j++)
                w[j] = j ? times(w[j - 1], root) : 1;
            for (size_t j = 0; j < half; j++)
                q[j] = (uint32_t)(((uint64_t)w[j] << 32) / P);
        } else {
            for (size_t j = 0; j < half; j++) {
                w[j] = work->factor[2 * half + 2 * j];
                q[j] = work->quotient[2 * half + 2 * j];
            }
        }
    }
}

// From the order of time to that of reversed bits.
static void transform(const struct work *work, uint32_t *x, size_t n)
{
    for (size_t half = n / 2; half; half /= 2)
        kernel_chosen()->part(x, half, n / 2 / half, work->factor + half, work->quotient + half);
}

// From the order of reversed bits to that of time, which runs backwards, as the factors are not
// inverted.
static void transform_back(const struct work *work, uint32_t *x, size_t n)
{
    for (size_t half = 1; half < n; half *= 2)
        kernel_chosen()->join(x, half, n / 2 / half, work->factor + half, work->quotient + half);
}

void correlate_bits(const uint64_t *bit, const uint64_t *earlier, unsigned log2, size_t from,
                    size_t lags, uint32_t *together, void *scratch)
{
    const size_t n = (size_t)1 << log2;
    const struct work work = divide(scratch, n);
    make_factors(&work, n);
    // x[i]: bit i from `from` on. y runs backwards: the convolution at k then sums x[i] earlier[i -
    // k], and no i - k is below 0.
    for (size_t i = 0; i < n; i++) {
        work.x[i] = i < from ? 0 : bit[i / 64] >> i % 64 & 1;
        work.y[(n - i) % n] = earlier[i / 64] >> i % 64 & 1;
    }
    transform(&work, work.x, n);
    transform(&work, work.y, n);
    for (size_t i = 0; i < n; i++)
        work.x[i] = times(work.x[i], work.y[i] % P);
    transform_back(&work, work.x, n);
    const uint32_t share = P - (P - 1) / (uint32_t)n; // 1 / n
    for (size_t k = 1; k <= lags; k++)
        together[k] = times(work.x[n - k] % P, share);
}
