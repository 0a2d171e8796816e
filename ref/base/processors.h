// SPDX-License-Identifier: Apache-2.0
// How many processors this process may keep busy: those of its affinity mask, as far as the quota
// of its control group reaches.

#ifndef ASSAY_REF_BASE_PROCESSORS_H
#define ASSAY_REF_BASE_PROCESSORS_H

// The processors in the calling thread's affinity mask (`taskset`, cpusets, Slurm), but no more
// than the control groups above the process may use in a period, rounded up: at least 1. The mask
// is asked for each time, the groups once: to read them costs more than many a piece of work.
unsigned processors_usable(void);

// The tightest quota (cpu.max of version 2) of the process's control group and of those above it,
// in processors, rounded up; 0: there is none. Paths are below `root` ("": the machine as it is).
unsigned processors_quota(const char *root);

#endif
