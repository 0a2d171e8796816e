// SPDX-License-Identifier: Apache-2.0
// What a suite holds once it is read, and a wrong suite of each kind with the message and the place
// it must give.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "ref/base/bytes.h"
#include "ref/base/file.h"
#include "yaml/suite.h"

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/assay-suite-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/small.yaml", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static enum error read_text(const char *text, struct suite *suite, struct diagnostic *diagnostic)
{
    *diagnostic = (struct diagnostic){.text = ""};
    assert_int_equal(file_replace_with(path, text, strlen(text), diagnostic), ERROR_NONE);
    return suite_read(path, suite, diagnostic);
}

// Line numbers in the table below count from this text.
#define HEAD                                                                                       \
    "suite: small\n"                                                                               \
    "version: 1.2.3\n"                                                                             \
    "specification: {title: Philox}\n"
#define REQUIREMENTS                                                                               \
    "requirements:\n"                                                                              \
    "  P-BLOCK: {text: a block is a function of counter and key}\n"
#define CHOICES                                                                                    \
    "choices: {rounds: {default: asked, deviant: [\"7\", \"8\", \"9\", \"10\", \"11\"]},\n"        \
    "  key_schedule: {default: weyl, deviant: [constant, swapped_constants]},\n"                   \
    "  multipliers: {default: published, allowed: [published], deviant: [swapped]},\n"             \
    "  word_order: {default: ascending, allowed: [descending]}}\n"
#define CASES                                                                                      \
    "cases:\n"                                                                                     \
    "  - id: zero\n"                                                                               \
    "    covers: [P-BLOCK]\n"                                                                      \
    "    op: philox\n"                                                                             \
    "    attributes: {width: 32}\n"                                                                \
    "    inputs: {counter: [0, 0, 0, 0], key: [0, 0]}\n"

// A right suite with these cases, of which the last one goes on with `end`.
static void read_cases(const char *cases, const char *end, struct suite *suite,
                       struct diagnostic *d)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s", HEAD REQUIREMENTS CHOICES, cases, end);
    if (read_text(text, suite, d))
        fail_msg("%u:%u: %s", d->line, d->column, d->text);
}

static void a_small_suite_is_read(void **state)
{
    (void)state;
    struct suite suite;
    struct diagnostic d;
    read_cases(CASES, "", &suite, &d);
    assert_string_equal(suite.name, "small");
    assert_string_equal(suite.version, "1.2.3");
    assert_int_equal(suite.version_line, 2);
    assert_int_equal(suite.case_count, 1);
    assert_int_equal(suite.requirement[0].cases, 1);
    const struct suite_case *const zero = suite_find_case(&suite, "zero");
    assert_non_null(zero);
    assert_null(suite_find_case(&suite, "one"));
    assert_int_equal(suite_classify(&suite, zero, "key_schedule", "weyl"), SUITE_ALLOWED);
    assert_int_equal(suite_classify(&suite, zero, "key_schedule", "constant"), SUITE_DEVIANT);
    assert_int_equal(suite_classify(&suite, zero, "word_order", "descending"), SUITE_ALLOWED);
    assert_int_equal(suite_classify(&suite, zero, "word_order", "sideways"), SUITE_DEVIANT);
    suite_release(&suite);
}

static void a_matrix_writes_a_case_for_every_combination_but_the_exceptions(void **state)
{
    (void)state;
    struct suite suite;
    struct diagnostic d;
    static const char cases[] = "cases:\n"
                                "  - id: r{rounds}-{at.name}\n"
                                "    matrix:\n"
                                "      rounds: [1, 7, 10]\n"
                                "      at: [{name: low, counter: [1, 2]}, "
                                "{name: full, counter: [4294967295, 4294967295]}]\n"
                                "    except: [{rounds: 7, at.name: full}]\n"
                                "    covers: [P-BLOCK]\n"
                                "    choices: {word_order: {deviant: [descending]}}\n"
                                "    op: philox\n"
                                "    attributes: {width: 32, rounds: $rounds}\n"
                                "    inputs: {counter: $at.counter, key: [$rounds]}\n";
    read_cases(cases, "", &suite, &d);
    static const char *const ids[] = {"r1-low", "r1-full", "r7-low", "r10-low", "r10-full"};
    assert_int_equal(suite.case_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(suite.cases[i].id, ids[i]);
    const struct suite_case *const of = suite_find_case(&suite, "r7-low");
    struct arena arena = {0};
    struct request request;
    struct document_node *node;
    assert_int_equal(suite_case_request(&suite, of, &arena, &request, &d), ERROR_NONE);
    assert_string_equal(request.id, "r7-low");
    assert_int_equal(element_load(request.input[0].data, 4, 1), 2);
    assert_int_equal(element_load(request.input[1].data, 4, 0), 7);
    assert_int_equal(suite_classify(&suite, of, "word_order", "descending"), SUITE_DEVIANT);
    assert_int_equal(suite_case_document(&suite, of, &arena, &node, &d), ERROR_NONE);
    assert_non_null(document_find(node, "inputs"));
    assert_null(document_find(node, "covers"));
    assert_null(document_find(node, "matrix"));
    arena_release(&arena);
    suite_release(&suite);
}

static void the_value_of_nothing_leaves_out_where_it_stands(void **state)
{
    (void)state;
    struct suite suite;
    struct diagnostic d;
    static const char cases[] = "cases:\n"
                                "  - id: r{n}\n"
                                "    matrix: {n: [1], at: [{rounds: ~, runs: ~, type: ~}]}\n"
                                "    covers: [P-BLOCK]\n"
                                "    op: philox\n"
                                "    attributes: {width: 32, rounds: $at.rounds}\n"
                                "    runs: $at.runs\n"
                                "    inputs: {counter: [1, 2], key: [$n],\n"
                                "             none: {dtype: $at.type, data: [1]}}\n";
    read_cases(cases, "", &suite, &d);
    struct arena arena = {0};
    struct document_node *node;
    assert_int_equal(suite_case_document(&suite, &suite.cases[0], &arena, &node, &d), ERROR_NONE);
    assert_null(document_find(node, "runs"));
    assert_null(document_find(document_find(node, "attributes"), "rounds"));
    assert_int_equal(document_find(node, "inputs")->count, 2);
    arena_release(&arena);
    suite_release(&suite);
}

static void fills_are_made_under_the_names_of_suite_case_and_tensor(void **state)
{
    (void)state;
    struct suite suite;
    struct diagnostic d;
    static const char cases[] = "cases:\n"
                                "  - {id: a, covers: [P-BLOCK], op: philox, "
                                "inputs: {counter: &f {fill: bits, dtype: u32, shape: [8, 4]}, "
                                "key: {dtype: u32, data: [1, 2]}}}\n"
                                "  - {id: b, covers: [P-BLOCK], op: philox, "
                                "inputs: {counter: *f, key: {dtype: u32, data: [1, 2]}}}\n";
    read_cases(cases, "", &suite, &d);
    struct arena arena = {0};
    struct request a, b;
    assert_int_equal(suite_case_request(&suite, &suite.cases[0], &arena, &a, &d), ERROR_NONE);
    assert_int_equal(suite_case_request(&suite, &suite.cases[1], &arena, &b, &d), ERROR_NONE);
    // Made by yaml/tests/fill.py for small/a/counter and small/b/counter.
    assert_int_equal(element_load(a.input[0].data, 4, 0), 0x1d06a94a);
    assert_int_equal(element_load(b.input[0].data, 4, 31), 0xc980137b);
    arena_release(&arena);
    suite_release(&suite);
}

struct wrong {
    const char *name, *text, *message;
    unsigned line;  // 0: not compared
    const char *at; // what stands at the column
};

#define CASE(...)                                                                                  \
    HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, covers: [P-BLOCK], op: philox, " __VA_ARGS__    \
                              "}\n"
#define INPUTS "attributes: {width: 32}, inputs: {counter: [0, 0, 0, 0], key: [0, 0]}"

static const struct wrong wrongs[] = {
    {"unknown key", HEAD "requirments: {}\n",
     "unknown key 'requirments' in a suite; known: suite, version", 4, "requirments: {"},
    {"no name", "version: 1.0.0\n", "the key suite is missing here", 1, "version: 1.0.0"},
    {"other name", "suite: other\nversion: 1.0.0\nspecification: {title: x}\n",
     "suite other must stand in a file other.yaml", 1, "other"},
    {"not a word", "suite: Small one\nversion: 1.0.0\n",
     "the suite's name 'Small one' is not a word", 1, "Small one"},
    {"version", "suite: small\nversion: 1.0\n", "version is '1.0'; expected three numbers", 2,
     "1.0"},
    {"no specification", "suite: small\nversion: 1.0.0\n", "the key specification is missing here",
     1, "suite: small"},
    {"specification without title", "suite: small\nversion: 1.0.0\nspecification: {text: x}\n",
     "the key title is missing here", 3, "{text: x}"},
    {"no requirements", HEAD, "the key requirements is missing here", 1, "suite: small"},
    {"requirement without text", HEAD "requirements:\n  A: {clause: x}\n",
     "the key text is missing here", 5, "{clause: x}"},
    {"requirement that is a text", HEAD "requirements:\n  A: x\n",
     "a requirement is a single value; expected a mapping", 5, "x"},
    {"empty text", HEAD "requirements:\n  A: {text: ''}\n", "text is empty", 5, "''}"},
    {"no cases", HEAD REQUIREMENTS, "the key cases is missing here", 1, "suite: small"},
    {"cases is a mapping", HEAD REQUIREMENTS "cases: {a: b}\n",
     "cases is a mapping of names to values; expected a list", 6, "{a: b}"},
    {"empty cases", HEAD REQUIREMENTS "cases: []\n", "cases is empty", 6, "[]"},
    {"uncovered", HEAD REQUIREMENTS "  P-X: {text: more}\n" CHOICES CASES,
     "no case covers requirement P-X", 6, "P-X: {text: mo"},
    {"untested but covered",
     HEAD "requirements:\n  P-BLOCK: {text: a, untested: b}\n" CHOICES CASES,
     "requirement P-BLOCK says untested, but 1 cases cover it", 5, "P-BLOCK: {text"},
    {"choice missing",
     HEAD REQUIREMENTS
     "choices:\n  key_schedule: {default: weyl, deviant: [constant, swapped_constants]}\n" CASES,
     "choice multipliers is not classified: say which of its options are allowed "
     "and which are deviant (published, swapped)",
     7, "key_schedule:"},
    {"others allowed", HEAD REQUIREMENTS "choices: {others: allowed}\n" CASES,
     "others is 'allowed'; expected deviant", 6, "allowed}"},
    {"shared list", HEAD REQUIREMENTS CHOICES "shared: [1]\n" CASES, "expected a mapping", 10,
     "[1]"},
    {"choices missing", HEAD REQUIREMENTS CASES, "choice key_schedule is not classified", 1,
     "suite: small"},
    {"choice unknown",
     HEAD REQUIREMENTS
     "choices:\n  key_schedule: {default: weyl, deviant: [constant, swapped_constants]}\n"
     "  taste: {default: x}\n" CASES,
     "no operation of this suite has a choice 'taste'", 8, "taste: {defaul"},
    {"option missing",
     HEAD REQUIREMENTS "choices:\n  key_schedule: {default: weyl, deviant: [constant]}\n" CASES,
     "option swapped_constants of choice key_schedule is neither allowed nor deviant", 7,
     "key_schedule:"},
    {"option unknown",
     HEAD REQUIREMENTS
     "choices:\n  key_schedule: {default: weyl, deviant: [constant, sideways]}\n" CASES,
     "choice key_schedule has no option 'sideways'; known: weyl, constant, swapped_constants", 7,
     "sideways]}"},
    {"option twice",
     HEAD REQUIREMENTS
     "choices:\n  key_schedule: {default: weyl, allowed: [constant], deviant: [constant]}\n" CASES,
     "option constant of choice key_schedule is classified twice", 7, "constant]}"},
    {"deviant default",
     HEAD REQUIREMENTS "choices:\n  key_schedule: {default: weyl, deviant: [weyl]}\n" CASES,
     "option weyl of choice key_schedule is the default: it cannot be deviant", 7, "weyl]}"},
    {"other default", HEAD REQUIREMENTS "choices:\n  key_schedule: {default: constant}\n" CASES,
     "the default of choice key_schedule is weyl", 7, "constant}"},
    {"erratum without case",
     HEAD REQUIREMENTS CHOICES CASES
     "errata:\n  E1: {clause: a, says: b, decided: c, because: d, cases: [zero, one]}\n",
     "there is no case 'one'", 17, "one]}"},
    {"erratum without reason",
     HEAD REQUIREMENTS CHOICES CASES
     "errata:\n  E1: {clause: a, says: b, decided: c, cases: [zero]}\n",
     "the key because is missing here", 17, "{clause: a, sa"},
    {"erratum of no option",
     HEAD REQUIREMENTS CHOICES CASES
     "errata:\n  E1: {clause: a, says: b, decided: c, because: d, option: word_order=sideways, "
     "cases: [zero]}\n",
     "'word_order=sideways' is not a choice=option of this suite", 17, "word_order=sid"},
    {"case without id", HEAD REQUIREMENTS CHOICES "cases:\n  - {op: philox}\n",
     "a case needs an id", 11, "{op: philox}"},
    {"id not a word", HEAD REQUIREMENTS CHOICES "cases:\n  - {id: A b}\n", "id 'A b' is not a word",
     11, "A b}"},
    {"two ids",
     HEAD REQUIREMENTS CHOICES CASES "  - {id: zero, covers: [P-BLOCK], op: philox, " INPUTS "}\n",
     "two cases have the id 'zero'", 0, "zero, covers:"},
    {"no op", HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, covers: [P-BLOCK]}\n",
     "the key op is missing here", 11, "{id: x, covers"},
    {"unknown op", HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, covers: [P-BLOCK], op: philux}\n",
     "there is no operation 'philux'", 11, "philux}"},
    {"no covers", HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, op: philox}\n",
     "case x has no covers", 11, "{id: x, op: ph"},
    {"unknown requirement",
     HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, op: philox, covers: [P-NONE]}\n",
     "there is no requirement 'P-NONE'", 11, "P-NONE]}"},
    {"requirement twice",
     HEAD REQUIREMENTS CHOICES "cases:\n  - {id: x, op: philox, covers: [P-BLOCK, P-BLOCK]}\n",
     "requirement P-BLOCK stands twice", 11, "P-BLOCK]}"},
    {"unknown key of a case", CASE("input: {}"), "unknown key 'input' in a request", 11,
     "input: {}}"},
    {"unknown attribute", CASE("attributes: {widht: 32}"),
     "unknown key 'widht' in attributes; known: words, width, rounds", 11, "widht: 32}}"},
    {"attribute out of range",
     CASE("attributes: {width: 32, rounds: 2000}, inputs: {counter: [0, 0], key: [0]}"), "rounds",
     11, "2000}, inputs:"},
    {"missing input", CASE("attributes: {width: 32}, inputs: {counter: [0, 0]}"),
     "input key is required by philox", 11, "{counter: [0,"},
    {"input out of range",
     CASE("attributes: {width: 32}, inputs: {counter: [0, 4294967296], key: [0]}"), "counter:", 11,
     "4294967296], k"},
    {"ragged input", CASE("attributes: {width: 32}, inputs: {counter: [[0, 0], [0]], key: [0]}"),
     "counter is ragged", 11, "[0]], key: [0]"},
    {"unknown level", CASE(INPUTS ", level: exact"),
     "level is 'exact'; expected bits, bound or distribution", 11, "exact}"},
    {"unbiased input unknown", CASE(INPUTS ", unbiased: [counter, seed]"),
     "philox has no input 'seed'", 11, "seed]}"},
    {"unbiased input alone", CASE(INPUTS ", unbiased: [counter]"),
     "unbiased names one input, or two, of a case that is answered", 11, "[counter]}"},
    {"unbiased along nothing", CASE(INPUTS ", unbiased: {input: key}"),
     "the key last_along is missing here", 11, "{input: key}}"},
    {"unbiased with another word", CASE(INPUTS ", unbiased: {input: key, last: 1}"),
     "unknown key 'last' in unbiased", 11, "last: 1}}"},
    {"unbiased input twice", CASE(INPUTS ", unbiased: [key, key]"),
     "unbiased names one input twice", 11, "[key, key]}"},
    {"portable not a boolean", CASE(INPUTS ", portable: yes"),
     "portable is 'yes'; expected true or false", 11, "yes}"},
    {"printed and reject", CASE(INPUTS ", reject: no, printed: {output: [1]}"),
     "printed cannot be combined with reject, survive or agrees", 11, "{output: [1]}}"},
    {"printed output unknown", CASE(INPUTS ", printed: {result: [1]}"),
     "philox has no output 'result'", 11, "result: [1]}}"},
    {"wanted output unknown", CASE(INPUTS ", outputs: [result]"), "philox has no output 'result'",
     11, "result]}"},
    {"case's unknown option", CASE(INPUTS ", choices: {word_order: {deviant: [sideways]}}"),
     "philox has no option 'sideways' of a choice 'word_order'", 11, "sideways]}}}"},
    {"fill unknown", CASE("inputs: {counter: {fill: noise, dtype: u32, shape: [4]}, key: [0]}"),
     "unknown fill 'noise'", 11, "noise, dtype:"},
    {"matrix name unknown", CASE("matrix: {a: [1, 2]}, attributes: {width: $b}"),
     "'$b' is not a name of the matrix or a field of its value; names: a", 11, "$b}}"},
    {"matrix field unknown", CASE("matrix: {a: [1, 2]}, attributes: {width: $a.b}"),
     "'$a.b' is not a name of the matrix", 11, "$a.b}}"},
    {"no matrix", CASE("attributes: {width: $b}"),
     "'$b' is not a name of the matrix or a field of its value; names: none", 11, "$b}}"},
    {"matrix without values", CASE("matrix: {a: []}"), "the matrix has no value for 'a'", 11,
     "[]}}"},
    {"matrix value twice", CASE("matrix: {a: [1, 1]}"), "this value stands twice under 'a'", 11,
     "1]}}"},
    {"matrix value no list", CASE("matrix: {a: 1}"),
     "a matrix entry is a single value; expected a list", 11, "1}}"},
    {"exception for nothing", CASE("matrix: {a: [1, 2]}, except: [{a: 3}]"),
     "this exception leaves out no combination", 11, "{a: 3}]}"},
    {"exceptions for all", CASE("matrix: {a: [1, 2]}, except: [{a: 1}, {a: 2}]"),
     "the exceptions leave out every combination", 11, "[{a: 1}, {a: 2"},
    {"except needs a matrix", CASE("except: [{a: 3}]"), "except needs a matrix", 11, "[{a: 3}]}"},
    {"matrix not in id", CASE("matrix: {a: [1, 2]}, " INPUTS), "two cases have the id 'x'", 11,
     "x, covers: [P-"},
};

static void every_wrong_suite_is_refused_at_its_place(void **state)
{
    (void)state;
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        const struct wrong *const w = &wrongs[i];
        struct suite suite;
        struct diagnostic d;
        const enum error error = read_text(w->text, &suite, &d);
        if (!error || !strstr(d.text, w->message) || (w->line && d.line != w->line) || !d.column ||
            strncmp(d.excerpt + d.column - 1, w->at, strlen(w->at)) != 0) {
            print_error("%s: got error %d at %u:%u: %s | %s\n", w->name, (int)error, d.line,
                        d.column, d.text, d.excerpt);
            failed++;
        }
        suite_release(&suite);
    }
    assert_int_equal(failed, 0);
}

static void printed_values_are_checked_to_their_digits(void **state)
{
    (void)state;
    struct suite suite;
    struct diagnostic d;
    static const struct {
        const char *printed;
        enum dtype dtype;
        uint64_t bits;
        bool right;
    } row[] = {
        {"[0.7011236]", DTYPE_F32, 0x3f337cd6,
         true}, // the specification's first example: 0.70112360...
        {"[0.7011]", DTYPE_F32, 0x3f337cd6, true},
        {"[0.7012]", DTYPE_F32, 0x3f337cd6, false},
        {"[0.7011237]", DTYPE_F32, 0x3f337cd6, false},
        {"[65]", DTYPE_I32, 65, true},
        {"[-65]", DTYPE_I32, 0xffffffbf, true},
        {"[65]", DTYPE_I32, 66, false},
        {"[nan]", DTYPE_F32, 0x7fc00000, true},
        {"[1, 2]", DTYPE_I32, 1, false},
        {"{dtype: u32, shape: [1], bits: [6627e8d5]}", DTYPE_U32, 0x6627e8d5, true},
        {"{dtype: u32, shape: [1], bits: [6627e8d5]}", DTYPE_U32, 0x6627e8d4, false},
        {"{dtype: u32, shape: [1, 1], bits: [6627e8d5]}", DTYPE_U32, 0x6627e8d5, false},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char end[128];
        snprintf(end, sizeof end, "    printed: {output: %s}\n", row[i].printed);
        read_cases(CASES, end, &suite, &d);
        unsigned char data[8];
        element_store(data, dtype_size(row[i].dtype), 0, row[i].bits);
        const struct tensor tensor = {.dtype = row[i].dtype, .rank = 1, .shape = {1}, .data = data};
        const enum error error =
            suite_check_printed(&suite, &suite.cases[0], "output", &tensor, &d);
        if ((error == ERROR_NONE) != row[i].right)
            fail_msg("%s: %d %s", row[i].printed, (int)error, d.text);
        suite_release(&suite);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_suite_is_read),
        cmocka_unit_test(a_matrix_writes_a_case_for_every_combination_but_the_exceptions),
        cmocka_unit_test(the_value_of_nothing_leaves_out_where_it_stands),
        cmocka_unit_test(fills_are_made_under_the_names_of_suite_case_and_tensor),
        cmocka_unit_test(every_wrong_suite_is_refused_at_its_place),
        cmocka_unit_test(printed_values_are_checked_to_their_digits),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
