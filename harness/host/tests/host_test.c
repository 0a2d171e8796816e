// SPDX-License-Identifier: Apache-2.0
// A worker survives nothing, the harness everything: each plugin of the zoo ends its call in the
// way that it must, and the call after it is answered. The expected Philox blocks are Random123's
// published known answers.

#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/host/host.h"
#include "harness/host/sanitized.h"
#include "harness/host/spawn.h"
#include "harness/host/target.h"
#include "harness/tests/zoo/path.h"
#include "harness/tests/zoo/table.h"
#include "ref/base/clock.h"

enum { TIME_MS = 1000, LONG_MS = 600000, MEMORY_MIB = 512 };

static struct host *open_plugin(const char *name)
{
    struct diagnostic diagnostic = {0};
    struct host *host = NULL;
    // Only those that never come back run out of time: nobody else is to be hurried by a slow
    // machine.
    const bool hangs = !strcmp(name, "hangs") || !strcmp(name, "spins");
    const struct host_options options = {.plugin = zoo_path(name),
                                         .time_ms = hangs ? TIME_MS : LONG_MS,
                                         .open_ms = LONG_MS,
                                         .memory_bytes = (uint64_t)MEMORY_MIB << 20};
    if (host_open(&options, &host, &diagnostic))
        fail_msg("%s", diagnostic.text);
    return host;
}

// Philox4x32-10 of counter 243f6a88 85a308d3 13198a2e 03707344 under key a4093822 299f31d0.
static const uint32_t pi_counter[] = {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344};
static const uint32_t pi_key[] = {0xa4093822, 0x299f31d0};
static const uint32_t pi_output[] = {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};

struct philox_request {
    uint32_t counter[4], key[2], output[4];
    struct assay_attribute rounds;
    struct host_tensor inputs[2], outputs[1];
    struct host_request request;
};

static void make_request(struct philox_request *r)
{
    memset(r, 0, sizeof *r);
    memcpy(r->counter, pi_counter, sizeof r->counter);
    memcpy(r->key, pi_key, sizeof r->key);
    r->rounds = (struct assay_attribute){.name = "rounds", .kind = ASSAY_INTEGER, .integer = 10};
    r->inputs[0] = (struct host_tensor){
        .name = "counter",
        .tensor = {.dtype = DTYPE_U32, .rank = 2, .shape = {1, 4}, .data = r->counter}};
    r->inputs[1] = (struct host_tensor){
        .name = "key", .tensor = {.dtype = DTYPE_U32, .rank = 1, .shape = {2}, .data = r->key}};
    r->outputs[0] = (struct host_tensor){
        .name = "output",
        .tensor = {.dtype = DTYPE_U32, .rank = 2, .shape = {1, 4}, .data = r->output}};
    r->request = (struct host_request){.operation = "philox",
                                       .attributes = &r->rounds,
                                       .attribute_count = 1,
                                       .inputs = r->inputs,
                                       .input_count = 2,
                                       .outputs = r->outputs,
                                       .output_count = 1};
}

static void a_good_plugin_answers_with_the_published_block(void **state)
{
    (void)state;
    struct host *const host = open_plugin("good");
    for (int padded = 0; padded < 2; padded++) {
        struct philox_request r;
        make_request(&r);
        struct host_call call = {.request = &r.request,
                                 .conditions = {.padded = padded, .thorough = true}};
        host_run(host, &call, 1);
        assert_string_equal(call.message, "");
        assert_int_equal(call.outcome, HOST_OK);
        assert_memory_equal(r.output, pi_output, sizeof pi_output);
    }
    assert_string_equal(host_describe(host)->name, "good");
    assert_int_equal(host->workers, 1);
    assert_true(host_close(host, NULL));
}

static void a_question_needs_no_data(void **state)
{
    (void)state;
    struct host *const host = open_plugin("good");
    struct philox_request r;
    make_request(&r);
    struct host_call calls[2] = {{.request = &r.request, .ask = true},
                                 {.request = &r.request, .ask = true}};
    r.request.operation = "philox";
    host_run(host, calls, 1);
    r.request.operation = "threefry";
    host_run(host, calls + 1, 1);
    assert_int_equal(calls[0].outcome, HOST_OK);
    assert_int_equal(calls[1].outcome, HOST_UNSUPPORTED);
    assert_string_equal(calls[1].message, "only philox");
    host_close(host, NULL);
}

// Both plugins say that they support whatever is Philox.
static void a_plugin_is_asked_about_element_types_that_it_knows(void **state)
{
    (void)state;
    static const struct {
        const char *plugin;
        enum host_outcome outcome;
    } row[] = {
        {"good", HOST_OK}, {"good_plain", HOST_UNSUPPORTED}, {"frozen_v1", HOST_UNSUPPORTED}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (enum dtype dtype = DTYPE_F64; dtype <= DTYPE_F8E5M2; dtype++)
            for (unsigned output = 0; output < 2; output++) {
                struct host *const host = open_plugin(row[i].plugin);
                struct philox_request r;
                make_request(&r);
                (output ? r.outputs : r.inputs)[0].tensor.dtype = dtype;
                struct host_call call = {.request = &r.request, .ask = true};
                host_run(host, &call, 1);
                assert_int_equal(call.outcome, dtype == DTYPE_F64 ? HOST_OK : row[i].outcome);
                if (call.outcome == HOST_UNSUPPORTED)
                    assert_non_null(strstr(call.message, dtype == DTYPE_F8E4M3
                                                             ? "is of type f8e4m3, later"
                                                             : "is of type f8e5m2, later"));
                assert_true(host_close(host, NULL));
            }
}

// name; outcome under the guard at the end; outcome under the guard at the start; a piece of the
// message.
struct expectation {
    const char *name;
    enum host_outcome end, start;
    const char *message;
};

static const struct expectation expectations[] = {
    {"read_past_end", HOST_MEMORY, HOST_OK,
     "read 0 bytes past the end of input 'counter' (element 4 of 4)"},
    {"read_before_start", HOST_OK, HOST_MEMORY, "read 1 bytes before the start of input 'counter'"},
    {"write_past_end", HOST_MEMORY, HOST_MEMORY, "0 bytes past the end of output 'output'"},
    {"write_before_start", HOST_MEMORY, HOST_MEMORY, "1 bytes before the start of output 'output'"},
    {"write_input", HOST_MEMORY, HOST_MEMORY,
     "wrote input 'counter', which is read-only, at element 0"},
    {"leak_ftz", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "flush to zero"},
    {"leak_rounding", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "rounding mode"},
    {"leak_exceptions", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "exception masks"},
    {"locale", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "locale"},
    {"signal_mask", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "signal mask"},
    {"signal_handler", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "handler of signal 8"},
    {"directory", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "current directory"},
    {"forks", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "child process"},
    {"forks_and_returns", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "child process"},
    {"closes_files", HOST_ENVIRONMENT, HOST_ENVIRONMENT, "closed file descriptors"},
    {"throws_signal", HOST_CRASH, HOST_CRASH, "signal 15"},
    {"null_pointer", HOST_CRASH, HOST_CRASH, "address 0"},
    {"exits", HOST_CRASH, HOST_CRASH, "exited with code 3"},
    {"exits_zero", HOST_CRASH, HOST_CRASH, "exited with code 0"},
    {"aborts", HOST_CRASH, HOST_CRASH, "signal 6"},
    {"stack", HOST_CRASH, HOST_CRASH, "signal 11"},
    {"hangs", HOST_TIMEOUT, HOST_TIMEOUT, "no answer after 1000 ms"},
    {"spins", HOST_TIMEOUT, HOST_TIMEOUT, "no answer after 1000 ms"},
    {"allocates", HOST_MEMORY, HOST_MEMORY, "512 MiB"},
    {"garbage", HOST_CRASH, HOST_CRASH, "connection"},
    {"kills_parent", HOST_FAILED, HOST_FAILED, "the harness lives"},
    {"prints", HOST_OK, HOST_OK, ""},
    {"unknown_status", HOST_CRASH, HOST_CRASH, "unknown status 77"},
    {"support_lie", HOST_UNSUPPORTED, HOST_UNSUPPORTED, "not after all"},
    {"rejects_all", HOST_REJECTED, HOST_REJECTED, "no"},
};

static void check_plugin(const struct expectation *expected, enum host_guard guard)
{
    struct host *const host = open_plugin(expected->name);
    struct philox_request r;
    make_request(&r);
    struct host_call calls[2] = {
        {.request = &r.request, .conditions = {.guard = guard, .thorough = true}},
        {.request = &r.request, .ask = true}};
    const enum host_outcome wanted = guard == HOST_GUARD_END ? expected->end : expected->start;
    host_run(host, calls, 2);
    if (calls[0].outcome != wanted ||
        (wanted != HOST_OK && !strstr(calls[0].message, expected->message)))
        fail_msg("%s, guard %d: %s (%s), expected %s (%s)", expected->name, (int)guard,
                 host_outcome_name(calls[0].outcome), calls[0].message, host_outcome_name(wanted),
                 expected->message);
    if (calls[1].outcome != HOST_OK)
        fail_msg("%s: the call after it: %s (%s)", expected->name,
                 host_outcome_name(calls[1].outcome), calls[1].message);
    host_close(host, NULL);
}

static void every_plugin_gets_its_outcome_and_the_next_call_is_answered(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++) {
        const char *const taken =
            ASSAY_SANITIZED ? zoo_taken_by_sanitizers(expectations[i].name) : NULL;
        if (taken) {
            print_message("# SKIP %s: %s\n", expectations[i].name, taken);
            continue;
        }
        check_plugin(&expectations[i], HOST_GUARD_END);
        check_plugin(&expectations[i], HOST_GUARD_START);
    }
}

static void what_grows_at_every_call_is_noticed_at_the_second(void **state)
{
    (void)state;
    static const char *const names[] = {"file_leak", "thread_leak"};
    for (size_t i = 0; i < 2; i++) {
        struct host *const host = open_plugin(names[i]);
        struct philox_request r;
        make_request(&r);
        struct host_call calls[2] = {
            {.request = &r.request, .conditions = {.thorough = true}},
            {.request = &r.request, .conditions = {.thorough = true, .again = true}}};
        host_run(host, calls, 2);
        assert_int_equal(calls[0].outcome, HOST_OK);
        assert_int_equal(calls[1].outcome, HOST_ENVIRONMENT);
        host_close(host, NULL);
    }
}

static void a_kept_pointer_faults(void **state)
{
    (void)state;
    struct host *const host = open_plugin("kept_pointer");
    struct philox_request r;
    make_request(&r);
    struct host_call calls[2] = {{.request = &r.request}, {.request = &r.request}};
    host_run(host, calls, 2);
    assert_int_equal(calls[0].outcome, HOST_OK);
    assert_int_equal(calls[1].outcome, HOST_MEMORY);
    assert_string_equal(calls[1].message, "wrote a buffer of an earlier call");
    host_close(host, NULL);
}

static void two_calls_run_at_the_same_time(void **state)
{
    (void)state;
    struct host *const host = open_plugin("race");
    struct philox_request r[2];
    make_request(&r[0]);
    make_request(&r[1]);
    struct host_call calls[2] = {{.request = &r[0].request, .conditions = {.together = true}},
                                 {.request = &r[1].request}};
    host_run(host, calls, 2);
    assert_int_equal(calls[0].outcome, HOST_OK);
    assert_int_equal(calls[1].outcome, HOST_OK);
    assert_true(memcmp(r[0].output, pi_output, sizeof pi_output) != 0 ||
                memcmp(r[1].output, pi_output, sizeof pi_output) != 0);
    host_close(host, NULL);
}

static void a_plugin_that_lies_about_the_abi_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"abi_future", "abi_size", "abi_null", "absent"};
    static const char *const why[] = {"ABI version 2", "16 bytes", "NULL", "absent.so"};
    for (size_t i = 0; i < 4; i++) {
        struct diagnostic diagnostic = {0};
        struct host *host = NULL;
        const struct host_options options = {.plugin = zoo_path(names[i])};
        assert_int_equal(host_open(&options, &host, &diagnostic), ERROR_SYSTEM);
        assert_null(host);
        assert_non_null(strstr(diagnostic.text, why[i]));
    }
}

static void many_calls_cost_little_and_need_one_worker(void **state)
{
    (void)state;
    enum { CALLS = 4000 };
    static struct philox_request r[CALLS];
    static struct host_call calls[CALLS];
    struct host *const host = open_plugin("good");
    for (int i = 0; i < CALLS; i++) {
        make_request(&r[i]);
        calls[i] = (struct host_call){.request = &r[i].request,
                                      .conditions = {.guard = (enum host_guard)(i % 2)}};
    }
    const uint64_t start = spawn_clock_ms();
    host_run(host, calls, CALLS);
    const uint64_t elapsed = spawn_clock_ms() - start;
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(calls[i].outcome, HOST_OK);
        assert_memory_equal(r[i].output, pi_output, sizeof pi_output);
    }
    assert_int_equal(host->workers, 1);
    print_message("# %.1f us a call\n", 1000.0 * (double)elapsed / CALLS);
    host_close(host, NULL);
}

// A machine that stood still, or had no processor for the harness, gave the worker none either.
static void time_in_which_nobody_looked_counts_little(void **state)
{
    (void)state;
    struct spawn_watch watch;
    spawn_watch_start(&watch);
    usleep(4 * SPAWN_STEP_MS * 1000);
    assert_int_equal(spawn_watch_ms(&watch), SPAWN_STEP_MS);
    usleep(4 * SPAWN_STEP_MS * 1000);
    assert_int_equal(spawn_watch_ms(&watch), 2 * SPAWN_STEP_MS);
    const uint64_t start = spawn_clock_ms();
    spawn_watch_start(&watch);
    while (spawn_watch_ms(&watch) < 4 * SPAWN_STEP_MS)
        usleep(SPAWN_STEP_MS * 1000 / 8);
    assert_true(spawn_clock_ms() - start >= 4 * SPAWN_STEP_MS);
}

// All that the target did is in it, the worker's repeats too, and nothing that it did not do.
static void the_time_of_a_targets_calls_is_told(void **state)
{
    (void)state;
    enum { CALLS = 20 };
    const uint64_t start = clock_now();
    struct host *const host = open_plugin("good");
    uint64_t before = host_spent(host), runs = 0;
    assert_true(before > 0 && before < clock_now() - start);
    struct philox_request r;
    make_request(&r);
    for (unsigned i = 0; i < CALLS; i++) {
        struct host_call call = {.request = &r.request, .conditions = {.again = i != 0}};
        host_run(host, &call, 1);
        assert_int_equal(call.outcome, HOST_OK);
        runs += call.nanoseconds;
    }
    assert_true(host_spent(host) - before > runs);
    assert_true(host_spent(host) < clock_now() - start);
    before = host_spent(host);
    struct host_call ask = {.request = &r.request, .ask = true};
    host_run(host, &ask, 1);
    assert_true(host_spent(host) > before);
    before = host_spent(host);
    struct host_call remade = {.request = &r.request,
                               .conditions = {.again = true, .remade = true}};
    host_run(host, &remade, 1);
    assert_true(host_spent(host) - before > 2 * remade.nanoseconds);
    host_close(host, NULL);
}

int main(int count, char **arguments)
{
    if (count > 1 && !strcmp(arguments[1], "worker"))
        return host_worker_main(count - 2, arguments + 2);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_plugin_answers_with_the_published_block),
        cmocka_unit_test(a_question_needs_no_data),
        cmocka_unit_test(a_plugin_is_asked_about_element_types_that_it_knows),
        cmocka_unit_test(every_plugin_gets_its_outcome_and_the_next_call_is_answered),
        cmocka_unit_test(what_grows_at_every_call_is_noticed_at_the_second),
        cmocka_unit_test(a_kept_pointer_faults),
        cmocka_unit_test(two_calls_run_at_the_same_time),
        cmocka_unit_test(a_plugin_that_lies_about_the_abi_is_refused),
        cmocka_unit_test(many_calls_cost_little_and_need_one_worker),
        cmocka_unit_test(time_in_which_nobody_looked_counts_little),
        cmocka_unit_test(the_time_of_a_targets_calls_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
