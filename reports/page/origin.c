// SPDX-License-Identifier: Apache-2.0
// The end of the page: where everything on it came from.

#include <stdio.h>

#include "reports/page/page.h"

static void put_origin_row(struct page *page, const char *what, const char *name,
                           const char *version, const char *digest)
{
    if (!name && !digest)
        return;
    page_print(
        page,
        "<tr><th scope=\"row\">%s</th><td>%s %s</td><td class=\"digest\"><code>%s</code></td>"
        "</tr>\n",
        what, name ? name : "", version ? version : "", digest ? digest : "");
}

void page_put_origin(struct page *page)
{
    struct text *const text = &page->text;
    const struct results *const results = page->results;
    text_put(
        text,
        "<section aria-labelledby=\"origin\"><h2 id=\"origin\">Origin</h2>\n"
        "<p>Everything on this page was made from these results and from nothing else. It "
        "is a report, not a certificate: a certificate is signed.</p>\n"
        "<details><summary>Results, program, machine, suites and libraries, with their "
        "digests</summary>\n<table class=\"rows origin\">\n<thead><tr><th scope=\"col\">what</th>"
        "<th scope=\"col\">name</th><th scope=\"col\">SHA-256</th></tr></thead>\n"
        "<tbody>\n");
    for (size_t i = 0; i < results->file_count; i++) {
        const struct results_file *const file = &results->file[i];
        char place[512];
        put_origin_row(page, "results", file->command, file->selection, file->sha256);
        put_origin_row(page, "plan", NULL, NULL, file->plan);
        put_origin_row(page, "tool", file->tool, file->tool_version, file->tool_sha256);
        put_origin_row(page, "known failures", file->known_name, NULL, file->known_sha256);
        put_origin_row(page, "bounds over many steps", file->mode, NULL, NULL);
        snprintf(place, sizeof place, "%.100s %.150s %.40s %.150s", file->architecture,
                 file->processor ? file->processor : "",
                 file->class          ? file->class
                 : file->instructions ? file->instructions
                                      : "",
                 file->system ? file->system : "");
        put_origin_row(page, "machine", place, NULL, NULL);
    }
    for (size_t i = 0; i < results->suite_count; i++) {
        put_origin_row(page, "suite", results->suite[i].name, results->suite[i].version,
                       results->suite[i].sha256);
        if (results->suite[i].vectors)
            put_origin_row(page, "golden vectors", results->suite[i].name, NULL,
                           results->suite[i].vectors);
        if (results->suite[i].manifest)
            put_origin_row(page, "their list", results->suite[i].name, NULL,
                           results->suite[i].manifest);
    }
    for (size_t i = 0; i < results->target_count; i++) {
        put_origin_row(page, "target", results->target[i].file, NULL, results->target[i].sha256);
        put_origin_row(page, "its library held to", results->target[i].held_to, NULL, NULL);
        put_origin_row(page, "its declared model", results->target[i].model, NULL, NULL);
        for (size_t k = 0; k < results->target[i].library_count; k++) {
            const struct results_library *const library =
                &results->library[results->target[i].library_first + k];
            put_origin_row(page, "library", library->file, NULL, library->sha256);
        }
    }
    text_put(text, "</tbody></table></details></section>\n");
}
