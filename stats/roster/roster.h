// SPDX-License-Identifier: Apache-2.0
// The generators of the panel (stats/panel) and what the battery is expected to say of each.
//
// Each plugin has one list, stats/roster/PLUGIN.inc, from which both this table and the plugin's
// own are made. A row names the function that draws, its parameter, the expectation and a reason:
//   FLAWED(function)       FLAWED_AT(function, parameter)
//   GOOD(function)         GOOD_AT(function, parameter)
//   BEYOND(function, why)  BEYOND_AT(function, parameter, why)
// A generator is called `function`, or `function_parameter`.

#ifndef ASSAY_STATS_ROSTER_ROSTER_H
#define ASSAY_STATS_ROSTER_ROSTER_H

#include <stdint.h>

enum panel_expectation { PANEL_FLAWED, PANEL_GOOD, PANEL_BEYOND };

struct panel_row {
    const char *plugin; // NULL: a generator of the reference, whose block function is at hand
    const char *generator;
    enum panel_expectation expectation; // BEYOND: flawed, but the quick profile cannot see it
    const char *why;                    // for BEYOND
};

// How the panel looks at a row that is not one stream to the profile's end: several streams (0:
// one), their seeds a bit apart in place of one after the other, and a limit in mebibytes (0: the
// profile's).
struct panel_view {
    const char *generator;
    unsigned streams, bit_apart, mebibytes;
};

extern const struct panel_row panel_roster[];
extern const unsigned panel_roster_count;

// The row of that generator, or NULL.
const struct panel_row *panel_named(const char *generator);

// How that row is looked at.
struct panel_view panel_view_of(const struct panel_row *row);
uint64_t panel_bytes(const struct panel_row *row); // 0: as many as the profile reads

#endif
