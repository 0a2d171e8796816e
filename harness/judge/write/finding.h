// SPDX-License-Identifier: Apache-2.0
// A page about one way in which a library differs, made from a case that was cut down, or from what
// was seen by hand.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_FINDING_H
#define ASSAY_HARNESS_JUDGE_WRITE_FINDING_H

#include "harness/judge/search/minimize.h"
#include "harness/judge/search/survey.h"

// What a person says about it. All but name, title and target may be NULL.
struct finding {
    const char *name, *title, *target;
    const char *suite, *id;        // the case; NULL: none shows it
    const char *also;              // other cases with the same cause
    const char *requirement;       // NULL: the texts of what the case covers
    const char *explanation;       // why, as far as it is known
    const char *library, *version; // of a finding without a case, or of a library that is not here
    const char *input, *expected, *got;
    const char *program; // a file beside the page, written by hand; NULL: one is made
    bool varies;         // what came out is another each time and is left out
};

// An entry of the list. Unknown keys, and a case without its suite, are ERROR_INPUT with their
// place.
enum error finding_read(const struct document_node *node, struct finding *finding,
                        struct diagnostic *diagnostic);

// The page of a case that was cut down. `survey` says under which conditions the cut case fails;
// `templates` is the folder that program_write reads.
enum error finding_write(const struct finding *finding, const struct minimized *minimized,
                         const struct survey *survey, const char *templates, struct text *text,
                         struct diagnostic *diagnostic);

// The page of what was seen by hand: `why` says why no case is shown ("the library is not installed
// where this page was made").
enum error finding_write_seen(const struct finding *finding, const char *why, struct text *text,
                              struct diagnostic *diagnostic);

#endif
