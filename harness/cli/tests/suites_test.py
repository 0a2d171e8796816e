# SPDX-License-Identifier: Apache-2.0
"""The commands that show what suites hold: list, show and export, against each other, the kept
vectors and the Python copy of the fills."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

import safetensors
import yaml

sys.path.insert(0, "harness/tests")
from given import small_suite  # noqa: E402
from tap import checked, finish  # noqa: E402

sys.path.insert(0, "yaml/tests")
from fill import fill  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")


def assay(*arguments, stdin=None, home=None, code=0):
    environment = dict(os.environ, ASSAY_HOME=home) if home else None
    run = subprocess.run([ASSAY, *arguments], input=stdin, capture_output=True, text=True,
                         env=environment)
    assert run.returncode == code, (arguments, run.returncode, run.stdout[-300:], run.stderr[-300:])
    return run.stdout if code in (0, 1) else run.stderr


def emitted(perturb):
    environment = dict(os.environ, GLIBC_TUNABLES=f"glibc.malloc.perturb={perturb}")
    return subprocess.run([ASSAY, "emit", "--digest", "--suite", "onednn.rnn"], capture_output=True,
                          env=environment, check=True).stdout


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


@checked("every suite's file is listed, and its cases are those of the kept manifest")
def _():
    suites = {s["suite"]: s for s in lines(assay("list", "--json"))}
    assert sorted(suites) == sorted(name[:-5]
                                    for name in os.listdir("yaml/suites")
                                    if name.endswith(".yaml"))
    cases = lines(assay("list", "cases", "--json"))
    for name, suite in suites.items():
        listed = sorted(c["case"] for c in cases if c["suite"] == name)
        assert len(listed) == suite["cases"]
        manifest = f"vectors/golden/{name}.jsonl"
        kept = lines(open(manifest).read())[1:] if os.path.exists(manifest) else [
            {"id": c} for c in listed
        ]  # emit --check says so
        assert listed == [c["id"] for c in kept], name


@checked("patterns and --covers choose cases; nothing chosen is exit code 4")
def _():
    text = assay("list", "cases", "example-*", "--suite", "openvino.random_uniform")
    assert [t.split()[1]
            for t in text.splitlines()] == ["example-1", "example-2", "example-3", "example-ir"]
    some = lines(
        assay("list", "cases", "--covers", "RU-EMPTY", "--suite", "openvino.random_uniform",
              "--json"))
    assert some and all("RU-EMPTY" in c["covers"] for c in some)
    assay("list", "cases", "no-such-*", code=4)
    assay("list", "nonsense", code=2)
    assay("show", "no-such-case", code=4)
    assay("export", code=2)


@checked("each requirement has as many cases as cover it")
def _():
    suite = "openvino.random_uniform"
    cases = lines(assay("list", "cases", "--suite", suite, "--json"))
    for requirement in lines(assay("list", "requirements", "--suite", suite, "--json")):
        count = sum(requirement["requirement"] in c["covers"] for c in cases)
        assert requirement["cases"] == count, requirement
        assert count or requirement["untested"]


@checked("each erratum of each suite is listed with what was decided, why, and cases that exist")
def _():
    suites = {s["suite"]: s["errata"] for s in lines(assay("list", "--json"))}
    errata = lines(assay("list", "errata", "--json"))
    for suite, count in suites.items():
        mine = [e for e in errata if e["suite"] == suite]
        assert len(mine) == count, suite
        assert all(e["says"] and e["decided"] and e["because"] and e["cases"] for e in mine)
        rules = yaml.safe_load(open(f"yaml/suites/{suite}.yaml"))
        assert [e["erratum"] for e in mine] == list(rules.get("errata", {})), suite
    one = assay("list", "errata", "DR-E5")
    for part in ("directml.random_generator DR-E5, InputStateTensor", "  the text: ", "  because"):
        assert part in one, part
    assert "did you mean 'DR-E5'" in assay("list", "errata", "DR-E55", code=4)


@checked("cases of jax.random that go on from a split hold the keys that it gives")
def _():
    kept = {c["id"]: c for c in lines(open("vectors/golden/jax.random.jsonl").read())[1:]}

    def asked(case):
        return json.loads(assay("show", case, "--suite", "jax.random", "--json"))["inputs"]["key"]

    for split, drawn in (("example-foo", ("example-bar", "example-baz")),
                         ("one-by-one-split", [f"one-by-one-child-{i}" for i in range(3)])):
        words = [int(bits, 16) for bits in kept[split]["outputs"]["keys"]["bits"]]
        assert [word for case in drawn for word in asked(case)] == words, split


@checked("an option that the cases cannot tell from the default survives, and that is exit code 1")
def _():
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(home + "/yaml/suites")
        # Two words have one multiplier: swapping the two changes nothing.
        head = small_suite("P", descending="allowed")
        open(home + "/yaml/suites/small.yaml", "w").write(head + """\
  - {id: one, covers: [P], op: philox, attributes: {width: 32}, inputs: {counter: [1, 2], key: [3]}}
""")
        options = {(o["choice"], o["option"]): o
                   for o in lines(assay("list", "choices", "--killed", "--json", home=home, code=1))
                   }
        assert options["key_schedule", "constant"]["killed_by"] == "one"
        assert options["multipliers", "swapped"]["survives"]
        descending = options["word_order", "descending"]
        assert "killed_by" not in descending and "survives" not in descending


@checked("show --json is a request that eval answers with the kept bits, fills included")
def _():
    for suite, case in (("openvino.random_uniform", "example-1"), ("philox", "batch-4x32-8"),
                        ("philox", "one-key-rank-5"), ("openvino.random_uniform", "again-f16"),
                        ("directml.random_generator", "window-2p34")):
        request = assay("show", case, "--suite", suite, "--json")
        answer = json.loads(assay("eval", "-", stdin=request))["outputs"]
        kept = next(c for c in lines(open(f"vectors/golden/{suite}.jsonl").read())[1:]
                    if c["id"] == case)
        for name, output in kept["outputs"].items():
            many = output if isinstance(output, list) else [output]
            got = answer[name] if isinstance(output, list) else [answer[name]]
            assert [o["bits"] for o in many] == [o["bits"] for o in got], (case, name)


@checked("show says what a case is for, asks and gets")
def _():
    text = assay("show", "example-3", "--suite", "openvino.random_uniform")
    for part in ("covers RU-EXAMPLES", "erratum RU-E1", "[0] 00000041  65", "assay run example-3"):
        assert part in text, part
    assert "refuses it (invalid_argument): minval must be less than maxval" in assay(
        "show", "refuse-zeros-f32")


@checked(
    "exported vectors are whole: inputs as Python makes the fills, answers as the kept vectors "
    "have them"
)
def _():
    with tempfile.TemporaryDirectory() as folder:
        for suite in "philox", "directml.random_generator":
            assay("export", "--suite", suite, "--to", folder)
            exported = lines(open(f"{folder}/{suite}.jsonl").read())
            raw = dict(safetensors.deserialize(open(f"{folder}/{suite}.safetensors", "rb").read()))
            kept = {c["id"]: c for c in lines(open(f"vectors/golden/{suite}.jsonl").read())[1:]}
            golden = dict(
                safetensors.deserialize(open(f"vectors/golden/{suite}.safetensors", "rb").read()))

            def content(tensor):
                if "bits" in tensor:
                    size = int(tensor["dtype"][1:]) // 8
                    return b"".join(int(b, 16).to_bytes(size, "little") for b in tensor["bits"])
                return bytes(raw[tensor["tensor"]]["data"])

            assert len(exported) == len(kept)
            for case in exported:
                for role in "inputs", "outputs":
                    for name, tensor in case.get(role, {}).items():
                        if role not in kept[case["id"]] or name not in kept[case["id"]][role]:
                            continue  # written as the suite has it: it breaks a rule of the form
                        other = kept[case["id"]][role][name]
                        pairs = zip(tensor, other) if isinstance(other, list) else [(tensor, other)]
                        for one, two in pairs:
                            data = content(one)
                            if "sha256" in two:
                                assert hashlib.sha256(data).hexdigest() == two["sha256"], (
                                    case["id"], name)
                            else:
                                chunk = 65536 * 4
                                digests = b"".join(
                                    hashlib.sha256(data[i:i + chunk]).digest()
                                    for i in range(0, len(data), chunk))
                                kept_digests = golden[f"{case['id']}/out/{name}/chunks"]["data"]
                                assert digests == bytes(kept_digests), (case["id"], name)
                if case["id"] == "batch-4x32-257":
                    document = {"fill": "bits", "dtype": "u32", "shape": [257, 4]}
                    counter = fill(document, "philox", case["id"], "counter")
                    assert content(case["inputs"]["counter"]) == counter
                assert ("reject" in case) == ("reject" in kept[case["id"]])


@checked("the suite in yaml/README.md is a suite, and is emitted")
def _():
    text = open("yaml/README.md").read()
    suite = text[text.index("```yaml\n") + 8:]
    with tempfile.TemporaryDirectory() as home:
        os.makedirs(home + "/yaml/suites")
        os.makedirs(home + "/vectors/golden")
        open(home + "/yaml/suites/example.yaml", "w").write(suite[:suite.index("```")])
        assert "example: 8 cases, 8 new" in assay("emit", "--write", home=home)
        assert "SURVIVES" not in assay("list", "choices", "--killed", home=home)


@checked(
    "what memory held before has no say in the vectors of onednn.rnn, whose workspace is not "
    "cleared"
)
def _():
    plain = emitted(0)
    assert len(plain) > 64
    # The C library fills with this what it hands out, and with its complement what it takes back.
    for perturb in (1, 165):
        assert emitted(perturb) == plain


@checked(
    "the mappings tell apart what the facts tell apart: NumPy takes high bits, TensorFlow low 23, "
    "PyTorch low 24"
)
def _():
    rows = {(m["op"], m["dtype"]): m for m in lines(assay("list", "mappings", "--json"))}
    assert rows["numpy.philox, numpy.philox_random",
                "f32"]["element"] == "high 24 bits of a word, times 2^-24"
    assert rows["tensorflow.stateless_*", "f32"]["element"] == "low 23 bits of a word, times 2^-23"
    assert rows["torch.stateless_*", "f32"]["element"] == "low 24 bits of a word, times 2^-24"
    assert rows["torch.stateless_*", "u64"]["element"] == "two words, high half first"
    assert rows["openvino.random_uniform", "f32"]["bits"] in (23, 24)
    assert len(rows) > 30


finish()
