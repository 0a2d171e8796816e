// SPDX-License-Identifier: Apache-2.0
// Values that a caller brings along are judged as if a target had given them: by the default
// profile, then by those that a suite allows. There is no target, so nothing is checked of its
// memory, its process or repeated calls.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_GIVEN_H
#define ASSAY_HARNESS_JUDGE_SEARCH_GIVEN_H

#include "harness/judge/run/run.h"

// What was given for a request: its outputs, or that it was refused.
struct judge_given {
    struct tensor output[OPERATION_OUTPUTS_MAX]; // by the operation's outputs; DTYPE_NONE: none
    const char *refused;                         // the message of a refusal; NULL: it was answered
};

// A suite of one case: a request, and the choices of the suite that it is judged by, whose memory
// it shares. Its run has one result. It must not be moved.
struct judge_alone {
    struct suite suite;
    struct suite_case of;
    const struct suite_case *sorted[1];
    struct suite_form form;
    struct judge_run run;
};

// Judges `given` against a case of the suite, which has values or must be refused.
enum error judge_case_given(const struct suite *suite, const struct suite_case *of,
                            const struct judge_given *given, struct judge_alone *alone,
                            struct diagnostic *diagnostic);

// The same of the request `node`, a mapping in the form of a request that has an `id` and holds no
// plain scalar that begins with `$`; it must live as long as `alone`. Verdicts are
// VERDICT_PASS, VERDICT_VACUOUS, VERDICT_FAIL, VERDICT_REJECTED (invalid, and refused) and
// VERDICT_ACCEPTED (invalid, and answered); what fails is explained as judge_explain does. Errors
// are those of request_read; ERROR_INVALID_ARGUMENT for outputs that the request does not
// ask for, and those that are missing; ERROR_UNSUPPORTED for what cannot be judged so: values left
// to chance, several runs, tensors above 64 MiB. Release it also after an error.
enum error judge_request_given(const struct suite *suite, const struct document_node *node,
                               const struct judge_given *given, struct judge_alone *alone,
                               struct diagnostic *diagnostic);
void judge_release_alone(struct judge_alone *alone);

#endif
