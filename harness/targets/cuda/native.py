# SPDX-License-Identifier: Apache-2.0
"""CUDA's shared libraries through ctypes."""

import ctypes
import glob
import os
import sys


class Refused(Exception):
    """The library said no, or is not there."""


def library(variable, *names):
    """The one that the environment's variable names, else that of the wheels or of the system."""
    wheels = [found for path in sys.path for name in names
              for found in glob.glob(f"{path}/nvidia/*/lib/{name}")]
    for name in [os.environ[variable]] if variable in os.environ else [*wheels, *names]:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise Refused(f"there is no {names[0]} ({variable} names one)")


def cuda_runtime():
    return library("ASSAY_CUDART", "libcudart.so.13", "libcudart.so.12")


def call(of, name, *arguments):
    """A function whose result is 0 where all is well."""
    error = getattr(of, name)(*arguments)
    if error:
        raise Refused(f"{name}: error {error}")
