// SPDX-License-Identifier: Apache-2.0
// From the name of a source to the source.

#include "harness/cli/audit_source.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cli/cli.h"
#include "ref/op/jax_random.h"
#include "stats/roster.h"

enum error audit_source_open_panel(struct source *source, const char *generator, uint64_t seed, struct diagnostic *diagnostic)
{
    const struct panel_row *const row = panel_named(generator);
    if (!row)
        return diagnostic_fail(diagnostic, ERROR_INPUT, "the panel has no generator '%s'; `assay audit --panel` lists them",
                               generator);
    if (!row->plugin)
        return source_open_reference(source, generator, seed, diagnostic);
    char name[128], path[PATH_MAX];
    snprintf(name, sizeof name, "panel/%s.so", row->plugin);
    return source_open_plugin(source, cli_built_path(name, path, sizeof path), generator, seed, diagnostic);
}

enum error audit_source_open(struct source *source, const char *name, uint64_t seed, struct diagnostic *diagnostic)
{
    if (!strcmp(name, "stdin") || !strcmp(name, "-"))
        return source_open_file(source, NULL, diagnostic);
    if (!strncmp(name, "file:", 5))
        return source_open_file(source, name + 5, diagnostic);
    if (!strcmp(name, "chacha20"))
        return source_open_chacha(source, seed, diagnostic);
    if (!strncmp(name, "panel:", 6))
        return audit_source_open_panel(source, name + 6, seed, diagnostic);
    if (!strcmp(name, "random123"))
        return audit_source_open_target(source, "random123:philox", seed, diagnostic);
    if (strchr(name, ':'))
        return audit_source_open_target(source, name, seed, diagnostic);
    if (strchr(name, '.'))
        return source_open_operation(source, name, seed, diagnostic);
    return source_open_reference(source, name, seed, diagnostic);
}

const char *const audit_kin_names[AUDIT_KINDS] = {"next", "bit", "tree"};

// Nodes are numbered from 1, row by row: node n has the children 2n and 2n + 1. The high half of a seed is the key's first word.
static uint64_t node_key(uint64_t seed, unsigned node)
{
    struct jax_key key = {
        .generator = JAX_THREEFRY2X32, .partitionable = true, .word = {(uint32_t)(seed >> 32), (uint32_t)seed}};
    unsigned depth = 0;
    while (node >> (depth + 1))
        depth++;
    while (depth-- > 0)
        key = jax_split(&key, 2, node >> depth & 1);
    return (uint64_t)key.word[0] << 32 | key.word[1];
}

uint64_t audit_source_seed(enum audit_kin kin, uint64_t seed, unsigned stream)
{
    switch (kin) {
    case AUDIT_KIN_BIT: {
        const unsigned pair = stream > 64 ? (stream - 65) : 0;
        return !stream        ? seed
               : stream <= 64 ? seed ^ UINT64_C(1) << (stream - 1)
                              : seed ^ UINT64_C(1) << pair % 64 ^ UINT64_C(1) << (pair % 64 + 1 + pair / 64) % 64;
    }
    case AUDIT_KIN_TREE:
        return node_key(seed, stream + 1);
    default:
        return seed + stream;
    }
}

enum error audit_source_open_streams(struct source *source, const char *name, uint64_t seed, unsigned count, enum audit_kin kin,
                                     struct diagnostic *diagnostic)
{
    static struct source stream[SOURCE_STREAMS_MAX];
    unsigned opened = 0;
    enum error error = ERROR_NONE;
    while (opened < count && !error) {
        error = audit_source_open(&stream[opened], name, audit_source_seed(kin, seed, opened), diagnostic);
        opened += !error;
    }
    if (!error)
        error = source_join(source, stream, opened, diagnostic);
    for (unsigned s = 0; error && s < opened; s++)
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
                                                    view.bit_apart ? AUDIT_KIN_BIT : AUDIT_KIN_NEXT, diagnostic)
                        : audit_source_open(source, name, seed, diagnostic);
}
