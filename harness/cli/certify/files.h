// SPDX-License-Identifier: Apache-2.0
// What a target consists of on this machine, and how its files are named in results and
// certificates.

#ifndef ASSAY_HARNESS_CLI_CERTIFY_FILES_H
#define ASSAY_HARNESS_CLI_CERTIFY_FILES_H

#include "harness/cli/certify/work.h"
#include "harness/host/host.h"

// Gives the session the libraries of the target at `path` (NULL: not known) that `host` runs, with
// their digests, in the order of their names. A file below the target's own folder or below the
// folder that this program was built in is named relative to it, so that the name means the same on
// another machine; any other has its absolute path. Memory is the arena's.
enum error certify_find_files(struct host *host, const char *path, struct arena *arena,
                              struct certify_session *session, struct diagnostic *diagnostic);

// Notes the files that the plan names, so that they need no digest until it is written; false where
// that is not enough: one cannot be read, is no file, or was changed so lately that a change to
// come might not show.
bool certify_note_files(struct certify_work *work);

// ERROR_INPUT where one of the noted files has been changed since.
enum error certify_check_files(const struct certify_work *work, struct diagnostic *diagnostic);

// Adds libraries of another part of the same run. ERROR_INPUT when one of the same name has other
// bytes.
enum error certify_add_files(struct arena *arena, struct certify_session *session,
                             const struct records_library *library, size_t count,
                             struct diagnostic *diagnostic);

// Where the file of that name lies here: below `folder` (of the target), below the build folder, or
// at its absolute path; false when it is nowhere. `folder` may be NULL. Names that climb (..) are
// nowhere.
bool certify_locate_file(const char *name, const char *folder, char *path, size_t size);

#endif
