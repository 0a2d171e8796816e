# SPDX-License-Identifier: Apache-2.0
"""Certificates: made from a real run, checked by OpenSSL's own program, refused after any
change."""

import base64
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from tap import check, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")


def without_key(envelope):
    """What an envelope says: all of it but the hint which key it was that signed."""
    rest = {key: value for key, value in envelope.items() if key != "signatures"}
    return rest | {"s": envelope["signatures"][0]["sig"]}


def run(*command, check=False, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=check,
                          **more)


C_EMPTY = """    (void)counter;
    (void)key;
    memset(output, 0, 4 * sizeof *output);
"""
LIBRARY = """#include <stdint.h>
void acme_block(const uint32_t *counter, const uint32_t *key, uint32_t *c);
void acme_block(const uint32_t *counter, const uint32_t *key, uint32_t *c)
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < 4; i++)
        c[i] = counter[i];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint64_t a = 0xD2511F53u * (uint64_t)c[0], b = 0xCD9E8D57u * (uint64_t)c[2];
        const uint32_t c1 = c[1], c3 = c[3];
        c[0] = (uint32_t)(b >> 32) ^ c1 ^ k0, c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c3 ^ k1, c[3] = (uint32_t)a;
    }
}
"""
PACKAGE = """def block(c, k):
    mask = 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & mask, a >> 32 ^ c[3] ^ k[1], a & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return c
"""

if not shutil.which("openssl"):
    skip("certificates", "no openssl program")
    finish()

with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    for name in ("key", "other"):
        given.keys(folder, name)
    subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out",
                    at("rsa.pem")], check=True, stderr=subprocess.DEVNULL)
    plugin = at("random123.so")
    shutil.copy(os.path.join(BUILD, "targets", "random123.so"), plugin)
    done = run(ASSAY, "certify", "--plugin", plugin, "--suite", "philox", "--quiet", "--out",
               at("results.jsonl"))
    check(done.returncode == 0, "a library is certified", done.stdout + done.stderr)
    done = run(ASSAY, "report", "--certificate", at("cert"), "--sign", at("key.pem"), "--plugin",
               plugin, at("results.jsonl"))
    check(done.returncode == 0, "its certificate is written", done.stderr)

    envelopes = [json.loads(line) for line in open(at("cert"))]
    statements = [json.loads(base64.b64decode(e["payload"], validate=True)) for e in envelopes]
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in",
                          at("key.pub"), "-outform", "DER"], capture_output=True, check=True).stdout
    for envelope, statement in zip(envelopes, statements):
        payload = base64.b64decode(envelope["payload"])
        kind = statement["predicateType"]
        with open(at("pae"), "wb") as file:
            file.write(b"DSSEv1 %d %s %d %s" % (len(
                envelope["payloadType"]), envelope["payloadType"].encode(), len(payload), payload))
        with open(at("sig"), "wb") as file:
            file.write(base64.b64decode(envelope["signatures"][0]["sig"]))
        done = run("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", at("key.pub"), "-rawin",
                   "-in", at("pae"), "-sigfile", at("sig"))
        check(done.returncode == 0, f"OpenSSL's program finds the signature of {kind} good",
              done.stdout + done.stderr)
        check(envelope["signatures"][0]["keyid"] == hashlib.sha256(der).hexdigest(),
              f"the key of {kind} is named by its digest")
        digests = {s["name"]: s["digest"]["sha256"] for s in statement["subject"]}
        check(
            statement["_type"] == "https://in-toto.io/Statement/v1" and
            digests["target/random123.so"] == hashlib.sha256(open(plugin, "rb").read()).hexdigest()
            and digests["yaml/suites/philox.yaml"] == hashlib.sha256(
                open("yaml/suites/philox.yaml", "rb").read()).hexdigest(),
            f"{kind} is a Statement about these bytes", digests)
    results = [json.loads(line) for line in open(at("results.jsonl"))]
    passed = [
        f"philox/{r['case']}" for r in results
        if r["record"] == "case" and r["verdict"] in ("pass", "rejected", "survived")
    ]
    test_result = [s["predicate"] for s in statements if "test-result" in s["predicateType"]][0]
    check(
        test_result["result"] == "PASSED" and test_result["passedTests"] == passed
        and not test_result["failedTests"], "in-toto's predicate names what passed")
    own = [s["predicate"] for s in statements if s["predicateType"] == "urn:assay:conformance:2"][0]
    wanted = {r["id"] for r in results[0]["requirements"]}
    check({r["id"] for r in own["requirements"]} == wanted and own["level"] == "bits",
          "our own says what was reached for each requirement")

    VERIFY = [ASSAY, "verify", "--key", at("key.pub"), "--plugin", plugin]
    done = run(*VERIFY, at("cert"))
    check(done.returncode == 0 and "The certificate holds" in done.stdout, "the certificate holds",
          done.stdout + done.stderr)
    elsewhere = [*VERIFY[:-1], os.path.join(BUILD, "zoo", "nine_rounds.so")]
    done = run(*elsewhere, at("cert"))
    check(done.returncode == 1 and "does NOT hold" in done.stdout, "of another plugin it does not",
          done.stdout + done.stderr)
    done = run(*elsewhere, "--signature-only", at("cert"))
    check(done.returncode == 0 and "The signature holds; files were not looked at" in done.stdout,
          "its signature does, and no more is said", done.stdout + done.stderr)
    done = run(*VERIFY, "--results", at("results.jsonl"), "--rerun", "3", at("cert"))
    check(done.returncode == 0 and done.stdout.count("again ") == 3,
          "three of its cases pass again", done.stdout + done.stderr)
    reference = os.path.join(BUILD, "targets", "reference.so")
    run(ASSAY, "certify", "--plugin", reference, "--suite", "onnx.softplus", "--quiet", "--out",
        at("softplus.jsonl"), "--sign", at("key.pem"))
    done = run(ASSAY, "verify", "--key", at("key.pub"), "--plugin", reference, "--rerun", "1000",
               at("softplus.certificate.jsonl"))
    check(done.returncode == 0 and "NOT AGAIN" not in done.stdout and
          done.stdout.count("again ") == len(open(at("softplus.jsonl")).readlines()) - 2,
          "all cases of another go as before, what is undefined too", done.stdout + done.stderr)
    check(run(ASSAY, "verify", at("cert")).returncode == 2, "without a key nothing is verified")
    done = run(ASSAY, "verify", "--key", at("other.pub"), "--plugin", plugin, at("cert"))
    check(done.returncode == 1 and "another key" in done.stderr,
          "another key's owner did not sign it", done.stderr)
    done = run(ASSAY, "verify", "--key", at("rsa.pem"), "--plugin", plugin, at("cert"))
    check(done.returncode == 1 and "Ed25519" in done.stderr, "a key of another kind is refused",
          done.stderr)

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
            now = [json.loads(line) for line in changed.decode().splitlines()]
            same = [without_key(e) for e in now] == [without_key(e) for e in envelopes]
        except (ValueError, KeyError, IndexError, TypeError):
            pass
        if done.returncode == 0 and not same:
            holds.append((place, bit))
    check(not holds, "150 certificates with one changed bit: none that says anything else holds",
          holds)
    for name, change in (
        ("a statement taken away", lambda lines:
         [l for l, s in zip(lines, statements) if "urn:assay" not in s["predicateType"]]),
        ("no signature",
         lambda lines: [json.dumps({**json.loads(l), "signatures": []}) for l in lines]),
        ("the bare statements",
         lambda lines: [json.dumps(s) for s in statements]), ("nothing", lambda lines: [])):
        with open(at("changed"), "w") as file:
            file.writelines(
                line.rstrip("\n") + "\n" for line in change(open(at("cert")).readlines()))
        done = run(*VERIFY, at("changed"))
        check(done.returncode == 1, f"{name} is no certificate", done.stdout + done.stderr)

    # ---- one certificate in a file, one meaning of each line -------------------------------------
    both = open(at("cert")).read()
    first, second = both.splitlines(keepends=True)
    run(ASSAY, "certify", "--target", "reference", "--suite", "philox", "--quiet", "--out",
        at("second.jsonl"))
    run(ASSAY, "report", "--certificate", at("second"), "--sign", at("key.pem"),
        at("second.jsonl"))
    other = open(at("second")).readlines()
    doubled = json.dumps(statements[1])[:-1] + ', "predicateType": "urn:assay:conformance:1"}'
    with open(at("payload"), "w") as file:
        file.write(doubled)
    with open(at("pae"), "wb") as file:
        kind = envelopes[1]["payloadType"]
        file.write(b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(doubled),
                                            doubled.encode()))
    run("openssl", "pkeyutl", "-sign", "-inkey", at("key.pem"), "-rawin", "-in", at("pae"),
        "-out", at("sig"), check=True)
    twice = json.dumps({"payloadType": kind, "payload": base64.b64encode(
        doubled.encode()).decode(), "signatures": [{"sig": base64.b64encode(
            open(at("sig"), "rb").read()).decode()}]}) + "\n"
    for name, text, line, words in (
            ("a second certificate", both + "".join(other), 3, "something follows"),
            ("the same certificate again", both + both, 3, "something follows"),
            ("other JSON", both + "{}\n", 3, "something follows"),
            ("an empty line", both + "\n", 3, "something follows"),
            ("JSON in the last line", both[:-1] + " {}\n", 2, "trailing garbage"),
            ("a line that stands twice", second + second, 2, "of the same kind"),
            ("halves of two certificates", first + other[1], 2, "about other files"),
            ("a doubled key in an envelope",
             first + second.replace('"payloadType"', '"payload": "", "payloadType"'), 2,
             "key 'payload' stands twice"),
            ("a doubled key in a signed statement", first + twice, 1,
             "key 'predicateType' stands twice")):
        with open(at("changed"), "w") as file:
            file.write(text)
        done = run(*VERIFY, at("changed"))
        check(done.returncode == 2 and "The certificate does NOT hold" in done.stdout
              and words in done.stderr and f":{line}:" in done.stderr,
              f"a certificate with {name} is refused at its place", done.stdout + done.stderr)

    # ---- a plugin with a library of its own, and a process target with a package -----------------
    shop = at("shop")
    os.makedirs(os.path.join(shop, "include", "assay"))
    os.makedirs(os.path.join(shop, "site-packages", "acmepack"))
    shutil.copy("harness/plugin.h", os.path.join(shop, "include", "assay"))
    with open(os.path.join(shop, "libacme.c"), "w") as file:
        file.write(LIBRARY)
    with open("scripts/package/templates/plugin.c") as file:
        text = file.read().replace("@NAME@", "acme").replace("DONE = false", "DONE = true").replace(
            C_EMPTY, "    acme_block(counter, key, output);\n")
    with open(os.path.join(shop, "acme.c"), "w") as file:
        file.write(
            "#include <stdint.h>\nvoid acme_block(const uint32_t *, const uint32_t *, uint32_t "
            "*);\n"
            + text)
    for line in (
            "cc -O2 -fPIC -shared -o libacme.so libacme.c",
            "cc -std=c11 -O2 -fPIC -shared -I include -o acme.so acme.c -L . -lacme "
            "-Wl,-rpath,$ORIGIN"
    ):
        done = run(*line.split(), cwd=shop)
        assert done.returncode == 0, done.stderr
    plugin, library = os.path.join(shop, "acme.so"), os.path.join(shop, "libacme.so")
    done = run(ASSAY, "certify", "--plugin", plugin, "--suite", "philox", "--quiet", "--out",
               at("acme.jsonl"), "--sign", at("key.pem"))
    check(
        done.returncode == 0 and os.path.exists(at("acme.statement.jsonl"))
        and os.path.exists(at("acme.certificate.jsonl")),
        "certify writes statement and certificate when it is given a key",
        done.stdout + done.stderr)
    run(ASSAY, "report", "--certificate", at("again"), "--sign", at("key.pem"), "--plugin", plugin,
        at("acme.jsonl"))
    check(
        open(at("again")).read() == open(at("acme.certificate.jsonl")).read(),
        "the certificate is the one that report makes of the results")
    with open(os.path.join(shop, "site-packages", "acmepack", "__init__.py"), "w") as file:
        file.write(PACKAGE)
    with open("scripts/package/templates/target.py") as file:
        text = file.read().replace("@NAME@",
                                   "script").replace("DONE = False", "DONE = True").replace(
                                       "    return [0, 0, 0, 0]\n",
                                       "    return acmepack.block(counter, key)\n")
    with open(os.path.join(shop, "script.py"), "w") as file:
        file.write(
            text.replace(
                "import numpy\n",
                "import sys\nsys.path.append('%s/site-packages')\nimport acmepack\nimport numpy\n" %
                shop))
    shutil.copy("harness/python/assay/target.py", f"{shop}/assay_target.py")
    program = f"{sys.executable} {shop}/script.py"
    done = run(ASSAY, "certify", "--exec", program, "--suite", "philox", "--quiet", "--out",
               at("script.jsonl"), "--sign", at("key.pem"))
    check(done.returncode == 0 and "certificate: " in done.stdout,
          "a process target gets its certificate too", done.stdout + done.stderr)
    home = at("home")
    for name in ("yaml/suites", "vectors/golden"):
        shutil.copytree(name, os.path.join(home, name))
    HOME = {**os.environ, "ASSAY_HOME": home}
    certificates = {
        "acme": (at("acme.certificate.jsonl"), ["--plugin", plugin]),
        "script": (at("script.certificate.jsonl"), ["--exec", program])
    }

    def verify(name, *more, **changed):
        certificate, options = certificates[name]
        return run(ASSAY, "verify", "--key", at("key.pub"), *options, *more, certificate,
                   env={**HOME, **changed})

    subjects = {}
    for name, (certificate, _) in certificates.items():
        done = verify(name, "--results", at(name + ".jsonl"), "--rerun", "2")
        check(done.returncode == 0 and done.stdout.count("again ") == 2,
              f"{name}: the certificate holds, two cases pass again", done.stdout + done.stderr)
        subjects[name] = json.loads(
            base64.b64decode(json.loads(open(certificate).readline())["payload"]))["subject"]
    own = json.loads(
        base64.b64decode(json.loads(open(
            certificates["acme"][0]).readlines()[1])["payload"]))["predicate"]["run"]
    check(
        all(
            own.get(key)
            for key in ("tool", "toolVersion", "architecture", "instructions", "system",
                        "compiler")), "it says on what machine, by which build", own)
    names = {s["name"]: s["digest"] for s in subjects["acme"]}
    check({
        "library/libacme.so", "target/acme.so", "yaml/suites/philox.yaml",
        "vectors/golden/philox.safetensors", "vectors/golden/philox.jsonl", "tool/assay",
        "results/acme.jsonl"
    } <= set(names), "library, target, suite, vectors, their list, tool and results have digests",
          names)
    check(
        all(d == {"sha256": hashlib.sha256(open(f, "rb").read()).hexdigest()}
            for d, f in ((names["library/libacme.so"], library), (names["tool/assay"], ASSAY),
                         (names["vectors/golden/philox.jsonl"], "vectors/golden/philox.jsonl"))),
        "and they are those of the files")
    script = {s["name"]: s["digest"] for s in subjects["script"]}
    listing = run(
        "bash", "-c",
        "find . -type f ! -path '*/__pycache__/*' | cut -c3- | LC_ALL=C sort | xargs -r sha256sum "
        "| sha256sum | cut -f1 -d' '",
        cwd=os.path.join(shop, "site-packages", "acmepack")).stdout.strip()
    check(
        script.get("library/site-packages/acmepack/") == {"dirHash": listing},
        "a package has the digest that in-toto's specification gives a folder", script)
    check("library/assay_target.py" in script and "target/script.py" in script,
          "script and helper have theirs", script)

    # ---- any byte of any of them -----------------------------------------------------------------
    FILES = [
        ("acme", "library/libacme.so", library), ("acme", "target/acme.so", plugin),
        ("acme", "yaml/suites/philox.yaml", f"{home}/yaml/suites/philox.yaml"),
        ("acme", "vectors/golden/philox.safetensors", f"{home}/vectors/golden/philox.safetensors"),
        ("acme", "vectors/golden/philox.jsonl", f"{home}/vectors/golden/philox.jsonl"),
        ("script", "target/script.py", f"{shop}/script.py"),
        ("script", "library/site-packages/acmepack/", f"{shop}/site-packages/acmepack/__init__.py"),
        ("script", "library/assay_target.py", f"{shop}/assay_target.py"),
        ("acme", "results/acme.jsonl", at("acme.jsonl"))
    ]
    for name, subject, path in FILES:
        content, wrong = open(path, "rb").read(), []
        for place in [0, len(content) - 1] + [generator.randrange(len(content)) for _ in range(8)]:
            with open(path, "wb") as file:
                file.write(content[:place] + bytes([content[place] ^ 1 << generator.randrange(8)]) +
                           content[place + 1:])
            done = verify(name, *(["--results", path] if subject.startswith("results/") else []))
            said = [
                line for line in done.stdout.splitlines()
                if line.startswith(("CHANGED", "missing", "unclear"))
            ]
            if done.returncode != 1 or said != [
                    f"CHANGED   {subject}: its bytes are not those that were certified"
            ] or "does NOT hold" not in done.stdout:
                wrong.append((place, done.returncode, said))
        with open(path, "wb") as file:
            file.write(content)
        check(not wrong, f"10 changed bits of {subject}: each is noticed, and it alone", wrong)
    with open(library, "ab") as file:
        file.write(b"x")
    done = verify("acme", "--rerun", "2")
    check(
        done.returncode == 1 and "not again" in done.stdout
        and "again    philox" not in done.stdout, "what was changed is not run", done.stdout)
    os.rename(library, at("elsewhere.so"))
    done = verify("acme")
    check(
        done.returncode == 1 and "missing   library/libacme.so" in done.stdout
        and "--library" in done.stdout, "a library that is gone is missed", done.stdout)
    run("cc", *"-O2 -fPIC -shared -o libacme.so libacme.c".split(), cwd=shop)
    os.makedirs(at("other/place"))
    os.rename(library, at("other/place/libacme.so"))
    for place in (at("other/place"), at("other/place/libacme.so"),
                  at("nowhere") + "," + at("other/place")):
        done = verify("acme", "--library", place)
        check(done.returncode == 0,
              f"--library finds it elsewhere ({os.path.relpath(place, folder)[-20:]})",
              done.stdout + done.stderr)
    with open(os.path.join(shop, "site-packages", "acmepack", "more.py"), "w") as file:
        file.write("")
    done = verify("script")
    check(done.returncode == 1 and "CHANGED   library/site-packages/acmepack/" in done.stdout,
          "one file more in a package is noticed", done.stdout)
    done = run(*VERIFY[:4], "--plugin", at("random123.so"), "--tool", at("key.pem"), at("cert"))
    check(done.returncode == 1 and "CHANGED   tool/assay" in done.stdout,
          "a tool that is named must be the one", done.stdout)

    for wrong, why in ((["--quick"], "--quick"), (["--case", "published-*"], "--case")):
        done = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--quiet",
                   "--sign", at("key.pem"), "--out", at("no.jsonl"), *wrong)
        check(done.returncode == 2 and not os.path.exists(at("no.jsonl")),
              f"nothing is signed of a run with {why}", done.stdout + done.stderr)
    run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--quiet", "--quick",
        "--out", at("quick.jsonl"))
    done = run(ASSAY, "report", "--certificate", at("bad"), "--sign", at("key.pem"),
               at("quick.jsonl"))
    check(done.returncode == 2 and "--quick" in done.stderr, "also not later, from its results",
          done.stderr)
    done = run(ASSAY, "certify", "--target", "random123", "--suite", "philox", "--quiet", "--sign",
               at("rsa.pem"), "--out", at("no.jsonl"))
    check(done.returncode == 2 and "Ed25519" in done.stderr and not os.path.exists(at("no.jsonl")),
          "a key that cannot sign is refused before the run", done.stderr)
    done = run(ASSAY, "certify", "--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so"),
               "--suite", "philox", "--quiet", "--sign", at("key.pem"), "--out", at("nine.jsonl"))
    check(
        done.returncode == 1 and os.path.exists(at("nine.statement.jsonl"))
        and not os.path.exists(at("nine.certificate.jsonl"))
        and "no certificate for" in done.stdout, "what does not conform gets a statement only",
        done.stdout + done.stderr)

    done = run(ASSAY, "certify", "--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so"),
               "--suite", "philox", "--quiet", "--no-explain", "--out", at("bad.jsonl"))
    done = run(ASSAY, "report", "--certificate", at("bad"), "--sign", at("key.pem"),
               at("bad.jsonl"))
    check(
        done.returncode == 2 and not os.path.exists(at("bad")) and "no certificate" in done.stderr,
        "what does not conform gets no certificate", done.stderr)
    done = run(ASSAY, "report", "--statement", "-", at("bad.jsonl"))
    check(done.returncode == 0 and '"FAILED"' in done.stdout, "but a statement, which says so",
          done.stderr)
    check(
        run(ASSAY, "report", "--certificate", at("x"), at("results.jsonl")).returncode == 2,
        "nothing unsigned is called a certificate")
finish()
