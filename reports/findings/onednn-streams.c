// SPDX-License-Identifier: Apache-2.0
// oneDNN 3.13.2 (SYCL runtime): each stream that was used leaves memory behind. Ends with 1 when it
// does.
//   cc onednn-streams.c -I$ONEDNN/include -L$ONEDNN/lib -ldnnl -o onednn-streams
//   OCL_ICD_FILENAMES=$ONEDNN/lib/libintelocl.so LD_LIBRARY_PATH=$ONEDNN/lib ./onednn-streams
// where ONEDNN is the folder of the wheel. Three ways, each 4 times 1,000 rounds: a stream of each
// round's own that is not used, one stream for all rounds, and a stream of each round's own that
// copies four floats.
#include <malloc.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 1000, PARTS = 4 };
#define OK(call)                                                                                   \
    do {                                                                                           \
        if (call) {                                                                                \
            fprintf(stderr, "failed: %s\n", #call);                                                \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

static dnnl_engine_t engine;
static dnnl_primitive_t copy;
static dnnl_exec_arg_t arguments[2];

static void make_copy(void)
{
    static float from[4], to[4];
    dnnl_memory_desc_t md;
    dnnl_primitive_desc_t described;
    OK(dnnl_memory_desc_create_with_tag(&md, 1, (dnnl_dims_t){4}, dnnl_f32, dnnl_a));
    arguments[0].arg = DNNL_ARG_FROM;
    arguments[1].arg = DNNL_ARG_TO;
    OK(dnnl_memory_create(&arguments[0].memory, md, engine, from));
    OK(dnnl_memory_create(&arguments[1].memory, md, engine, to));
    OK(dnnl_reorder_primitive_desc_create(&described, md, engine, md, engine, NULL));
    OK(dnnl_primitive_create(&copy, described));
}

static void use(dnnl_stream_t stream)
{
    OK(dnnl_primitive_execute(copy, stream, 2, arguments));
    OK(dnnl_stream_wait(stream));
}

// Bytes that each of the last ROUNDS rounds left in use.
static long run(const char *what, dnnl_stream_t all, int used)
{
    size_t before = 0, after = 0;
    printf("%s:", what);
    for (int part = 0; part < PARTS; part++) {
        before = mallinfo2().uordblks;
        for (int i = 0; i < ROUNDS; i++) {
            dnnl_stream_t own = all;
            if (!all)
                OK(dnnl_stream_create(&own, engine, dnnl_stream_in_order));
            if (used)
                use(own);
            if (!all)
                OK(dnnl_stream_destroy(own));
        }
        after = mallinfo2().uordblks;
        printf(" %ld", ((long)after - (long)before) / ROUNDS);
    }
    printf(" bytes a round\n");
    return ((long)after - (long)before) / ROUNDS;
}

int main(void)
{
    dnnl_stream_t all;
    OK(dnnl_engine_create(&engine, dnnl_cpu, 0));
    OK(dnnl_stream_create(&all, engine, dnnl_stream_in_order));
    make_copy();
    run("own stream, not used", NULL, 0);
    run("one stream, used", all, 1);
    return run("own stream, used", NULL, 1) > 1000;
}
