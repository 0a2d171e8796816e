// SPDX-License-Identifier: Apache-2.0
// The sources that `assay audit` knows by name, among them operations of any target.

#ifndef ASSAY_HARNESS_CLI_AUDIT_SOURCE_H
#define ASSAY_HARNESS_CLI_AUDIT_SOURCE_H

#include "stats/source/source.h"

// What `--source` names: stdin or -, file:PATH, chacha20, panel:NAME, TARGET:OPERATION, random123
// (short for random123:philox), an operation of the reference (its name has a dot), or one of its
// generators. ERROR_INPUT also for a seed with bits that the source would not take.
enum error audit_source_open(struct source *source, const char *name, uint64_t seed,
                             struct diagnostic *diagnostic);

// The plugin or program that gives the words of that source; *path NULL: this program does. Memory
// is the arena's.
struct arena;
enum error audit_source_file(const char *name, struct arena *arena, const char **path,
                             struct diagnostic *diagnostic);

// How the seeds of several streams are related.
enum audit_kin {
    AUDIT_KIN_NEXT, // seed, seed + 1, seed + 2, ...
    AUDIT_KIN_BIT, // the seed with one bit turned over, another for each stream; after the last bit
                   // two of them
    AUDIT_KIN_TREE, // keys of a tree of jax.split (threefry2x32): the seed, its two children,
                    // theirs, ...: parents and siblings
    AUDIT_KINDS
};

extern const char *const audit_kin_names[AUDIT_KINDS]; // "next", "bit", "tree"

// `count` streams of that name as one. Only bits that the source takes of a seed are varied. A seed
// that it refuses (0) is passed over: the next of the same kin takes its place. ERROR_INPUT where
// there is no seed, or not so many streams of that kin.
enum error audit_source_open_streams(struct source *source, const char *name, uint64_t seed,
                                     unsigned count, enum audit_kin kin,
                                     struct diagnostic *diagnostic);

// A row of the panel as the roster looks at it: one stream or several.
struct panel_row;
enum error audit_source_open_row(struct source *source, const struct panel_row *row, uint64_t seed,
                                 struct diagnostic *diagnostic);

// An operation of a target, in a worker process: "jax:jax.bits", "numpy:numpy.philox",
// "random123:philox", or of a program or a plugin that is given as text ("./my.so:philox",
// "'my-target --fast':jax.bits" without the quotes). Requests ask for pieces of the stream; a piece
// is named by a counter where the operation has one (then the source has random access), else by a
// part of its seed that counts up from 0, and words come in order. ERROR_UNSUPPORTED, with the
// target's reason, where it lacks the operation.
enum error audit_source_open_target(struct source *source, const char *name, uint64_t seed,
                                    struct diagnostic *diagnostic);

struct target;
struct host;

// A piece may be made element by element in Python: seconds are no sign that the target hangs.
enum { AUDIT_TARGET_TIME_MS = 120000 };

// Starts a worker of the target that `--source` names, to ask it what it is; *host is to be closed.
// NULL both where the source is no target's. Memory is the arena's.
enum error audit_source_start(const char *name, struct arena *arena, const struct target **target,
                              struct host **host, struct diagnostic *diagnostic);

// Which version of a target `--source` names, for those who keep results: what the target says of
// itself and, of a plugin, the head of the digest of its file. Empty where the source is no
// target's. Starts the target's worker.
enum error audit_source_version(const char *name, char *text, size_t size,
                                struct diagnostic *diagnostic);

// A target of the house by its name, a shared library by its path (it ends in .so), another program
// with its arguments (it has a slash).
enum error audit_source_choose_target(const char *name, struct arena *arena, struct target **target,
                                      struct diagnostic *diagnostic);

#endif
