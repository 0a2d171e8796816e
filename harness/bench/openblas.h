// SPDX-License-Identifier: Apache-2.0
// OpenBLAS as a peer, on one thread: row-major products c = a b.

#ifndef ASSAY_HARNESS_BENCH_OPENBLAS_H
#define ASSAY_HARNESS_BENCH_OPENBLAS_H

#include <stdbool.h>

enum { OPENBLAS_ROW_MAJOR = 101, OPENBLAS_NO_TRANSPOSE = 111 };

struct openblas {
    void (*dgemm)(int, int, int, int, int, int, double, const double *, int, const double *, int,
                  double, double *, int);
    void (*sgemm)(int, int, int, int, int, int, float, const float *, int, const float *, int,
                  float, float *, int);
    double (*ddot)(int, const double *, int, const double *, int);
};

// False where libopenblas.so.0 is absent.
bool openblas_find(struct openblas *blas);

static inline void openblas_dgemm(const struct openblas *blas, int rows, int depth, int columns,
                                  const double *a, const double *b, double *c)
{
    blas->dgemm(OPENBLAS_ROW_MAJOR, OPENBLAS_NO_TRANSPOSE, OPENBLAS_NO_TRANSPOSE, rows, columns,
                depth, 1, a, depth, b, columns, 0, c, columns);
}

static inline void openblas_sgemm(const struct openblas *blas, int rows, int depth, int columns,
                                  const float *a, const float *b, float *c)
{
    blas->sgemm(OPENBLAS_ROW_MAJOR, OPENBLAS_NO_TRANSPOSE, OPENBLAS_NO_TRANSPOSE, rows, columns,
                depth, 1, a, depth, b, columns, 0, c, columns);
}

#endif
