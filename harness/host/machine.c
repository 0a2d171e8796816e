// SPDX-License-Identifier: Apache-2.0
#include "harness/host/machine.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "ref/base/file.h"
#include "ref/base/isa.h"
#include "ref/base/threads.h"

static void read_processor(char *name, size_t size)
{
    char text[4096];
    file_read_start("/proc/cpuinfo", text, sizeof text);
    name[0] = '\0';
    for (const char *line = text; *line && !name[0];) {
        const char *const colon = strstr(line, ": ");
        if (colon && (!strncmp(line, "model name", 10) || !strncmp(line, "Processor", 9)))
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

struct machine machine_here(void)
{
    struct machine machine = {.threads = threads_available()};
    struct utsname name;
    const bool known = !uname(&name);
    snprintf(machine.architecture, sizeof machine.architecture, "%.64s",
             known ? name.machine : "unknown");
    snprintf(machine.system, sizeof machine.system, "%.60s %.60s, glibc %.20s",
             known ? name.sysname : "unknown", known ? name.release : "", gnu_get_libc_version());
    read_processor(machine.processor, sizeof machine.processor);
    processor_class_here(machine.class);
    snprintf(machine.instructions, sizeof machine.instructions, "%s", isa_name(isa_chosen()));
    return machine;
}
