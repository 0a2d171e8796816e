// SPDX-License-Identifier: Apache-2.0
// Rows of a batch and pieces of a sequence, cut out of requests and answers. Private to
// yaml/relation*.c; the functions are parts of relation_request and relation_take, where their
// parameters are described.

#ifndef ASSAY_YAML_RELATION_CUT_H
#define ASSAY_YAML_RELATION_CUT_H

#include "yaml/suite.h"

// *part is the whole request before the call.
enum error relation_cut_rows(const struct suite_case *of, struct arena *arena, struct request *part,
                             struct diagnostic *diagnostic);
enum error relation_cut_batch(const struct suite_case *of, const struct request *whole,
                              size_t index, const struct tensor *before, struct arena *arena,
                              struct request *part, struct diagnostic *diagnostic);
enum error relation_cut_piece(const struct suite_case *of, const struct request *whole,
                              size_t index, const struct tensor *before, struct arena *arena,
                              struct request *part, struct diagnostic *diagnostic);
enum error relation_cut_through(const struct suite_case *of, const struct request *whole,
                                size_t index, const struct tensor *before, struct arena *arena,
                                struct request *part, struct diagnostic *diagnostic);
enum error relation_cut_reversed(const struct suite_case *of, const struct request *whole,
                                 struct arena *arena, struct request *part,
                                 struct diagnostic *diagnostic);

// What the whole's outputs and those of the parts have in common, into `left` and `right`, which
// are empty before: the rows that were asked for; the pieces joined, and the states or sums behind
// the last; the reversed answer turned back; of two whole answers the elements whose indices both
// have.
enum error relation_join_rows(const struct suite_case *of, const struct request *whole,
                              const struct tensor *outputs, const struct tensor *parts,
                              struct arena *arena, struct tensor *left, struct tensor *right,
                              struct diagnostic *diagnostic);
enum error relation_join_batch(const struct suite_case *of, const struct request *whole,
                               const struct tensor *outputs, const struct tensor *parts,
                               struct arena *arena, struct tensor *left, struct tensor *right,
                               struct diagnostic *diagnostic);
enum error relation_join_pieces(const struct suite_case *of, const struct request *whole,
                                const struct tensor *outputs, const struct tensor *parts,
                                struct arena *arena, struct tensor *left, struct tensor *right,
                                struct diagnostic *diagnostic);
enum error relation_join_through(const struct suite_case *of, const struct request *whole,
                                 const struct tensor *outputs, const struct tensor *parts,
                                 struct arena *arena, struct tensor *left, struct tensor *right,
                                 struct diagnostic *diagnostic);
enum error relation_join_reversed(const struct suite_case *of, const struct request *whole,
                                  const struct tensor *outputs, const struct tensor *parts,
                                  struct arena *arena, struct tensor *left, struct tensor *right,
                                  struct diagnostic *diagnostic);
enum error relation_join_corners(const struct suite_case *of, const struct request *whole,
                                 const struct tensor *outputs, const struct tensor *parts,
                                 struct arena *arena, struct tensor *left, struct tensor *right,
                                 struct diagnostic *diagnostic);

// The elements of `from` whose indices `shape`, of the same rank, has too. *to may be *from.
enum error relation_take_corner(const struct tensor *from, const struct tensor *shape,
                                struct arena *arena, struct tensor *to,
                                struct diagnostic *diagnostic);

// Whether the output is a sum to which each piece adds its own terms, in an order that differs from
// the whole's.
bool relation_is_handed_sum(const struct suite_case *of, const struct request *whole,
                            unsigned output);

#endif
