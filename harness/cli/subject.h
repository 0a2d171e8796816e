// SPDX-License-Identifier: Apache-2.0
// What a command looks at: targets, suites, and perhaps one case, as the command line names them.
// Shared by run, minimize and explain.

#ifndef ASSAY_HARNESS_CLI_SUBJECT_H
#define ASSAY_HARNESS_CLI_SUBJECT_H

#include "harness/cli/suite_table.h"
#include "harness/cli/target_table.h"
#include "ref/base/nearest.h"
#include "yaml/suite.h"

struct subject {
    const char *target, *plugin, *program, *suites; // the words; NULL: not given
    struct arena arena;
    size_t target_count, path_count;
    struct target *targets;
    char **paths; // of the suites
    struct suite suite;
    const struct suite_case *of; // of that suite, once it was found
    struct nearest nearest;      // to the id that was looked for
};

// The options that name targets, for a table of options.
// clang-format off
#define SUBJECT_TARGET_OPTIONS(subject) \
    {"target", CLI_TEXT, &(subject).target, "NAME", \
     "target by name (`assay targets` lists them)"}, \
    {"plugin", CLI_TEXT, &(subject).plugin, "FILE.so", "a plugin of your own"}, \
    {"exec", CLI_TEXT, &(subject).program, "PROGRAM", \
     "a process target of your own, with its arguments"}
// clang-format on
// The one that names the suite of a case.
// clang-format off
#define SUBJECT_CASE_OPTION(subject) \
    {"suite", CLI_TEXT, &(subject).suites, "NAME", \
     "the case's suite, by name or path; when not given, all are looked through"}
// clang-format on

// Finds targets and suites. Release the subject also after an error.
enum error subject_choose(struct subject *subject, struct diagnostic *diagnostic);

// The same of a command that takes one target.
enum error subject_choose_one(struct subject *subject, struct diagnostic *diagnostic);

// Reads the first of the suites that has the case; without one, subject->of stays NULL.
enum error subject_find_case(struct subject *subject, const char *id,
                             struct diagnostic *diagnostic);

// Offers the ids of a suite's cases for a hint.
void subject_offer_cases(struct nearest *nearest, const struct suite *suite);

// Says that no suite has the case, and which one is near; returns CLI_NOTHING.
int subject_no_case(const struct nearest *nearest);

void subject_release(struct subject *subject);

#endif
