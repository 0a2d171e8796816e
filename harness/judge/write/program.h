// SPDX-License-Identifier: Apache-2.0
// A failure as a C program of about a page that links nothing but the public API of the target's
// library: for a report to its makers.
//
// Every value stands in it as a literal. It prints each wrong element, expected and got as bits,
// and ends with 1 when the failure is there, with 0 when it is not; one that shows a crash ends by
// its signal.

#ifndef ASSAY_HARNESS_JUDGE_WRITE_PROGRAM_H
#define ASSAY_HARNESS_JUDGE_WRITE_PROGRAM_H

#include "harness/judge/search/minimize.h"
#include "harness/judge/write/template.h"

// Writes the program for the library behind target `target`, from the templates in `folder`
// (harness/targets/templates). ERROR_UNSUPPORTED, with the reason, where it has no C API that is
// known here or where a C program cannot show this kind of failure.
enum error program_write(const struct minimized *minimized, const char *target, const char *folder,
                         struct text *text, struct diagnostic *diagnostic);

// ---- for the files of each library ------------------------------------------

// What a program must show, and the values of its template.
struct program {
    const struct minimized *minimized;
    const struct judge_result *result;
    const struct request *request;
    struct inference inference;   // of a request that is taken
    struct evaluation evaluation; // likewise: the reference under the run's profile, with bounds
    bool bounded;
    size_t output_count;
    const struct judge_output *outputs; // of the result, or what is expected where there is none
    const char *folder;                 // of the templates
    struct template template;
};

// Adds the values of the library's template.
enum error program_fill_onednn(struct program *program, struct diagnostic *diagnostic);
enum error program_fill_openvino(struct program *program, struct diagnostic *diagnostic);

// "0x3f800000, 0, ...": the elements as bits.
void program_add_elements(struct text *text, const struct tensor *tensor, const void *data,
                          uint64_t count);

// "static const uint32_t name[] = {0x3f800000, ...};": the elements as bits; at least one, so that
// it is C.
void program_add_bits(struct text *text, const char *name, const struct tensor *tensor,
                      const void *data, uint64_t count);

// "uint32_t", by the size of an element.
const char *program_word(enum dtype dtype);

// Outputs that are wrong, or all where the failure is another.
bool program_is_compared(const struct program *program, const struct judge_output *output);

// What is expected of the compared outputs: arrays expected_NAME, or least_NAME and most_NAME.
void program_add_expected(const struct program *program, struct text *text);

// A call of the template's `compare`: `got` is an expression.
void program_add_comparison(const struct program *program, struct text *text,
                            const struct judge_output *output, const char *got);

#endif
