// SPDX-License-Identifier: Apache-2.0
// A suite: what a specification asks for, what it leaves open, where it is wrong, and the cases
// that show it.
//
// One YAML file, read strictly (yaml/README.md describes it, yaml/schema/suite.schema.json checks
// it in an editor). A case is kept as a row of its matrix and expanded when it is asked for, so
// that a suite of many thousand cases stays small.

#ifndef ASSAY_YAML_SUITE_H
#define ASSAY_YAML_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/arena.h"
#include "ref/base/digest.h"
#include "ref/base/document.h"
#include "ref/base/error.h"
#include "ref/op/operation.h"
#include "yaml/declared/operator.h"
#include "yaml/matrix.h"

enum { SUITE_CASES_MAX = 65536, SUITE_ID_SIZE_MAX = 128 };

struct suite_requirement {
    const char *id, *text;
    const char *clause;   // where the specification says so, NULL: not stated
    const char *untested; // why no case covers it, NULL: some do
    size_t cases;         // that cover it
    bool whole; // no single step shows it: not one that a case asks for, nor steps of mode stepwise
};

enum suite_class { SUITE_ALLOWED, SUITE_DEVIANT };

// A choice of the suite's operations, with the union of the options that they give it. options[0]
// is the default.
struct suite_choice {
    const char *name;
    const char *about; // NULL: not stated
    size_t count;
    const char **option;
    enum suite_class *class;
};

struct suite_erratum {
    const char *id, *clause, *says, *decided, *because;
    const char *option; // "choice=option" that is the literal reading, NULL: none
    size_t count;
    const char **cases; // ids; one with a matrix stands for all of its cases
};

enum suite_level {
    SUITE_LEVEL_AUTOMATIC,
    SUITE_LEVEL_BITS,
    SUITE_LEVEL_BOUND,
    SUITE_LEVEL_DISTRIBUTION
};

// A case's own word on an option, instead of the suite's.
struct suite_override {
    const char *choice, *option;
    enum suite_class class;
};

enum relation_kind {
    RELATION_NONE,
    RELATION_ROWS,
    RELATION_BATCH,
    RELATION_SPLIT,
    RELATION_THROUGH,
    RELATION_REVERSED,
    RELATION_INSTEAD
};

// `agrees` of a case: which other requests must be answered alike (yaml/relation.h).
struct relation {
    enum relation_kind kind;
    size_t count;
    const uint64_t *numbers; // the rows, in the order in which they are asked for alone; where a
                             // batch or a sequence is cut: the first index of each piece but the
                             // first
};

// How closely a value that was not derived must be met: by its bits, or within so many neighbours
// of its type on either side.
struct suite_tolerance {
    uint64_t ulps; // 0: bits
};

// Who states values that were not derived here.
struct suite_source {
    const char *id, *title;
    const char *where;         // where it is published; NULL: not stated
    const char *file, *sha256; // of tensors, beside the suite; NULL: values stand in the suite
    const char *origin, *origin_sha256; // what that file was made from; NULL: not stated
    struct suite_tolerance tolerance;   // where a case says no other
};

// A program that answers the cases of a suite in place of assay's reference.
struct suite_program {
    const char *command; // NULL: there is none
    size_t count;
    const char **files; // that it consists of, as seen from the suite's folder
    struct suite_tolerance tolerance;
};

// A tensor that a suite names, once it was read: of a source's file, or, with `file` NULL, of the
// golden vectors.
struct suite_tensor {
    const char *file, *name;
    struct tensor tensor; // native
};

// An entry under `cases`.
struct suite_form {
    const struct document_node *node, *id;
    struct matrix matrix;
    const char *about; // NULL: not stated
};

// The first output is the sum of what it is with either of two inputs zero, or, of one input, with
// either its large elements zero (those of at least half the largest magnitude) or the others. Its
// errors must not lean to one side.
struct suite_unbiased {
    unsigned parts; // inputs that are named: 0, 1 or 2
    int input[2];
    bool along; // of the output's elements along `axis` the last one alone counts
    unsigned axis;
};

struct suite_case {
    const char *id;
    const struct suite_form *form;
    uint64_t row;      // of the form's matrix
    uint32_t position; // among the cases of the suite, from 0; drawn ones come after all others
    const struct operation *operation; // over stored values where the case has them
    const struct operation *derived;   // assay's own of the name; NULL: it has none
    const struct suite_source *from;   // that states the answer; NULL: none
    bool asked;                        // the suite's program states it
    const char *tolerance;             // of values that are stored, in words; NULL: none are
    size_t covers_count;
    const uint16_t *covers; // indices of requirements
    size_t override_count;
    const struct suite_override *overrides;
    const int64_t *step;    // only this one of its steps, [OPERATION_STEP] as a stepping takes it;
                            // NULL: all of it
    const uint64_t *window; // only these elements, first and count, of an output that the case
                            // wants whole; NULL: as the case says
    const char
        *reject; // the target must refuse: a part of the reference's reason; NULL: it must answer
    const char *survive; // what the text leaves undefined: any answer or refusal will do that does
                         // no harm; NULL: it is defined
    struct relation relation; // answers are held against each other, too
    enum suite_level level;
    struct suite_unbiased unbiased;
    bool portable; // a part of the portable slice
    bool digests;  // golden vectors keep digests of its tensors alone
    bool printed;  // the specification prints its result
    bool drawn;    // its data are other ones, which follow from its id
};

// Whether errors of the case's first output must not lean to one side.
static inline bool suite_case_is_unbiased(const struct suite_case *of)
{
    return of->unbiased.parts > 0;
}

struct suite {
    const char *path, *name, *version;
    bool own; // set by the caller: none of those that assay comes with (suite_asked)
    char sha256[DIGEST_HEX_SIZE]; // of the file
    const char *title, *source;   // of the specification; source may be NULL
    unsigned version_line;        // where emit raises it
    size_t requirement_count, choice_count, erratum_count, form_count, case_count, operation_count;
    struct suite_requirement *requirement;
    struct suite_choice *choice;
    struct suite_erratum *erratum;
    struct suite_form *form;
    struct suite_case *cases;         // in the order of the file
    const struct suite_case **sorted; // by id
    const struct operation **operation;
    size_t source_count, declared_count, stored_count;
    struct suite_source *sources;
    struct operation *declared; // by the suite, over stored values
    struct operation *stored;   // of assay's names, over stored values
    struct suite_program program;
    bool loaded; // `tensor` is what the sources' files and the golden vectors hold: stored_load
    const char *unasked; // why the program's answers are not known; NULL: they are
    size_t tensor_count;
    struct suite_tensor *tensor; // by file, then by name
    struct operators operators;  // those that its file names, and those that assay comes with
    struct arena arena;
};

// Reads and checks the file (what other files hold is read by stored_load): its words, that every
// option of every choice of its operations is classified, that requirements and errata name cases
// that exist, that every case expands to a well-formed request (one that must be refused may break
// a rule of its operation). Fills are checked but not made. Release it also after an error.
enum error suite_read(const char *path, struct suite *suite, struct diagnostic *diagnostic);
void suite_release(struct suite *suite);

// What `--suite` takes for it: one's own is asked for by its path.
const char *suite_asked(const struct suite *suite);

// Whether the case must be answered: it must not be refused, and is not left undefined.
bool suite_case_is_answered(const struct suite_case *of);

// Whether, besides, the right values are those of the reference: it has no relation.
bool suite_case_has_values(const struct suite_case *of);

// Whether, instead, they are stored: a source or a program states them, and nothing derives them.
bool suite_case_is_stored(const struct suite_case *of);

// Whether the golden vectors keep digests of its tensors alone: it says so, its name of a sweep
// makes them anew, or it has a relation and no outputs beside its inputs.
bool suite_case_keeps_digests(const struct suite_case *of);

// The profiles under which the suite's program is asked about a case: all that the suite allows for
// it, the default first, and each deviant option alone. ERROR_INPUT where there are more.
enum { SUITE_PROFILES_MAX = 64 };
enum error suite_list_profiles(const struct suite *suite, const struct suite_case *of,
                               struct profile list[SUITE_PROFILES_MAX], size_t *count,
                               struct diagnostic *diagnostic);

// How the golden vectors call what the program answered: "CASE/out/NAME", under another profile
// than the default "CASE/out/NAME/{choice=option}...". NULL without memory.
const char *suite_answer_name(const struct suite_case *of, const char *output,
                              const struct profile *profile, struct arena *arena);

// Orders tensors by file and name, for qsort and bsearch.
int suite_compare_tensors(const void *a, const void *b);

// Adds to the cases of the suite, which was just read, one for each that has data which no
// requirement fixes (random fills; the words of counters, keys, states and seeds): the same case
// with other data. Its id, "drawn-SEED-ID", says all of it: the data follow from it alone. Cases
// without values of their own, or whose errors must not lean to one side, have none.
enum error suite_draw(struct suite *suite, uint64_t seed, struct diagnostic *diagnostic);

// Another case like `of`, with other data: *good where it has any that could be drawn, and is then
// still a request. `of` may itself be drawn. Its id is the arena's.
enum error suite_draw_twin(const struct suite *suite, const struct suite_case *of,
                           struct arena *arena, struct suite_case *twin, bool *good,
                           struct diagnostic *diagnostic);

// Whether the id is that of a drawn case, and of which seed.
bool suite_drawn_seed(const char *id, uint64_t *seed);

// The case of that id, or NULL.
const struct suite_case *suite_find_case(const struct suite *suite, const char *id);

// The case as a mapping in the form of a request (id, op, attributes, inputs, outputs, window,
// runs), without the keys that only a suite knows, and with `as` in every fill, so that it means
// the same on its own. Memory is the arena's; scalars are the suite's.
enum error suite_case_document(const struct suite *suite, const struct suite_case *of,
                               struct arena *arena, struct document_node **node,
                               struct diagnostic *diagnostic);

// The case as a request with all of its inputs made. The errors are those of request_read.
enum error suite_case_request(const struct suite *suite, const struct suite_case *of,
                              struct arena *arena, struct request *request,
                              struct diagnostic *diagnostic);

// The same without data where the operation needs none to infer types and shapes: filled inputs
// then have a type and a shape alone.
enum error suite_case_shapes(const struct suite *suite, const struct suite_case *of,
                             struct arena *arena, struct request *request,
                             struct diagnostic *diagnostic);

// How `option` of `choice` counts for this case: the suite's word, unless the case has its own. An
// option that the case's operation does not have is SUITE_DEVIANT.
enum suite_class suite_classify(const struct suite *suite, const struct suite_case *of,
                                const char *choice, const char *option);

// Checks an output of the case against what the specification prints, to the printed digits.
// ERROR_INVALID_ARGUMENT names the element. Nothing is checked where nothing is printed for
// `output`. `data` is whole and native.
enum error suite_check_printed(const struct suite *suite, const struct suite_case *of,
                               const char *output, const struct tensor *tensor,
                               struct diagnostic *diagnostic);

#endif
