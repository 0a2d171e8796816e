# SPDX-License-Identifier: Apache-2.0
"""What is installed works where it is installed: targets of one's own, man pages, completion, bill
of materials, Debian package.

The last tests build the package twice, and the tree twice from `make dist` in two folders; what
cannot run says why.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import PHILOX_C, PHILOX_PYTHON  # noqa: E402
from tap import check, finish, skip  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
PYTHON = os.path.abspath(sys.executable) if not sys.executable.startswith("/") else sys.executable


def run(*command, **more):
    return subprocess.run(
        command, capture_output=True, text=True, timeout=1800, check=False, **more
    )


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def make(*arguments, **more):
    return run("make", "--no-print-directory", f"BUILD={BUILD}", *arguments, **more)


with tempfile.TemporaryDirectory() as folder:
    prefix = os.path.join(folder, "prefix")
    done = make("install", f"PREFIX={prefix}")
    if not check(done.returncode == 0, "the program installs", done.stdout + done.stderr):
        sys.exit(1)
    assay = os.path.join(prefix, "bin", "assay")
    env = {**os.environ, "PATH": os.path.dirname(assay) + ":" + os.environ["PATH"],
           "PKG_CONFIG_PATH": os.path.join(prefix, "share", "pkgconfig")}
    env.pop("ASSAY_HOME", None)
    away = os.path.join(folder, "away")
    os.mkdir(away)

    # ---- a target of one's own, outside the tree -----------------------------
    done = run("assay", "new-target", "acme", cwd=away, env=env)
    check(done.returncode == 0, "new-target writes a plugin", done.stderr)
    check(
        run("assay", "new-target", "acme", cwd=away, env=env).returncode == 2,
        "and does not overwrite it",
    )
    here = os.path.join(away, "acme")
    source = os.path.join(here, "acme.c")
    build_line = re.search(r"^  (cc .*)$", done.stdout, flags=re.M)[1]
    strict = build_line.replace("cc ", "cc -Wall -Wextra -Wpedantic -Werror ", 1)
    done = run("bash", "-c", strict, cwd=here, env=env)
    check(done.returncode == 0, "it compiles by its own line, without a warning", done.stderr)
    certify = [
        "assay",
        "certify",
        "--plugin",
        "./acme.so",
        "--suite",
        "philox",
        "--quiet",
        "--out",
        "results.jsonl",
    ]
    done = run(*certify, cwd=here, env=env)
    check(
        " pass" not in done.stdout and "unsupported" in done.stdout,
        "as it stands nothing passes",
        done.stdout + done.stderr,
    )
    with open(source) as file:
        text = file.read()
    text = text.replace("DONE = false", "DONE = true").replace("""
    (void)counter;
    (void)key;
    memset(output, 0, 4 * sizeof *output);
""", PHILOX_C)
    with open(source, "w") as file:
        file.write(text)
    done = run("bash", "-c", strict, cwd=here, env=env)
    check(done.returncode == 0, "with its function filled in it compiles", done.stderr)
    done = run(*certify, cwd=here, env=env)
    verdicts = (
        [json.loads(line) for line in open(os.path.join(here, "results.jsonl"))]
        if done.returncode == 0
        else []
    )
    passed = sum(r.get("verdict") == "pass" for r in verdicts)
    check(
        done.returncode == 0 and passed >= 10,
        f"and is certified ({passed} cases pass)",
        done.stdout + done.stderr,
    )
    with open(source, "w") as file:
        file.write(text.replace("round < 10", "round < 9"))
    run("bash", "-c", strict, cwd=here, env=env)
    done = run(*certify, cwd=here, env=env)
    check(
        done.returncode == 1 and "equals the reference bit for bit with rounds=9" in done.stdout,
        "with nine rounds it is not, and is told so",
        done.stdout,
    )

    done = run("assay", "new-target", "--python", "script", cwd=away, env=env)
    check(done.returncode == 0, "new-target writes a process target", done.stderr)
    here = os.path.join(away, "script")
    with open(os.path.join(here, "script.py")) as file:
        text = file.read()
    with open(os.path.join(here, "script.py"), "w") as file:
        file.write(
            text.replace("DONE = False", "DONE = True").replace(
                "\n    return [0, 0, 0, 0]\n", PHILOX_PYTHON
            )
        )
    done = run(
        "assay",
        "certify",
        "--exec",
        f"{PYTHON} script.py",
        "--suite",
        "philox",
        "--quiet",
        cwd=here,
        env=env,
    )
    check(
        done.returncode == 0 and " pass" in done.stdout,
        "filled in, it is certified too",
        done.stdout + done.stderr,
    )

    # ---- what comes with it --------------------------------------------------
    pages = sorted(os.listdir(os.path.join(prefix, "share/man/man1")))
    commands = re.findall(r"^  ([a-z-]+) ", run(assay, "--help").stdout, flags=re.M)
    check(
        set(pages) == {"assay.1"} | {f"assay-{c}.1" for c in commands},
        "every command has a man page",
        pages,
    )
    if shutil.which("groff"):
        faults = [
            run(
                "groff", "-man", "-ww", "-z", "-Tutf8", os.path.join(prefix, "share/man/man1", p)
            ).stderr
            for p in pages
        ]
        check(not any(faults), "groff finds no fault in them", "".join(faults))
    else:
        skip("groff finds no fault in them", "no groff")
    script = (
        f"source {prefix}/share/bash-completion/completions/assay; "
        f"COMP_WORDS=(assay ver); COMP_CWORD=1; _assay; echo ${{COMPREPLY[@]}};"
        "COMP_WORDS=(assay report --htm); COMP_CWORD=2; _assay; echo ${COMPREPLY[@]}"
    )
    check(
        run("bash", "-c", script).stdout.split() == ["verify", "--html"],
        "bash completes commands and options",
    )
    if shutil.which("zsh"):
        check(
            run("zsh", "-n", os.path.join(prefix, "share/zsh/site-functions/_assay")).returncode
            == 0,
            "zsh reads its completion",
        )
    else:
        skip("zsh reads its completion", "no zsh")
    with open(os.path.join(prefix, "share/doc/assay/assay.spdx.json")) as file:
        sbom = json.load(file)
    ids = [e["SPDXID"] for e in sbom["files"] + sbom["packages"]]
    wrong = [
        f["fileName"]
        for f in sbom["files"]
        if digest(os.path.join(prefix, f["fileName"])) != f["checksums"][1]["checksumValue"]
    ]
    check(
        sbom["spdxVersion"] == "SPDX-2.3" and not wrong and len(ids) == len(set(ids)),
        "the bill of materials names every file with its digest",
        wrong,
    )
    linked = {re.sub(r"\.so.*", "", p.get("comment", "")) for p in sbom["packages"]}
    check(
        {"libyaml-0", "libcrypto", "libsqlite3"} <= linked,
        "and the libraries that the program is linked with",
        linked,
    )
    done = run("assay", "emit", "--check", "--suite", "philox", cwd=away, env=env)
    check(
        done.returncode == 0,
        "the installed program finds its suites and vectors",
        done.stdout + done.stderr,
    )

    # ---- packages ------------------------------------------------------------
    packages = []
    for _ in range(2):
        done = make("deb")
        path = done.stdout.split()[-1] if done.stdout.split() else ""
        packages.append(
            digest(path)
            if check(
                done.returncode == 0 and os.path.exists(path),
                "make deb builds a package",
                done.stderr,
            )
            else None
        )
    check(
        packages[0] and packages[0] == packages[1], "the same tree gives the same package", packages
    )
    info = run("dpkg-deb", "--info", path).stdout
    check(
        all(word in info for word in ("Package: assay", "libyaml", "libssl", "libsqlite3")),
        "it depends on what it is linked with",
        info,
    )

    unpacked = os.path.join(folder, "unpacked")
    run("dpkg-deb", "-x", path, unpacked)
    with open(os.path.join(unpacked, "usr/share/doc/assay/assay.spdx.json")) as file:
        packed = json.load(file)["files"]
    wrong = [
        f["fileName"]
        for f in packed
        if digest(os.path.join(unpacked, "usr", f["fileName"]))
        != f["checksums"][1]["checksumValue"]
    ]
    check(
        len(packed) > 40 and not wrong,
        "the bill of materials inside names the files as they are packed",
        wrong,
    )
    if shutil.which("lintian"):
        done = run("lintian", "--tag-display-limit", "0", path)
        # The address is whoever's who packs (DEB_MAINTAINER); there is none before.
        faults = [
            line
            for line in done.stdout.splitlines()
            if re.match("[EW]: ", line) and "bogus-mail-host" not in line
        ]
        check(
            not faults,
            "lintian finds no error and no warning but the address of nobody",
            "\n".join(faults) + done.stderr,
        )
    else:
        skip("lintian finds no error and no warning", "no lintian")

    done = make("dist")
    archive, digests = os.path.abspath(done.stdout.split()[-1]), []
    for place in ("one", "another-place"):
        os.mkdir(os.path.join(folder, place))
        run("tar", "-xf", archive, "--strip-components=1", "-C", os.path.join(folder, place))
        done = run("make", "--no-print-directory", "-j2", "all", cwd=os.path.join(folder, place))
        built = [
            os.path.join(folder, place, "build", p)
            for p in ("assay", "targets/random123.so", "targets/reference.so")
        ]
        digests.append([digest(p) if os.path.exists(p) else None for p in built])
    check(
        None not in digests[0] and digests[0] == digests[1],
        "what make dist packs, built in two folders, has the same bytes",
        (digests, done.stderr[-400:]),
    )
finish()
