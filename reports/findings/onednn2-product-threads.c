// oneDNN 2.6.3: a batch of products gives other bits with another number of threads. Ends with 1
// when it does.
//   cc onednn2-product-threads.c -ldnnl -fopenmp -o onednn2-product-threads
//   DNNL_MAX_CPU_ISA=AVX2 ./onednn2-product-threads
// Three products of [2, 2] and [2, 1] in f32, the same memory in every call. Every element is
// -(1 + 2^-11) + (1 + 2^-12)^2: 2^-24 where the second product is fused with the sum, 0 where it is
// rounded before. With DNNL_MAX_CPU_ISA=AVX, or AVX-512, every number of threads gives one of them.
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 3, ROWS = 2, DEPTH = 2, ELEMENTS = BATCH * ROWS, THREADS = 4, RUNS = 100 };
#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "failed: %s\n", #call);                                                \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static dnnl_memory_t make(dnnl_memory_desc_t *md, dnnl_dim_t rows, dnnl_dim_t columns, float *data)
{
    const dnnl_dim_t dims[DNNL_MAX_NDIMS] = {BATCH, rows, columns};
    dnnl_memory_t made;
    OK(dnnl_memory_desc_init_by_tag(md, 3, dims, dnnl_f32, dnnl_abc));
    OK(dnnl_memory_create(&made, md, engine, data));
    return made;
}

int main(void)
{
    static float a[ELEMENTS * DEPTH], b[BATCH * DEPTH], y[ELEMENTS], first[ELEMENTS];
    dnnl_memory_desc_t a_md, b_md, y_md;
    int differ = 0;
    OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    for (int i = 0; i < ELEMENTS; i++) {
        a[i * DEPTH] = 1;
        a[i * DEPTH + 1] = 1 + 0x1p-12f;
    }
    for (int i = 0; i < BATCH; i++) {
        b[i * DEPTH] = -(1 + 0x1p-11f);
        b[i * DEPTH + 1] = 1 + 0x1p-12f;
    }
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, make(&a_md, ROWS, DEPTH, a)},
                                         {DNNL_ARG_WEIGHTS, make(&b_md, DEPTH, 1, b)},
                                         {DNNL_ARG_DST, make(&y_md, ROWS, 1, y)}};
    for (int threads = 1; threads <= THREADS; threads++) {
        dnnl_matmul_desc_t product;
        dnnl_primitive_desc_t described;
        dnnl_primitive_t primitive;
        int unequal = 0;
        omp_set_num_threads(threads);
        OK(dnnl_matmul_desc_init(&product, &a_md, &b_md, NULL, &y_md));
        OK(dnnl_primitive_desc_create(&described, &product, NULL, engine, NULL));
        OK(dnnl_primitive_create(&primitive, described));
        for (int run = 0; run < RUNS; run++) {
            OK(dnnl_primitive_execute(primitive, stream, 3, arguments));
            OK(dnnl_stream_wait(stream));
            if (run == 0)
                memcpy(first, y, sizeof first);
            unequal += memcmp(first, y, sizeof first) != 0;
        }
        printf("%d threads: %d of %d runs differ from the first; the six elements:", threads,
               unequal, RUNS);
        for (int i = 0; i < ELEMENTS; i++) {
            printf(" %a", first[i]);
            differ |= first[i] != first[0];
        }
        printf("\n");
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(described));
    }
    return differ;
}
