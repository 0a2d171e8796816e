// SPDX-License-Identifier: Apache-2.0
// A program that answers the cases of a suite in place of assay's reference.

#ifndef ASSAY_HARNESS_CLI_EMIT_PROGRAM_H
#define ASSAY_HARNESS_CLI_EMIT_PROGRAM_H

#include "ref/base/error.h"

struct suite;

// Runs the suite's program, where it has one, on each case that it answers, under each profile, and
// puts its answers in place of those that the golden vectors hold. ERROR_INPUT names the case where
// it refuses what it should answer, answers what it should refuse, or gives no answer; and where
// the suite belongs to another user, whose program it would be.
enum error program_ask(struct suite *suite, struct diagnostic *diagnostic);

#endif
