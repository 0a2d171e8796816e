// SPDX-License-Identifier: Apache-2.0
// Any bytes as the history of audits and as the database of results.

#include "harness/cli/tests/fuzz/fuzz.h"

#include "reports/chronicle.h"
#include "stats/nights/history.h"

static void see_night(void *context, const struct history_night *night)
{
    *(uint64_t *)context += night->blocks;
}

static void see_run(void *context, const struct chronicle_run *run)
{
    *(uint64_t *)context += (uint64_t)run->cases;
}

static char path[] = "/dev/shm/assay-fuzz-history-XXXXXX";

static void remove_file(void)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        char name[sizeof path + 16];
        snprintf(name, sizeof name, "%s%s", path, beside[i]);
        unlink(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int made = -1;
    struct diagnostic diagnostic;
    struct history *history;
    struct chronicle *chronicle;
    uint64_t seen = 0;
    if (made < 0 && ((made = mkstemp(path)) < 0 || atexit(remove_file)))
        abort();
    for (int which = 0; which < 2; which++) {
        if (ftruncate(made, 0) || pwrite(made, data, size, 0) != (ssize_t)size)
            abort();
        if (which == 0 && !history_open(&history, path, HISTORY_READ, &diagnostic)) {
            history_list(history, NULL, see_night, &seen, &diagnostic);
            history_close(history);
        } else if (which == 1 && !chronicle_open(&chronicle, path, &diagnostic)) {
            chronicle_runs(chronicle, 8, see_run, &seen, &diagnostic);
            chronicle_close(chronicle);
        }
    }
    return 0;
}
