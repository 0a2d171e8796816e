# SPDX-License-Identifier: Apache-2.0
"""Two requests that agree: a library that is right in every case whose values are known, and wrong
beyond, is found by what its answers have to do with each other; what agrees is shown, minimised,
exported; the profile of both sides is the suite's; what cannot agree is refused with its place.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import quantised_lstm  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, ZOO = os.path.join(BUILD, "assay"), os.path.join(BUILD, "zoo")
FULL = bool(os.environ.get("ASSAY_FULL"))
HEAD = """suite: small
version: 1.0.0
specification: {title: t}
requirements: {R: {text: r}}
choices: {others: deviant}
cases:
  - id: one
    covers: [R]
    op: philox
"""
ROWS = ("    inputs: {counter: {fill: bits, dtype: u32, shape: [4, 4]}, "
        "key: {dtype: u32, data: [1, 2]}}\n")

BACK = """    op: onednn.rnn
    attributes: {cell: vanilla_rnn, activation: tanh, direction: left2right, propagation: backward}
    inputs:
      src_layer: {fill: grid, dtype: f32, shape: [2, 1, 2], bits: 8}
      src_iter: {fill: grid, dtype: f32, shape: [1, 1, 1, 2], bits: 8}
      weights_layer: {fill: grid, dtype: f32, shape: [1, 1, 2, 1, 2], bits: 8}
      weights_iter: {fill: grid, dtype: f32, shape: [1, 1, 2, 1, 2], bits: 8}
      diff_dst_layer: {fill: grid, dtype: f32, shape: [2, 1, 2], bits: 8}
"""


NETWORK = """    op: onnx.rnn
    inputs:
      X: {fill: grid, dtype: f32, shape: [2, 1, 2], bits: 8}
      W: {fill: grid, dtype: f32, shape: [2, 2, 2], bits: 8}
      R: {fill: grid, dtype: f32, shape: [2, 2, 2], bits: 8}
      sequence_lens: [2]
"""
RECURRENT = ("onnx.rnn", "onnx.gru", "onnx.lstm")


def assay(*arguments, **environment):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False,
                          env=dict(os.environ, **environment))


def certify(plugin, suite, out, *options, **environment):
    done = assay("certify", "--plugin", os.path.join(ZOO, plugin + ".so"), "--suite", suite,
                 "--quick", "--out", out, *options, **environment)
    with open(out, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return done, [r for r in records if r["record"] == "case"]


def failures(records):
    return {r["case"]: r.get("reason", "") for r in records if r["verdict"] == "fail"}


def caught(work):
    out = os.path.join(work, "out.jsonl")
    done, records = certify("beyond_rows", "philox", out)
    failed = {case: why for case, why in failures(records).items()
              if why != "refused: not a Philox request"}  # 1,024 rounds
    check(done.returncode == 1 and all(case.startswith("agrees-rows-") for case in failed) and
          {"agrees-rows-2x32-one-of-many", "agrees-rows-4x32-one-of-many"} <= set(failed),
          "rows beyond those whose values are known: only what agrees finds it", failed)
    reason = failed.get("agrees-rows-4x32-one-of-many", "")
    check("element [0, 0] of output 'output' is 0x" in reason and "in the batch and 0x" in reason
          and "with rows [4098] alone" in reason, "said is which element differs where", reason)
    done, records = certify("nine_rounds", "philox", out, "--case", "agrees-*")
    failed = {r["case"] for r in records if r["verdict"] == "fail"
              and r.get("explained", {}).get("profile") == {"rounds": "9"}}
    check(len(records) > 5 and failed == {r["case"] for r in records},
          "answers that agree and are wrong fail, and are explained", (done.stdout, records[:1]))
    pattern = [] if FULL else ["--case", "[ao][gn][re]*"]
    for what, kind, words in (("rows", "agrees-row-", "in the batch, outside of [0x"),
                              ("steps", "agrees-pieces-", "in one piece"),
                              ("peephole", "agrees-zero-peephole-160", "as the case asks"),
                              ("", None, None)):
        done, records = certify("beyond_suites", "onednn.rnn", out, *pattern,
                                ASSAY_ZOO_BEYOND=what)
        failed = failures(records)
        others = [r for r in records
                  if r["verdict"] == "pass" and not r["case"].startswith("agrees")]
        check(others and bool(failed) == bool(kind) and
              all(case.startswith(kind) and words in why for case, why in failed.items()),
              f"a network wrong in '{what}' beyond the suite's sizes", (done.stdout, failed))


def power(work):
    """Rows, or times, that are counted in 8 bits are seen by cases with agrees alone."""
    mistake, out = "src_layer=rows_in_8_bits", os.path.join(work, "out.jsonl")
    recurrent = ["X=rows_in_8_bits", "X=times_in_8_bits"]
    for suite, mistakes in (("onednn.rnn", [mistake]), ("onednn.rnn.backward", [mistake]),
                            *((suite, recurrent) for suite in RECURRENT)):
        with open(f"yaml/suites/{suite}.yaml", encoding="utf-8") as file:
            before, rest = file.read().split("  # ---- answers that agree")
        path = os.path.join(work, suite + ".yaml")
        text = before + rest[rest.index("  # ----"):]
        for anchor in re.findall(r"&([\w-]+)\s", text):  # one that nothing else uses is an error
            if not re.search(rf"\*{anchor}(?![\w-])", text):
                text = re.sub(rf"&{anchor}(?=\s)", "", text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = assay("mutants", "--suite", path)
        survivors = [line.split()[1] for line in done.stdout.splitlines() if "SURVIVED" in line]
        check(done.returncode == 1 and survivors == mistakes,
              f"{suite} without its cases with agrees: known mistakes are not seen", done)
        done = assay("mutants", "--suite", suite, "--case", "agrees-*")
        check("SURVIVED" in done.stdout and
              not any(f"SURVIVED  {m}" in done.stdout for m in mistakes),
              f"{suite}: those cases see them", done)
    done, records = certify("other_option", "onednn.rnn.backward", out, "--case", "agrees-*",
                            ASSAY_ZOO_OPTION=mistake)
    failed = failures(records)
    large = {f"agrees-batch-large-{cell}" for cell in ("lstm", "lbr-gru", "lbr-augru")}
    check(set(failed) == large and
          all("in one batch, outside of [0x" in why for why in failed.values()),
          "a batch of 300 rows is not what its pieces are", (done.stdout, failed))
    done, records = certify("other_option", "onednn.rnn.backward", out, "--case", "agrees-*",
                            ASSAY_ZOO_OPTION="initial_gradient=ignored")
    failed = failures(records)
    check({case.split("-")[1] for case in failed} == {"batch", "through"} and
          any("in batches, cut at [" in why for why in failed.values()) and
          all("back through pieces, split at [" in why for case, why in failed.items()
              if "through" in case),
          "gradients of pieces that are not added up", (done.stdout, failed))
    done, records = certify("other_option", "onednn.rnn.backward", out, "--case", "agrees-*augru",
                            ASSAY_ZOO_OPTION="diff_attention=rows_reversed")
    check(records and set(failures(records)) == {r["case"] for r in records},
          "attention's gradient is compared in batches and in sequences", (done.stdout, records))


def laws(work):
    """Each law of the recurrent operators of ONNX is broken by a library that is wrong there."""
    out = os.path.join(work, "out.jsonl")
    for mistake, law, words in (
            ("X=rows_in_8_bits", "agrees-row-", "in the batch, outside of [0x"),
            ("sequence_lens=first_for_all", "agrees-rows-", "in the batch, outside of [0x"),
            ("X=times_in_8_bits", "agrees-pieces-forward-0-long", "in one piece, outside of [0x"),
            ("sequence_lens=ignored", "agrees-padding-", "as the case asks, outside of [0x"),
            ("order=of_processing", "agrees-reversed-", "as the case asks, outside of [0x"),
            ("last=of_last_time", "agrees-palindrome", "as the case asks, outside of [0x"),
            ("W=directions_exchanged", "agrees-one-direction", "as the case asks, outside of")):
        for suite in RECURRENT:
            done, records = certify("other_option", suite, out, "--case", law + "*",
                                    ASSAY_ZOO_OPTION=mistake)
            failed = failures(records)
            check(failed and any(words in why for why in failed.values()),
                  f"{suite}: {mistake} breaks {law}", (done.stdout, failed))
    done, records = certify("other_option", "onnx.lstm", out, "--case", "agrees-*",
                            ASSAY_ZOO_OPTION="Y=as_computed")
    check(len(records) > 20 and {r["verdict"] for r in records} == {"pass"},
          "a right one breaks none", [r for r in records if r["verdict"] != "pass"])
    done = assay("show", "agrees-reversed-forward-0", "--suite", "onnx.rnn", "--part", "1")
    whole = assay("show", "agrees-reversed-forward-0", "--suite", "onnx.rnn")
    check("agrees: as the case asks, and with time reversed" in whole.stdout and
          'direction: "reverse"' in done.stdout, "what is reversed is shown", (done, whole))


def shown(work):
    done = assay("show", "agrees-pieces-two", "--suite", "directml.random_generator", "--part", "2")
    check(done.returncode == 0 and "output_sizes: [1, 1, 1, 25]" in done.stdout,
          "the second piece is shown with what the first hands on", done)
    done = assay("show", "agrees-pieces-two", "--suite", "directml.random_generator", "--part", "3")
    check(done.returncode == 2 and "has 2 other requests" in done.stderr, "there is no third", done)
    done = assay("list", "cases", "--suite", "philox")
    check("agrees-rows-2x32-prefix  agrees" in done.stdout, "the list says which agree", done)
    minimal = os.path.join(work, "minimal.yaml")
    done = assay("minimize", "agrees-rows-2x32-one-of-many", "--suite", "philox", "--plugin",
                 os.path.join(ZOO, "beyond_rows.so"), "--yaml", minimal, "--tries", "40")
    text = open(minimal, encoding="utf-8").read() if os.path.exists(minimal) else ""
    check(done.returncode == 0 and '"agrees": {"rows": [4098]}' in text, "it is minimised", done)
    to = os.path.join(work, "export")
    done = assay("export", "--suite", "philox", "--to", to)
    found = [name for _, _, names in os.walk(to) for name in names if name.endswith(".jsonl")]
    lines = "".join(open(os.path.join(root, name), encoding="utf-8").read()
                    for root, _, names in os.walk(to) for name in names if name in found)
    check('"agrees": {"rows": [4098]}' in lines, "and exported", (done, found))


def one_profile(work):
    """Two requests that agree under an allowed option say that the target takes it, for all."""
    out, path = os.path.join(work, "out.jsonl"), os.path.join(work, "summing.yaml")
    quantised = "\n    covers: [R]\n" + quantised_lstm(3, "bidirectional_sum")
    head = HEAD.replace("suite: small", "suite: summing").replace(
        "{others: deviant}",
        "{int8_sum: {default: plain, allowed: [corrected], about: a}, others: deviant}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(head[:head.index("  - id")] + "  - id: alone" + quantised + "  - id: related" +
                   quantised + "    agrees: {rows: [0, 2]}\n")
    for jobs in ("1", "2"):
        pairs = set()
        for half in ("", *map(str, range(16))):
            if pairs == {0, 1}:
                break
            mixed = dict({"ASSAY_ZOO_OPTION": "int8_sum=corrected"},
                         **({"ASSAY_ZOO_HALF": half} if half else {}))
            alone, related, both = (
                certify("other_option", path, out, "--case", case, "--jobs", jobs, **mixed)[1]
                for case in ("alone", "related", "*"))
            if not half:
                check([r["verdict"] for r in both] == ["pass", "pass"],
                      f"one option everywhere conforms, jobs {jobs}", both)
            elif not failures(alone) and not failures(related):
                pairs.add(len(failures(both)))
        check(pairs == {0, 1},
              f"where each conforms by itself, both do under one option alone, jobs {jobs}", pairs)


def refused(work):
    path = os.path.join(work, "small.yaml")
    for text, why in ((ROWS + "    agrees: {rows: [4]}\n", "does not have"),
                      (ROWS + "    agrees: {rows: []}\n", "1 to 65536 numbers"),
                      (ROWS + "    agrees: {rows: [-1]}\n", "rows"),
                      (ROWS + "    agrees: {split: [2]}\n", "returns no state"),
                      (ROWS + "    agrees: {batch: [4]}\n", "batch must ascend"),
                      (ROWS + "    agrees: {batch: [2, 2]}\n", "batch must ascend"),
                      (ROWS + "    agrees: {batch: []}\n", "1 to 15 numbers"),
                      (ROWS + "    agrees: {through: [1]}\n", "a request with gradients"),
                      (ROWS + "    agrees: {through: [1, 2]}\n", "1 to 1 numbers"),
                      (BACK + "    agrees: {through: [2]}\n", "through is from 1"),
                      (BACK + "    agrees: {split: [1]}\n", "gradients cannot be split"),
                      (BACK.replace("left2right", "bidirectional_sum").replace("1, 1,", "1, 2,") +
                       "    agrees: {through: [1]}\n", "one direction, and src_iter"),
                      (ROWS + "    agrees: {rows: [1], split: [2]}\n", "one of the keys"),
                      (ROWS + "    agrees: {columns: [1]}\n", "columns"),
                      (ROWS + "    agrees: {reversed: true}\n", "has no direction"),
                      (ROWS + "    agrees: {reversed: false}\n", "true or left out"),
                      (ROWS + "    agrees: {reversed: [1]}\n", "reversed"),
                      (BACK + "    agrees: {reversed: true}\n", "gradients cannot be reversed"),
                      (NETWORK + "    agrees: {split: [1]}\n", "with lengths cannot be split"),
                      (NETWORK + "    agrees: {reversed: true}\n", "lengths cannot be reversed"),
                      (NETWORK.replace("      sequence_lens: [2]\n", "") +
                       "    attributes: {direction: bidirectional, activations: [Tanh, Relu]}\n"
                       "    agrees: {reversed: true}\n", "functions of two directions"),
                      (BACK.replace("left2right, propagation: backward", "bidirectional_sum")
                       .replace("1, 1,", "1, 2,")
                       .replace("      diff_dst_layer: {fill: grid, dtype: f32, shape: [2, 1, 2], "
                                "bits: 8}\n", "") + "    agrees: {reversed: true}\n",
                       "two directions cannot be exchanged"),
                      (ROWS + "    agrees: {rows: [1]}\n    level: distribution\n", "level bits"),
                      (ROWS + "    agrees: {rows: [1]}\n    reject: x\n", "combined with reject"),
                      (ROWS + "    agrees: {rows: [1]}\n    printed: {output: [1]}\n", "printed"),
                      (ROWS + "    agrees: {rows: [1]}\n    runs: 2\n", "several runs"),
                      (ROWS + "    agrees: {instead: {cell: x}}\n", "cell"),
                      (ROWS + "    agrees: {instead: {op: nothing}}\n", "nothing"),
                      (ROWS + "    agrees: {instead: {inputs: {key: ~}}}\n", "key is required"),
                      ("    inputs: {counter: {dtype: u32, data: [1, 2, 3, 4]}, "
                       "key: {dtype: u32, data: [1, 2]}}\n    agrees: {rows: [0]}\n",
                       "no input with rows"),
                      ("    inputs: {counter: {dtype: u32, data: [1, 2, 3, 4]}, "
                       "key: {dtype: u32, data: [1, 2]}}\n    agrees: {batch: [1]}\n",
                       "no input with rows")):
        with open(path, "w", encoding="utf-8") as file:
            file.write((HEAD.replace("    op: philox\n", "") if "    op:" in text else HEAD) +
                       text)
        done = assay("list", "cases", "--suite", path)
        check(done.returncode == 2 and why in done.stderr and "small.yaml:" in done.stderr,
              f"refused: {text.strip().splitlines()[-1].strip()}", done)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + ROWS + "    agrees: {batch: [1, 3]}\n")
    done = assay("show", "one", "--suite", path, "--part", "2")
    check(done.returncode == 0 and "shape: [2, 4]" in done.stdout, "the second of three pieces",
          done)
    # What does not agree: the rounds count.
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD + ROWS + "    agrees: {instead: {attributes: {rounds: 9}}}\n")
    done = assay("emit", "--suite", path, "--check")
    check(done.returncode == 1 and "the reference's answers do not agree" in done.stdout,
          "the reference itself is asked whether they agree", done)


with tempfile.TemporaryDirectory() as folder:
    caught(folder)
    power(folder)
    laws(folder)
    shown(folder)
    one_profile(folder)
    refused(folder)
finish()
