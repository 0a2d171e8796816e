// SPDX-License-Identifier: Apache-2.0
// Which targets there are, and how to start them; which suites there are.

#ifndef ASSAY_HARNESS_CLI_TARGET_TABLE_H
#define ASSAY_HARNESS_CLI_TARGET_TABLE_H

#include "harness/cli/target.h"
#include "harness/host/host.h"
#include "ref/base/arena.h"

struct suite;

// All targets that are there, by name. Memory is the arena's.
enum error targets_list(struct arena *arena, struct target **targets, size_t *count,
                        struct diagnostic *diagnostic);

// The targets that the command line names: `names` parted by commas ("all": all), or a plugin, or a
// program with its arguments parted by spaces, in this order. At least one of the three is set, and
// no two targets have one name.
enum error targets_choose(const char *names, const char *plugin, const char *program,
                          struct arena *arena, struct target **targets, size_t *count,
                          struct diagnostic *diagnostic);

enum error target_open(const struct target *target, unsigned time_ms, struct host **host,
                       struct diagnostic *diagnostic);

// Paths of the suites named in `names` (parted by commas; NULL or "all": all of yaml/suites). A
// name with a slash is a path.
enum error suites_choose(const char *names, struct arena *arena, char ***paths, size_t *count,
                         struct diagnostic *diagnostic);

// As suite_read, and says whether the suite is one's own.
enum error suites_read_file(const char *path, struct suite *suite, struct diagnostic *diagnostic);

// Reads them all at once; the suites' array is the arena's. Release each suite, also after an
// error, which is the first file's.
enum error suites_read(char *const *paths, size_t count, struct arena *arena, struct suite **suites,
                       struct diagnostic *diagnostic);

// The folder of a suite's golden vectors, which need not be there: "vectors" beside one's own, else
// that of all suites of assay. Writes at most `size` bytes to `path`, the caller's, and returns it.
const char *suites_vectors(const struct suite *suite, char *path, size_t size);

#endif
