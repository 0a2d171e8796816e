# SPDX-License-Identifier: Apache-2.0
"""The Debian package alone, in a root of its own (debootstrap, which needs root and a mirror), for
an ordinary user: a project, a suite of five cases, its vectors, a plugin and a Python function that
are certified, signed, verified and reported. What cannot run says why."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import PHILOX_C, PHILOX_PYTHON, keys  # noqa: E402
from tap import check, expect, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
NAME = "the package installs in a root of its own"
USER = "1234"  # nobody's number there
# Packages that the user's own targets need: assay itself brings what it needs.
FOR_TARGETS = "python3-numpy"
# What lies where assay is installed.
INSTALLED = "find /usr -newermt '-1 hour' -name '*.jsonl' | sort; ls -lR /usr/share/assay"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False,
                          **more)


def fill(path, empty, body):
    """Fills in the one function of a skeleton."""
    with open(path) as file:
        text = file.read()
    assert empty in text, path
    for old, new in ((empty, body), ("DONE = False", "DONE = True"),
                     ("DONE = false", "DONE = true")):
        text = text.replace(old, new)
    with open(path, "w") as file:
        file.write(text)


class Root:
    """A small Debian in a folder, with /proc while it is used."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        run("mount", "-t", "proc", "proc", f"{self.folder}/proc")
        return self

    def __exit__(self, *_):
        run("umount", f"{self.folder}/proc")

    def root(self, command):
        return run("chroot", self.folder, "sh", "-c", command)

    def user(self, command):
        return run("chroot", self.folder, "setpriv", "--reuid", USER, "--regid", USER,
                   "--clear-groups", "sh", "-c", f"HOME=/home/user; export HOME; cd /home/user && "
                   f"{command}")


def own_plugin(folder):
    """A plugin that was built elsewhere, as such are."""
    run(f"{BUILD}/assay", "new-target", "acme", "--to", f"{folder}/acme")
    fill(f"{folder}/acme/acme.c", "\n    (void)counter;\n    (void)key;\n"
         "    memset(output, 0, 4 * sizeof *output);\n", PHILOX_C)
    os.makedirs(f"{folder}/include/assay")
    shutil.copy("harness/plugin.h", f"{folder}/include/assay")
    done = run("cc", "-std=c11", "-O2", "-fPIC", "-shared", f"-I{folder}/include", "-o",
               f"{folder}/acme.so", f"{folder}/acme/acme.c")
    check(done.returncode == 0, "a plugin is built", done.stderr)
    return f"{folder}/acme.so"


def as_a_user(root, folder):
    home = f"{root.folder}/home/user"
    os.makedirs(home)
    shutil.copy(own_plugin(folder), home)
    for key in keys(folder):
        shutil.copy(key, home)
        os.chmod(f"{home}/{os.path.basename(key)}", 0o644)
    run("chown", "-R", f"{USER}:{USER}", home)
    before = root.root(INSTALLED)
    expect(root.user("assay init mine && cd mine && assay emit --write"), 0, ["5 cases, 5 new"],
           "a user makes a project with a suite of five cases, and its vectors")
    fill(f"{home}/mine/targets/mine.py", "\n    return [0, 0, 0, 0]\n", PHILOX_PYTHON)
    with open(f"{home}/mine/assay.yaml") as file:
        text = file.read()
    with open(f"{home}/mine/assay.yaml", "w") as file:
        file.write(text.replace("  # - {name: acme, plugin: build/acme.so}",
                                "  - {name: acme, plugin: ../acme.so}"))
    for target in ("mine", "acme"):
        expect(root.user(f"cd mine && assay certify --target {target} --sign ../key.pem "
                         f"--out {target}.jsonl"), 0, ["conforms: 5 of 5 cases"],
               f"certifies and signs {target}")
        expect(root.user(f"cd mine && assay verify --key ../key.pub --rerun 2 "
                         f"{target}.certificate.jsonl"), 0, ["The certificate holds"],
               f"verifies its certificate ({target})")
    expect(root.user("cd mine && assay report --html page.html --markdown - mine.jsonl acme.jsonl"),
           0, ["5"], "and reports both")
    expect(root.user("cd mine && assay certify --suite philox --quiet --target acme"), 0,
           ["0 unexpected"], "the suites that came with the package are there")
    after = root.root(INSTALLED)
    check(before.stdout == after.stdout, "nothing was written where assay is installed",
          after.stdout[-400:])


def main():
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        skip(NAME, "needs root and debootstrap")
        return
    with tempfile.TemporaryDirectory() as folder:
        system = f"{folder}/root"
        with open("/etc/os-release") as file:
            release = re.search(r"VERSION_CODENAME=(\S+)", file.read())[1]
        mirror = os.environ.get("ASSAY_DEBIAN_MIRROR", "")
        done = run("debootstrap", "--variant=minbase", release, system, *([mirror] * bool(mirror)))
        if done.returncode:
            skip(NAME, "debootstrap: " + (done.stdout.strip().splitlines() or ["failed"])[-1][:120])
            return
        package = run("make", "--no-print-directory", f"BUILD={BUILD}", "deb").stdout.split()[-1]
        shutil.copy(package, f"{system}/assay.deb")
        with Root(system) as root:
            done = root.root("apt-get install -y --no-install-recommends /assay.deb")
            again = root.root("assay emit --check --suite philox")
            check(done.returncode == 0 and again.returncode == 0, NAME,
                  done.stderr[-500:] + again.stdout + again.stderr)
            done = root.root(f"apt-get install -y --no-install-recommends {FOR_TARGETS}")
            check(done.returncode == 0, f"{FOR_TARGETS} installs", done.stderr[-500:])
            as_a_user(root, folder)


main()
finish()
