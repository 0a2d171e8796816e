// SPDX-License-Identifier: Apache-2.0
// Which case tells a deviant option from everything that is allowed.

#ifndef ASSAY_HARNESS_JUDGE_KILL_H
#define ASSAY_HARNESS_JUDGE_KILL_H

#include "yaml/suite.h"

// Finds the first case, in the order of the file, that kills option `option` of `suite->choice[choice]`: under it the reference
// gives outputs that differ (or leave the bounds) from those of every allowed profile, or refuses the case. NULL: it survives.
// Cases where the option is allowed cannot kill it, nor can those with more than KILL_ELEMENTS_MAX elements in one output.
enum error judge_find_killer(const struct suite *suite, size_t choice, size_t option, const struct suite_case **killer,
                             struct diagnostic *diagnostic);

enum { KILL_ELEMENTS_MAX = 1 << 20 };

#endif
