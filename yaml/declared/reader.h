// SPDX-License-Identifier: Apache-2.0
// What the files that read a declaration share. Private to yaml/declared.

#ifndef ASSAY_YAML_DECLARED_READER_H
#define ASSAY_YAML_DECLARED_READER_H

#include "yaml/declared/operator.h"

enum { LETS_MAX = 24, LET_PARAMETERS_MAX = 8, LET_USES_MAX = GRAPH_EXPRESSIONS_MAX };

// A part of expressions that has a name. What it is stands wherever it is used, with what was given
// in place of its parameters.
struct operator_let {
    const char *name, *parameter[LET_PARAMETERS_MAX];
    unsigned parameters, used; // used: a bit for each parameter that stands in it
    const struct document_node *key, *is;
    unsigned uses;
};

struct operator_reader {
    struct arena *arena;
    struct declared_operation *to;
    struct attribute_spec *attributes;
    const char **attribute_called; // in expressions: its name, or that of its key
    struct input_spec *inputs;
    const char **outputs;
    const struct document_node **node_value;             // of each node, for messages
    unsigned output_count, visible;                      // nodes before it can be named
    const struct document_node *scan_nodes[GRAPH_SCANS]; // of which `before` names any
    unsigned scan;                                       // whose nodes are read; GRAPH_SCANS: none
    struct operator_let let[LETS_MAX];
    unsigned let_count, let_uses;
    struct graph_expression *expression;
    unsigned char *depth;
    unsigned room;
    unsigned deeper; // what derived expressions may be deeper than written ones
};

// Parses the scalar `node` as an expression; its index in *expression.
enum error operator_expression(struct operator_reader *reader, const struct document_node *node,
                               uint16_t *expression, struct diagnostic *diagnostic);

// A new expression of these operands, which are checked: number, static or not, depth. ERROR_INPUT
// without a place.
enum error operator_make(struct operator_reader *reader, enum word_op op, unsigned count,
                         const uint16_t *operand, uint16_t *expression,
                         struct diagnostic *diagnostic);

// The same expression anew, for one more place where it stands.
enum error operator_copy(struct operator_reader *reader, uint16_t from, uint16_t *expression,
                         struct diagnostic *diagnostic);

// A leaf: the index of an input, node, attribute or size name.
enum error operator_leaf(struct operator_reader *reader, enum word_op op, unsigned index,
                         const char *text, uint16_t *expression, struct diagnostic *diagnostic);

// `let`, and whether all of it is used, which is known when all else is read.
enum error operator_read_lets(struct operator_reader *reader, const struct document_node *node,
                              struct diagnostic *diagnostic);
enum error operator_check_lets(const struct operator_reader *reader, struct diagnostic *diagnostic);

// The mapping that a short text stands for: "integer 0..1 = 0" and "required real" of an
// attribute, "optional X" of an input, "f32" of either. Of what is no text, and of a list of types,
// the same and {types: LIST}.
enum error operator_attribute_in_full(struct operator_reader *reader,
                                      const struct document_node *node,
                                      const struct document_node **full,
                                      struct diagnostic *diagnostic);
enum error operator_input_in_full(struct operator_reader *reader, const struct document_node *node,
                                  const struct document_node **full, struct diagnostic *diagnostic);

// `attributes`, `inputs` and `outputs`.
enum error operator_read_attributes(struct operator_reader *reader,
                                    const struct document_node *node,
                                    struct diagnostic *diagnostic);
enum error operator_read_inputs(struct operator_reader *reader, const struct document_node *node,
                                struct diagnostic *diagnostic);
enum error operator_read_outputs(struct operator_reader *reader, const struct document_node *node,
                                 struct diagnostic *diagnostic);
enum error operator_read_choices(struct operator_reader *reader, const struct document_node *node,
                                 struct diagnostic *diagnostic);

// `onnx`: the nodes of ONNX as which the operator is written. NULL: none.
enum error operator_read_onnx(struct operator_reader *reader, const struct document_node *node,
                              struct diagnostic *diagnostic);

// Adds a choice for each node, of mutants that are derived from it; `equivalent` (NULL: none) names
// those that compute the same. The choices that are declared were read.
enum error operator_derive_mutants(struct operator_reader *reader,
                                   const struct document_node *equivalent,
                                   struct diagnostic *diagnostic);

// The node that gives output `index`; -1: none.
int operator_node(const struct operator_reader *reader, const char *name);

// A name: a letter, then letters, digits and '_'; not taken by anything else of the operator.
enum error operator_check_name(const struct operator_reader *reader, const struct document_node *at,
                               struct diagnostic *diagnostic);

// A type: a dtype, or the name of an input or of an attribute of kind dtype.
enum error operator_read_type(const struct operator_reader *reader,
                              const struct document_node *node, struct graph_type *type,
                              struct diagnostic *diagnostic);

#endif
