// SPDX-License-Identifier: Apache-2.0
// What the command line knows of a target before it is started.

#ifndef ASSAY_HARNESS_CLI_TARGET_H
#define ASSAY_HARNESS_CLI_TARGET_H

#include <stdbool.h>

struct record;
struct record_writer;

// A target: a plugin (build/targets/NAME.so) or a process target (harness/targets/NAME.py, run by
// the virtual environment's Python), or one of them under another name, as
// harness/targets/targets.yaml says.
struct target {
    const char *name;
    const char *path;     // of the plugin or the program; NULL: of a record
    char *const *program; // of a process target, else NULL
    bool named;           // on the command line, and not only among all
    const char *held_to;  // class of processors that its library is held to; NULL: none
    bool native;          // held to nothing on purpose: what it does may depend on the processor
    char *const *environment;       // what its process starts with, "NAME=VALUE"; NULL: nothing
    struct record *replay;          // answers come from there; NULL: they do not
    struct record_writer *recorder; // and go there; NULL: they do not
    bool trace;                     // print the lines that a process target is sent and answers
    const char *selector; // how the command line named it, when not by --target: "--plugin FILE",
                          // "--exec 'PROGRAM'"
};

#endif
