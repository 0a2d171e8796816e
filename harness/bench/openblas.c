// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "harness/bench/openblas.h"

#include <dlfcn.h>
#include <stddef.h>

bool openblas_find(struct openblas *blas)
{
    void *const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    void (*set_threads)(int) = NULL;
    *(void **)(&set_threads) = dlsym(library, "openblas_set_num_threads");
    if (set_threads)
        set_threads(1);
    *(void **)(&blas->dgemm) = dlsym(library, "cblas_dgemm");
    *(void **)(&blas->sgemm) = dlsym(library, "cblas_sgemm");
    *(void **)(&blas->ddot) = dlsym(library, "cblas_ddot");
    return blas->dgemm && blas->sgemm && blas->ddot;
}
