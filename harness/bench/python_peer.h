// SPDX-License-Identifier: Apache-2.0
// A peer in a Python of its own. It writes a line with its name when it is ready; then one byte
// asks for a call, and one byte answers.

#ifndef ASSAY_HARNESS_BENCH_PYTHON_PEER_H
#define ASSAY_HARNESS_BENCH_PYTHON_PEER_H

#include "harness/bench/bench.h"

struct python_peer {
    pid_t child;
    int ask, answer;
    char name[128];
};

// Starts Python ($PYTHON, else that of build/venv) with the arguments, NULL-terminated, at most 6.
// False with the reason: `what` is what that Python lacks where the program ends at once.
bool python_peer_start(struct python_peer *peer, const char *const *arguments, const char *what,
                       char why[BENCH_WHY_SIZE]);
// One call.
void python_peer_call(const struct python_peer *peer);
void python_peer_stop(struct python_peer *peer);

#endif
