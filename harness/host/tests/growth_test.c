// SPDX-License-Identifier: Apache-2.0
// What every repeated call takes and keeps is proven; what one call takes, and threads that are
// about to be gone, are not.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/environment.h"
#include "harness/host/sanitized.h"
#include "harness/host/thread_list.h"

enum { GRANTED = 1 << 30, BLOCK = 1 << 14, SMALL = 24, PAGE = 4096, BLOCKS = 8192 };

static pthread_barrier_t barrier;
static sem_t started;
static pthread_t threads[ENVIRONMENT_REPEATS];
static int files[ENVIRONMENT_REPEATS];
static void *blocks[BLOCKS];

static void *wait_for_it(void *context)
{
    sem_post(&started);
    pthread_barrier_wait(&barrier);
    return context;
}

static void keep_thread(unsigned call)
{
    assert_int_equal(pthread_create(&threads[call], NULL, wait_for_it, NULL), 0);
    while (sem_wait(&started) && errno == EINTR) {} // what its start takes it has then
}

static void keep_file(unsigned call)
{
    files[call] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(files[call] >= 0);
}

static void keep_memory(unsigned call)
{
    blocks[call] = malloc(BLOCK);
    assert_non_null(blocks[call]);
}

static void keep_little(unsigned call)
{
    blocks[call] = malloc(SMALL);
    assert_non_null(blocks[call]);
}

static void keep_mapping(unsigned call)
{
    blocks[call] = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(blocks[call] != MAP_FAILED);
}

// After how many calls that each keep something that is proven: no more than `most`.
static unsigned check(void (*keep)(unsigned call), unsigned most, const char *words)
{
    struct environment_growth growth = {.of = {{.calls = 0}}};
    char text[256] = "";
    unsigned calls = 0;
    environment_growth_start(&growth, GRANTED);
    while (calls < most && !environment_growth_proven(&growth, false, text, sizeof text)) {
        keep(calls++);
        assert_true(environment_growth_end(&growth));
    }
    assert_true(environment_growth_proven(&growth, false, text, sizeof text));
    if (!strstr(text, words))
        fail_msg("'%s' in place of '%s'", text, words);
    environment_growth_end(&growth);
    assert_false(environment_growth_end(&growth)); // a call that keeps nothing breaks the row
    assert_false(environment_growth_proven(&growth, false, text, sizeof text));
    return calls;
}

static void free_blocks(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(blocks[i]);
}

static void threads_are_seen(void **state)
{
    (void)state;
    pthread_barrier_init(&barrier, NULL, ENVIRONMENT_REPEATS + 1);
    sem_init(&started, 0, 0);
    assert_int_equal(check(keep_thread, ENVIRONMENT_REPEATS,
                           "a thread was left running at each of 16 repeated calls"),
                     ENVIRONMENT_REPEATS);
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < ENVIRONMENT_REPEATS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

static void files_are_seen(void **state)
{
    (void)state;
    assert_int_equal(
        check(keep_file, ENVIRONMENT_REPEATS, "a file was left open at each of 16 repeated calls"),
        ENVIRONMENT_REPEATS);
    for (unsigned i = 0; i < ENVIRONMENT_REPEATS; i++)
        close(files[i]);
}

static void memory_is_seen(void **state)
{
    (void)state;
    free_blocks(check(keep_memory, BLOCKS, "memory was kept: 16.0 KiB at each of"));
}

static void a_few_bytes_are_seen(void **state)
{
    (void)state;
    free_blocks(check(keep_little, BLOCKS, "memory was kept: 0.0 KiB at each of"));
}

static void mappings_are_seen(void **state)
{
    (void)state;
    const unsigned calls = check(keep_mapping, ENVIRONMENT_CACHED,
                                 "memory was mapped and kept: 4.0 KiB at each of 2048");
    for (unsigned i = 0; i < calls; i++)
        munmap(blocks[i], PAGE);
}

// A cache that fills at each call, as many entries and bytes as it may hold: the last of them is
// granted, the next is not.
static void a_cache_may_fill(void **state)
{
    (void)state;
    enum { FEW = 2 * ENVIRONMENT_REPEATS };
    static const size_t large = GRANTED / FEW;
    char text[256] = "";
    struct environment_growth growth = {.of = {{.calls = 0}}};
    environment_growth_start(&growth, GRANTED);
    for (unsigned call = 0; call < ENVIRONMENT_CACHED - 1; call++) {
        keep_memory(call);
        environment_growth_end(&growth);
        assert_false(environment_growth_proven(&growth, false, text, sizeof text));
    }
    free_blocks(ENVIRONMENT_CACHED - 1);
    environment_growth_start(&growth, GRANTED);
    for (unsigned call = 0; call <= FEW; call++) {
        blocks[call] = mmap(NULL, large, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        assert_true(blocks[call] != MAP_FAILED);
        environment_growth_end(&growth);
        assert_int_equal(environment_growth_proven(&growth, false, text, sizeof text), call == FEW);
    }
    assert_non_null(strstr(text, "memory was mapped and kept"));
    for (unsigned call = 0; call <= FEW; call++)
        munmap(blocks[call], large);
}

// A thread that lets go of the block of a call once the next one is under way: there is always one
// block more after a call than before it.
static void what_is_freed_late_proves_nothing(void **state)
{
    (void)state;
    struct environment_growth growth = {.of = {{.calls = 0}}};
    char text[256] = "";
    void *late = NULL;
    environment_growth_start(&growth, GRANTED);
    for (unsigned call = 0; call < BLOCKS; call++) {
        free(late);
        late = malloc(BLOCK);
        environment_growth_end(&growth);
        assert_false(environment_growth_proven(&growth, false, text, sizeof text));
    }
    free(late);
}

static void *do_nothing(void *context)
{
    return context;
}

// The system wakes the one that joins a thread before it takes the thread off its list: of these
// many joins some are too early.
static void joined_threads_do_not_count(void **state)
{
    (void)state;
    enum { CALLS = 5000 };
    for (unsigned call = 0; call < CALLS; call++) {
        pthread_t thread;
        const unsigned before = thread_list_running("self");
        assert_int_equal(pthread_create(&thread, NULL, do_nothing, NULL), 0);
        pthread_join(thread, NULL);
        assert_int_equal(thread_list_running("self"), before);
    }
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned done, gone;

static void say(unsigned *what)
{
    pthread_mutex_lock(&mutex);
    (*what)++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

static void wait_until(const unsigned *what, unsigned count)
{
    pthread_mutex_lock(&mutex);
    while (*what < count)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work_and_leave(void *context)
{
    say(&done);
    wait_until(&gone, *(const unsigned *)context);
    return NULL;
}

// Each call ends while its thread has yet to leave, and each thread has left when the next call
// begins.
static void threads_that_leave_late_prove_nothing(void **state)
{
    (void)state;
    struct environment_growth growth = {.of = {{.calls = 0}}};
    char text[256] = "";
    environment_growth_start(&growth, GRANTED);
    for (unsigned call = 1; call <= 2 * ENVIRONMENT_REPEATS; call++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, work_and_leave, &call), 0);
        wait_until(&done, call);
        environment_growth_end(&growth);
        assert_false(environment_growth_proven(&growth, false, text, sizeof text));
        say(&gone);
        pthread_join(thread, NULL);
    }
}

// Sizes of 32, 48, ... bytes, and how many blocks of one a thread's cache holds at least.
enum { POOL = 16, EACH = 7, SIZES = 20, TURNS = POOL * EACH * SIZES, EMPTIED = 64 };
static unsigned given, freed;

static size_t size_of(unsigned turn)
{
    return 24 + 16 * (size_t)(turn / (POOL * EACH));
}

// Of every POOL blocks one is freed by this thread, into its own cache.
static void *free_in_turn(void *context)
{
    const unsigned self = *(const unsigned *)context;
    for (unsigned turn = self; turn < TURNS; turn += POOL) {
        wait_until(&given, turn + 1);
        free(blocks[turn]);
        say(&freed);
    }
    return NULL;
}

// A pool's caches of freed blocks fill, one block more after each call, and end to fill.
static void caches_of_threads_prove_nothing(void **state)
{
    (void)state;
    struct environment_growth growth = {.of = {{.calls = 0}}};
    char text[256] = "";
    static void *emptied[SIZES * EMPTIED]; // this thread's own cache
    pthread_t pool[POOL];
    unsigned number[POOL], most = 0;
    for (unsigned i = 0; i < POOL; i++) {
        number[i] = i;
        assert_int_equal(pthread_create(&pool[i], NULL, free_in_turn, &number[i]), 0);
    }
    for (unsigned i = 0; i < SIZES * EMPTIED; i++)
        emptied[i] = malloc(size_of(i / EMPTIED * POOL * EACH));
    environment_growth_start(&growth, GRANTED);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        blocks[turn] = malloc(size_of(turn));
        say(&given);
        wait_until(&freed, turn + 1);
        environment_growth_end(&growth);
        const unsigned calls = growth.of[ENVIRONMENT_GROWTHS - 1].calls;
        most = calls > most ? calls : most;
        assert_false(environment_growth_proven(&growth, false, text, sizeof text));
    }
    for (unsigned i = 0; i < POOL; i++)
        pthread_join(pool[i], NULL);
    for (unsigned i = 0; i < SIZES * EMPTIED; i++)
        free(emptied[i]);
    if (!ASSAY_SANITIZED)
        assert_true(most >= ENVIRONMENT_CACHED); // else this shows nothing
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_are_seen),
                                       cmocka_unit_test(files_are_seen),
                                       cmocka_unit_test(memory_is_seen),
                                       cmocka_unit_test(a_few_bytes_are_seen),
                                       cmocka_unit_test(mappings_are_seen),
                                       cmocka_unit_test(a_cache_may_fill),
                                       cmocka_unit_test(what_is_freed_late_proves_nothing),
                                       cmocka_unit_test(joined_threads_do_not_count),
                                       cmocka_unit_test(threads_that_leave_late_prove_nothing),
                                       cmocka_unit_test(caches_of_threads_prove_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
