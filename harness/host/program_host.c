// SPDX-License-Identifier: Apache-2.0
#include "harness/host/internal.h"
enum error program_start(struct host *host, struct diagnostic *diagnostic)
{
    (void)host;
    return diagnostic_fail(diagnostic, ERROR_UNSUPPORTED, "later");
}
void program_run(struct host *host, struct host_call *calls, size_t count)
{
    (void)host;
    (void)calls;
    (void)count;
}
bool program_stop(struct host *host, char *message)
{
    (void)host;
    (void)message;
    return true;
}
