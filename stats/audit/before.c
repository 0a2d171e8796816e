// SPDX-License-Identifier: Apache-2.0
// Looks before the stream. Each has the same share of the weight, whether the source allows it or
// not. A suspicion is put to four times as many fresh inputs. Where the stream alone is looked at
// (nights, which must not meet the same words twice) equal streams are reported all the same: the
// words that show it are the same every night, and random streams never do (2^-200 in all), so it
// is the only look.

#include "stats/audit/before.h"

#include <stdbool.h>
#include <stdio.h>

#include "stats/source/avalanche.h"
#include "stats/source/far.h"
#include "stats/law/real.h"
#include "stats/source/tree.h"

static const double WEIGHT = 0.05;

struct look {
    const struct audit_options *options;
    const struct source *source;
    bool again;    // on fresh inputs
    uint32_t only; // of them, this hypothesis; UINT32_MAX: all
};

static bool has_block(const struct source *source)
{
    return source->block && (source->reach || source->tree.split);
}

static enum error judge_block(const struct look *look, struct judgement *judgement,
                              struct diagnostic *diagnostic)
{
    return avalanche_run(look->source->block, look->source->context, look->again ? 14 : 12,
                         1 + (uint64_t)look->again, look->options->threads, look->only, judgement,
                         diagnostic);
}

static void describe_block(const struct source *source, uint32_t index, char *text, size_t size)
{
    avalanche_describe(source->block, index, text, size);
}

static bool has_reach(const struct source *source)
{
    return source->reach != 0;
}

// A repeat begins at a distance from every other run that is neither a power of two nor a
// difference of two, give or take the 2^24 words that a run and its lags up to 2^23 cover: so no
// lag from one run's base leads to words that another has read. In units of 2^33 words: 0, 16;
// 5, 25. Their differences are 5, 9, 11, 16 (of the two first runs), 20 and 25.
enum error audit_run_far(const struct source *source, unsigned run, bool again, unsigned threads,
                         uint32_t only, struct judgement *judgement, struct diagnostic *diagnostic)
{
    static const uint64_t base[2][2] = {{0, UINT64_C(5) << 33},
                                        {UINT64_C(16) << 33, UINT64_C(25) << 33}};
    return far_run(source, base[run][again], (run ? 20u : 17u) + (again ? 2 : 0), threads, only,
                   judgement, diagnostic);
}

static enum error judge_far(const struct look *look, struct judgement *judgement,
                            struct diagnostic *diagnostic)
{
    return audit_run_far(look->source, 0, look->again, look->options->threads, look->only,
                         judgement, diagnostic);
}

static enum error judge_farther(const struct look *look, struct judgement *judgement,
                                struct diagnostic *diagnostic)
{
    return audit_run_far(look->source, 1, look->again, look->options->threads, look->only,
                         judgement, diagnostic);
}

static void describe_far(const struct source *source, uint32_t index, char *text, size_t size)
{
    (void)source;
    far_describe(index, text, size);
}

static bool has_streams(const struct source *source)
{
    return source->streams.compared != 0;
}

// Null: of all pairs of streams and all places one begins where another is, and agrees with it in
// at least `alike` words, with a chance of at most 2 count^2 / 2^(32 alike), a geometric sum.
// Observed: words that agree.
static enum error judge_streams(const struct look *look, struct judgement *judgement,
                                struct diagnostic *diagnostic)
{
    (void)diagnostic;
    const struct source_streams *const streams = &look->source->streams;
    const double pairs = 2.0 * streams->count * streams->count,
                 alike = (double)(streams->compared - streams->offset);
    const bool twins = streams->twin[0] != streams->twin[1];
    judgement_begin(judgement, look->only);
    judgement_add(judgement, 0, twins ? real_log(pairs) - 32 * alike * real_log(2) : 0,
                  twins ? alike : 0, 0);
    return ERROR_NONE;
}

static void describe_streams(const struct source *source, uint32_t index, char *text, size_t size)
{
    (void)index;
    const struct source_streams *const s = &source->streams;
    if (s->twin[0] == s->twin[1])
        snprintf(text, size, "the first %zu words of %u streams, any two of them", s->compared,
                 s->count);
    else if (!s->offset)
        snprintf(
            text, size,
            "streams %u and %u are equal: the same first %zu words (streams are numbered from 0)",
            s->twin[0], s->twin[1], s->compared);
    else
        snprintf(
            text, size,
            "streams %u and %u overlap: stream %u begins at word %zu of stream %u, and the %zu "
            "words from there on are the "
            "same (numbered from 0)",
            s->twin[0], s->twin[1], s->twin[1], s->offset, s->twin[0], s->compared - s->offset);
}

static bool has_tree(const struct source *source)
{
    return source->tree.split != NULL;
}

static enum error judge_tree(const struct look *look, struct judgement *judgement,
                             struct diagnostic *diagnostic)
{
    return tree_run(&look->source->tree, look->again ? 1 : 0, look->again ? 4 : 1, look->only,
                    judgement, diagnostic);
}

static void describe_tree(const struct source *source, uint32_t index, char *text, size_t size)
{
    (void)source, (void)index;
    tree_describe(text, size);
}

static const struct {
    bool always; // also where the stream alone is looked at
    const char *test, *about;
    bool (*has)(const struct source *source);
    enum error (*judge)(const struct look *look, struct judgement *judgement,
                        struct diagnostic *diagnostic);
    void (*describe)(const struct source *source, uint32_t index, char *text, size_t size);
} step[] = {
    {1, "streams", "different seeds give streams that are equal or overlap", has_streams,
     judge_streams, describe_streams},
    {0, "tree", "keys of a tree are equal", has_tree, judge_tree, describe_tree},
    {0, "avalanche", "the block function does not mix its inputs", has_block, judge_block,
     describe_block},
    {0, "far_lags", "words far apart depend on each other", has_reach, judge_far, describe_far},
    {0, "far_lags", "words far apart depend on each other", has_reach, judge_farther, describe_far},
};
enum { STEPS = sizeof step / sizeof *step };

static bool is_taken(const struct audit_options *options, const struct source *source, unsigned s)
{
    return (step[s].always || !options->stream_only) && step[s].has(source);
}

double audit_before_weight(const struct audit_options *options, const struct source *source)
{
    for (unsigned s = 0; s < STEPS; s++)
        if (is_taken(options, source, s))
            return WEIGHT;
    return 0;
}

static enum error repeat(const struct look *again, unsigned s, const struct audit_finding *suspect,
                         struct audit_result *result, struct diagnostic *diagnostic)
{
    struct judgement judgement;
    const enum error error = step[s].judge(again, &judgement, diagnostic);
    if (error)
        return error;
    if (!judgement.kept) {
        result->unconfirmed = true;
        return ERROR_NONE;
    }
    const struct suspicion *const found = &judgement.worst[0];
    result->repeats++;
    if (found->log_p < AUDIT_LOG_REPEATED) {
        result->verdict = AUDIT_FLAWED;
        result->finding = *suspect;
    }
    if (result->finding.test == suspect->test && result->finding.log_p >= suspect->log_p) {
        result->repeated = true;
        result->repeat = *suspect;
        result->repeat.log_p = found->log_p;
        result->repeat.observed = found->observed;
        result->repeat.expected = found->expected;
    }
    return ERROR_NONE;
}

enum error audit_look_before(const struct audit_options *options, const struct source *source,
                             struct audit_result *result, struct diagnostic *diagnostic)
{
    for (unsigned s = 0; s < STEPS && result->verdict == AUDIT_CLEAN; s++) {
        if (!is_taken(options, source, s))
            continue;
        struct judgement judgement;
        const struct look all = {options, source, 0, UINT32_MAX};
        enum error error = step[s].judge(&all, &judgement, diagnostic);
        if (error)
            return error;
        if (!judgement.kept)
            continue;
        result->looks++;
        const double log_p = judgement_log_p(&judgement) - real_log(WEIGHT / STEPS);
        struct audit_finding finding = {.test = step[s].test,
                                        .about = step[s].about,
                                        .row = BATTERY_ROWS_MAX,
                                        .hypothesis = judgement.worst[0].index,
                                        .log_p = log_p > 0 ? 0 : log_p,
                                        .observed = judgement.worst[0].observed,
                                        .expected = judgement.worst[0].expected};
        step[s].describe(source, finding.hypothesis, finding.what, sizeof finding.what);
        audit_enter(result, &finding);
        if (log_p < AUDIT_LOG_FLAWED) {
            result->verdict = AUDIT_FLAWED;
        } else if (log_p < AUDIT_LOG_SUSPECT) {
            const struct look again = {options, source, 1, finding.hypothesis};
            error = repeat(&again, s, &finding, result, diagnostic);
            if (error)
                return error;
        }
    }
    return ERROR_NONE;
}
