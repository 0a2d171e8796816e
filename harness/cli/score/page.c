// SPDX-License-Identifier: Apache-2.0
// What tests of others notice, as a page in Markdown.

#include <inttypes.h>

#include "harness/cli/score/scoring.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"
#include "reports/text.h"

static void put_row(struct text *page, const struct score *score)
{
    const size_t caught = score->wrong_count - score_survivors(score);
    const size_t ours = score_ours(score);
    const double all = score->wrong_count ? (double)score->wrong_count : 1;
    text_print(page,
               "| `%s` | `%s` | %zu | %zu | %zu of %zu (%.0f %%) | %zu of %zu (%.0f %%) | %zu | "
               "%zu |\n",
               score->part.suite->name, score_name(&score->part), score->tests, score->held, caught,
               score->wrong_count, 100 * (double)caught / all, ours, score->wrong_count,
               100 * (double)ours / all, score->allowed_count + score_narrow(score),
               score_flawed(score));
}

// The name of a test or a case; NULL: there is none.
static void put_name(struct text *page, const char *name)
{
    if (name)
        text_put_code(page, name);
    else
        text_put(page, "-");
}

// ---- expected values --------------------------------------------------------

static void put_value(struct text *page, enum dtype dtype, uint64_t bits)
{
    char hex[2 * sizeof bits + 1], decimal[NUM_TEXT_SIZE];
    bytes_write_hex(hex, bits, dtype_size(dtype));
    num_format(dtype, bits, decimal, sizeof decimal);
    text_print(page, "`%s` (%s)", hex, decimal);
}

static void put_flaw(struct text *page, const struct suite *suite, const struct score_flaw *flaw)
{
    static const char *const words[] = {
        [SCORE_REFUSED] = "the request is refused",
        [SCORE_SHAPED] = "an output has another type or shape",
        [SCORE_NARROW] = "fails by a tolerance narrower than the bound",
        [SCORE_WRONG] = "fails by its own tolerance",
        [SCORE_OUTSIDE] = "passes by its own tolerance",
    };
    text_put(page, "| ");
    put_name(page, flaw->test->id);
    text_print(page, " | %s", words[flaw->kind]);
    if (flaw->option)
        text_print(page, "; right under `%s=%s`", suite->choice[flaw->choice].name,
                   suite->choice[flaw->choice].option[flaw->option]);
    if (flaw->kind == SCORE_REFUSED) {
        text_put(page, ": ");
        text_put_markdown(page, flaw->reason);
    }
    if (flaw->kind < SCORE_NARROW) {
        text_put(page, " | | | |\n");
        return;
    }
    text_print(page, " | `%s`[%" PRIu64 "], %" PRIu64 " of %" PRIu64 " | ",
               flaw->test->request.operation->outputs[flaw->output], flaw->at, flaw->wrong,
               flaw->compared);
    put_value(page, flaw->dtype, flaw->expected);
    text_put(page, " | ");
    put_value(page, flaw->dtype, flaw->bound ? flaw->lower : flaw->right);
    if (flaw->bound) {
        text_put(page, " to ");
        put_value(page, flaw->dtype, flaw->upper);
    }
    text_put(page, " |\n");
}

static void put_flaws(struct text *page, const struct score *scores, size_t count)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < scores[i].flaw_count; k++) {
            if (!begun)
                text_put(page,
                         "\n## Tests that a right implementation fails\n\n"
                         "Or passes, although no right one gives what is expected. Of each the "
                         "first\nelement.\n\n"
                         "| test | verdict | element, how many | expected | right |\n"
                         "|---|---|---|---|---|\n");
            begun = true;
            put_flaw(page, scores[i].part.suite, &scores[i].flaw[k]);
        }
}

// ---- wrong implementations --------------------------------------------------

static void put_options(struct text *page, const struct score *score)
{
    const struct suite *const suite = score->part.suite;
    text_print(page, "\n## %s\n\n| wrong implementation | noticed by | by ours |\n|---|---|---|\n",
               score_name(&score->part));
    for (size_t i = 0; i < score->wrong_count; i++) {
        const struct score_option *const option = &score->wrong[i];
        const struct suite_choice *const choice = &suite->choice[option->choice];
        text_print(page, "| `%s=%s` | ", choice->name, choice->option[option->option]);
        put_name(page, option->first ? option->first->id : NULL);
        text_put(page, " | ");
        put_name(page, option->ours ? option->ours->id : NULL);
        text_put(page, " |\n");
    }
    if (score->inside)
        text_print(page, "\nBeside them %zu whose other bits lie inside the bound of every case.\n",
                   score->inside);
    for (size_t i = 0; i < score->allowed_count; i++) {
        const struct score_option *const option = &score->allowed[i];
        const struct suite_choice *const choice = &suite->choice[option->choice];
        text_put(page, "\nRight, and refused by ");
        put_name(page, option->first->id);
        text_print(page, ": `%s=%s`.\n", choice->name, choice->option[option->option]);
    }
}

void scoring_put_page(const struct scoring *scoring, const struct score *scores, size_t count,
                      struct text *page)
{
    text_put(page, "# What is noticed by ");
    text_put_markdown(page, scoring->source);
    text_put(
        page,
        "\n\n"
        "Made by `make scores`; [`README.md`](README.md) says what the columns mean. A wrong\n"
        "implementation is a deviant option of our suite, and beside their first test that\n"
        "notices it stands the first of our cases that does.\n\n"
        "| suite | operator | their tests | that the reference passes | wrong implementations that "
        "they notice | that our cases notice | right ones that they refuse | expected values that "
        "are not right |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++)
        put_row(page, &scores[i]);
    if (scoring->left_count)
        text_put(page, "\n| left out | why |\n|---|---|\n");
    for (size_t i = 0; i < scoring->left_count; i++) {
        text_print(page, "| %" PRIu64 " | ", scoring->left[i].count);
        text_put_markdown(page, scoring->left[i].reason);
        text_put(page, " |\n");
    }
    put_flaws(page, scores, count);
    for (size_t i = 0; i < count; i++)
        if (scores[i].tests)
            put_options(page, &scores[i]);
}
