// oneDNN 2.6.3: a vanilla RNN gives other bits with another number of threads. Ends with 1 when it
// does.
//   cc onednn2-threads.c -ldnnl -fopenmp -o onednn2-threads && ./onednn2-threads
// One step of 25 rows and 64 channels in f32, named formats, the same memory in every call. Needs
// AVX2; with DNNL_MAX_CPU_ISA=AVX the bits are those of one thread.
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 25, CHANNELS = 64, RUNS = 100 };
#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "failed: %s\n", #call);                                                \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static dnnl_engine_t engine;
static dnnl_stream_t stream;

struct operand {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    float *data;
};

// Numerical Recipes' linear congruence, for the same words everywhere.
static uint32_t word(void)
{
    static uint32_t state = 1;
    return state = state * 1664525 + 1013904223;
}

// A dense tensor of multiples of 2^-16 in [-1/2, 1/2).
static struct operand make(int rank, dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d,
                           dnnl_dim_t e)
{
    const dnnl_dim_t dims[DNNL_MAX_NDIMS] = {a, b, c, d, e};
    dnnl_dim_t strides[DNNL_MAX_NDIMS];
    dnnl_dim_t count = 1;
    struct operand made;
    for (int i = rank - 1; i >= 0; i--) {
        strides[i] = count;
        count *= dims[i];
    }
    made.data = malloc((size_t)count * sizeof *made.data);
    for (dnnl_dim_t i = 0; i < count; i++)
        made.data[i] = (float)((int)(word() >> 16) - 32768) / 65536;
    OK(dnnl_memory_desc_init_by_strides(&made.md, rank, dims, dnnl_f32, strides));
    OK(dnnl_memory_create(&made.memory, &made.md, engine, made.data));
    return made;
}

int main(void)
{
    OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    OK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    struct operand x = make(3, 1, ROWS, CHANNELS, 0, 0), h = make(4, 1, 1, ROWS, CHANNELS, 0);
    struct operand w = make(5, 1, 1, CHANNELS, 1, CHANNELS),
                   u = make(5, 1, 1, CHANNELS, 1, CHANNELS);
    struct operand b = make(4, 1, 1, 1, CHANNELS, 0), y = make(3, 1, ROWS, CHANNELS, 0, 0);
    static float first[4][ROWS * CHANNELS];
    int differ = 0;
    for (int threads = 1; threads <= 3; threads++) {
        dnnl_rnn_desc_t rnn;
        dnnl_primitive_desc_t described;
        dnnl_primitive_t primitive;
        int unequal = 0;
        omp_set_num_threads(threads);
        OK(dnnl_vanilla_rnn_forward_desc_init(&rnn, dnnl_forward_inference, dnnl_eltwise_tanh,
                                              dnnl_unidirectional_left2right, &x.md, &h.md, &w.md,
                                              &u.md, &b.md, &y.md, NULL, 0, 0, 0));
        OK(dnnl_primitive_desc_create(&described, &rnn, NULL, engine, NULL));
        OK(dnnl_primitive_create(&primitive, described));
        const dnnl_exec_arg_t arguments[] = {
            {DNNL_ARG_SRC_LAYER, x.memory},     {DNNL_ARG_SRC_ITER, h.memory},
            {DNNL_ARG_WEIGHTS_LAYER, w.memory}, {DNNL_ARG_WEIGHTS_ITER, u.memory},
            {DNNL_ARG_BIAS, b.memory},          {DNNL_ARG_DST_LAYER, y.memory}};
        for (int run = 0; run < RUNS; run++) {
            OK(dnnl_primitive_execute(primitive, stream, 6, arguments));
            OK(dnnl_stream_wait(stream));
            if (run == 0)
                memcpy(first[threads], y.data, sizeof first[threads]);
            unequal += memcmp(first[threads], y.data, sizeof first[threads]) != 0;
        }
        printf(
            "%d threads: %d of %d runs differ from the first; rows that differ from those "
             "of one thread:",
            threads, unequal, RUNS);
        for (int n = 0; n < ROWS; n++)
            if (memcmp(&first[1][n * CHANNELS], &first[threads][n * CHANNELS],
                       CHANNELS * sizeof(float))) {
                printf(" %d", n);
                differ = 1;
            }
        printf("\n");
        OK(dnnl_primitive_destroy(primitive));
        OK(dnnl_primitive_desc_destroy(described));
    }
    return differ;
}
