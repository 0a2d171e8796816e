# SPDX-License-Identifier: Apache-2.0
"""`python -m assay` is the command `assay`."""

from ._program import main

main()
