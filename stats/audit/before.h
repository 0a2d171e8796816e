// SPDX-License-Identifier: Apache-2.0
// What an audit looks at before it reads the stream: the block function on random inputs, words far
// apart, and whether streams that were joined are different streams at all.

#ifndef ASSAY_STATS_AUDIT_BEFORE_H
#define ASSAY_STATS_AUDIT_BEFORE_H

#include <stdbool.h>
#include "stats/audit/audit.h"

// Natural logarithms of 1e-9, 1e-4 and 1e-6: flawed at once, put to fresh data, flawed there.
#define AUDIT_LOG_FLAWED (-20.723265836946411)
#define AUDIT_LOG_SUSPECT (-9.2103403719761836)
#define AUDIT_LOG_REPEATED (-13.815510557964274)

// The share of the chance of a false alarm that these looks take: 0 where the source allows none of
// them.
double audit_before_weight(const struct audit_options *options, const struct source *source);

// Enters a finding if it is stronger than what there was.
void audit_enter(struct audit_result *result, const struct audit_finding *finding);

// far_run with the size and the place of the first or second run over far lags (0 or 1), or of its
// repeat.
enum error audit_run_far(const struct source *source, unsigned run, bool again, unsigned threads,
                         uint32_t only, struct judgement *judgement, struct diagnostic *diagnostic);

// Enters what it finds into `result`.
enum error audit_look_before(const struct audit_options *options, const struct source *source,
                             struct audit_result *result, struct diagnostic *diagnostic);

#endif
