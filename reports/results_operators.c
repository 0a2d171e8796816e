// SPDX-License-Identifier: Apache-2.0
// The declared operators that a suite of a header names, with the digests of their declarations.

#include "ref/base/text.h"
#include "reports/results.h"
#include "reports/results_shape.h"

bool results_same_operators(const struct results *results, const struct results_suite *suite,
                            const struct document_node *list)
{
    bool same = suite->operator_count == (list ? list->count : 0);
    for (size_t i = 0; same && i < suite->operator_count; i++) {
        const struct results_operator *const operator= &
            results->operators[suite->operator_first + i];
        same = text_same(operator->name, shape_text(list->item[i], "name")) &&
               text_same(operator->sha256, shape_text(list->item[i], "sha256"));
    }
    return same;
}

bool results_take_operators(struct results *results, const struct document_node *list,
                            struct results_suite *suite)
{
    suite->operator_first = results->operator_count;
    for (size_t i = 0; list && i < list->count; i++) {
        if (!array_grow(&results->operators, results->operator_count, sizeof *results->operators))
            return false;
        const struct results_operator operator= {
            results_keep(results, shape_text(list->item[i], "name")),
            results_keep(results, shape_text(list->item[i], "sha256"))};
        results->operators[results->operator_count++] = operator;
        if (!operator.name || !operator.sha256)
            return false;
    }
    suite->operator_count = results->operator_count - suite->operator_first;
    return true;
}
