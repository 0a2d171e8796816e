// SPDX-License-Identifier: Apache-2.0
// The verdict that each animal must get over the cases of its operation: the one that its worst case gets.

#ifndef ASSAY_HARNESS_ZOO_TABLE_H
#define ASSAY_HARNESS_ZOO_TABLE_H

struct zoo_row {
    const char *animal, *verdict;
    const char *says; // a part of the reason, "": any
};

static const struct zoo_row zoo_table[] = {
    // The well-behaved: no failure at all.
    {"good", "pass", ""},
    {"good_plain", "pass", ""},
    {"good_threads", "pass", ""},
    {"good_scratch", "pass", ""},
    {"prints", "pass", ""},
    // Wrong values and wrong refusals.
    {"nine_rounds", "fail", ""},
    {"rejects_all", "fail", "refused"},
    {"support_lie", "fail", "said that it supports this"},
    {"kills_parent", "fail", "the harness lives"},
    {"accepts_all", "accepted", "was not refused"},
    // Memory.
    {"read_past_end", "memory", "read 0 bytes past the end of input 'counter'"},
    {"read_before_start", "memory", "read 1 bytes before the start of input 'counter'"},
    {"write_past_end", "memory", "0 bytes past the end of output 'output'"},
    {"write_before_start", "memory", "1 bytes before the start of output 'output'"},
    {"write_input", "memory", "which is read-only"},
    {"kept_pointer", "memory", "wrote a buffer of an earlier call"},
    {"no_write", "memory", "element 0 of output 'output' was never written"},
    {"last_unwritten", "memory", "was never written"},
    {"allocates", "memory", "128 MiB"},
    // The same call, other bits.
    {"uninitialised", "nondeterministic", "element 0"},
    {"other_answer", "nondeterministic", ""},
    {"order", "nondeterministic", ""},
    {"clock", "nondeterministic", ""},
    {"address", "nondeterministic", ""},
    {"thread_count", "nondeterministic", "threads=3"},
    {"race", "nondeterministic", "two at once"},
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
    {"closes_files", "environment", "closed file descriptors"},
    // It does not come back.
    {"throws_signal", "crash", "signal 15"},
    {"null_pointer", "crash", "address 0"},
    {"exits", "crash", "exited with code 3"},
    {"exits_zero", "crash", "exited with code 0"},
    {"aborts", "crash", "signal 6"},
    {"stack", "crash", "signal 11"},
    {"garbage", "crash", "garbage"},
    {"unknown_status", "crash", "unknown status 77"},
    {"hangs", "timeout", "no answer"},
    {"spins", "timeout", "no answer"},
    // It cannot be opened: the harness refuses it.
    {"abi_future", "harness", "ABI version"},
    {"abi_size", "harness", "16 bytes"},
    {"abi_null", "harness", "NULL"},
};

#endif
