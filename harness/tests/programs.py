# SPDX-License-Identifier: Apache-2.0
"""C programs that show what a library does: built against it, and run as its target is."""

import glob
import os
import subprocess

VENV = os.path.join(os.environ.get("BUILD", "build"), "venv")


def build(target, source, to):
    """Compiles `source` for the library behind `target`, without a warning."""
    if target == "onednn2":
        flags = ["-fopenmp", "-ldnnl"]
    elif target.startswith("onednn"):
        flags = [f"-I{VENV}/include", f"{VENV}/lib/libdnnl.so.3", "-Wl,--allow-shlib-undefined"]
    else:
        home = glob.glob(f"{VENV}/lib/python3*/site-packages/openvino")[0]
        flags = [f"-I{home}/include", *glob.glob(f"{home}/libs/libopenvino_c.so.*"),
                 f"-Wl,-rpath,{os.path.abspath(home)}/libs"]
    return subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-Wall", "-Wextra", "-Werror",
                           source, *flags, "-o", to], capture_output=True, text=True, check=False)


def show(program):
    """Runs it with its library held to AVX2, as targets.yaml holds it."""
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(f"{VENV}/lib"),
                       OCL_ICD_FILENAMES=os.path.abspath(f"{VENV}/lib/libintelocl.so"),
                       ONEDNN_MAX_CPU_ISA="AVX2")
    return subprocess.run([program], capture_output=True, text=True, check=False, env=environment,
                          errors="replace")
