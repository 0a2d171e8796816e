// SPDX-License-Identifier: Apache-2.0
// cuRAND's device API (curand_kernel.h) behind the requests curand.philox_*: a kernel of 65,536
// threads, thread l of subsequence l, four elements a turn. So its array must be that of the host
// API.
//
//     nvcc -O2 -shared -Xcompiler -fPIC -o device_api.so device_api.cu
//
// Any C++ compiler that sees CUDA's headers makes the same of it without a device: the functions
// are then called thread by thread, on the processor.

#ifndef __CUDACC__
#define QUALIFIERS static inline
#endif
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

#include <cstdint>
#include <cstdio>

namespace {

#ifdef __CUDACC__
#define EVERYWHERE __device__
#else
#define EVERYWHERE
#endif

enum kind { BITS, UNIFORM, NORMAL };
constexpr uint64_t THREADS = 65536;

struct draws {
    int kind, wide;
    uint64_t seed, offset, count;
    void *out;
};

EVERYWHERE void put(const draws &asked, uint64_t element, unsigned bits, float single, double wide)
{
    if (element < asked.offset || element - asked.offset >= asked.count)
        return;
    const uint64_t at = element - asked.offset;
    if (asked.kind == BITS)
        static_cast<unsigned *>(asked.out)[at] = bits;
    else if (asked.wide)
        static_cast<double *>(asked.out)[at] = wide;
    else
        static_cast<float *>(asked.out)[at] = single;
}

// All that subsequence `thread` gives.
EVERYWHERE void draw(const draws &asked, uint64_t thread)
{
    const uint64_t first = asked.offset / (4 * THREADS);
    curandStatePhilox4_32_10_t state;
    curand_init(asked.seed, thread, first * (asked.wide ? 8 : 4), &state);
    for (uint64_t turn = first;; turn++) {
        const uint64_t element = 4 * (turn * THREADS + thread);
        if (element >= asked.offset + asked.count)
            return;
        uint4 bits = {0, 0, 0, 0};
        float4 single = {0, 0, 0, 0};
        double2 low = {0, 0}, high = {0, 0};
        if (asked.kind == BITS) {
            bits = curand4(&state);
        } else if (asked.wide) {
            low = asked.kind == UNIFORM ? curand_uniform2_double(&state)
                                        : curand_normal2_double(&state);
            high = asked.kind == UNIFORM ? curand_uniform2_double(&state)
                                         : curand_normal2_double(&state);
        } else {
            single = asked.kind == UNIFORM ? curand_uniform4(&state) : curand_normal4(&state);
        }
        put(asked, element, bits.x, single.x, low.x);
        put(asked, element + 1, bits.y, single.y, low.y);
        put(asked, element + 2, bits.z, single.z, high.x);
        put(asked, element + 3, bits.w, single.w, high.y);
    }
}

#ifdef __CUDACC__
__global__ void kernel(draws asked)
{
    draw(asked, blockIdx.x * uint64_t(blockDim.x) + threadIdx.x);
}

int draw_all(draws asked)
{
    const size_t size = asked.count * (asked.wide ? 8 : 4);
    void *const out = asked.out;
    cudaError_t error = cudaMalloc(&asked.out, size);
    if (error)
        return error;
    kernel<<<THREADS / 256, 256>>>(asked);
    error = cudaGetLastError();
    if (!error)
        error = cudaMemcpy(out, asked.out, size, cudaMemcpyDeviceToHost);
    cudaFree(asked.out);
    return error;
}
#else
int draw_all(const draws &asked)
{
    for (uint64_t thread = 0; thread < THREADS; thread++)
        draw(asked, thread);
    return 0;
}
#endif

} // namespace

// `kind` 0: words, 1: uniform, 2: normal numbers; `wide`: f64. `count` elements to `out`, memory of
// the process. 0, or an error of CUDA.
extern "C" int device_api_draw(int kind, int wide, uint64_t seed, uint64_t offset, uint64_t count,
                               void *out)
{
    return count ? draw_all({kind, wide, seed, offset, count, out}) : 0;
}

// The name of the device, or "processor", to `where`, and cuRAND's version to `version`: at most
// `size` bytes each.
extern "C" void device_api_describe(char *where, char *version, size_t size)
{
#ifdef __CUDACC__
    cudaDeviceProp properties;
    const bool there = !cudaGetDeviceProperties(&properties, 0);
    snprintf(where, size, "%s", there ? properties.name : "no device");
#else
    snprintf(where, size, "processor");
#endif
    snprintf(version, size, "%d.%d.%d", CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH);
}
