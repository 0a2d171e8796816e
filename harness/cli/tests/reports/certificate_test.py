# SPDX-License-Identifier: Apache-2.0
"""What a certificate may not hide: cases that were not run, a declared model, expected failures,
failures outside of cases. TAP."""

import base64
import hashlib
import html
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
ZOO = os.path.join(BUILD, "zoo")
ONE_CASE = """
def supports(asked):
    counter = asked["inputs"]["counter"]
    one = asked["attributes"].get("rounds", "10") in (10, "10")
    one = one and counter["shape"] == [2] and counter["dtype"] == "u32"
    return {"supported": True} if one else {"unsupported": "not this one"}


run = evaluate
"""
OUTSIDE = {
    "flushes": ("flush to zero", """#include <xmmintrin.h>
__attribute__((constructor)) static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
"""),
    "closes": ("crashed while closing", """#include <stdlib.h>
__attribute__((destructor)) static void crash(void) { abort(); }
""")}
MODEL = """#include "harness/plugin.h"
const struct assay_plugin *assay_plugin_entry(void);
#include <dlfcn.h>
#include <stddef.h>
const struct assay_plugin *assay_plugin_entry(void)
{
    static struct assay_plugin own;
    void *const library = dlopen("%s", RTLD_NOW);
    const struct assay_plugin *(*entry)(void) =
        (const struct assay_plugin *(*)(void))dlsym(library, "assay_plugin_entry");
    own = *entry();
    own.size = sizeof own;
    own.model = "{\\"tanh_ulps\\": 40000, \\"logistic_ulps\\": 40000}";
    return &own;
}
"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def predicate(path):
    """Our own statement in a file of them, signed or not."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    lines = [json.loads(base64.b64decode(line["payload"])) if "payload" in line else line
             for line in lines]
    return [line["predicate"] for line in lines if "conformance" in line["predicateType"]][0]


def turned(record):
    """A failure as a pass."""
    if record["verdict"] != "fail":
        return record
    kept = ("record", "target", "suite", "case", "op", "covers", "required", "conditions")
    return {key: record[key] for key in kept} | {"verdict": "pass", "reached": "bits",
                                                 "profile": {}, "compared": 4}


def taken_out(record):
    return record if record["verdict"] != "fail" else None


def edit(path, to, change):
    """Results with changed cases and the footer that they then need."""
    with open(path) as file:
        head, *cases, foot = file.readlines()
    records = [record for record in (change(json.loads(line)) for line in cases) if record]
    lines = [head] + [json.dumps(record) + "\n" for record in records]
    verdicts = {}
    for record in records:
        verdicts[record["verdict"]] = verdicts.get(record["verdict"], 0) + 1
    footer = json.loads(foot) | {"records": len(records), "verdicts": verdicts,
                                 "sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}
    with open(to, "w") as file:
        file.write("".join(lines) + json.dumps(footer) + "\n")


def sign(payload, folder):
    """An envelope that OpenSSL's program signs with the key in the folder."""
    kind = "application/vnd.in-toto+json"
    path = os.path.join(folder, "pae")
    with open(path, "wb") as file:
        file.write(b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload.encode()),
                                            payload.encode()))
    run("openssl", "pkeyutl", "-sign", "-inkey", os.path.join(folder, "key.pem"), "-rawin", "-in",
        path, "-out", path + ".sig")
    with open(path + ".sig", "rb") as file:
        signature = base64.b64encode(file.read()).decode()
    der = run("openssl", "pkey", "-in", os.path.join(folder, "key.pem"), "-pubout", "-outform",
              "DER", "-out", path + ".der")
    assert der.returncode == 0, der.stderr
    with open(path + ".der", "rb") as file:
        key = hashlib.sha256(file.read()).hexdigest()
    return json.dumps({"payload": base64.b64encode(payload.encode()).decode(),
                       "payloadType": kind,
                       "signatures": [{"keyid": key, "sig": signature}]}) + "\n"


with tempfile.TemporaryDirectory() as folder:
    at = given.files(folder)
    given.keys(folder)

    def certify(name, target, *more):
        """Certifies and signs; what was printed, the statement, the certificate's path or None."""
        done = run(ASSAY, "certify", *target, "--out", at(name + ".jsonl"), "--sign",
                   at("key.pem"), "--no-explain", *more)
        certificate = at(name + ".certificate.jsonl")
        return done, (predicate(at(name + ".statement.jsonl"))
                      if os.path.exists(at(name + ".statement.jsonl")) else None), (
                          certificate if os.path.exists(certificate) else None)

    # ---- what was not run stands beside the word -------------------------------------------------
    write(at("one"), ["philox"], ONE_CASE)
    done, said, certificate = certify("one", ["--exec", at("one")], "--suite", "philox")
    ran = sum(json.loads(line).get("verdict") == "pass" for line in open(at("one.jsonl")))
    check(0 < ran < 20, "a target that supports few cases", ran)
    whole = run(ASSAY, "list", "cases", "--suite", "philox").stdout.count("\n")
    words = f"conforms in part: {ran} of {whole} cases, {whole - ran} unsupported"
    check(done.returncode == 0 and done.stdout.startswith(words)
          and words in done.stdout.splitlines()[-1], "says how few, first and last", done.stdout)
    met = [r for r in said["requirements"] if r["outcome"] == "met"]
    part = [r for r in said["requirements"] if r["outcome"] == "met in part"]
    check(not met and part and all(r["cases"]["pass"] < r["of"] for r in part)
          and f"0 met, {len(part)} in part (" in said["summary"],
          "a requirement of which not every case was run is met in part, with numbers", said)
    check(said["outcome"] == "conforms in part" and len(said["notRun"]) == whole - ran,
          "the certificate says it, and names what was not run", said)
    done = run(ASSAY, "verify", "--key", at("key.pub"), "--exec", at("one"), certificate)
    check(done.returncode == 0 and f"{words}; requirements: 0 met" in done.stdout,
          "so does verify", done.stdout + done.stderr)
    check(any(line.startswith("beside    was not run under: inaccessible pages beside tensors")
              for line in done.stdout.splitlines()), "and names conditions not in force",
          done.stdout)
    page = run(ASSAY, "report", "--html", "-", at("one.jsonl")).stdout
    top = page[page.index("<header>"):page.index("</header>")]
    check(words in top and "was not run under: inaccessible pages" in top, "so does the page",
          top)

    # A case that was taken out of results is missed: the suite says how many there are.
    edit(at("one.jsonl"), at("fewer.jsonl"),
         lambda record: record if record["verdict"] != "unsupported" else None)
    done = run(ASSAY, "report", at("fewer.jsonl"))
    check(done.stdout.startswith(f"conforms in part: {ran} of {whole} cases, {whole - ran} "
                                 "not run"),
          "results without their unsupported cases do not conform in whole", done.stdout)
    done = run(ASSAY, "certify", "--target", "reference", "--suite", "philox", "--quick")
    check(done.stdout.startswith(f"conforms in part: {whole} of {whole} cases, {whole} "
                                 "not run whole")
          and "each case was run under one set of conditions" in done.stdout,
          "one set of conditions is not the whole", done.stdout)

    # ---- a declared model ------------------------------------------------------------------------
    at("model.c", MODEL % os.path.abspath(os.path.join(ZOO, "good_rnn.so")))
    done = run("cc", "-shared", "-fPIC", "-I.", "-o", at("model.so"), at("model.c"))
    assert done.returncode == 0, done.stderr
    done, said, certificate = certify("model", ["--plugin", at("model.so")], "--suite",
                                      "onednn.rnn", "--html", at("model.html"))
    beside = 'declares a model of its own, which its bounds follow: {"tanh_ulps": 40000, ' \
        '"logistic_ulps": 40000}'
    head = "\n".join(done.stdout.splitlines()[:4])
    check(beside in head, "a declared model stands in the summary's first lines", done.stdout)
    check(beside in said["beside"] and said["target"]["model"].startswith('{"tanh_ulps'),
          "in the predicate", said["beside"])
    page = html.unescape(open(at("model.html")).read())
    check(beside in page[:page.index("</header>")], "and at the top of the page")
    if certificate:
        done = run(ASSAY, "verify", "--key", at("key.pub"), "--plugin", at("model.so"),
                   certificate)
        check("beside    " + beside in done.stdout, "verify says it", done.stdout + done.stderr)

    # ---- expected failures are failures ----------------------------------------------------------
    plugin = os.path.join(ZOO, "nine_rounds.so")
    run(ASSAY, "certify", "--plugin", plugin, "--suite", "philox", "--write-known",
        at("known.yaml"))
    done, said, certificate = certify("known", ["--plugin", plugin], "--suite", "philox",
                                      "--known", at("known.yaml"))
    check(certificate is None and "an expected failure is a failure" in done.stdout,
          "whose failures were all expected gets no certificate", done.stdout + done.stderr)
    check(done.stdout.splitlines()[-1].split(": ")[1].startswith("does not conform"),
          "and does not conform", done.stdout)
    check(said["outcome"] == "does not conform, as known"
          and "failures that known.yaml lists were expected" in said["beside"],
          "as its statement says", said)
    done = run(ASSAY, "report", "--certificate", at("no"), "--sign", at("key.pem"),
               at("known.jsonl"))
    check(done.returncode != 0 and not os.path.exists(at("no")), "nor one from its results",
          done.stderr)

    # ---- results that were edited ----------------------------------------------------------------
    run(ASSAY, "certify", "--plugin", plugin, "--suite", "philox", "--quiet", "--no-explain",
        "--out", at("nine.jsonl"))
    for name, change in (("turned into passes", turned), ("taken out", taken_out)):
        edit(at("nine.jsonl"), at("edited.jsonl"), change)
        done = run(ASSAY, "report", at("edited.jsonl"))
        check(done.returncode == 0 and done.stdout.startswith("conforms"),
              f"results whose failures are {name} read well", done.stdout + done.stderr)
        done = run(ASSAY, "report", "--certificate", at("no"), "--sign", at("key.pem"), "--plugin",
                   plugin, at("edited.jsonl"))
        check(done.returncode == 2 and not os.path.exists(at("no"))
              and "is not what a run gives" in done.stderr,
              f"results whose failures are {name} get no certificate", done.stdout + done.stderr)
    done = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--quiet", "--out",
               at("good.jsonl"))
    done = run(ASSAY, "report", "--certificate", at("good"), "--sign", at("key.pem"),
               at("good.jsonl"))
    check(done.returncode == 0, "results that a run gives get one", done.stderr)

    # A certificate whose owner left cases out, rightly signed.
    lines = open(at("good")).readlines()
    fewer = [json.loads(base64.b64decode(json.loads(line)["payload"])) for line in lines]
    fewer[0]["predicate"]["passedTests"].pop(7)
    at("fewer", "".join(sign(json.dumps(one), folder) for one in fewer))
    done = run(ASSAY, "verify", "--key", at("key.pub"), at("fewer"))
    check(done.returncode == 1 and "the certificate says nothing of this case" in done.stdout,
          "verify misses a case that was taken out", done.stdout + done.stderr)
    fewer = [json.loads(base64.b64decode(json.loads(line)["payload"])) for line in lines]
    fewer[1]["predicateType"] = "urn:assay:conformance:1"
    at("older", "".join(sign(json.dumps(one), folder) for one in fewer))
    done = run(ASSAY, "verify", "--key", at("key.pub"), at("older"))
    check(done.returncode == 1 and "An older build made this certificate" in done.stdout,
          "an older certificate is named as one", done.stdout + done.stderr)

    # ---- failures outside of cases ---------------------------------------------------------------
    for name, (words, source) in OUTSIDE.items():
        at(name + ".c", source)
        done = run("cc", "-shared", "-fPIC", "-o", at(name + ".so"), at(name + ".c"),
                   "-Wl,--no-as-needed",
                   os.path.abspath(os.path.join(BUILD, "targets", "random123.so")))
        assert done.returncode == 0, done.stderr
        done, said, certificate = certify(name, ["--plugin", at(name + ".so")], "--suite", "philox")
        failed = sum(json.loads(line).get("verdict") == "fail"
                     for line in open(at(name + ".jsonl")))
        check(failed == 0 and done.returncode == 1 and certificate is None,
              f"{name}: no case fails, and there is no certificate", done.stdout + done.stderr)
        check(done.stdout.startswith("does not conform")
              and "does not conform" in done.stdout.splitlines()[-1]
              and any(words in line for line in done.stdout.splitlines()[:4]),
              f"{name}: summary and result say why", done.stdout)
        again = run(ASSAY, "report", "--exit-code", at(name + ".jsonl"))
        check(again.returncode == 1 and words in again.stdout, f"{name}: so does report",
              again.stdout)
        check(said["outcome"] == "does not conform", f"{name}: so does the statement", said)
finish()
