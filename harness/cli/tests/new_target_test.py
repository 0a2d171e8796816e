# SPDX-License-Identifier: Apache-2.0
"""Skeletons of targets in five languages: each builds by the line that is printed, supports nothing
as it stands, and computes once its function is filled in. With --operation that function begins
with the operation's attributes."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
HEADER = os.path.abspath("harness/plugin.h")

# An operation whose output is its input, small and large.
SUITE = """suite: copy
version: 1.0.0
specification: {title: a copy}
requirements: {R: {text: "the output is the input"}}
sources: {me: {title: whoever copies}}
operations: {acme.copy: {attributes: {axis: integer}, inputs: [x], outputs: [y]}}
cases:
"""
CASE = """  - id: case-{id}
    covers: [R]
    op: acme.copy
    attributes: {{axis: -1}}
    inputs: {{x: {{dtype: {dtype}, shape: {shape}, data: {data}}}}}
    from: me
    expected: {{y: {{dtype: {dtype}, shape: {shape}, data: {data}}}}}
"""
CASES = [("f32", [2, 3], [1.5, -2, 0, 3, 4, 5e-3]), ("u8", [], [200]), ("i64", [100],
         list(range(-50, 50))), ("f16", [0], []), ("bool", [2], ["true", "false"])]

# How compute() is filled in with a copy: what stands there, and what is put there.
LANGUAGES = {
    "c": ("cc", "    return ASSAY_OK;\n}\n\n// ---- the contract", """
    const struct assay_tensor *const x = tensor(request->inputs, request->input_count, "x");
    const struct assay_tensor *const y = tensor(request->outputs, request->output_count, "y");
    size_t bytes = x->layout.dtype.bits / 8;
    for (int d = 0; d < x->layout.ndim; d++)
        bytes *= (size_t)x->layout.shape[d];
    if (bytes)
        memcpy(y->layout.data, x->layout.data, bytes);
    return ASSAY_OK;
}

// ---- the contract"""),
    "python": (None, "    return {}\n", "    return {\"y\": inputs[\"x\"]}\n"),
    "node": ("node", "  return {};\n", "  return { y: inputs.x };\n"),
    "rust": ("rustc", "    Ok(BTreeMap::new())\n",
             "    Ok(BTreeMap::from([(\"y\".to_string(), inputs[\"x\"].clone())]))\n"),
    "go": ("go", "\treturn map[string]tensor{}, nil\n",
           "\treturn map[string]tensor{\"y\": inputs[\"x\"]}, nil\n"),
}
ENDINGS = {"c": ".c", "python": ".py", "node": ".mjs", "rust": ".rs", "go": ".go"}

# The exact form of a request and of an answer, as the document has it and as --trace shows it.
with open("harness/TARGETS.md", encoding="utf-8") as file:
    block = re.search(r"```json\n(\{\"run\".*?)```", file.read(), re.DOTALL)[1]
decode, at, said = json.JSONDecoder(), 0, []
while block[at:].strip():
    at += len(block[at:]) - len(block[at:].lstrip())
    line, at = decode.raw_decode(block, at)
    said.append(line)
traced = subprocess.run([ASSAY, "run", "example-1", "--suite", "openvino.range", "--target",
                         "numpy", "--trace"], capture_output=True, text=True, check=False)
lines = [json.loads(line[2:]) for line in traced.stderr.splitlines() if line[:2] in ("> ", "< ")]
if len(lines) < 2:
    skip("the form of a request is that of the document", "no numpy (scripts/setup)")
else:
    check(all(line in lines for line in said) and len(said) == 2,
          "the form of a request is that of the document", [said, *lines])

with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")
    for name in ("MAKEFLAGS", "MFLAGS"):  # of who started the tests: compilers would warn of them
        environment.pop(name, None)

    def run(command, cwd=folder):
        return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False,
                              shell=isinstance(command, str), env=environment)

    with open(f"{folder}/copy.yaml", "w") as file:
        file.write(SUITE + "".join(
            CASE.format(id=i, dtype=dtype, shape=shape, data=str(data).replace("'", ""))
            for i, (dtype, shape, data) in enumerate(CASES)))
    os.makedirs(f"{folder}/include/assay")
    shutil.copy(HEADER, f"{folder}/include/assay/plugin.h")
    run([ASSAY, "emit", "--suite", "./copy.yaml", "--write"])

    def commands(done):
        """The lines to build and to run, with this program, and this header in place of the
        installed one."""
        lines = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
        check(lines and lines[0].startswith("cd "), "the lines begin in its folder", done)
        return [line.replace("$(pkg-config --cflags assay-plugin)", "-I../include").replace(
            "assay certify", f"{ASSAY} certify") for line in lines[1:]]

    for language, (tool, old, new) in LANGUAGES.items():
        made = run([ASSAY, "new-target", "--language", language, "--operation", "onnx.range",
                    "--to", f"{language}-range", "mine"])
        path = f"{folder}/{language}-range/mine{ENDINGS[language]}"
        with open(path) as file:
            text = file.read()
        check(made.returncode == 0 and re.search(r"opset\b.*11, 27|opset", text)
              and "start, limit, delta" in text and "@" not in text.replace("@xcode", ""),
              f"{language}: the skeleton says what the operation takes", made)
        if tool and not shutil.which(tool):
            skip(f"{language}: the skeleton is built and run", f"there is no {tool} here")
            continue
        *build, certify = commands(made)
        built = [run(line, f"{folder}/{language}-range") for line in build]
        warnings = "".join(done.stdout + done.stderr for done in built)
        check(all(done.returncode == 0 for done in built) and not warnings,
              f"{language}: it builds without a warning", warnings)
        done = run(certify, f"{folder}/{language}-range")
        check(done.returncode == 4 and "is not written yet" in done.stdout,
              f"{language}: as it stands it supports nothing", done)
        check(old in text, f"{language}: there is one place to fill in", text[:2000])
        text = text.replace(old, new).replace("onnx.range", "acme.copy")
        text = re.sub(r"(?i)(done[^\n]*= )false", lambda m: m[1] + (
            "True" if language == "python" else "true"), text).replace("DONE = False",
                                                                       "DONE = True")
        with open(path, "w") as file:
            file.write(text)
        for line in build:
            run(line, f"{folder}/{language}-range")
        done = run(re.sub("--suite .*", "--suite ../copy.yaml", certify),
                   f"{folder}/{language}-range")
        check(done.returncode == 0 and f"conforms: {len(CASES)} of {len(CASES)} cases"
              in done.stdout, f"{language}: filled in, it conforms", done)

    made = run([ASSAY, "new-target", "--language", "rust", "--operation", "directml."
                "random_generator", "mine"])
    with open(f"{folder}/mine/mine.rs") as file:
        text = file.read()
    check('let type_ = attributes.get("type"); // philox_4x32_10; philox_4x32_10 by default' in text
          and "--suite directml.random_generator" in made.stdout,
          "an attribute that is a word of the language gets another name", text[:1500])
    for arguments, said in [(["--language", "perl", "x"], "one of c, python, node, rust and go"),
                            (["--operation", "onnx.ranges", "x"], "did you mean 'onnx.range'"),
                            (["--python", "--language", "c", "x"], "one of c, python")]:
        done = run([ASSAY, "new-target", *arguments])
        check(done.returncode == 2 and said in done.stderr, f"{said!r}", done)
    check(run([ASSAY, "new-target", "--language", "rust", "mine"]).returncode == 2,
          "what is there is left alone")
finish()
