// SPDX-License-Identifier: Apache-2.0
// What every report says of a case, a cause or a count of cases in one line.

#include <stdlib.h>

#include "reports/shape.h"
#include "reports/summary_line.h"
#include "reports/value.h"

void summary_put_verdicts(struct text *text, const struct tally_cell *cell)
{
    bool first = true;
    for (unsigned i = 0; i < VERDICT_COUNT; i++) {
        if (!cell->verdict[i])
            continue;
        text_put(text, first ? "" : ", ");
        text_put_count(text, cell->verdict[i]);
        text_print(text, " %s", verdict_name(i));
        first = false;
    }
    if (first)
        text_put(text, "no cases");
}

void summary_put_conclusion(struct text *text, const struct causes *causes,
                            const struct cause *cause)
{
    size_t failing;
    const size_t fits = causes_count_fits(causes, cause, &failing);
    const bool explained = cause->entry->explained != NULL;
    const size_t shown = explained ? fits : cause->count;
    if (!explained && cause->entry->verdict != VERDICT_FAIL)
        text_print(text, "%s, ", verdict_name(cause->entry->verdict));
    if (shown == failing && failing > 1)
        text_put(text, "all ");
    else if (shown < failing) {
        text_put_count(text, shown);
        text_put(text, " of ");
    }
    text_put_count(text, failing);
    text_put(text, failing == 1 ? " failure" : " failures");
    if (explained && fits > cause->count) {
        text_put(text, " (");
        text_put_count(text, cause->count);
        text_put(text, " new)");
    }
    text_put(text, ": ");
    text_put(text, cause_text(cause));
}

static void put_bits(struct text *text, enum dtype dtype, const char *hex)
{
    char value[VALUE_TEXT_SIZE];
    uint64_t bits;
    text_put(text, hex);
    if (value_parse(dtype, hex, &bits)) {
        value_write(dtype, bits, value);
        text_print(text, " (%s)", value);
    }
}

void summary_put_first(struct text *text, const struct document_node *root)
{
    const struct document_node *const outputs = document_find(root, "outputs");
    for (size_t i = 0; outputs && i < outputs->count; i++) {
        const struct document_node *const output = outputs->item[i],
                                          *const elements = document_find(output, "elements"),
                                          *const first = document_find(output, "first"),
                                          *const got = document_find(output, "shape_got");
        if (!got && !(elements && elements->count))
            continue;
        const enum dtype dtype = dtype_named(shape_text(output, "dtype"));
        text_put_plain(text, shape_text(output, "name"));
        if (got) {
            text_put(text, ": the target gave ");
            text_put_plain(text, got->text);
            return;
        }
        if (first && first->count) {
            text_put(text, "[");
            for (size_t k = 0; k < first->count; k++)
                text_print(text, "%s%llu", k ? "," : "", strtoull(first->item[k]->text, NULL, 10));
            text_put(text, "]");
        }
        text_put(text, ": expected ");
        put_bits(text, dtype, shape_text(elements->item[0], "expected"));
        text_put(text, ", got ");
        put_bits(text, dtype, shape_text(elements->item[0], "got"));
        if (document_find(output, "wrong")) {
            unsigned long long count = 1;
            const struct document_node *const shape = document_find(output, "shape");
            for (size_t k = 0; k < shape->count; k++)
                if (__builtin_mul_overflow(count, strtoull(shape->item[k]->text, NULL, 10), &count))
                    count = 0;
            text_put(text, "; ");
            text_put_count(text, shape_count(output, "wrong", 0));
            text_put(text, " of ");
            text_put_count(text, shape_count(output, "compared", count));
            text_put(text, " elements differ");
        }
        return;
    }
}
