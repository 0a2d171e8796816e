# SPDX-License-Identifier: Apache-2.0
"""Requests that say where tensors lie in memory: who obeys passes, who does not declare them is not
asked and covers nothing, and who ignores them fails, each format by itself."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join("harness", "tests"))
import tap  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
SUITE = "onednn.rnn"
READ = {"src_layer_format": "ntc", "weights_layer_format": "ldgoi", "weights_iter_format": "ldgoi"}


def certify(folder, target, case):
    """The records of the cases, by name, and the requirements met."""
    results = os.path.join(folder, "results.jsonl")
    if os.path.exists(results):
        os.unlink(results)
    option = ["--plugin", f"{BUILD}/zoo/{target}.so"] if target != "reference" else \
        ["--target", target]
    done = subprocess.run([os.path.join(BUILD, "assay"), "certify", *option, "--suite", SUITE,
                           "--case", case, "--out", results], capture_output=True, text=True)
    if not os.path.exists(results):
        return {}, done
    with open(results) as file:
        records = [json.loads(line) for line in file]
    return {r["case"]: r for r in records if r["record"] == "case"}, done


def asked():
    """The attributes of each case, and whether its batch and sequence tell tnc from ntc."""
    with open(os.path.join("vectors", "golden", SUITE + ".jsonl")) as file:
        lines = [line for line in map(json.loads, file) if "src_layer" in line.get("inputs", {})]
    return {line["id"]: line["attributes"] for line in lines}, \
        {line["id"] for line in lines if min(line["inputs"]["src_layer"]["shape"][:2]) > 1}


def main():
    attributes, told = asked()
    with tempfile.TemporaryDirectory() as folder:
        for case in ("format-*", "view-*"):
            records, done = certify(folder, "reference", case)
            tap.check(records and all(r["verdict"] == "pass" for r in records.values()),
                      f"the reference obeys {case}", done.stdout)
            records, done = certify(folder, "good_rnn", case)
            tap.check(all(r["verdict"] == "unsupported" for r in records.values()) and
                      done.returncode != 0,
                      f"who takes no such requests is not asked {case}, and does not conform",
                      done.stdout)
            tap.check(all("places in memory" in r.get("reason", "") for r in records.values()),
                      "the reason is given", done.stdout)
        records, done = certify(folder, "ignores_formats", "format-drawn-*")
        for name, word in READ.items():
            of = [(case, r["verdict"]) for case, r in records.items() if case in told and
                  r["verdict"] != "unsupported" and attributes[case].get(name) == word]
            tap.check(of and all(verdict == "fail" for _, verdict in of),
                      f"{name}: {word}, ignored, is a failure", of)
        usual = [r for case, r in records.items() if r["verdict"] != "unsupported" and
                 not {"ntc", "ldgoi"} & set(attributes[case].values())]
        tap.check(usual and all(r["verdict"] == "pass" for r in usual),
                  "the usual formats ask for nothing else", usual)
        named = [r.get("explained", {}).get("profile") for r in records.values()]
        tap.check({"format_read": "weights_iter_as_ldigo"} in named,
                  "a format that is read as another is named", named)
        records, done = certify(folder, "ignores_formats", "format-steps-*")
        of = {case: r["verdict"] for case, r in records.items() if r["verdict"] != "unsupported"}
        tap.check(of and set(of) <= told, "drawn steps: several of several rows", of)
        other = [verdict for case, verdict in of.items() if "views" in attributes[case] or
                 any(attributes[case].get(name) == word for name, word in READ.items())]
        tap.check(other and "pass" not in other,
                  "drawn steps: each shows that formats and views are ignored", of)
        os.environ["ASSAY_ZOO_OPTION"] = "format_written=dst_layer_as_tnc"
        records, done = certify(folder, "other_option", "format-steps-*")
        wrong = {case for case, r in records.items() if r["verdict"] == "fail"}
        tap.check(wrong and wrong == {case for case in records if
                                      attributes[case].get("dst_layer_format") == "ntc"},
                  "drawn steps: each shows that dst_layer is written as tnc", (wrong, done.stdout))
        records, done = certify(folder, "ignores_formats", "view-drawn-*")
        of = [(r["case"], r["verdict"]) for r in records.values()
              if r["verdict"] != "unsupported"]
        tap.check(of and not any(verdict == "pass" for _, verdict in of),
                  "a view that is taken for dense is a failure", of)
    tap.finish()


main()
