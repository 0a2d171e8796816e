// SPDX-License-Identifier: Apache-2.0
// Two ways to ask an operation for the same thing, whose answers must agree: rows of a batch and
// the rows alone, a batch or a sequence in one piece and in several, a sequence and itself
// reversed, a request and one that stands for it.
//
// The answers to both are held against each other. What they have in common is an answer to a
// request of its own, so that at level bound both lie in the bounds of that one. At level bits they
// are the same, and the answer to the case's own request is held against the reference, too; golden
// vectors keep none of it.

#ifndef ASSAY_YAML_RELATION_H
#define ASSAY_YAML_RELATION_H

#include "ref/base/json.h"
#include "ref/op/model.h"
#include "ref/variant/variant.h"
#include "yaml/suite.h"

enum { RELATION_PARTS_MAX = 16, RELATION_TEXT_SIZE = 160 };

// Reads `agrees` of a case. Whether the operation can do what it says is seen by relation_request.
enum error relation_read(const struct document_node *node, struct arena *arena,
                         struct relation *relation, struct diagnostic *diagnostic);

// Puts "agrees" of the case, with its row of the matrix put in, into the object of `text` that is
// open; nothing where it has none.
enum error relation_put(const struct suite *suite, const struct suite_case *of, struct text *text,
                        struct diagnostic *diagnostic);

// How many requests the relation of the case makes beside the case's own, at most
// RELATION_PARTS_MAX; 0: it has none.
size_t relation_parts(const struct suite_case *of);

// Part `index`, in the order in which they are asked: `whole` is the case's request, `before` the
// outputs [OPERATION_OUTPUTS_MAX] of the part before it (NULL, or tensors without data: types and
// shapes alone are made). ERROR_INVALID_ARGUMENT where the operation has no such parts.
enum error relation_request(const struct suite *suite, const struct suite_case *of,
                            const struct request *whole, size_t index, const struct tensor *before,
                            struct arena *arena, struct request *part,
                            struct diagnostic *diagnostic);

// What the answers have in common: left[i] of the whole's outputs and right[i] of those of all
// parts (part p's output i is parts[p * OPERATION_OUTPUTS_MAX + i]), of one type and shape;
// DTYPE_NONE: nothing. ERROR_INVALID_ARGUMENT where nothing is common.
enum error relation_take(const struct suite_case *of, const struct request *whole,
                         const struct tensor *outputs, const struct tensor *parts,
                         struct arena *arena, struct tensor left[OPERATION_OUTPUTS_MAX],
                         struct tensor right[OPERATION_OUTPUTS_MAX], struct diagnostic *diagnostic);

// Whether what they have in common is an answer to part 0 (rows) or to the whole (pieces); of
// RELATION_INSTEAD each side is one to its own request.
enum relation_common { RELATION_OF_PART, RELATION_OF_WHOLE, RELATION_OF_EACH };
enum relation_common relation_common(const struct suite_case *of);

// Cuts values and bounds of an answer to one side's request to what both sides have in common: the
// elements whose indices `side`, which relation_take gave, has too.
enum error relation_cut_evaluation(const struct suite_case *of, const struct tensor *side,
                                   struct arena *arena, struct evaluation *evaluation,
                                   struct diagnostic *diagnostic);

// The two sides in words: "in the batch", "with rows [2] alone".
const char *relation_side(const struct suite_case *of, bool parts, char text[RELATION_TEXT_SIZE]);

// The model whose bounds hold of that side where the target declares `declared`: a sum that is
// handed on from piece to piece is stored as f32 in between.
struct evaluation_model relation_model(const struct suite_case *of, bool parts,
                                       const struct evaluation_model *declared);

// Asks the reference for both, under the profile of `whole`, whose evaluation is *evaluation; left
// and right are those of relation_take.
enum error relation_evaluate(const struct suite *suite, const struct suite_case *of,
                             const struct request *whole, struct arena *arena,
                             struct evaluation *evaluation,
                             struct tensor left[OPERATION_OUTPUTS_MAX],
                             struct tensor right[OPERATION_OUTPUTS_MAX],
                             struct diagnostic *diagnostic);

// The same. ERROR_INVALID_ARGUMENT where the answers differ; a sum that was handed on lies in the
// bounds of the whole instead.
enum error relation_hold(const struct suite *suite, const struct suite_case *of,
                         const struct request *whole, struct arena *arena,
                         struct diagnostic *diagnostic);

#endif
