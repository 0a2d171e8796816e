// SPDX-License-Identifier: Apache-2.0
// The generators of the panel (stats/panel) and what the battery is expected to say of each.

#ifndef ASSAY_STATS_ROSTER_H
#define ASSAY_STATS_ROSTER_H

enum panel_expectation { PANEL_FLAWED, PANEL_GOOD, PANEL_BEYOND };

struct panel_row {
    const char *plugin, *generator;     // no plugin: a generator of the reference, whose block function is at hand
    enum panel_expectation expectation; // of the quick profile; BEYOND: flawed, but nothing here can see it
    const char *why;                    // for BEYOND
};

extern const struct panel_row panel_roster[];
extern const unsigned panel_roster_count;

// The row of that generator, or NULL.
const struct panel_row *panel_named(const char *generator);

#endif
