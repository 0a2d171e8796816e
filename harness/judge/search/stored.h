// SPDX-License-Identifier: Apache-2.0
// Values that a suite states are judged before a target is judged by them, where assay derives such
// values itself.

#ifndef ASSAY_HARNESS_JUDGE_SEARCH_STORED_H
#define ASSAY_HARNESS_JUDGE_SEARCH_STORED_H

#include "yaml/suite.h"

enum stored_standing {
    STORED_UNDERIVED, // assay has no such operation, or leaves the case to chance
    STORED_AGREES,    // some answer meets both, what is stated and what is derived
    STORED_DIFFERS,   // none does, or one of both refuses
    STORED_STANDINGS
};

// "underived", "agrees", "differs".
const char *stored_standing_name(enum stored_standing standing);

enum { STORED_TEXT_SIZE = 320 };

// How the stored values of the case stand to assay's reference under the default profile; with
// `search`, of those that differ, which single option gives them. `text` says where they differ,
// and is empty where they agree. The suite's files were read (stored_load).
enum error judge_stored(const struct suite *suite, const struct suite_case *of, bool search,
                        enum stored_standing *standing, char text[STORED_TEXT_SIZE],
                        struct diagnostic *diagnostic);

#endif
