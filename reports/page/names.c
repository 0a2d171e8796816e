// SPDX-License-Identifier: Apache-2.0
// Cases by name, in the order of what they belong to.

#include <stdlib.h>

#include "reports/page/page.h"

void page_release_order(struct page_order *order)
{
    free(order->first);
    free(order->item);
}

bool page_sort_cases(const struct page *page, bool failing, struct page_order *order)
{
    const struct results *const results = page->results;
    const size_t targets = page->tally->targets,
                 keys = (failing ? page->tally->requirements : page->tally->suites) * targets;
    order->first = calloc(keys + 2, sizeof *order->first);
    order->item = calloc(results->covers_count + results->case_count + 1, sizeof *order->item);
    if (!order->first || !order->item)
        return false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < results->case_count; i++) {
            const struct results_case *const item = &results->cases[i];
            if (failing && !verdict_is_failure(item->verdict) && item->known != KNOWN_CURED)
                continue;
            for (uint32_t k = 0; k < (failing ? item->covers_count : 1); k++) {
                const size_t key =
                    (failing ? results->covers[item->covers_first + k] : item->suite) * targets +
                    item->target;
                if (pass)
                    order->item[order->first[key + 1]++] = (uint32_t)i;
                else
                    order->first[key + 2]++;
            }
        }
        for (size_t g = 2; !pass && g < keys + 2; g++)
            order->first[g] += order->first[g - 1];
    }
    return true;
}

static void put_name(struct page *page, uint32_t index)
{
    text_put(&page->text, "<li>");
    if (page->number[index])
        text_print(&page->text, "<a href=\"#f%u\">", page->number[index]);
    page_put(page, page->results->cases[index].id);
    text_put(&page->text, page->number[index] ? "</a></li>\n" : "</li>\n");
}

void page_put_names(struct page *page, const uint32_t *items, size_t count, size_t *most, bool each)
{
    struct text *const text = &page->text;
    for (unsigned verdict = 0; verdict < VERDICT_COUNT; verdict++) {
        size_t found = 0, left = 0, room = *most;
        for (size_t i = 0; i < count; i++) {
            if (page->results->cases[items[i]].verdict != verdict)
                continue;
            if (!found++)
                text_print(text, "<p><strong>%s</strong></p><ul class=\"names\">\n",
                           verdict_name(verdict));
            if (!room) {
                left++;
                continue;
            }
            room--;
            put_name(page, items[i]);
        }
        *most = each ? *most : room;
        if (left)
            page_print(page, "<li>and %zu more</li>\n", left);
        text_put(text, found ? "</ul>\n" : "");
    }
}
