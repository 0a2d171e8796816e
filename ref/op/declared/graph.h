// SPDX-License-Identifier: Apache-2.0
// A declared operator: its inputs, attributes and outputs, and a graph of named nodes.
//
// A node is an expression. It is evaluated exactly on stored operands (inputs and earlier nodes)
// and rounded once, to nearest even, into the node's type. Expressions are kept in one array, each
// after its operands, so that the options of a choice share what they do not change. The graph is
// read from YAML (yaml/declared) and never changes afterwards.

#ifndef ASSAY_REF_OP_DECLARED_GRAPH_H
#define ASSAY_REF_OP_DECLARED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref/base/onnx_node.h"
#include "ref/op/declared/words.h"
#include "ref/op/operation.h"

enum {
    GRAPH_EXPRESSIONS_MAX = 8192,
    GRAPH_LIVE_MAX = 384, // expressions that one profile evaluates
    GRAPH_NODES_MAX = 56, // named
    GRAPH_NAMES_MAX = 24, // of sizes
    GRAPH_RANK_MAX = 8,   // of every tensor
    GRAPH_LIST_MAX = 16,  // numbers in a list
    GRAPH_OPERANDS_MAX = 16,
    GRAPH_DEPTH_MAX = 24,      // of an expression
    GRAPH_STEPS_MAX = 1 << 20, // of a scan
    GRAPH_SCANS = 2,           // one from the first step on, then one from the last step back
};

struct graph_expression {
    enum word_op op;
    uint16_t count;          // of operands
    const uint16_t *operand; // indices of earlier expressions
    const char *text;        // WORD_NUMBER: as it was written; WORD_TEXT, names: the word
    double number;           // WORD_NUMBER: to nearest
    bool exact;              // WORD_NUMBER: `number` is what was written
    uint16_t index;          // of the input, node, attribute or size name
};

// A type: what an attribute names, where it is present; else that of the first of two inputs that
// is there; else `fixed`.
struct graph_type {
    enum dtype fixed;
    int input, attribute, second; // -1: not so
};

enum dimension_kind { DIMENSION_NAME, DIMENSION_SIZE, DIMENSION_REST };

struct graph_dimension {
    enum dimension_kind kind;
    uint16_t index; // of the name; of the expression
};

struct graph_shape {
    bool given;
    int like; // the shape of this input; -1: as `dimension` says
    unsigned count;
    struct graph_dimension dimension[GRAPH_RANK_MAX];
};

struct graph_input {
    unsigned types; // set of DTYPE_BIT
    int type_of;    // the type of this earlier input; -1: any of `types`
    struct graph_shape shape;
    bool numbers_matter; // its elements are sizes or axes: shapes alone do not suffice
};

enum node_overflow { NODE_IEEE, NODE_SATURATE, NODE_WRAP };

struct graph_node {
    const char *name;
    uint16_t root;
    bool typed; // `type` was written
    struct graph_type type;
    enum node_overflow overflow;
    int output;  // which output it is; -1: none
    bool stored; // rounded in every implementation
};

struct graph_output {
    enum level level;
    bool typed; // `type` was written
    struct graph_type type;
    struct graph_shape shape;
};

struct graph_requirement {
    uint16_t condition;
    const char *text; // as it was written
    const char *why;  // NULL: nothing is added
};

// Nodes that are evaluated again and again, step by step; none where both ends are the same.
struct graph_scan {
    unsigned first, end;
};

// What an option puts in place of a node's expression. A derived mutant may also store the node in
// another type, or add up in one.
struct graph_replacement {
    uint16_t node, root;
    bool cast;              // `typed` and `type` hold in place of the node's own
    bool typed;             // as graph_node has it
    struct graph_type type; // as graph_node has it
    enum dtype accumulator; // partial sums are rounded to it, from the first term on; NONE: exact
};

struct graph_option {
    unsigned count;
    const struct graph_replacement *replacement;
    bool allowed; // a reading that the text admits; else a known mistake
};

struct graph {
    const char *path; // of its file; NULL: it came with a request
    const char *text; // the declaration itself
    const char *sha256;
    const struct graph_expression *expression;
    unsigned expression_count;
    struct graph_input input[OPERATION_INPUTS_MAX];
    struct graph_output output[OPERATION_OUTPUTS_MAX];
    struct graph_node node[GRAPH_NODES_MAX];
    unsigned node_count;
    struct graph_scan scan[GRAPH_SCANS]; // the second goes over the same steps, from the last one
    uint16_t steps;                      // an expression: how many there are
    const char *name[GRAPH_NAMES_MAX];   // of sizes
    unsigned name_count;
    const struct graph_requirement *requirement;
    unsigned requirement_count;
    const struct graph_option *const *option; // [choice][option], as operation.choices
    const struct onnx_node *onnx;             // as which it is written for ONNX, in their order
    unsigned onnx_count;                      // 0: as one node of its own name
    int dot;  // the attribute that names the algorithm of products; -1: none
    int form; // the choice whose options are forms: other algorithms for the same function; -1:
              // none
};

// `operation` comes first, so that a request's operation is one of these.
struct declared_operation {
    struct operation operation;
    struct graph graph;
};

// The scan that a node belongs to; GRAPH_SCANS: none.
static inline unsigned graph_scan_of(const struct graph *graph, unsigned node)
{
    unsigned s = 0;
    while (s < GRAPH_SCANS && (node < graph->scan[s].first || node >= graph->scan[s].end))
        s++;
    return s;
}

static inline bool graph_in_scan(const struct graph *graph, unsigned node)
{
    return graph_scan_of(graph, node) < GRAPH_SCANS;
}

// Whether the operation was declared.
bool declared_is(const struct operation *operation);

// The graph of a request's operation, which was declared.
const struct graph *declared_graph(const struct operation *operation);

// Whether both are one operation, or were declared by the same text.
bool declared_same(const struct operation *a, const struct operation *b);

// Sets the callbacks of an operation whose tables and graph are filled.
void declared_finish(struct declared_operation *declared);

#endif
