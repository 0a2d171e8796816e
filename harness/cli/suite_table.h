// SPDX-License-Identifier: Apache-2.0
// Which suites there are, and where their golden vectors lie.

#ifndef ASSAY_HARNESS_CLI_SUITE_TABLE_H
#define ASSAY_HARNESS_CLI_SUITE_TABLE_H

#include <stddef.h>

#include "ref/base/arena.h"
#include "ref/base/error.h"

struct suite;

// Paths of the suites named in `names` (parted by commas). NULL or "all": those that the project
// names, or, without a project, all of yaml/suites. A name with a slash is a path; the project's
// suites go before others of their name.
enum error suites_choose(const char *names, struct arena *arena, char ***paths, size_t *count,
                         struct diagnostic *diagnostic);

// As suite_read and stored_load, and says whether the suite is one's own.
enum error suites_read_file(const char *path, struct suite *suite, struct diagnostic *diagnostic);

// Reads them all at once; the suites' array is the arena's. Release each suite, also after an
// error, which is the first file's.
enum error suites_read(char *const *paths, size_t count, struct arena *arena, struct suite **suites,
                       struct diagnostic *diagnostic);

// The folder of a suite's golden vectors, which need not be there: "vectors" beside one's own, else
// that of all suites of assay. Writes at most `size` bytes to `path`, the caller's, and returns it.
const char *suites_vectors(const struct suite *suite, char *path, size_t size);

#endif
