// SPDX-License-Identifier: Apache-2.0
// From the name of a source to the source.

#include "harness/cli/audit/source.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "harness/cli/target_table.h"
#include "ref/base/nearest.h"
#include "stats/roster/roster.h"
#include "stats/source/tree.h"

// A generator of the panel, by its name in the roster.
static enum error open_panel(struct source *source, const char *generator, uint64_t seed,
                             struct diagnostic *diagnostic)
{
    const struct panel_row *const row = panel_named(generator);
    struct nearest nearest = {.asked = generator};
    char hint[NEAREST_HINT_SIZE];
    for (unsigned i = 0; !row && i < panel_roster_count; i++)
        nearest_offer(&nearest, panel_roster[i].generator);
    if (!row)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the panel has no generator '%s'%s `assay audit panel` lists them",
                               generator, *nearest_hint(&nearest, hint) ? hint : ";");
    if (!row->plugin)
        return source_open_reference(source, generator, seed, diagnostic);
    char name[128], path[PATH_MAX];
    snprintf(name, sizeof name, "panel/%s.so", row->plugin);
    return source_open_plugin(source, cli_built_path(name, path, sizeof path), generator, seed,
                              diagnostic);
}

static enum error open_named(struct source *source, const char *name, uint64_t seed,
                             struct diagnostic *diagnostic)
{
    if (!strcmp(name, "stdin") || !strcmp(name, "-"))
        return source_open_file(source, NULL, diagnostic);
    if (!strncmp(name, "file:", 5))
        return source_open_file(source, name + 5, diagnostic);
    if (!strcmp(name, "chacha20"))
        return source_open_chacha(source, seed, diagnostic);
    if (!strncmp(name, "panel:", 6))
        return open_panel(source, name + 6, seed, diagnostic);
    if (!strcmp(name, "random123"))
        return audit_source_open_target(source, "random123:philox", seed, diagnostic);
    if (strchr(name, ':'))
        return audit_source_open_target(source, name, seed, diagnostic);
    if (strchr(name, '.'))
        return source_open_operation(source, name, seed, diagnostic);
    return source_open_reference(source, name, seed, diagnostic);
}

enum error audit_source_open(struct source *source, const char *name, uint64_t seed,
                             struct diagnostic *diagnostic)
{
    const enum error error = open_named(source, name, seed, diagnostic);
    if (error || !source->seed_bits || source->seed_bits >= 64 || !(seed >> source->seed_bits))
        return error;
    const unsigned bits = source->seed_bits;
    source_close(source);
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "the seed is %" PRIu64 ", of which %s would take %u bits alone", seed,
                           name, bits);
}

enum error audit_source_file(const char *name, struct arena *arena, const char **path,
                             struct diagnostic *diagnostic)
{
    const char *const colon = strrchr(name, ':');
    struct target *target = NULL;
    *path = NULL;
    if (!strncmp(name, "panel:", 6)) {
        const struct panel_row *const row = panel_named(name + 6);
        char *const built = arena_take(arena, PATH_MAX);
        char *const plugin =
            row && row->plugin ? arena_print(arena, "panel/%s.so", row->plugin) : NULL;
        if (!row || !row->plugin)
            return ERROR_NONE;
        if (!built || !plugin)
            return diagnostic_no_memory(diagnostic);
        *path = cli_built_path(plugin, built, PATH_MAX);
        return ERROR_NONE;
    }
    if (!colon && strcmp(name, "random123") != 0)
        return ERROR_NONE;
    const char *const which = colon ? arena_copy_text(arena, name, (size_t)(colon - name)) : name;
    const enum error error = which ? audit_source_choose_target(which, arena, &target, diagnostic)
                                   : diagnostic_no_memory(diagnostic);
    if (!error)
        *path = target->path;
    return error;
}

const char *const audit_kin_names[AUDIT_KINDS] = {"next", "bit", "tree"};

// Nodes are numbered from 1, row by row: node n has the children 2n and 2n + 1. The high half of a
// seed is the key's first word.
static uint64_t node_key(uint64_t seed, unsigned node)
{
    unsigned depth = 0;
    while (node >> (depth + 1))
        depth++;
    while (depth-- > 0)
        seed = tree_jax_child(seed, node >> depth & 1);
    return seed;
}

// How many seeds there are of that kin, the first included; UINT64_MAX: no end.
static uint64_t kin_seeds(enum audit_kin kin, unsigned bits)
{
    if (kin == AUDIT_KIN_BIT)
        return 1 + bits + (uint64_t)bits * (bits - 1) / 2;
    return bits < 64 ? UINT64_C(1) << bits : UINT64_MAX;
}

// Seed `index` of that kin, in the low `bits` bits.
static uint64_t kin_seed(enum audit_kin kin, uint64_t seed, unsigned bits, uint64_t index)
{
    if (kin == AUDIT_KIN_TREE)
        return node_key(seed, (unsigned)index + 1);
    if (kin == AUDIT_KIN_NEXT)
        return (seed + index) & (bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX);
    if (!index || index <= bits)
        return index ? seed ^ UINT64_C(1) << (index - 1) : seed;
    const uint64_t pair =
        index - bits - 1; // every pair of bits once: neighbours first, then pairs farther apart
    return seed ^ UINT64_C(1) << pair % bits ^
           UINT64_C(1) << (pair % bits + 1 + pair / bits) % bits;
}

// Seeds of `count` streams like `first`, all different; one that the source refuses is passed over.
static enum error choose_seeds(const struct source *first, uint64_t seed, unsigned count,
                               enum audit_kin kin, uint64_t *chosen, struct diagnostic *diagnostic)
{
    const unsigned bits = first->seed_bits;
    if (!bits)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "%s has no seed: it is one stream",
                               first->name);
    if (kin == AUDIT_KIN_TREE && bits < 64)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%s takes %u bits of a seed; keys of a tree have 64", first->name,
                               bits);
    unsigned made = 0;
    uint64_t most = kin_seeds(kin, bits);
    for (uint64_t i = 0; i < most && made < count; i++) {
        chosen[made] = kin_seed(kin, seed, bits, i);
        made += !i || chosen[made] || !first->seed_nonzero;
    }
    if (made == count)
        return ERROR_NONE;
    return diagnostic_fail(diagnostic, ERROR_INPUT,
                           "%s takes %u bits of a seed: there are %u streams of kin %s, not %u",
                           first->name, bits, made, audit_kin_names[kin], count);
}

enum error audit_source_open_streams(struct source *source, const char *name, uint64_t seed,
                                     unsigned count, enum audit_kin kin,
                                     struct diagnostic *diagnostic)
{
    static struct source stream[SOURCE_STREAMS_MAX];
    static uint64_t chosen[SOURCE_STREAMS_MAX];
    unsigned opened = 0;
    enum error error = audit_source_open(&stream[0], name, seed, diagnostic);
    opened += !error;
    if (!error)
        error = choose_seeds(&stream[0], seed, count, kin, chosen, diagnostic);
    while (opened < count && !error) {
        error = audit_source_open(&stream[opened], name, chosen[opened], diagnostic);
        opened += !error;
    }
    if (!error) {
        error = source_join(source, stream, opened, diagnostic);
        if (!error && kin == AUDIT_KIN_TREE) {
            source->tree = tree_jax(seed);
            source->block = &tree_jax_path;
        }
        return error;
    }
    for (unsigned s = 0; s < opened; s++)
        source_close(&stream[s]);
    return error;
}

enum error audit_source_open_row(struct source *source, const struct panel_row *row, uint64_t seed,
                                 struct diagnostic *diagnostic)
{
    const struct panel_view view = panel_view_of(row);
    char name[128];
    snprintf(name, sizeof name, "panel:%s", row->generator);
    return view.streams ? audit_source_open_streams(source, name, seed, view.streams,
                                                    view.bit_apart ? AUDIT_KIN_BIT : AUDIT_KIN_NEXT,
                                                    diagnostic)
                        : audit_source_open(source, name, seed, diagnostic);
}
