// SPDX-License-Identifier: Apache-2.0
// The commands: each is defined in the file of its name.

#ifndef ASSAY_HARNESS_CLI_COMMANDS_H
#define ASSAY_HARNESS_CLI_COMMANDS_H

#include "harness/cli/cli.h"

// clang-format off
#define COMMANDS(EACH) \
    EACH(audit) EACH(certify) EACH(diff) EACH(emit) EACH(eval) EACH(explain) EACH(export) \
    EACH(findings) EACH(history) EACH(import) EACH(init) EACH(known) EACH(list) EACH(merge) \
    EACH(minimize) EACH(mutants) EACH(new_target) EACH(record) EACH(report) EACH(run) \
    EACH(score) EACH(serve) EACH(show) EACH(stream) EACH(targets) EACH(tolerance) EACH(verify) \
    EACH(worker)
// clang-format on

#define COMMANDS_DECLARE(name) extern const struct cli_command command_##name;
COMMANDS(COMMANDS_DECLARE)

#endif
