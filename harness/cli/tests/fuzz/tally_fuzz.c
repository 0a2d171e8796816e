// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a part of an audit holds: counts of rows that keep values and of small ones,
// added up and judged.

#include "harness/cli/tests/fuzz/fuzz.h"

#include <string.h>

#include "stats/audit/shard.h"
#include "stats/audit/tally.h"

enum { ROWS = 24, COUNTS_MAX = 300, KEEPERS_COUNTS_MAX = 3000 };

static struct battery battery;
static struct tally tally;

static void prepare(void)
{
    struct diagnostic diagnostic;
    static struct battery all;
    if (!battery_named("quick", &all))
        abort();
    battery = all;
    battery.rows = 0;
    for (unsigned r = 0; r < all.rows && battery.rows < ROWS; r++)
        if (all.row[r].test.counts <= (all.row[r].test.keeps ? KEEPERS_COUNTS_MAX
                                       : r % 8               ? 0
                                                             : COUNTS_MAX) &&
            !all.row[r].from)
            battery.row[battery.rows++] = all.row[r];
    if (!battery.rows || tally_open(&tally, &battery, 1, &diagnostic))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostic diagnostic;
    struct shard_reader reader = {.at = data, .end = data + size};
    if (!battery.rows)
        prepare();
    tally.blocks = TALLY_GROUP;
    for (unsigned r = 0; r < battery.rows; r++) {
        memset(tally.count[r], 0, battery.row[r].test.counts * sizeof *tally.count[r]);
        bag_release(&tally.bag[r]);
        tally.bag[r] = (struct bag){.count = 0};
    }
    for (uint64_t to; shard_get_number(&reader) == 1;)
        if (audit_take_stretch(&reader, "fuzz", &tally, 1 << 20, &to, &diagnostic) || reader.failed)
            return 0;
    for (unsigned r = 0; r < battery.rows; r++) {
        struct judgement judgement = {0};
        tally_judge(&tally, r, UINT32_MAX, &judgement, &diagnostic);
    }
    return 0;
}
