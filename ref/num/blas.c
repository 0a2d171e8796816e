// SPDX-License-Identifier: Apache-2.0
// OpenBLAS, loaded when it is first wanted.
//
// Loading it then, rather than linking it, lets ASSAY_ISA bound what it uses (it reads OPENBLAS_CORETYPE once, while it is
// loaded), keeps it from starting threads (ours run beside each other, one BLAS call each), and lets the program run without it.
// Loading sets two variables of the environment for a moment: nobody may read the environment from another thread just then.

#include "ref/num/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/isa.h"
#include "ref/num/kernel.h"

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 }; // the C interface of the BLAS

typedef void (*dgemm_function)(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double *a,
                               int lda, const double *b, int ldb, double beta, double *c, int ldc);

static struct {
    dgemm_function dgemm;
    char name[160];
} blas;

// The value of a variable for as long as the library is loaded; what it was comes back.
struct variable {
    const char *name;
    char old[64];
    bool was_set, changed;
};

static void variable_set(struct variable *variable, const char *name, const char *value)
{
    const char *const old = getenv(name);
    *variable = (struct variable){.name = name, .was_set = old != NULL};
    if (old && strlen(old) >= sizeof variable->old)
        return;
    if (old)
        memcpy(variable->old, old, strlen(old) + 1);
    variable->changed = setenv(name, value, 1) == 0;
}

static void variable_restore(const struct variable *variable)
{
    if (variable->changed && variable->was_set)
        setenv(variable->name, variable->old, 1);
    else if (variable->changed)
        unsetenv(variable->name);
}

// The processor family whose kernels use no more than the chosen instruction set; NULL: whatever OpenBLAS finds.
static const char *core_type(void)
{
    const char *const wanted = getenv("ASSAY_ISA");
    if (!wanted || !*wanted)
        return NULL;
#if defined(__x86_64__)
    return isa_chosen() == ISA_AVX512 ? "SkylakeX" : isa_chosen() == ISA_AVX2 ? "Haswell" : "Prescott";
#elif defined(__aarch64__)
    return "ARMV8";
#else
    return NULL;
#endif
}

static void load(void)
{
    static const char *const files[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"};
    struct variable threads, core;
    const char *const type = core_type();
    variable_set(&threads, "OPENBLAS_NUM_THREADS", "1");
    if (type)
        variable_set(&core, "OPENBLAS_CORETYPE", type);
    void *library = NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files && !library; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (type)
        variable_restore(&core);
    variable_restore(&threads);
    snprintf(blas.name, sizeof blas.name, "plain");
    if (!library)
        return;
    void (*set_threads)(int) = NULL;
    char *(*config)(void) = NULL;
    // POSIX: a data pointer from dlsym can be stored as a function pointer this way.
    *(void **)(&set_threads) = dlsym(library, "openblas_set_num_threads");
    *(void **)(&config) = dlsym(library, "openblas_get_config");
    if (!set_threads || !config)
        return;
    *(void **)(&blas.dgemm) = dlsym(library, "cblas_dgemm");
    set_threads(1);
    snprintf(blas.name, sizeof blas.name, "%s", config());
}

static void load_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

const char *num_blas_name(void)
{
    load_once();
    return blas.name;
}

// With the right operand's columns side by side the inner loop runs along them; otherwise both run along the depth, in one go where
// both lie in one piece.
static void plain_block(const double *a, ptrdiff_t a_vector, ptrdiff_t a_depth, const double *b, ptrdiff_t b_vector,
                        ptrdiff_t b_depth, size_t rows, size_t columns, size_t count, double *block, size_t block_stride)
{
    const struct num_kernel *const kernel = num_kernel_chosen();
    for (size_t r = 0; r < rows; r++) {
        double *const to = block + r * block_stride;
        const double *const row = a + (ptrdiff_t)r * a_vector;
        memset(to, 0, columns * sizeof *to);
        for (size_t k = 0; k < count && b_vector == 1; k++)
            kernel->add_scaled(columns, row[(ptrdiff_t)k * a_depth], b + (ptrdiff_t)k * b_depth, to);
        for (size_t c = 0; c < columns && b_vector != 1; c++) {
            const double *const column = b + (ptrdiff_t)c * b_vector;
            if (a_depth == 1 && b_depth == 1)
                to[c] = kernel->dot(count, row, column);
            else
                for (size_t k = 0; k < count; k++)
                    to[c] += row[(ptrdiff_t)k * a_depth] * column[(ptrdiff_t)k * b_depth];
        }
    }
}

void num_blas_block(const struct num_operand *left, size_t row, size_t rows, const struct num_operand *right, size_t column,
                    size_t columns, size_t first, size_t count, double *block, size_t block_stride, bool plain)
{
    load_once();
    const double *const a = left->values + (ptrdiff_t)row * left->vector_stride + (ptrdiff_t)first * left->depth_stride;
    const double *const b = right->values + (ptrdiff_t)column * right->vector_stride + (ptrdiff_t)first * right->depth_stride;
    const bool a_rows = left->depth_stride == 1, b_columns = right->depth_stride == 1; // vectors lie in one piece
    const ptrdiff_t lda = a_rows ? left->vector_stride : left->depth_stride;
    const ptrdiff_t ldb = b_columns ? right->vector_stride : right->depth_stride;
    if (plain || !blas.dgemm || lda > INT32_MAX || ldb > INT32_MAX) {
        plain_block(a, left->vector_stride, left->depth_stride, b, right->vector_stride, right->depth_stride, rows, columns,
                    count, block, block_stride);
        return;
    }
    blas.dgemm(ROW_MAJOR, a_rows ? NO_TRANSPOSE : TRANSPOSE, b_columns ? TRANSPOSE : NO_TRANSPOSE, (int)rows, (int)columns,
               (int)count, 1.0, a, (int)lda, b, (int)ldb, 0.0, block, (int)block_stride);
}
