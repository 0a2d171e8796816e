// SPDX-License-Identifier: Apache-2.0
// assay worker: the process in which a target runs. Started by the harness, of no use to people.

#include "harness/cli/commands.h"
#include "harness/host/host.h"

static int run(const struct cli_command *command, int argc, char **argv)
{
    (void)command;
    return host_worker_main(argc - 1, argv + 1);
}

const struct cli_command command_worker = {
    .name = "worker",
    .arguments = "...",
    .summary = "run a target for the harness",
    .help = "Started by the harness itself, with memory and a socket already open.",
    .run = run,
    .hidden = true,
};
