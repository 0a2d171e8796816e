// SPDX-License-Identifier: Apache-2.0
// Another request beside that of a case, whose calls stand between those of the case: what a target
// keeps of the one, by its last instance or by the address of a tensor, is wrong for the other.

#ifndef ASSAY_HARNESS_JUDGE_RUN_COMPANION_H
#define ASSAY_HARNESS_JUDGE_RUN_COMPANION_H

#include "harness/judge/run/trial.h"

// Gives one trial of sixteen a companion, by its `index` in the suite, where it is small, has one
// run and no state: in turn the same case with other data, which has the same shapes, and one of
// the cases that follow it in the suite. Process targets, which have no instances, get none. What
// the companion's calls give is not looked at.
enum error companion_find(const struct suite *suite, const struct host_description *description,
                          size_t index, struct trial *trial, struct diagnostic *diagnostic);

#endif
