# SPDX-License-Identifier: Apache-2.0
"""Whole commands: how long they take from their start to their end, and the memory that they need.

Seconds are the median of what passed; beside them stands the least processor time, of the command
and of what it starts, for a machine that others use as well. The peak is that of the largest of its
processes, of the last run: what a Python process holds by itself is the least that can be seen.
Commands read what those before them wrote. `assay targets` has no row: it starts the libraries of
others, and their memory would be seen.

usage: command.py [WORD...]   only rows whose name holds a word (and, untold, the commands whose
files they read); exit code 4 when none does. BUILD names the folder of the program.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from lines import each, write_row

ASSAY = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "assay")
REQUEST = """op: openvino.random_uniform
attributes: {output_type: f32, global_seed: 150, op_seed: 10}
inputs: {shape: [3, 3], minval: 0, maxval: 1}
"""
OPENVINO = ("certify --target openvino --suite openvino.random_uniform,openvino.range --jobs 2 "
            "--out {f}/openvino.jsonl --known harness/targets/known.yaml")
AUDIT = "audit --source philox4x32 --bytes 67108864"

# name: (what is run, how often, rows whose files it reads). {f}: a folder for this run alone.
ROWS = {
    "command/help": ("--help", 21, ()),
    "command/eval": ("eval {f}/request.yaml", 21, ()),
    "command/list": ("list", 5, ()),
    "command/list-cases": ("list cases", 3, ()),
    "command/show": ("show example-1 --suite openvino.random_uniform", 5, ()),
    "command/emit": ("emit --to {f}/vectors", 1, ()),
    "command/emit-check": ("emit --check", 3, ()),
    "command/mutants": ("mutants", 1, ()),
    "command/certify": ("certify --target reference --jobs 1 --out {f}/results.jsonl", 3, ()),
    "command/certify-openvino": (OPENVINO, 1, ()),
    "command/run": ("run example-1 --target openvino --suite openvino.random_uniform", 1, ()),
    "command/minimize": ("minimize away-i32 --target openvino --suite openvino.range", 1, ()),
    "command/explain": ("explain away-i32 --target openvino --suite openvino.range", 1, ()),
    "command/report": ("report {f}/results.jsonl", 1, ("command/certify",)),
    "command/page": ("report --html {f}/page.html {f}/results.jsonl", 1, ("command/certify",)),
    "command/diff": ("diff {f}/results.jsonl {f}/results.jsonl", 1, ("command/certify",)),
    "command/history": ("history --db {f}/history.db {f}/results.jsonl", 1, ("command/certify",)),
    "command/sign": ("report --certificate {f}/c.certificate.jsonl --sign {f}/key.pem "
                     "{f}/results.jsonl", 1, ("command/certify",)),
    "command/verify": ("verify --key {f}/public.pem {f}/c.certificate.jsonl", 1,
                       ("command/certify", "command/sign")),
    "command/export": ("export --to {f}/exported", 1, ()),
    "command/export-onnx": ("export --onnx {f}/onnx", 1, ()),
    "command/tolerance": ("tolerance {f}/request.yaml", 1, ()),
    "command/stream": ("stream {f}/large.yaml --count 67108864", 1, ()),
    "command/audit": (AUDIT, 1, ()),
}


def run(words):
    """Seconds that passed, seconds of processors, bytes at the peak, exit code."""
    begin = time.monotonic()
    child = subprocess.Popen([ASSAY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(child.pid, 0)
    passed = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    return (passed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, child.returncode,
            message.strip())


def waited(message):
    """The share of a certification in which it waited for the target, as it says itself."""
    said = r"^assay: of (?:(\d+) times )?(\S+) s, (\S+) s in the target's calls$"
    line = re.search(said, message, re.M)
    passed = int(line[1] or 1) * float(line[2]) if line else 0
    return {"limit": "the target's own calls", "share": float(line[3]) / passed} if passed else {}


def counted(path):
    """The cases of a certification and the elements that it compared, as its results say, so that
    suites that grew are told from a program that is slower."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        cases = [line for line in map(json.loads, file) if line.get("record") == "case"]
    return {"cases": len(cases), "elements": sum(case.get("compared", 0) for case in cases)}


def measure(name, folder, told):
    words, times, _ = ROWS[name]
    runs = [run(words.format(f=folder).split()) for _ in range(times)]
    code, message = runs[-1][3:]
    if not told:
        return
    if code not in (0, 1):  # 1: a verdict, which is no failure to measure
        said = message.partition("\n")[0][:100]
        print(f"{name:<34} skipped: exit code {code}: {said}", flush=True)
        return
    passed, peak = statistics.median(r[0] for r in runs), runs[-1][2]
    limit = waited(message)
    out = re.search(r"--out (\S+)", words.format(f=folder)) if limit else None
    count = counted(out[1]) if out else {}
    said = [f"{100 * limit['share']:.0f} % {limit['limit']}"] if limit else []
    said += [each(passed, **count)] if count else []
    print(f"{name:<34} {passed:>9.4f} {min(r[1] for r in runs):>9.4f} {peak / 1e6:>9.1f}"
          + "  " * bool(said) + "; ".join(said), flush=True)
    write_row(name, seconds=passed, peak=peak, **limit, **count)


def write_inputs(folder):
    for name, text in ("request", REQUEST), ("large", REQUEST.replace("[3, 3]", "[17179869184]")):
        with open(os.path.join(folder, name + ".yaml"), "w", encoding="utf-8") as file:
            file.write(text)
    os.mkdir(os.path.join(folder, "vectors"))
    key, public = os.path.join(folder, "key.pem"), os.path.join(folder, "public.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True)


def main():
    words = sys.argv[1:]
    wanted = [n for n in ROWS if not words or any(word in n for word in words)]
    if not wanted:
        return 4
    needed = {read for name in wanted for read in ROWS[name][2]}
    print(f"{'whole commands':<34} {'seconds':>9} {'processor':>9} {'peak MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder)
        for name in ROWS:
            if name in wanted or name in needed:
                measure(name, folder, name in wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
