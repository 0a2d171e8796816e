// SPDX-License-Identifier: Apache-2.0
// The version of the program, for results, certificates and packages.

#ifndef ASSAY_REF_BASE_VERSION_H
#define ASSAY_REF_BASE_VERSION_H

#define ASSAY_VERSION "1.0.0"

#endif
