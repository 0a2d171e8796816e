# SPDX-License-Identifier: Apache-2.0
"""The wheel holds a program for this machine, and suits every Python 3. auditwheel then says which
systems have the C library that it needs."""

import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"py3-none-{platform}")
