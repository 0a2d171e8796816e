// SPDX-License-Identifier: Apache-2.0
// The tables behind results.schema.json, one for each kind of record, and the words that they use.

#ifndef ASSAY_REPORTS_RESULTS_SHAPE_H
#define ASSAY_REPORTS_RESULTS_SHAPE_H

#include "reports/shape.h"

extern const struct shape results_header_shape[], results_case_shape[], results_mutant_shape[],
    results_score_shape[], results_evidence_shape[], results_timing_shape[], results_footer_shape[];

// In the order of enum results_level, NULL-terminated.
extern const char *const results_level_words[];

// How stored values stand to the reference, in the order of RESULTS_UNDERIVED, ...;
// NULL-terminated.
extern const char *const results_standing_words[];

struct results;
struct results_suite;

// Whether the list (NULL: an empty one) names the operators of the suite with their digests.
bool results_same_operators(const struct results *results, const struct results_suite *suite,
                            const struct document_node *list);

// Gives the suite those of the list (NULL: none). False when there is no memory.
bool results_take_operators(struct results *results, const struct document_node *list,
                            struct results_suite *suite);

#endif
