// SPDX-License-Identifier: Apache-2.0
#include "harness/judge/program.h"

#include <inttypes.h>
#include <string.h>

#include "harness/judge/text.h"
#include "ref/base/bytes.h"
#include "ref/num/text.h"

static const struct {
    const char *target;
    enum error (*write)(struct program *program, struct diagnostic *diagnostic);
} writers[] = {{"onednn", program_write_onednn}, {"onednn_plain", program_write_onednn}, {"openvino", program_write_openvino}};

const char *program_word(enum dtype dtype)
{
    static const char *const words[] = {[1] = "uint8_t", [2] = "uint16_t", [4] = "uint32_t", [8] = "uint64_t"};
    return words[dtype_size(dtype)];
}

void program_add_head(struct program *program, const char *build)
{
    const struct judge_run *const run = &program->minimized->run;
    const struct suite *const suite = program->minimized->specimen.suite;
    text_add(program->text, "// %s %s: ", run->description.name, run->description.version);
    for (size_t i = 0; i < program->result->of->covers_count; i++)
        text_add(program->text, "%s%s", i ? "; " : "", suite->requirement[program->result->of->covers[i]].text);
    text_add(program->text,
             ".\n// Cut down from the case %s of %s by `assay minimize`. Ends with 1 when the failure is there.\n%s",
             program->result->of->id, suite->name, build);
}

void program_add_bits(struct program *program, const char *name, const struct tensor *tensor, const void *data, uint64_t count)
{
    enum { A_LINE = 8 };
    const size_t size = dtype_size(tensor->dtype);
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++)
        used = element_load(data, size, (size_t)i) ? i + 1 : used;
    text_add(program->text, "static %s %s[%" PRIu64 "] = {", program_word(tensor->dtype), name, count ? count : 1);
    if (!used)
        text_add(program->text, "0");
    for (uint64_t i = 0; i < used; i++) {
        const uint64_t bits = element_load(data, size, (size_t)i);
        text_add(program->text, "%s%s0x%0*" PRIx64, i ? "," : "",
                 i && i % A_LINE == 0 ? "\n    "
                 : i                  ? " "
                                      : "",
                 (int)(2 * size), bits);
    }
    text_add(program->text, "};");
    if (count == 1) {
        char decimal[NUM_TEXT_SIZE];
        num_format(tensor->dtype, element_load(data, size, 0), decimal, sizeof decimal);
        text_add(program->text, " // %s", decimal);
    }
    text_add(program->text, "\n");
}

void program_add_compare(struct program *program, enum dtype dtype)
{
    const char *const word = program_word(dtype);
    const int digits = (int)(2 * dtype_size(dtype));
    if (!program->bounded) {
        text_add(
            program->text,
            "static int compare(const char *name, const %s *expected, const %s *got, size_t count)\n{\n"
            "    int wrong = 0;\n    for (size_t i = 0; i < count; i++)\n        if (got[i] != expected[i] && ++wrong <= 8)\n"
            "            printf(\"%%s[%%zu]: expected %%0%d\" PRIx%d \", got %%0%d\" PRIx%d \"\\n\", name, i, expected[i], "
            "got[i]);\n    return wrong;\n}\n\n",
            word, word, digits, digits * 4, digits, digits * 4);
        return;
    }
    text_add(
        program->text,
        "// From least to most, as numbers: bits are made to count upwards.\n"
        "static int64_t rank(%s bits)\n{\n    return bits >> %d ? -(int64_t)(bits & 0x%s) : (int64_t)bits;\n}\n\n"
        "static int compare(const char *name, const %s *lower, const %s *upper, const %s *got, size_t count)\n{\n"
        "    int wrong = 0;\n    for (size_t i = 0; i < count; i++)\n"
        "        if ((rank(got[i]) < rank(lower[i]) || rank(got[i]) > rank(upper[i])) && ++wrong <= 8)\n"
        "            printf(\"%%s[%%zu]: expected %%0%d\" PRIx%d \" to %%0%d\" PRIx%d \", got %%0%d\" PRIx%d \"\\n\", name, i, "
        "lower[i], upper[i],\n                   got[i]);\n    return wrong;\n}\n\n",
        word, digits * 4 - 1,
        digits == 4   ? "7fff"
        : digits == 8 ? "7fffffff"
                      : "7fffffffffffffff",
        word, word, word, digits, digits * 4, digits, digits * 4, digits, digits * 4);
}

static enum error evaluate(struct program *program, struct arena *arena, struct diagnostic *diagnostic)
{
    struct request request = *program->request;
    const struct minimized *const minimized = program->minimized;
    memset(&program->inference, 0, sizeof program->inference);
    if (minimized->specimen.of->reject)
        return ERROR_NONE;
    enum error error = variant_infer(&request, &program->inference, diagnostic);
    profiles_apply(minimized->specimen.suite, &minimized->run.profile, request.operation, &request.profile);
    if (!error)
        error = variant_evaluate(&request, arena, &program->evaluation, diagnostic);
    program->bounded = program->result->required == LEVEL_BOUND;
    if (!error && program->bounded)
        error = variant_bound(&request, arena, &program->evaluation, diagnostic);
    return error;
}

enum error program_write(const struct minimized *minimized, const char *target, struct json_text *text,
                         struct diagnostic *diagnostic)
{
    struct program program = {
        .minimized = minimized, .result = &minimized->run.result[0], .request = &minimized->specimen.request, .text = text};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (!strcmp(writers[i].target, target)) {
            struct arena arena = {0};
            enum error error = evaluate(&program, &arena, diagnostic);
            if (!error)
                error = writers[i].write(&program, diagnostic);
            if (!error && text->failed)
                error = diagnostic_fail(diagnostic, ERROR_INTERNAL, "out of memory");
            arena_release(&arena);
            return error;
        }
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "target %s has no C API that is known here", target);
}
