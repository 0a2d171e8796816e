// SPDX-License-Identifier: Apache-2.0
// Leaves a process behind that is nobody's child any more: the child of a child that has ended.

#include <sys/wait.h>
#include <unistd.h>

#include "harness/zoo/zoo.h"

static enum assay_status zoo_run(struct assay_instance *instance,
                                 const struct assay_request *request, struct assay_message *message)
{
    (void)instance;
    const enum assay_status status = zoo_compute(request, message);
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            for (;;)
                pause();
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return status;
}

const struct assay_plugin *assay_plugin_entry(void)
{
    static const struct assay_plugin plugin = ZOO_PLUGIN("forks_twice", 0);
    return &plugin;
}
