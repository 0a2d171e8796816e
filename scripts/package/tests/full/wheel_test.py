# SPDX-License-Identifier: Apache-2.0
"""The wheels: small, the same from the same tree, complete, and of use to an ordinary user.

They are installed into a clean environment, with numpy and pytest from a package index. There an
ordinary user (where this runs as root) makes a project of a suite of five cases, certifies a plugin
and a Python function, signs, verifies and reports; then declares an operator in a folder of his
own. Nothing is written where assay is installed.
"""

import email.parser
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, "harness/tests")
from given import PHILOX_C, PHILOX_PYTHON  # noqa: E402
from tap import check, finish, skip  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
PYTHON = os.path.abspath(sys.executable)
LARGEST = 10_000_000
NOBODY = 65534


SOFTMAXES = """import assay
import numpy


def softmax(z, axis):
    e = numpy.exp(z - z.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def scaled(request):
    return numpy.float32(request.attributes["scale"]) * request.inputs["X"]


@assay.under_test("acme.scaled_softmax")
def right(request):
    z = scaled(request)
    if "mask" in request.inputs:
        z = z + request.inputs["mask"]
    return softmax(z, request.attributes["axis"])


@assay.under_test("acme.scaled_softmax")
def unmasked(request):
    return softmax(scaled(request), request.attributes["axis"])
"""
CHECKS = """import assay
import numpy
from softmaxes import softmax

x = numpy.array([[8, 16, 24]], "f4")
asked = ("acme.scaled_softmax", {"X": x})
suite = {"suite": "./acme.softmax.yaml"}
y = softmax(numpy.float32(0.125) * x, -1)
assay.check(*asked, y, **suite)
print("silent")
try:
    assay.check(*asked, softmax(x, -1), **suite)
except assay.Mismatch as why:
    print(why.verdict)
answer = assay.evaluate(*asked, **suite)
if (answer.lower["Y"] <= y).all() and (y <= answer.upper["Y"]).all():
    print("inside")
"""


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False,
                          **more)


def digests(paths):
    return {os.path.basename(path): hashlib.sha256(open(path, "rb").read()).hexdigest()
            for path in paths}


def make_wheels():
    done = run("make", "--no-print-directory", f"BUILD={BUILD}", f"PYTHON={PYTHON}", "wheel")
    return done, sorted(glob.glob(f"{BUILD}/wheels/*.whl"))


name = "make wheel builds two wheels"
missing = [module for module in ("auditwheel", "hatchling")
           if run(PYTHON, "-c", f"import {module}").returncode]
if missing:
    skip(name, f"{', '.join(missing)} not installed (scripts/setup wheel)")
    finish()
done, wheels = make_wheels()
if not check(done.returncode == 0 and len(wheels) == 2, name, done):
    finish()
first = digests(wheels)
done, wheels = make_wheels()
check(digests(wheels) == first, "the same tree gives the same wheels", (first, digests(wheels)))
program, vectors = wheels
check(os.path.getsize(program) < LARGEST,
      f"with its program and libraries the package has {os.path.getsize(program):,} bytes")
check(re.search(r"-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl$", program)
      and vectors.endswith("-py3-none-any.whl"), "their names say where they run", wheels)
with zipfile.ZipFile(program) as archive:
    names = archive.namelist()
    metadata = email.parser.Parser().parsestr(
        archive.read(next(n for n in names if n.endswith("/METADATA"))).decode())
libraries = {re.sub(r"-[0-9a-f]+\.so.*", "", os.path.basename(n)) for n in names
             if n.startswith("assay.libs/") and n.endswith(tuple("0123456789"))}
check({"libyaml-0", "libcrypto", "libmpfr", "libgmp", "libsqlite3", "libyajl"} <= libraries,
      "the libraries that the program is linked with are inside", libraries)
check(sum("/licenses/" in n for n in names) > len(libraries),
      "with the license of each", [n for n in names if "/licenses/" in n])
check(metadata["License-Expression"].startswith("Apache-2.0") and metadata["Requires-Python"]
      and any("Typed" in value for value in metadata.get_all("Classifier"))
      and not re.search(r"\]\((?!https?:|#)", metadata.get_payload()),
      "the metadata names license, versions and classifiers, and its text has no dead links",
      re.findall(r"\]\((?!https?:|#)[^)]*", metadata.get_payload()))

with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    venv, home = f"{folder}/venv", f"{folder}/home"
    user = []
    if os.geteuid() == 0 and shutil.which("setpriv"):
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    # Of root's own Python the user sees nothing.
    usable = [python for python in (os.path.realpath(sys.executable), "/usr/bin/python3")
              if not run(*user, "sh", "-c", f"{python} -c ''").returncode]
    if not usable or run(usable[0], "-m", "venv", venv).returncode:
        skip("installed from the wheels, assay works", "no Python that an ordinary user may run")
        finish()
    pip = [f"{venv}/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    done = run(*pip, "numpy", "pytest")
    if done.returncode:
        skip("installed from the wheels, assay works", "pip: " + done.stderr.strip()[-120:])
        finish()
    done = run(*pip, "--no-index", "--find-links", f"{BUILD}/wheels", "assay")
    if not check(done.returncode == 0, "pip installs them into a clean environment", done):
        finish()
    os.mkdir(home)
    if user:
        os.chown(home, NOBODY, NOBODY)
    env = {"PATH": f"{venv}/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8",
           "PYTHONDONTWRITEBYTECODE": "1"}

    def installed():
        return {os.path.join(at, file) for at, _, files in os.walk(venv) for file in files
                if "__pycache__" not in at}

    def at_home(command, cwd="mine"):
        return run(*user, "bash", "-ec", command, cwd=os.path.join(home, cwd), env=env)

    before = installed()
    done = at_home("assay --version; assay list suites | wc -l; assay init mine", "")
    check(done.returncode == 0 and "assay.yaml names what is there" in done.stdout
          and int(done.stdout.split()[2]) >= 14,
          "a user finds the suites and makes a project", done)
    done = at_home("assay emit --write && assay list cases | wc -l && assay emit --check")
    check(done.returncode == 0 and "5" in done.stdout.split(), "of five cases, with their vectors",
          done)
    target = f"{home}/mine/targets/mine.py"
    text = open(target).read() if os.path.exists(target) else ""
    with open(target, "w") as file:
        file.write(text.replace("DONE = False", "DONE = True").replace(
            "\n    return [0, 0, 0, 0]\n", PHILOX_PYTHON))
    sign = ("openssl genpkey -algorithm ed25519 -out key.pem; "
            "openssl pkey -in key.pem -pubout -out public.pem; ")
    done = at_home(sign + "assay certify --quiet --sign key.pem --out python.jsonl --html p.html")
    check(done.returncode == 0 and "certificate: " in done.stdout and "5 cases, 0" in done.stdout,
          "certifies and signs a Python function", done)
    done = at_home("assay verify --key public.pem --rerun 2 python.certificate.jsonl")
    check(done.returncode == 0, "verifies it", done)
    done = at_home("assay new-target acme")
    source = f"{home}/mine/acme/acme.c"
    text = open(source).read() if os.path.exists(source) else ""
    with open(source, "w") as file:
        file.write(text.replace("DONE = false", "DONE = true").replace("""
    (void)counter;
    (void)key;
    memset(output, 0, 4 * sizeof *output);
""", PHILOX_C))
    done = at_home("cc -std=c11 -O2 -fPIC -shared -I $(python -c 'import assay; "
                   "print(assay.include())') -o acme.so acme/acme.c && assay certify --plugin "
                   "./acme.so --quiet --sign key.pem --out plugin.jsonl")
    check(done.returncode == 0 and "certificate: " in done.stdout and "5 cases, 0" in done.stdout,
          "certifies and signs a plugin", done)
    done = at_home("assay verify --key public.pem --plugin ./acme.so plugin.certificate.jsonl; "
                   "assay report --html both.html plugin.jsonl python.jsonl")
    check(done.returncode == 0 and "10" in done.stdout
          and os.path.getsize(f"{home}/mine/both.html") > 10000,
          "verifies it, and reports both on one page", done)
    done = at_home("assay certify --plugin ./acme.so --suite philox --quiet")
    check(done.returncode == 0 and "337 cases, 0 unexpected" in done.stdout,
          "the suites that assay comes with are held to their golden vectors", done)

    # ---- from Python ---------------------------------------------------------
    shutil.copy("harness/python/tests/ranges.py", home)
    done = at_home("pytest -q --assay openvino.range --assay-target ranges:arange", "")
    check(done.returncode == 1 and "12 failed" in done.stdout
          and "equals the reference bit for bit with integer_element=from_f64" in done.stdout,
          "pytest runs the suite by the installed plugin", done.stdout[-1500:] + done.stderr)
    done = at_home("python -c \"import assay; print(assay.program(), assay.version()); "
                   "assay.check('openvino.range', {'start': 0, 'stop': 3, 'step': 1}, "
                   "assay.evaluate('openvino.range', {'start': 0, 'stop': 3, 'step': 1}, "
                   "{'output_type': 'i32'})['output'], {'output_type': 'i32'})\"", "")
    check(done.returncode == 0 and done.stdout.startswith(venv), "the program is the wheel's own",
          done)

    # ---- an operator and a suite of the user's own ---------------------------
    acme = f"{home}/acme"
    os.mkdir(acme)
    with open("yaml/OPERATORS.md", encoding="utf-8") as file:
        blocks = re.findall(r"^```\w+\n(.*?)^```", file.read(), re.M | re.S)
    for first, path in (("operator: acme", "acme.scaled_softmax.yaml"),
                        ("suite: acme", "acme.softmax.yaml"), ("import numpy\n", "page.py")):
        with open(f"{acme}/{path}", "w", encoding="utf-8") as file:
            file.write(next(block for block in blocks if block.startswith(first)))
    with open(f"{acme}/page.py", encoding="utf-8") as file:
        page = file.read()
    unscaled = page.replace("z = scale * ", "z = ")
    assert unscaled != page, "the page's target is not as it was"
    with open(f"{acme}/unscaled.py", "w", encoding="utf-8") as file:
        file.write(unscaled)
    with open(f"{acme}/softmaxes.py", "w", encoding="utf-8") as file:
        file.write(SOFTMAXES)
    with open(f"{acme}/checks.py", "w", encoding="utf-8") as file:
        file.write(CHECKS)
    if user:
        for path in (acme, *glob.glob(f"{acme}/*")):
            os.chown(path, NOBODY, NOBODY)
    suite = "--suite ./acme.softmax.yaml"
    done = at_home(f"assay emit {suite} --write && assay emit {suite} --check", "acme")
    check(done.returncode == 0 and "2 cases, 2 new" in done.stdout,
          "golden vectors of a declared operator are made", done)
    done = at_home(f"assay certify --quiet {suite} --exec 'python page.py'", "acme")
    check(done.returncode == 0 and "conforms: 2 of 2 cases" in done.stdout,
          "NumPy's softmax by the page is certified", done)
    done = at_home(f"assay certify --quiet {suite} --exec 'python unscaled.py'", "acme")
    check(done.returncode == 1 and "2 failed" in done.stdout, "one without the scale is not", done)
    ask = "pytest -q --assay ./acme.softmax.yaml --assay-target softmaxes:"
    done = at_home(f"{ask}right", "acme")
    check(done.returncode == 0 and "2 passed" in done.stdout, "pytest certifies a function",
          done.stdout[-1500:] + done.stderr)
    done = at_home(f"{ask}unmasked", "acme")
    check(done.returncode == 1 and "1 failed, 1 passed" in done.stdout
          and "mutant_z=never" in done.stdout,
          "one that has no mask fails, by name", done.stdout[-1500:] + done.stderr)
    done = at_home("python checks.py", "acme")
    check(done.returncode == 0 and done.stdout.split() == ["silent", "fail", "inside"],
          "assay.check and assay.evaluate take the suite that declares it", done)
    changed = installed() ^ before
    check(not changed, "nothing was written where assay is installed", changed)
    done = run(f"{venv}/bin/python", "-m", "pip", "uninstall", "-q", "-y", "assay",
               "assay-vectors")
    left = [path for path in installed() if "/assay" in path and "site-packages" in path]
    check(done.returncode == 0 and not left, "uninstalling leaves nothing", left or done)
finish()
