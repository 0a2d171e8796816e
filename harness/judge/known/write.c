// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/known/write.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ref/base/json.h"
#include "ref/variant/variant.h"

static bool is_new(const struct judge_result *result)
{
    return verdict_is_failure(result->verdict) && result->verdict != VERDICT_HARNESS &&
           (!result->known.why || result->known.unlisted);
}

// `equals: {...}` of an explanation; options that are the default are left out.
static void claim_profile(const struct judge_result *result, struct text *claim)
{
    const struct operation *const operation = result->of->operation;
    const char *between = "";
    text_put(claim, "equals: {");
    for (unsigned i = 0; i < variant_choice_count(operation); i++) {
        const unsigned option = result->explanation.profile.option[i];
        const struct choice *const choice = variant_choice(operation, i);
        if (!option)
            continue;
        text_print(claim, "%s%s: \"%s\"", between, choice->name, choice->options[option]);
        between = ", ";
    }
    text_put(claim, "}");
}

// The name in quotes behind "output " in a reason; false: there is none.
static bool find_output(const char *reason, char *name, size_t size)
{
    const char *const at = reason ? strstr(reason, "output '") : NULL;
    const size_t length = at ? strcspn(at + 8, "'") : 0;
    if (!length || length >= size)
        return false;
    memcpy(name, at + 8, length);
    name[length] = '\0';
    return true;
}

// What an entry says that the library does.
static void claim_of(const struct judge_result *result, struct text *claim)
{
    static const char killed[] = "killed by signal ";
    const char *const reason = result->reason ? result->reason : "";
    char name[64];
    text_clear(claim);
    if (result->explanation.found)
        claim_profile(result, claim);
    else if (result->verdict == VERDICT_ACCEPTED)
        text_put(claim, "accepted: true");
    else if (result->verdict == VERDICT_CRASH && !strncmp(reason, killed, sizeof killed - 1))
        text_print(claim, "signal: %ld", strtol(reason + sizeof killed - 1, NULL, 10));
    else if (result->verdict == VERDICT_MEMORY && find_output(reason, name, sizeof name))
        text_print(claim, "unwritten: \"%s\"", name);
    else
        text_print(claim, "verdict: %s\n    unexplained: \"one option changed, %llu profiles\"",
                   verdict_name(result->verdict), (unsigned long long)result->explanation.searched);
}

static void put_entry(const char *target, const struct judge_run *run, size_t first,
                      const char *claim, bool *done, struct text *text, struct text *other)
{
    text_put(text, "  - target: ");
    text->comma = false;
    json_put_string(text, target);
    text_put(text, "\n    suite: ");
    text->comma = false;
    json_put_string(text, run->suite->name);
    text_put(text, "\n    case:");
    for (size_t i = first; i < run->result_count; i++) {
        if (done[i] || !is_new(&run->result[i]))
            continue;
        claim_of(&run->result[i], other);
        if (other->failed || strcmp(other->bytes, claim) != 0)
            continue;
        text_put(text, "\n      - ");
        text->comma = false;
        json_put_string(text, run->result[i].of->id);
        done[i] = true;
    }
    if (run->native)
        text_print(text, "\n    when: {isa: \"%s\"}", run->machine.class);
    text_print(text, "\n    %s\n    why: ", claim);
    text->comma = false;
    json_put_string(text,
                    run->result[first].reason ? run->result[first].reason : "to be looked at");
    text_put(text, "\n");
}

size_t known_write_run(const char *target, const struct judge_run *run, struct text *text)
{
    assert(target && run->suite);
    struct text claim = {0}, other = {0};
    size_t count = 0;
    bool *const done = calloc(run->result_count + 1, sizeof *done);
    text->failed = text->failed || !done;
    for (size_t i = 0; i < run->result_count && !text->failed; i++) {
        if (done[i] || !is_new(&run->result[i]))
            continue;
        claim_of(&run->result[i], &claim);
        if (!claim.failed)
            put_entry(target, run, i, claim.bytes, done, text, &other);
        text->failed = text->failed || claim.failed || other.failed;
        count++;
    }
    text_release(&claim);
    text_release(&other);
    free(done);
    return count;
}
