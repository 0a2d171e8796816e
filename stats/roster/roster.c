// SPDX-License-Identifier: Apache-2.0
// The roster of the panel.

#include "stats/roster/roster.h"

#include <stddef.h>
#include <string.h>

// The lists give a row each; PLUGIN is the one whose list is being read.
#define ROW(text, expected, reason) {PLUGIN, text, expected, reason},
#define FLAWED(function) ROW(#function, PANEL_FLAWED, NULL)
#define FLAWED_AT(function, n) ROW(#function "_" #n, PANEL_FLAWED, NULL)
#define BEYOND(function, why) ROW(#function, PANEL_BEYOND, why)
#define BEYOND_AT(function, n, why) ROW(#function "_" #n, PANEL_BEYOND, why)
#define GOOD(function) ROW(#function, PANEL_GOOD, NULL)
#define GOOD_AT(function, n) ROW(#function "_" #n, PANEL_GOOD, NULL)

// clang-format off
const struct panel_row panel_roster[] = {
#define PLUGIN "congruential"
#include "stats/roster/congruential.inc"
#undef PLUGIN
#define PLUGIN "linear"
#include "stats/roster/linear.inc"
#undef PLUGIN
#define PLUGIN "rounds"
#include "stats/roster/rounds.inc"
#undef PLUGIN
    {NULL, "philox4x32-6", PANEL_FLAWED, NULL},
    {NULL, "threefry2x32-8", PANEL_FLAWED, NULL},
    {NULL, "threefry2x32-9", PANEL_FLAWED, NULL},
    {NULL, "philox4x32-7", PANEL_GOOD, NULL},
    {NULL, "philox4x32", PANEL_GOOD, NULL},
    {NULL, "threefry2x32", PANEL_GOOD, NULL},
#define PLUGIN "mixing"
#include "stats/roster/mixing.inc"
#undef PLUGIN
#define PLUGIN "historic"
#include "stats/roster/historic.inc"
#undef PLUGIN
#define PLUGIN "blocks"
#include "stats/roster/blocks.inc"
#undef PLUGIN
#define PLUGIN "grids"
#include "stats/roster/grids.inc"
#undef PLUGIN
#define PLUGIN "rows"
#include "stats/roster/rows.inc"
#undef PLUGIN
#define PLUGIN "arithmetic"
#include "stats/roster/arithmetic.inc"
#undef PLUGIN
#define PLUGIN "assorted"
#include "stats/roster/assorted.inc"
#undef PLUGIN
#define PLUGIN "spoiled"
#include "stats/roster/spoiled.inc"
#undef PLUGIN
#define PLUGIN "placed"
#include "stats/roster/placed.inc"
#undef PLUGIN
#define PLUGIN "plumbing"
#include "stats/roster/plumbing.inc"
#undef PLUGIN
#define PLUGIN "drawn"
#include "stats/roster/drawn.inc"
#undef PLUGIN
#define PLUGIN "kin"
#include "stats/roster/kin.inc"
#undef PLUGIN
#define PLUGIN "good"
#include "stats/roster/good.inc"
};
// clang-format on
const unsigned panel_roster_count = sizeof panel_roster / sizeof *panel_roster;

const struct panel_row *panel_named(const char *generator)
{
    for (unsigned i = 0; i < panel_roster_count; i++)
        if (!strcmp(panel_roster[i].generator, generator))
            return &panel_roster[i];
    return NULL;
}

static const struct panel_view view[] = {
    // Seen only beside other streams.
    {"beside_16_bits", 128, 1, 0},
    {"beside_31_bits", 128, 1, 0},
    {"beside_odd", 16, 0, 0},
    {"beside_float", 16, 0, 0},
    {"beside_offset", 16, 0, 0},
    {"beside_offset_far_10", 16, 0, 0},
    {"beside_offset_far_24", 64, 0, 0},
    {"beside_folded", 128, 1, 0},
    {"beside_masked", 16, 0, 0},
    {"beside_bit", 16, 0, 0},
    {"beside_bit_rarely_6", 16, 0, 0},
    {"beside_congruence", 16, 0, 0},
    {"beside_first_alike", 16, 0, 0},
    {"beside_later_alike", 16, 0, 0},
    {"beside_mirrored", 16, 0, 0},
    {"beside_rotated", 16, 0, 0},
    {"beside_times", 16, 0, 0},
    // Seen behind the first gibibyte.
    {"minstd_shuffled", 0, 0, 4096},
    {"crosstalk_9", 0, 0, 8192},
    {"mean_of_neighbours_11", 0, 0, 8192},
    {"ascending_11", 0, 0, 8192},
    {"gamma_wrong_12", 0, 0, 8192},
    {"shuffle_modulo_11", 0, 0, 8192},
    {"shuffle_ends_early_9", 0, 0, 8192},
    {"splitmix_even_step_36", 0, 0, 8192},
};

// Plugins whose generators are looked at for a gibibyte.
static const char *const impatient[] = {"historic", "blocks", "plumbing",   "drawn",   "kin",
                                        "grids",    "rows",   "arithmetic", "assorted"};

struct panel_view panel_view_of(const struct panel_row *row)
{
    for (unsigned i = 0; i < sizeof view / sizeof *view; i++)
        if (!strcmp(view[i].generator, row->generator))
            return view[i];
    struct panel_view of = {row->generator, 0, 0, 0};
    for (unsigned i = 0; i < sizeof impatient / sizeof *impatient; i++)
        if (row->plugin && !strcmp(impatient[i], row->plugin))
            of.mebibytes = 1024;
    return of;
}

uint64_t panel_bytes(const struct panel_row *row)
{
    return (uint64_t)panel_view_of(row).mebibytes << 20;
}
