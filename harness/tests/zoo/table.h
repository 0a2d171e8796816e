// SPDX-License-Identifier: Apache-2.0
// The verdict that each plugin of the zoo, faulty or not, must get over the cases of its operation:
// the one that its worst case gets.

#ifndef ASSAY_HARNESS_ZOO_TABLE_H
#define ASSAY_HARNESS_ZOO_TABLE_H

#include <stddef.h>
#include <string.h>

struct zoo_row {
    const char *plugin, *verdict;
    const char *says; // a part of the reason, "": any
};

static const struct zoo_row zoo_table[] = {
    // The well-behaved: no failure at all.
    {"good", "pass", ""},
    {"good_plain", "pass", ""},
    {"good_threads", "pass", ""},
    {"good_scratch", "pass", ""},
    {"collects", "pass", ""},
    {"frees_late", "pass", ""},
    {"keeps_some", "pass", ""},
    {"trims", "pass", ""},
    {"keeps_large", "pass", ""},
    {"frozen_v1", "pass", ""},
    {"names", "pass", ""},
    {"prints", "pass", ""},
    // Wrong values and wrong refusals.
    {"nine_rounds", "fail", ""},
    {"swapped_key", "fail", ""},
    {"four_threads", "fail", ""},
    {"long_message", "fail", "failed: xxxxxxxx"},
    {"rejects_all", "fail", "refused"},
    {"support_lie", "fail", "said that it supports this"},
    {"kills_parent", "fail", "the harness lives"},
    {"accepts_all", "accepted", "was not refused"},
    {"refuses_announced", "accepted", "was not refused"},
    {"fails_invalid", "fail", "failed: out of memory"},
    {"unsupported_invalid", "fail", "said that it supports this"},
    // Memory.
    {"read_past_end", "memory", "read 0 bytes past the end of input 'counter'"},
    {"read_before_start", "memory", "read 1 bytes before the start of input 'counter'"},
    {"write_past_end", "memory", "0 bytes past the end of output 'output'"},
    {"write_before_start", "memory", "1 bytes before the start of output 'output'"},
    {"write_input", "memory", "which is read-only"},
    {"kept_pointer", "memory", "wrote a buffer of an earlier call"},
    {"no_write", "memory", "element 0 of output 'output' was never written"},
    {"write_padding", "memory", "wrote into the padding between rows of output 'output'"},
    {"unlocks_input", "memory", "input 'counter' was changed"},
    {"share", "memory", "before the start of output 'output'"},
    {"whole_vectors", "memory", "past the end of output 'output'"},
    {"last_unwritten", "memory", "was never written"},
    {"allocates", "memory", "512 MiB"},
    // The same call, other bits.
    {"uninitialised", "nondeterministic", "element 0"},
    {"uninitialised_heap", "nondeterministic", "element 0"},
    {"other_answer", "nondeterministic", ""},
    {"order", "nondeterministic", ""},
    {"clock", "nondeterministic", ""},
    {"address", "nondeterministic", ""},
    {"thread_count", "nondeterministic", "threads=3"},
    {"most_threads", "nondeterministic", "threads=12"},
    {"race", "nondeterministic", "two at once"},
    {"alignment", "nondeterministic", "element 0"},
    {"both_ends", "nondeterministic", "guard=inside"},
    {"offset_input", "nondeterministic", "guard=inside"},
    {"offset_output", "nondeterministic", "guard=inside"},
    {"output_below", "nondeterministic", "element 0"},
    {"status_flags", "nondeterministic", "element 0"},
    {"poison_aware", "nondeterministic", "5a5a5a5a in an equal one"},
    {"three_conditions", "nondeterministic", "threads=2"},
    {"after_refusal", "nondeterministic", "element 0"},
    {"hundredth", "nondeterministic", "element 0"},
    {"second_call", "fail", "an equal call gave other values"},
    {"claims_chance", "nondeterministic", "element 0"},
    {"one_instance", "fail", "an equal call gave other values"},
    {"one_session", "fail", "an equal call gave other values once another session was closed"},
    {"last_prepared", "nondeterministic", "again, after another instance"},
    {"first_prepared", "nondeterministic", "beside an instance of another request"},
    {"keeps_key", "nondeterministic", "beside an instance of another request"},
    // The process is not as it was.
    {"leak_ftz", "environment", "flush to zero"},
    {"leak_rounding", "environment", "rounding mode"},
    {"leak_exceptions", "environment", "exception masks"},
    {"locale", "environment", "locale"},
    {"signal_mask", "environment", "signal mask"},
    {"signal_handler", "environment", "handler of signal"},
    {"directory", "environment", "current directory"},
    {"variables", "environment", "environment variables"},
    {"file_leak", "environment", "file was left open"},
    {"thread_leak", "environment", "thread was left running"},
    {"forks", "environment", "child process"},
    {"forks_and_returns", "environment", "child process"},
    {"forks_and_writes_late", "environment", "child process"},
    {"forks_twice", "environment", "child process"},
    {"leak_daz", "environment", "denormals"},
    {"leak_x87", "environment", "control word"},
    {"thread_locale", "environment", "locale of the thread"},
    {"file_mask", "environment", "mode of new files"},
    {"limits", "environment", "limit 7"},
    {"timer", "environment", "a timer was left running"},
    {"priority", "environment", "priority"},
    {"signal_stack", "environment", "stack of signal handlers"},
    {"signal_stacks", "environment", "stack of signal handlers was replaced"},
    {"replaces_file", "environment", "file descriptor 2 was replaced"},
    {"supports_leak", "environment", "when asked for support: the current directory"},
    {"request_write", "environment", "the request itself"},
    {"memory_leak", "environment", "KiB at each of"},
    {"instance_leak", "environment", "memory was kept: 1.0 KiB at each of 2048 repeated instances"},
    {"maps_memory", "environment", "memory was mapped and kept: 4.0 KiB at each of"},
    {"late_write", "environment", "thread was left running"},
    {"closes_files", "environment", "closed file descriptors"},
    // It does not come back.
    {"throws_signal", "crash", "signal 15"},
    {"null_pointer", "crash", "address 0"},
    {"exits", "crash", "exited with code 3"},
    {"exits_zero", "crash", "exited with code 0"},
    {"aborts", "crash", "signal 6"},
    {"stack", "crash", "signal 11"},
    {"execs", "crash", "exited with code 0"},
    {"supports_crash", "crash", "signal 6"},
    {"crashes_at_release", "crash", "signal 6"},
    {"crashes_at_close", "crash", "crashed while closing"},
    {"crashes_at_exit", "crash", "crashed while closing"},
    {"writes_later", "crash", "a buffer of an earlier call"},
    {"hangs_at_close", "crash", "did not close"},
    {"garbage", "crash", "connection"},
    {"unknown_status", "crash", "unknown status 77"},
    {"hangs", "timeout", "no answer"},
    {"spins", "timeout", "no answer"},
    {"stops", "timeout", "no answer"},
    // It cannot be opened: the harness refuses it.
    {"abi_future", "harness", "ABI version"},
    {"abi_size", "harness", "16 bytes"},
    {"abi_null", "harness", "NULL"},
    {"abi_member", "harness", "a member of the plugin's struct is NULL"},
    {"abi_feeds", "harness", "feed 1 of 2 has no name"},
    {"abi_name", "harness", "longer than 63 bytes"},
    {"crashes_at_entry", "harness", "signal 6"},
    {"hangs_at_open", "harness", "was not ready"},
};

// Plugins that need other cases than the few of every kind.
static const struct {
    const char *plugin, *cases;
} zoo_cases[] = {
    {"write_padding", "[pr][ue][bf]*-[oc]*[dn]*"}, // rows apart, and refusals among answers
    {"alignment", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"offset_input", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"offset_output", "rounds-2x32-11"}, // what comes at this offset follows from its position
    {"three_conditions", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"four_threads", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"most_threads", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"after_refusal", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"collects", "[pr][ue][bf]*-[oc]*[dn]*"}, // enough calls for it to let go of what it keeps
    {"frees_late", "[pr][ue][bf]*-[oc]*[dn]*"},
    {"swapped_key", "published-4x32-r10-pi"}, // a key of two words that differ
    {"hundredth", "[br]*-*"},                 // more than a hundred calls
};

// What sanitizers take out of the harness's hands: a build with them does not hold these, and its
// tests say so.
static const struct {
    const char *plugin, *why;
} zoo_taken[] = {
    {"allocates",
     "without a limit of memory, which leaves no room for the shadow of AddressSanitizer, "
     "it takes all there is"},
    {"null_pointer", "UndefinedBehaviorSanitizer ends the process before it faults"},
    {"keeps_large", "AddressSanitizer keeps what is freed, and it counts as kept"},
    {"uninitialised_heap", "AddressSanitizer fills fresh memory itself, always alike"},
};

// Why a build with sanitizers cannot hold the plugin to its verdict, or NULL.
static inline const char *zoo_taken_by_sanitizers(const char *plugin)
{
    for (size_t i = 0; i < sizeof zoo_taken / sizeof zoo_taken[0]; i++)
        if (!strcmp(zoo_taken[i].plugin, plugin))
            return zoo_taken[i].why;
    return NULL;
}

#endif
