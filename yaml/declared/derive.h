// SPDX-License-Identifier: Apache-2.0
// What the files that derive mutants share. Private to yaml/declared.

#ifndef ASSAY_YAML_DECLARED_DERIVE_H
#define ASSAY_YAML_DECLARED_DERIVE_H

#include "yaml/declared/reader.h"

enum { MUTANTS_MAX = 256, PATH_DEPTH_MAX = GRAPH_DEPTH_MAX + 2, MUTANT_NAME_SIZE = 80 };

// Mutants of one node under way: options that replace its expression.
struct deriving {
    struct operator_reader *reader;
    unsigned node;
    uint16_t root;
    uint8_t path[PATH_DEPTH_MAX]; // operands from the root down to the place at work
    unsigned depth;
    const char *choice; // "mutant_NODE"
    unsigned count;
    const char *name[MUTANTS_MAX + 1]; // [0]: as written
    struct graph_option option[MUTANTS_MAX + 1];
    const struct document_node *equivalent; // NULL: none
    bool *met;                              // of its entries
    struct diagnostic *diagnostic;
};

// Adds the option that puts `place` where the path ends.
enum error derive_add(struct deriving *d, const char *what, uint16_t place);

// The same for a new word of these operands.
enum error derive_add_word(struct deriving *d, const char *what, enum word_op op, unsigned count,
                           const uint16_t *operand);

// A whole number as an expression.
enum error derive_number(struct deriving *d, double number, uint16_t *expression);

// What is wrong at the place at work, whose expression is `at`: the slips that its word invites.
enum error derive_at(struct deriving *d, uint16_t at);

// The same where shapes and attributes decide: comparisons alone.
enum error derive_at_static(struct deriving *d, uint16_t at);

#endif
