// SPDX-License-Identifier: Apache-2.0
// Whether this is a build with AddressSanitizer. Its shadow is more private memory than any limit
// leaves, what the C library says of blocks is not what it hands out, LeakSanitizer traces the
// process at its end, and all is some times slower: what stands on one of these asks here.

#ifndef ASSAY_HARNESS_HOST_SANITIZED_H
#define ASSAY_HARNESS_HOST_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ASSAY_SANITIZED 1
#endif
#if !defined(ASSAY_SANITIZED)
#define ASSAY_SANITIZED 0
#endif

enum {
    SANITIZED_SLOWER = ASSAY_SANITIZED ? 4 : 1
}; // what tests multiply a time by that a worker may need

#endif
