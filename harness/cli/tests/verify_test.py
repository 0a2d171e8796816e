# SPDX-License-Identifier: Apache-2.0
"""Certificates: made from a real run, checked by OpenSSL's own program, refused after any change."""

import base64
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
number = failed = 0


def check(condition, name, detail=""):
    global number, failed
    number += 1
    failed += not condition
    print(f"{'ok' if condition else 'not ok'} {number} - {name}")
    if not condition:
        print(f"# {detail}")


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


if not shutil.which("openssl"):
    print("ok 1 - certificates # SKIP no openssl program\n1..1")
    sys.exit(0)

with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    for name in ("key", "other"):
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", at(name + ".pem")], check=True)
        subprocess.run(["openssl", "pkey", "-in", at(name + ".pem"), "-pubout", "-out", at(name + ".pub")], check=True)
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", at("rsa.pem")], check=True, stderr=subprocess.DEVNULL)
    plugin = at("random123.so")
    shutil.copy(os.path.join(BUILD, "targets", "random123.so"), plugin)
    done = run(ASSAY, "certify", "--plugin", plugin, "--suite", "philox", "--quiet", "--out", at("results.jsonl"))
    check(done.returncode == 0, "a library is certified", done.stdout + done.stderr)
    done = run(ASSAY, "report", "--certificate", at("cert"), "--sign", at("key.pem"), at("results.jsonl"))
    check(done.returncode == 0, "its certificate is written", done.stderr)

    envelopes = [json.loads(line) for line in open(at("cert"))]
    statements = [json.loads(base64.b64decode(e["payload"], validate=True)) for e in envelopes]
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in", at("key.pub"), "-outform", "DER"], capture_output=True, check=True).stdout
    for envelope, statement in zip(envelopes, statements):
        payload = base64.b64decode(envelope["payload"])
        kind = statement["predicateType"]
        with open(at("pae"), "wb") as file:
            file.write(b"DSSEv1 %d %s %d %s" % (len(envelope["payloadType"]), envelope["payloadType"].encode(), len(payload), payload))
        with open(at("sig"), "wb") as file:
            file.write(base64.b64decode(envelope["signatures"][0]["sig"]))
        done = run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", at("key.pub"), "-rawin", "-in", at("pae"), "-sigfile", at("sig"))
        check(done.returncode == 0, f"OpenSSL's program finds the signature of {kind} good", done.stdout + done.stderr)
        check(envelope["signatures"][0]["keyid"] == hashlib.sha256(der).hexdigest(), f"the key of {kind} is named by its digest")
        digests = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
        check(statement["_type"] == "https://in-toto.io/Statement/v1" and
              digests["target/random123.so"] == hashlib.sha256(open(plugin, "rb").read()).hexdigest() and
              digests["yaml/suites/philox.yaml"] == hashlib.sha256(open("yaml/suites/philox.yaml", "rb").read()).hexdigest(),
              f"{kind} is a Statement about these bytes", digests)
    results = [json.loads(line) for line in open(at("results.jsonl"))]
    passed = [f"philox/{r['case']}" for r in results if r["record"] == "case" and r["verdict"] in ("pass", "rejected")]
    test_result = [s["predicate"] for s in statements if "test-result" in s["predicateType"]][0]
    check(test_result["result"] == "PASSED" and test_result["passedTests"] == passed and not test_result["failedTests"],
          "in-toto's predicate names what passed")
    own = [s["predicate"] for s in statements if s["predicateType"] == "urn:assay:conformance:1"][0]
    wanted = {r["id"] for r in results[0]["requirements"]}
    check({r["id"] for r in own["requirements"]} == wanted and own["level"] == "bits", "our own says what was reached for each requirement")

    VERIFY = [ASSAY, "verify", "--key", at("key.pub"), "--plugin", plugin]
    done = run(*VERIFY, at("cert"))
    check(done.returncode == 0 and "The certificate holds" in done.stdout, "the certificate holds", done.stdout + done.stderr)
    done = run(*VERIFY, "--results", at("results.jsonl"), "--rerun", "3", at("cert"))
    check(done.returncode == 0 and done.stdout.count("again ") == 3, "three of its cases pass again", done.stdout + done.stderr)
    check(run(ASSAY, "verify", at("cert")).returncode == 2, "without a key nothing is verified")
    done = run(ASSAY, "verify", "--key", at("other.pub"), "--plugin", plugin, at("cert"))
    check(done.returncode == 1 and "another key" in done.stderr, "another key's owner did not sign it", done.stderr)
    done = run(ASSAY, "verify", "--key", at("rsa.pem"), "--plugin", plugin, at("cert"))
    check(done.returncode == 1 and "Ed25519" in done.stderr, "a key of another kind is refused", done.stderr)

    content = open(at("cert"), "rb").read()
    generator, holds = random.Random(5), []
    for _ in range(150):
        place, bit = generator.randrange(len(content)), 1 << generator.randrange(8)
        changed = content[:place] + bytes([content[place] ^ bit]) + content[place + 1:]
        with open(at("changed"), "wb") as file:
            file.write(changed)
        done = run(*VERIFY, at("changed"))
        # A key id is a hint that nobody signs; JSON's white space is no part of what is said.
        same = False
        try:
            same = [{k: v for k, v in json.loads(line).items() if k != "signatures"} | {"s": json.loads(line)["signatures"][0]["sig"]}
                    for line in changed.decode().splitlines()] == \
                   [{k: v for k, v in e.items() if k != "signatures"} | {"s": e["signatures"][0]["sig"]} for e in envelopes]
        except (ValueError, KeyError, IndexError, TypeError):
            pass
        if done.returncode == 0 and not same:
            holds.append((place, bit))
    check(not holds, "150 certificates with one changed bit: none that says anything else holds", holds)
    for name, change in (("a statement taken away", lambda lines: [l for l, s in zip(lines, statements) if "urn:assay" not in s["predicateType"]]),
                         ("no signature", lambda lines: [json.dumps({**json.loads(l), "signatures": []}) for l in lines]),
                         ("the bare statements", lambda lines: [json.dumps(s) for s in statements]),
                         ("nothing", lambda lines: [])):
        with open(at("changed"), "w") as file:
            file.writelines(line.rstrip("\n") + "\n" for line in change(open(at("cert")).readlines()))
        done = run(*VERIFY, at("changed"))
        check(done.returncode == 1, f"{name} is no certificate", done.stdout + done.stderr)

    with open(plugin, "r+b") as file:
        file.seek(4000)
        byte = file.read(1)
        file.seek(4000)
        file.write(bytes([byte[0] ^ 1]))
    done = run(*VERIFY, at("cert"))
    check(done.returncode == 1 and "CHANGED   target/random123.so" in done.stdout, "one changed bit of the library is noticed", done.stdout)
    home = at("home")
    for name in ("yaml/suites", "vectors/golden"):
        shutil.copytree(name, os.path.join(home, name))
    with open(os.path.join(home, "yaml/suites/philox.yaml"), "a") as file:
        file.write("\n")
    shutil.copy(os.path.join(BUILD, "targets", "random123.so"), plugin)
    done = run(*VERIFY, at("cert"), env={**os.environ, "ASSAY_HOME": home})
    check(done.returncode == 1 and "CHANGED   yaml/suites/philox.yaml" in done.stdout, "one changed byte of a suite is noticed", done.stdout)
    golden = os.path.join(home, "vectors/golden/philox.safetensors")
    if any(s["name"].startswith("vectors/") for s in statements[0]["subject"]):
        shutil.copy("yaml/suites/philox.yaml", os.path.join(home, "yaml/suites"))
        with open(golden, "ab") as file:
            file.write(b"\0")
        done = run(*VERIFY, at("cert"), env={**os.environ, "ASSAY_HOME": home})
        check(done.returncode == 1 and "CHANGED   vectors/golden/philox.safetensors" in done.stdout, "one changed byte of the vectors is noticed", done.stdout)

    done = run(ASSAY, "certify", "--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so"), "--suite", "philox", "--quiet", "--no-explain", "--out", at("bad.jsonl"))
    done = run(ASSAY, "report", "--certificate", at("bad"), "--sign", at("key.pem"), at("bad.jsonl"))
    check(done.returncode == 2 and not os.path.exists(at("bad")) and "no certificate" in done.stderr, "what does not conform gets no certificate", done.stderr)
    done = run(ASSAY, "report", "--statement", "-", at("bad.jsonl"))
    check(done.returncode == 0 and '"FAILED"' in done.stdout, "but a statement, which says so", done.stderr)
    check(run(ASSAY, "report", "--certificate", at("x"), at("results.jsonl")).returncode == 2, "nothing unsigned is called a certificate")
print(f"1..{number}")
sys.exit(failed > 0)
