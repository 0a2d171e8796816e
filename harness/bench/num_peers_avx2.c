// SPDX-License-Identifier: Apache-2.0
// Peers of ref/num that need AVX2.

#include "harness/bench/num_peers.h"

#include <dlfcn.h>
#include <immintrin.h>

struct bench_sleef {
    __m256d (*tanh)(__m256d);
    __m256d (*exp)(__m256d);
};

const struct bench_sleef *bench_sleef_load(void)
{
    static struct bench_sleef sleef;
    void *const library = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    *(void **)(&sleef.tanh) = dlsym(library, "Sleef_tanhd4_u10avx2");
    *(void **)(&sleef.exp) = dlsym(library, "Sleef_expd4_u10avx2");
    return sleef.tanh && sleef.exp ? &sleef : NULL;
}

void bench_sleef_evaluate(const struct bench_sleef *sleef, bool tanh, size_t count, const float *in,
                          float *out)
{
    const __m256d one = _mm256_set1_pd(1), zero = _mm256_setzero_pd();
    for (size_t i = 0; i + 4 <= count; i += 4) {
        const __m256d x = _mm256_cvtps_pd(_mm_loadu_ps(in + i));
        const __m256d y =
            tanh ? sleef->tanh(x)
                 : _mm256_div_pd(one, _mm256_add_pd(one, sleef->exp(_mm256_sub_pd(zero, x))));
        _mm_storeu_ps(out + i, _mm256_cvtpd_ps(y));
    }
}

void bench_f16c_narrow(size_t count, const float *in, uint16_t *out)
{
    for (size_t i = 0; i + 8 <= count; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
}

void bench_f16c_widen(size_t count, const uint16_t *in, float *out)
{
    for (size_t i = 0; i + 8 <= count; i += 8)
        _mm256_storeu_ps(out + i,
                         _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(in + i))));
}
