# SPDX-License-Identifier: Apache-2.0
"""A new operation is a file, a declaration and a row, as ref/README.md says: its two lines go into
a copy of the table, the example is built into the program with it, and the program knows it."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
EXAMPLE = "ref/op/tests/example/count.c"
LIBRARIES = "-lyaml -lyajl -lmpfr -lgmp -lcrypto -lsqlite3 -ldl -lm".split()


def lines_of_the_page():
    """The include and the row that the page adds to ref/op/table.c."""
    with open("ref/README.md") as page:
        block = re.search(r"^```diff\n(.*?)^```$", page.read(), flags=re.M | re.S).group(1)
    added = [line[1:].strip() for line in block.splitlines() if line.startswith("+")]
    return [next(line for line in added if line.startswith(start)) for start in ("#include", "&")]


def build(folder):
    """The program with the example in its table; what the compiler says."""
    include, row = lines_of_the_page()
    with open("ref/op/table.c") as file:
        text = file.read()
    text = text.replace("#include", include + "\n#include", 1)
    text = text.replace("operation_table[] = {", "operation_table[] = {\n    " + row, 1)
    table = os.path.join(folder, "table.c")
    with open(table, "w") as file:
        file.write(text)
    program = os.path.join(folder, "assay")
    objects = glob.glob(os.path.join(BUILD, "obj/harness/cli/**/*.o"), recursive=True)
    objects = [name for name in objects if "/tests/" not in name]
    command = [*os.environ.get("CC", "gcc").split(), "-std=c11", "-D_DEFAULT_SOURCE", "-I.",
               "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-pthread",
               "-o", program, table, EXAMPLE, *objects, os.path.join(BUILD, "libassay.a")]
    done = subprocess.run(command + LIBRARIES, capture_output=True, text=True, check=False)
    return program, done.returncode, done.stderr


def evaluate(program, request):
    done = subprocess.run([program, "eval", "-"], input=json.dumps(request), text=True,
                          capture_output=True, check=False)
    return json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        program, code, errors = build(folder)
        check(code == 0, "the example compiles without a warning, and the program links", errors)
        if code:
            return
        listed = subprocess.run([program, "list", "operations"], capture_output=True, text=True,
                                check=False).stdout
        check("example.count" in listed, "the program lists the operation", listed)
        request = {"op": "example.count", "attributes": {"count": 5},
                   "inputs": {"first": 4294967294}}
        wanted = ["fffffffe", "ffffffff", "00000000", "00000001", "00000002"]
        answer = evaluate(program, request)
        check(answer.get("outputs", {}).get("output", {}).get("bits") == wanted,
              "the numbers go on after 2^32 - 1", answer)
        answer = evaluate(program, request | {"window": [1, 3]})
        check(answer.get("outputs", {}).get("output", {}).get("bits") == wanted[1:4],
              "a window is that part of it", answer)
        answer = evaluate(program, request | {"profile": {"origin": "one_later"}})
        check(answer.get("outputs", {}).get("output", {}).get("bits") == wanted[1:] + ["00000003"],
              "an option of its choice is taken", answer)
        answer = evaluate(program, request | {"attributes": {}})
        check("count" in answer.get("error", {}).get("message", ""),
              "a missing attribute is refused by its name", answer)


main()
finish()
