// SPDX-License-Identifier: Apache-2.0
// A case taken out of its suite, with every value written out, so that it can be cut down and put
// to a target by itself.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_SPECIMEN_H
#define ASSAY_HARNESS_JUDGE_SEARCH_SPECIMEN_H

#include "ref/base/json.h"
#include "yaml/suite.h"

// The request is the specimen's own and may be changed; what its attributes and inputs point to
// lies in the arena.
struct specimen {
    const struct suite *suite;
    const struct suite_case *of; // which case it was
    struct request request;
    struct arena arena;
};

// Takes the case. Errors are those of suite_case_request: a case that breaks a rule of its
// operation's table has no request.
enum error specimen_take(const struct suite *suite, const struct suite_case *of,
                         struct specimen *specimen, struct diagnostic *diagnostic);
// A copy that shares no memory with `from` but its suite.
enum error specimen_copy(const struct specimen *from, struct specimen *to,
                         struct diagnostic *diagnostic);
void specimen_release(struct specimen *specimen);

// Whether it says what its case says: the operation takes it, or, where the case must be refused,
// refuses it for the same reason.
bool specimen_is_legal(const struct specimen *specimen);

// Elements of all inputs and of the outputs that are asked for; *values: those of the inputs that
// are not zero. A specimen that is not taken has no outputs.
uint64_t specimen_size(const struct specimen *specimen, uint64_t *values);

// The case as an entry of `cases`, its lines indented by `indent`; `id` is its name.
enum error specimen_write_case(const struct specimen *specimen, const char *id, int indent,
                               struct text *text, struct diagnostic *diagnostic);

// "{output_type: i32}": the attributes that differ from their defaults.
void specimen_write_attributes(const struct specimen *specimen, struct text *text);

// A whole suite `name` with this case alone: its requirements, the classes of its operation's
// choices, the case.
enum error specimen_write_suite(const struct specimen *specimen, const char *name,
                                struct text *text, struct diagnostic *diagnostic);

// A copy of the suite whose only case is the specimen: what judge_certify takes. It shares memory
// with the original suite.
struct specimen_suite {
    struct suite suite;
    struct suite_case of;
    const struct suite_case *sorted[1];
    struct suite_form form;
    struct document_source source;
    struct arena arena;
};
enum error specimen_make_suite(const struct specimen *specimen, struct specimen_suite *made,
                               struct diagnostic *diagnostic);
void specimen_release_suite(struct specimen_suite *made);

#endif
