// SPDX-License-Identifier: Apache-2.0
// Whether malloc_trim gives anything back in this process.
//
// A library may call it whenever it frees an instance, as OpenVINO does with every compiled model:
// the next one then faults in all of its pages again, which takes a fifth of its time. No value
// depends on it, for malloc_trim promises nothing. Growth is proven as before: by what is in use,
// and by addresses that are mapped, of which malloc_trim gives back the heap's end at most, as free
// does by itself.

#ifndef ASSAY_HARNESS_HOST_TRIM_H
#define ASSAY_HARNESS_HOST_TRIM_H

#include <stdint.h>

// From now on malloc_trim leaves free memory with the process, and says that it gave nothing back,
// as long as the process has never held more than `bytes` at once, nor the one that started it. 0,
// as at first: it does what the C library's does.
void trim_keep(uint64_t bytes);

#endif
