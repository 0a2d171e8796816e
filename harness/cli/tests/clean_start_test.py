# SPDX-License-Identifier: Apache-2.0
"""A worker starts with the descriptors that the harness gives it: what the caller left open is
closed, for plugins and process targets; and, where it is to be signed, with few variables. TAP."""

import base64
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from tap import check, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
PLUGIN = """#include <dirent.h>
#include <stdio.h>
__attribute__((constructor)) static void look(void)
{
    FILE *const out = fopen("LISTED", "a");
    DIR *const folder = opendir("/proc/self/fd");
    for (const struct dirent *entry; (entry = readdir(folder));)
        fprintf(out, "%s ", entry->d_name);
    closedir(folder);
    fprintf(out, "\\n");
    fclose(out);
}
"""
PROGRAM = """#!/usr/bin/env python3
import os
names = os.listdir("/proc/self/fd")
print(*names, file=open("LISTED", "a"))
"""

with tempfile.TemporaryDirectory() as folder:
    at = given.files(folder)
    os.chmod(at("program", PROGRAM.replace("LISTED", at("program.txt"))), 0o755)
    at("plugin.c", PLUGIN.replace("LISTED", at("plugin.txt")))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", at("plugin.so"), at("plugin.c")], check=True)
    left = os.open("/dev/null", os.O_RDONLY)
    given_on = []
    for number in (5, 77, 300):
        os.dup2(left, number)
        given_on.append(number)
    # Beside the worker's own there are the file that is written to and the folder that is read.
    for name, option, own in (("plugin", "--plugin", {0, 1, 2, 3, 4, 5, 6}),
                              ("program", "--exec", {0, 1, 2, 3})):
        path = at(name + (".so" if name == "plugin" else ""))
        subprocess.run([ASSAY, "certify", option, path, "--suite", "philox", "--quiet", "--out",
                        at("out.jsonl")], capture_output=True, check=False, pass_fds=given_on)
        with open(at(name + ".txt")) as file:
            lines = [{int(word) for word in line.split() if word.isdigit()} for line in file]
        check(lines and all(line == own for line in lines),
              f"{name}: nothing is open but what the harness gives", lines)

    # ---- variables -------------------------------------------------------------------------------
    given.keys(folder)
    os.chmod(at("variables", PROGRAM.replace("LISTED", at("variables.txt")).replace(
        'os.listdir("/proc/self/fd")', "sorted(os.environ)")), 0o755)
    for signed in (False, True):
        at("variables.txt", "")
        subprocess.run([ASSAY, "certify", "--exec", at("variables"), "--suite", "philox", "--quiet",
                        "--out", at("out.jsonl"), *["--sign", at("key.pem")][:2 * signed]],
                       capture_output=True, check=False, env={**os.environ, "DECIDES": "1"})
        with open(at("variables.txt")) as file:
            names = set(file.read().split())
        check("PATH" in names and ("DECIDES" in names) == (not signed)
              and "ASSAY_WATCH" not in names,
              f"{'signed' if signed else 'unsigned'}: which variables there are", names)
    subprocess.run([ASSAY, "certify", "--target", "numpy", "--suite", "cousins", "--quiet", "--out",
                    at("numpy.jsonl"), "--sign", at("key.pem")], capture_output=True, check=False)
    if os.path.exists(at("numpy.certificate.jsonl")):
        with open(at("numpy.certificate.jsonl")) as file:
            said = json.loads(base64.b64decode(json.loads(file.readlines()[1])["payload"]))
        said = said["predicate"]["target"]["environment"]
        check(said.startswith("NPY_DISABLE_CPU_FEATURES=X86_V4") and ", PATH," in said,
              "the certificate names them", said)
    else:
        skip("the certificate names them", "no numpy")
finish()
