// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/certify/files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ref/base/digest_file.h"

// The real path of the folder that a file lies in, with a final slash; empty when there is none.
static void folder_of(const char *file, char folder[PATH_MAX])
{
    if (realpath(file, folder))
        strrchr(folder, '/')[1] = '\0';
    else
        folder[0] = '\0';
}

static const char *below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return length > 1 && !strncmp(path, folder, length) ? path + length : NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct records_library *)a)->name,
                  ((const struct records_library *)b)->name);
}

// The files that a plan names: suites, targets, the list of known failures; NULL where target `i`
// has none.
static const char *named_file(const struct certify_work *work, size_t i)
{
    if (i < work->suite_count)
        return work->suites[i].path;
    i -= work->suite_count;
    return i < work->target_count ? work->targets[i].path
           : work->has_known      ? work->arguments->known
                                  : NULL;
}

static size_t count_named(const struct certify_work *work)
{
    return work->suite_count + work->target_count + 1;
}

bool certify_note_files(struct certify_work *work)
{
    const time_t now = time(NULL);
    bool settled = true;
    work->noted = arena_take_array(&work->arena, count_named(work), sizeof *work->noted);
    for (size_t i = 0; work->noted && settled && i < count_named(work); i++) {
        const char *const path = named_file(work, i);
        struct stat *const file = &work->noted[i];
        settled = !path || (!access(path, R_OK) && !stat(path, file) && S_ISREG(file->st_mode) &&
                            digest_is_settled(file, now));
    }
    return work->noted && settled;
}

enum error certify_check_files(const struct certify_work *work, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < count_named(work); i++) {
        const char *const path = named_file(work, i);
        struct stat now;
        if (path && (stat(path, &now) || !digest_is_same_file(&work->noted[i], &now)))
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.400s was changed while it was in use", path);
    }
    return ERROR_NONE;
}

enum error certify_find_files(struct host *host, const char *path, struct arena *arena,
                              struct certify_session *session, struct diagnostic *diagnostic)
{
    char **file = NULL, own[PATH_MAX] = "", built[PATH_MAX], real[PATH_MAX];
    const char *const target = path ? realpath(path, real) : NULL;
    size_t count = 0;
    folder_of("/proc/self/exe", built);
    if (target)
        folder_of(target, own);
    enum error error = host_files(host, arena, &file, &count, diagnostic);
    struct records_library *const library =
        error ? NULL : arena_take_array(arena, count + 1, sizeof *library);
    if (!error && !library)
        error = diagnostic_no_memory(diagnostic);
    for (size_t i = 0; !error && i < count; i++) {
        if (target && !strcmp(file[i], target))
            continue; // it has a digest of its own
        if (!digest_is_there(file[i]))
            continue; // it is gone; host_unseen reports that
        struct records_library *const to = &library[session->library_count];
        to->name = below(file[i], own)     ? below(file[i], own)
                   : below(file[i], built) ? below(file[i], built)
                                           : file[i];
        error = digest_path(file[i], to->sha256, diagnostic);
        session->library_count++;
    }
    if (!error && session->library_count)
        qsort(library, session->library_count, sizeof *library, by_name);
    session->library = library;
    session->unseen = host_unseen(host);
    return error;
}

enum error certify_add_files(struct arena *arena, struct certify_session *session,
                             const struct records_library *library, size_t count,
                             struct diagnostic *diagnostic)
{
    struct records_library *const all =
        arena_take_array(arena, session->library_count + count + 1, sizeof *all);
    size_t kept = session->library_count;
    if (!all)
        return diagnostic_no_memory(diagnostic);
    if (kept)
        memcpy(all, session->library, kept * sizeof *all);
    for (size_t i = 0; i < count; i++) {
        const struct records_library *const known =
            session->library_count ? bsearch(&library[i], session->library, session->library_count,
                                             sizeof *library, by_name)
                                   : NULL;
        if (known && strcmp(known->sha256, library[i].sha256) != 0)
            return diagnostic_fail(diagnostic, ERROR_INPUT,
                                   "%.400s was another file in another part", library[i].name);
        if (!known)
            all[kept++] = library[i];
    }
    if (kept)
        qsort(all, kept, sizeof *all, by_name);
    session->library = all;
    session->library_count = kept;
    return ERROR_NONE;
}

bool certify_locate_file(const char *name, const char *folder, char *path, size_t size)
{
    char built[PATH_MAX];
    if (strstr(name, ".."))
        return false;
    if (name[0] == '/') {
        snprintf(path, size, "%s", name);
        return digest_is_there(path);
    }
    if (folder) {
        snprintf(path, size, "%s/%s", folder, name);
        if (digest_is_there(path))
            return true;
    }
    folder_of("/proc/self/exe", built);
    snprintf(path, size, "%s%s", built, name);
    return digest_is_there(path);
}
