// SPDX-License-Identifier: Apache-2.0
// What is said of one target, as in-toto Statements (https://in-toto.io/Statement/v1): once with
// in-toto's test-result predicate, which other tools understand, once with a predicate of our own,
// which says for each requirement what was reached.
//
// A statement is no certificate. It becomes one when it conforms and is signed
// (reports/envelope.h).

#ifndef ASSAY_REPORTS_STATEMENT_H
#define ASSAY_REPORTS_STATEMENT_H

#include "ref/base/json.h"
#include "reports/envelope.h"
#include "reports/results.h"
#include "reports/shape.h"
#include "reports/tally.h"

#define STATEMENT_TEST_RESULT "https://in-toto.io/attestation/test-result/v0.1"
#define STATEMENT_CONFORMANCE "urn:assay:conformance:2"

#define STATEMENT_CONFORMANCE_1 "urn:assay:conformance:1" // of older builds

enum statement_kind { STATEMENT_KIND_TEST_RESULT, STATEMENT_KIND_CONFORMANCE };

// Appends the statement, without a newline. Subjects are named "library/PATH" (as in the results:
// relative or absolute, a folder with a final slash and in-toto's dirHash), "target/FILE" (both
// behind "recorded/", and "record/record.jsonl", where its answers were recorded),
// "yaml/suites/NAME.yaml", "vectors/golden/NAME.safetensors" and ".jsonl", "tool/assay" and
// "results/FILE", each with its SHA-256.
enum error statement_write(struct text *text, const struct results *results,
                           const struct tally *tally, uint32_t target, enum statement_kind kind,
                           struct diagnostic *diagnostic);

// Whether the target may have a certificate: it conforms, also in part, on a whole plan, and no
// failure was expected. `reason` says why not.
bool statement_may_certify(const struct results *results, const struct tally *tally,
                           uint32_t target, const char **reason);

// Forms of a parsed statement of the second kind, for shape_check.

extern const struct shape statement_shape[];

#endif
