// SPDX-License-Identifier: Apache-2.0
// Counts of an audit, written down and added up. Parts are consecutive and stages too, so joining
// them is one walk.

#include "stats/audit/shard.h"

#include <inttypes.h>
#include <stdlib.h>

#include "stats/audit/tally.h"

static void put_counts(struct shard_payload *payload, const struct tally *tally)
{
    for (unsigned r = 0; r < tally->battery->rows; r++) {
        for (uint32_t c = 0; c < tally->battery->row[r].test.counts; c++)
            shard_put_number(payload, tally->count[r][c]);
        shard_put_number(payload, tally->bag[r].count);
        for (size_t i = 0; i < tally->bag[r].count; i++)
            shard_put_number(payload, tally->bag[r].item[i]);
    }
}

static enum error count_stretch(const struct audit_options *options, const struct source *source,
                                uint64_t from, uint64_t to, struct shard_payload *payload,
                                struct diagnostic *diagnostic)
{
    struct tally tally;
    enum error error = tally_open(&tally, &options->battery, options->threads, diagnostic);
    if (error)
        return error;
    tally.blocks = from;
    error = tally_advance(&tally, source, options->first_block, to, diagnostic);
    if (!error && tally.blocks != to)
        error = diagnostic_fail(
            diagnostic, ERROR_INPUT,
            "the source ends at block %" PRIu64 "; a part needs all of its blocks", tally.blocks);
    if (!error) {
        shard_put_number(payload, from);
        shard_put_number(payload, to);
        put_counts(payload, &tally);
    }
    tally_close(&tally);
    return error;
}

enum error audit_count_part(const struct audit_options *options, const struct source *source,
                            unsigned index, unsigned count, struct shard_payload *payload,
                            struct diagnostic *diagnostic)
{
    const struct battery *const battery = &options->battery;
    const uint64_t last = battery->stage[battery->stages - 1],
                   groups = (last + TALLY_GROUP - 1) / TALLY_GROUP;
    const struct shard_plan plan = {.index = index, .count = count};
    uint64_t first, end;
    if (!source->random_access)
        return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED,
                               "%s can only be read in order, so it cannot be cut into parts",
                               source->name);
    shard_range(&plan, groups ? groups - 1 : 0, &first, &end);
    first = (first + 1) * TALLY_GROUP;
    end = (end + 1) * TALLY_GROUP < last ? (end + 1) * TALLY_GROUP : last;
    enum error error = ERROR_NONE;
    for (unsigned s = 0; s < battery->stages && !error; s++) {
        const uint64_t to = battery->stage[s] < end ? battery->stage[s] : end;
        if (first >= to)
            continue;
        shard_put_number(payload, 1); // a stretch follows
        error = count_stretch(options, source, first, to, payload, diagnostic);
        first = to;
    }
    shard_put_number(payload, 0);
    return error;
}

// ---- joining ----------------------------------------------------------------

struct audit_parts {
    const struct shard_set *set;
    uint64_t first_block; // where the parts begin
    unsigned part;        // the next one to open
    bool open;
    struct shard_reader reader;
    struct arena arena;
};

enum error audit_take_stretch(struct shard_reader *reader, const char *path, struct tally *tally,
                              uint64_t most, uint64_t *to, struct diagnostic *diagnostic)
{
    const uint64_t from = shard_get_number(reader);
    *to = shard_get_number(reader);
    if (from != tally->blocks || *to <= from || *to > most)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "%.400s holds blocks %" PRIu64 " to %" PRIu64
                               "; expected some from %" PRIu64 " to %" PRIu64,
                               path, from, *to, tally->blocks, most);
    for (unsigned r = 0; r < tally->battery->rows && !reader->failed; r++) {
        for (uint32_t c = 0; c < tally->battery->row[r].test.counts; c++)
            tally->count[r][c] += shard_get_number(reader);
        for (uint64_t left = shard_get_number(reader); left && !reader->failed; left--)
            bag_add(&tally->bag[r], shard_get_number(reader));
        if (tally->bag[r].failed)
            return diagnostic_no_memory(diagnostic);
    }
    tally->blocks = *to;
    return ERROR_NONE;
}

// Opens the next part when the present one has no stretch left.
static enum error find_stretch(struct audit_parts *walk, struct diagnostic *diagnostic)
{
    for (;;) {
        if (walk->open && shard_get_number(&walk->reader) == 1)
            return ERROR_NONE;
        enum error error = walk->open
                               ? shard_finish(walk->set, walk->part - 1, &walk->reader, diagnostic)
                               : ERROR_NONE;
        arena_release(&walk->arena);
        if (!error && walk->part == walk->set->count)
            error = diagnostic_fail(diagnostic, ERROR_INPUT, "the parts end before the audit does");
        if (!error)
            error = shard_open(walk->set, walk->part++, &walk->arena, &walk->reader, diagnostic);
        if (error)
            return error;
        walk->open = true;
    }
}

static enum error advance(void *context, struct tally *tally, const struct source *source,
                          uint64_t origin, uint64_t blocks, struct diagnostic *diagnostic)
{
    struct audit_parts *const walk = context;
    if (origin != walk->first_block)
        return diagnostic_fail(diagnostic, ERROR_INPUT,
                               "the parts begin at block %" PRIu64 "; expected block %" PRIu64
                               ", the next that no night has read",
                               walk->first_block, origin);
    enum error error = ERROR_NONE;
    if (tally->blocks < TALLY_GROUP)
        error = tally_advance(tally, source, origin, blocks < TALLY_GROUP ? blocks : TALLY_GROUP,
                              diagnostic);
    for (uint64_t to; !error && !tally->ended && tally->blocks < blocks;) {
        error = find_stretch(walk, diagnostic);
        if (!error)
            error = audit_take_stretch(&walk->reader, walk->set->path[walk->part - 1], tally,
                                       blocks, &to, diagnostic);
    }
    return error;
}

struct audit_parts *audit_parts_attach(struct audit_options *options, const struct shard_set *set,
                                       uint64_t first_block)
{
    struct audit_parts *const parts = calloc(1, sizeof *parts);
    if (!parts)
        return NULL;
    parts->set = set;
    parts->first_block = first_block;
    options->advance = advance;
    options->advance_context = parts;
    return parts;
}

void audit_parts_detach(struct audit_options *options, struct audit_parts *parts)
{
    options->advance = NULL;
    options->advance_context = NULL;
    arena_release(&parts->arena);
    free(parts);
}

enum error audit_run_parts(const struct audit_options *options, const struct source *source,
                           const struct shard_set *set, struct audit_result *result,
                           struct diagnostic *diagnostic)
{
    struct audit_options joined = *options;
    struct audit_parts *const parts = audit_parts_attach(&joined, set, options->first_block);
    if (!parts)
        return diagnostic_no_memory(diagnostic);
    const enum error error = audit_run(&joined, source, result, diagnostic);
    audit_parts_detach(&joined, parts);
    return error;
}
