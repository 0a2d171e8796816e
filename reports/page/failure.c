// SPDX-License-Identifier: Apache-2.0
// One failure: what the case is for, what it asks, what differs, why, and how to see it again.

#include <ctype.h>
#include <string.h>

#include <string.h>

#include "reports/page/page.h"
#include "reports/shape.h"
#include "reports/summary_line.h"

static void put_row(struct page *page, const char *label, const char *words)
{
    if (!words)
        return;
    page_print(page, "<dt>%s</dt><dd>%s</dd>\n", label, words);
}

static void put_condition(struct page *page, const struct document_node *condition)
{
    if (!condition || !condition->count)
        return;
    text_put(&page->text, "<dt>first under</dt><dd>");
    for (size_t i = 0; i < condition->count; i++)
        page_print(page, "%s%s %s", i ? ", " : "", condition->key[i]->text,
                   condition->item[i]->text);
    text_put(&page->text, "</dd>\n");
}

static void put_explanation(struct page *page, const struct document_node *explained)
{
    struct text *const text = &page->text;
    if (!explained)
        return;
    const struct document_node *const profile = document_find(explained, "profile");
    text_put(text, "<dt>explained by</dt><dd>");
    if (shape_text(explained, "text"))
        page_put(page, shape_text(explained, "text"));
    for (size_t i = 0; !shape_text(explained, "text") && profile && i < profile->count; i++) {
        text_put(text, i ? ", <code>" : "<code>");
        page_print(page, "%s=%s</code>", profile->key[i]->text, profile->item[i]->text);
    }
    if (!profile)
        text_print(text, "%snone of %llu profiles gives these bits",
                   shape_text(explained, "text") ? "; " : "",
                   shape_count(explained, "searched", 0));
    text_put(text, "</dd>\n");
}

static void put_covers(struct page *page, const struct results_case *item)
{
    text_put(&page->text, "<dt>requirements</dt><dd>");
    for (uint32_t k = 0; k < item->covers_count; k++) {
        const uint32_t requirement = page->results->covers[item->covers_first + k];
        page_print(page, "%s<a href=\"#r%u-%u\">%s</a>", k ? ", " : "", requirement + 1,
                   item->target + 1, page->results->requirement[requirement].id);
    }
    text_put(&page->text, "</dd>\n");
}

// The first wrong one of the steps that the target was driven by.
static void put_step(struct page *page, const struct document_node *step)
{
    if (!step)
        return;
    text_put(&page->text, "<dt>first wrong step</dt><dd>");
    for (size_t i = 0; i < step->count; i++) {
        const bool name = !strcmp(step->key[i]->text, "gate_name");
        text_print(&page->text, "%s%s",
                   name ? " ("
                   : i  ? ", "
                        : "",
                   name ? "" : step->key[i]->text);
        text_put(&page->text, name ? "" : " ");
        page_put(page, step->item[i]->text);
        text_put(&page->text, name ? ")" : "");
    }
    text_put(&page->text, "</dd>\n");
}

static void put_command(struct text *text, const char *command)
{
    text_put(text, "<pre class=\"command\">");
    text_put_markup(text, command, false);
    text_put(text, "</pre>");
}

static bool is_plain(const char *name)
{
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("._-/", *name))
            return false;
    return true;
}

// What shows the verdict again, and what shows the request and the reference's answer.
static void put_commands(struct page *page, const struct results_case *item,
                         const struct document_node *root)
{
    struct text *const text = &page->text;
    const char *const again = shape_text(root, "reproduce");
    const struct results_suite *const of = &page->results->suite[item->suite];
    const char *const suite = of->file ? of->file : of->name;
    char show[600];
    if (!again)
        return;
    text_put(text, "<dt>commands</dt><dd>");
    put_command(text, again);
    if (is_plain(item->id) && is_plain(suite) &&
        (size_t)snprintf(show, sizeof show, "assay show %s --suite %s", item->id, suite) <
            sizeof show)
        put_command(text, show);
    text_put(text, "</dd>\n");
}

// What is known of stored values.
static void put_stored(struct page *page, const struct document_node *stored)
{
    if (!stored)
        return;
    const char *const by = shape_text(stored, "by"), *const where = shape_text(stored, "where"),
                      *const differs = shape_text(stored, "differs");
    page_print(page, "<dt>expected</dt><dd>stored, not derived: %s", by);
    if (where)
        page_print(page, " (%s)", where);
    text_put(&page->text, "</dd>\n");
    put_row(page, "tolerance", shape_text(stored, "tolerance"));
    if (differs)
        page_print(page, "<dt>reference</dt><dd>differs from what is stored: %s</dd>\n", differs);
    else
        put_row(page, "reference",
                strcmp(shape_text(stored, "reference"), "agrees") != 0
                    ? "none"
                    : "agrees with what is stored");
}

static void put_facts(struct page *page, const struct results_case *item,
                      const struct document_node *root)
{
    struct text *const text = &page->text;
    const struct document_node *const known = document_find(root, "known");
    text_put(text, "<dl>");
    put_row(page, "about", shape_text(root, "about"));
    put_row(page, "operation", item->op);
    if (item->covers_count)
        put_covers(page, item);
    if (shape_text(root, "request"))
        page_print(page, "<dt>request</dt><dd><pre>%s</pre></dd>\n", shape_text(root, "request"));
    put_step(page, document_find(root, "step"));
    put_row(page, "reason", shape_text(root, "reason"));
    put_stored(page, document_find(root, "stored"));
    if (item->observed)
        put_row(page, "bounds", "of each step, from the target's own output of the step before");
    put_row(page, "known", known ? shape_text(known, "why") : NULL);
    put_explanation(page, document_find(root, "explained"));
    put_condition(page, document_find(root, "condition"));
    put_commands(page, item, root);
    text_put(text, "</dl>\n");
}

void page_put_failure(struct page *page, uint32_t index, const struct document_node *root,
                      bool open)
{
    struct text *const text = &page->text;
    const struct results_case *const item = &page->results->cases[index];
    const struct document_node *const outputs = document_find(root, "outputs");
    struct text first = {0};
    page_print(page,
               "<details class=\"failure\" id=\"f%u\"%s><summary><strong>%s</strong> <span "
               "class=\"faint\">%s",
               page->number[index], open ? " open" : "", item->id, verdict_name(item->verdict));
    summary_put_first(&first, root);
    const char *const words = first.size ? first.bytes : shape_text(root, "reason");
    text_put(text, words ? ": " : "");
    page_print(page, "%s</span></summary>\n", words);
    text->failed |= first.failed;
    text_release(&first);
    put_facts(page, item, root);
    for (size_t i = 0; outputs && i < outputs->count; i++)
        page_put_output(page, outputs->item[i]);
    if (shape_text(root, "stderr")) {
        text_put(text, "<details><summary>What the target wrote</summary><pre>");
        text_put_markup(text, shape_text(root, "stderr"), true);
        text_put(text, "</pre></details>\n");
    }
    text_put(text, "</details>\n");
}
