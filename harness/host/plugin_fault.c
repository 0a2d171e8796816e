// SPDX-License-Identifier: Apache-2.0
// A faulting address in the words of the request: which tensor, which element, how far outside.

#include <signal.h>
#include <string.h>

#include "harness/host/target.h"

static const char *verb(const struct wire_fault *fault)
{
    static const char *const verbs[] = {"read", "wrote", "touched"};
    return verbs[fault->writing > 2 ? 2 : fault->writing];
}

static void explain_slot(const struct wire_fault *fault, const struct flight *flight,
                         struct host_call *call)
{
    const struct host_request *const request = call->request;
    for (size_t i = 0; i < flight->tensor_count; i++) {
        const struct wire_place *const place = &flight->places[i];
        if (place->slot != fault->slot)
            continue;
        const bool input = i < request->input_count;
        const char *const name =
            input ? request->inputs[i].name : request->outputs[i - request->input_count].name;
        const struct share_layout *const layout = &flight->layouts[i];
        const int64_t offset = fault->offset - (int64_t)place->start;
        const char *const kind = input ? "input" : "output";
        if (offset < 0)
            host_conclude(call, HOST_MEMORY, "%s %lld bytes before the start of %s '%s'",
                          verb(fault), (long long)-offset, kind, name);
        else if ((uint64_t)offset >= layout->span)
            host_conclude(call, HOST_MEMORY,
                          "%s %llu bytes past the end of %s '%s' (element %llu of %llu)",
                          verb(fault), (unsigned long long)((uint64_t)offset - layout->span), kind,
                          name, (unsigned long long)((uint64_t)offset / layout->element),
                          (unsigned long long)(layout->rows * layout->row));
        else
            host_conclude(call, HOST_MEMORY, "%s %s '%s', which is read-only, at element %llu",
                          verb(fault), kind, name,
                          (unsigned long long)((uint64_t)offset / layout->element));
        return;
    }
    host_conclude(call, HOST_MEMORY, "%s a buffer of an earlier call", verb(fault));
}

void plugin_explain_fault(const struct host *host, const struct wire_fault *fault,
                          const struct flight *flight, struct host_call *call)
{
    char was[HOST_MESSAGE_SIZE / 2];
    memcpy(was, call->message, sizeof was);
    was[sizeof was - 1] = '\0';
    const bool memory_fault = fault->signal == SIGSEGV || fault->signal == SIGBUS;
    if (memory_fault && fault->known_slot == 1)
        explain_slot(fault, flight, call);
    else if (fault->data_bytes > host->options.memory_bytes / 10 * 9)
        host_conclude(call, HOST_MEMORY, "reached the limit of %llu MiB of memory and died (%s)",
                      (unsigned long long)(host->options.memory_bytes >> 20), was);
    else if (memory_fault)
        host_conclude(call, HOST_CRASH, "%s while it %s address %#llx, outside every tensor", was,
                      verb(fault), (unsigned long long)fault->address);
}
