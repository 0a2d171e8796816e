// SPDX-License-Identifier: Apache-2.0
// Records of what tests of others notice, and of their expected values that are wrong.

#include "harness/judge/write/records.h"
#include "ref/base/bytes.h"

static void put_bits(struct text *text, const char *key, enum dtype dtype, uint64_t bits)
{
    char hex[2 * sizeof bits + 1];
    bytes_write_hex(hex, bits, dtype_size(dtype));
    json_put_pair(text, key, hex);
}

static void put_profile(struct text *text, const struct suite *suite, size_t choice, size_t option)
{
    json_begin_object_at(text, "profile");
    json_put_pair(text, suite->choice[choice].name, suite->choice[choice].option[option]);
    json_end_object(text);
}

static void put_mistake(struct text *text, const struct suite *suite,
                        const struct score_option *option)
{
    json_begin_object(text);
    put_profile(text, suite, option->choice, option->option);
    json_put_pair(text, "theirs", option->first ? option->first->id : NULL);
    json_put_pair(text, "ours", option->ours ? option->ours->id : NULL);
    json_end_object(text);
}

static void put_flaw(struct text *text, const struct suite *suite, const struct score_flaw *flaw)
{
    static const char *const words[] = {[SCORE_REFUSED] = "refused",
                                        [SCORE_SHAPED] = "shape",
                                        [SCORE_NARROW] = "narrow",
                                        [SCORE_WRONG] = "wrong",
                                        [SCORE_OUTSIDE] = "outside"};
    json_begin_object(text);
    json_put_pairs(text, {"test", flaw->test->id}, {"verdict", words[flaw->kind]},
                   {"reason", flaw->reason});
    if (flaw->kind >= SCORE_NARROW) {
        if (flaw->option)
            put_profile(text, suite, flaw->choice, flaw->option);
        json_put_pairs(text, {"output", flaw->test->request.operation->outputs[flaw->output]},
                       {"dtype", dtype_name(flaw->dtype)});
        json_put_unsigned_at(text, "at", flaw->at);
        json_put_unsigned_at(text, "wrong", flaw->wrong);
        json_put_unsigned_at(text, "compared", flaw->compared);
        put_bits(text, "expected", flaw->dtype, flaw->expected);
        put_bits(text, "right", flaw->dtype, flaw->right);
        if (flaw->bound) {
            put_bits(text, "lower", flaw->dtype, flaw->lower);
            put_bits(text, "upper", flaw->dtype, flaw->upper);
        }
    }
    json_end_object(text);
}

void records_put_score(struct records *records, const char *source, const struct score *score)
{
    struct text *const text = &records->text;
    const struct suite *const suite = score->part.suite;
    json_begin_object(text);
    json_put_pairs(text, {"record", "score"}, {"source", source}, {"suite", suite->name},
                   {"operator", score->part.declared ? score->part.declared->name : NULL});
    json_put_unsigned_at(text, "tests", score->tests);
    json_put_unsigned_at(text, "held", score->held);
    json_put_unsigned_at(text, "refused", score->allowed_count + score_narrow(score));
    json_begin_list_at(text, "mistakes");
    for (size_t i = 0; i < score->wrong_count; i++)
        put_mistake(text, suite, &score->wrong[i]);
    json_end_list(text);
    json_begin_list_at(text, "flaws");
    for (size_t i = 0; i < score->flaw_count; i++)
        put_flaw(text, suite, &score->flaw[i]);
    json_end_list(text);
    json_end_object(text);
    text_put_bytes(text, "\n", 1);
    text->comma = false;
    records->records++;
}
