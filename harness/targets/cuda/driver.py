# SPDX-License-Identifier: Apache-2.0
"""The version of NVIDIA's driver, which records name beside the device."""

import re

PLACE = "/proc/driver/nvidia/version"


def version_in(text):
    """The version in what the kernel module says of itself."""
    found = re.search(r"Kernel Module.*?\s(\d+(?:\.\d+)+)\s", text)
    return found[1] if found else "unknown"


def with_driver(device):
    """`device` and the driver's version."""
    try:
        with open(PLACE, encoding="utf-8") as file:
            return f"{device}, driver {version_in(file.read())}"
    except OSError:
        return f"{device}, driver unknown"
