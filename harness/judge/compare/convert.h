// SPDX-License-Identifier: Apache-2.0
// From a case to the call that a target gets.

#ifndef ASSAY_HARNESS_JUDGE_COMPARE_CONVERT_H
#define ASSAY_HARNESS_JUDGE_COMPARE_CONVERT_H

#include "harness/host/host.h"
#include "ref/base/arena.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/op/operation.h"

// Fills `call` from `request`: every attribute that has a value, every input that is present, and
// the wanted outputs as `inference` (NULL: none) says they are, without data. `call` points into
// the request and the arena.
enum error judge_convert_request(const struct request *request, const struct inference *inference,
                                 struct arena *arena, struct host_request *call,
                                 struct diagnostic *diagnostic);

// For a case that must be refused and breaks a rule of its operation's table already, so that no
// request can be made of it: the call as its document spells it. Attributes are typed by their
// spelling; a plain input takes i64 when it is whole, else f32.
enum error judge_convert_document(const struct document_node *node, struct arena *arena,
                                  struct host_request *call, struct diagnostic *diagnostic);

// A copy of `call` whose outputs have memory of their own, which holds nothing until the call is
// answered.
enum error judge_copy_call(const struct host_request *call, struct arena *arena,
                           struct host_request *copy, struct diagnostic *diagnostic);

// Elements that output `index` of `call` gives: all, or the window.
uint64_t judge_output_count(const struct host_request *call, size_t index);

#endif
