// SPDX-License-Identifier: Apache-2.0
// The commands: each is defined in the file of its name and listed in main.c.

#ifndef ASSAY_HARNESS_CLI_COMMANDS_H
#define ASSAY_HARNESS_CLI_COMMANDS_H

#include "harness/cli/cli.h"

extern const struct cli_command command_audit;
extern const struct cli_command command_certify;
extern const struct cli_command command_diff;
extern const struct cli_command command_emit;
extern const struct cli_command command_eval;
extern const struct cli_command command_explain;
extern const struct cli_command command_export;
extern const struct cli_command command_findings;
extern const struct cli_command command_history;
extern const struct cli_command command_known;
extern const struct cli_command command_list;
extern const struct cli_command command_merge;
extern const struct cli_command command_minimize;
extern const struct cli_command command_mutants;
extern const struct cli_command command_new_target;
extern const struct cli_command command_report;
extern const struct cli_command command_run;
extern const struct cli_command command_show;
extern const struct cli_command command_stream;
extern const struct cli_command command_targets;
extern const struct cli_command command_verify;
extern const struct cli_command command_worker;

#endif
