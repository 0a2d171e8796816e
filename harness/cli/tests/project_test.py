# SPDX-License-Identifier: Apache-2.0
"""A project of one's own, found from the working directory upwards: `init` makes one that works as
it stands, its suites, targets and known failures are those that commands mean, and a project that
is not as it should be is told with its place."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import PHILOX_PYTHON, keys  # noqa: E402
from tap import check, expect, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, WRONG = f"{BUILD}/assay", f"{BUILD}/zoo/nine_rounds.so"


def assay(*arguments, cwd, **more):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=cwd,
                          check=False, **more)


def change(path, old, new):
    with open(path) as file:
        text = file.read()
    assert old in text, (path, old)
    with open(path, "w") as file:
        file.write(text.replace(old, new))


def below(folder):
    return sorted(os.path.relpath(os.path.join(at, name), folder)
                  for at, _, names in os.walk(folder) for name in names)


def tool_files():
    return {name: os.stat(os.path.join(folder, name)).st_mtime_ns
            for folder in ("vectors", "vectors/golden", "yaml/suites", "harness/targets")
            for name in os.listdir(folder)}


def check_made(folder):
    """What `init` writes, and that it replaces nothing."""
    expect(assay("init", "mine", cwd=folder), 0, ["mine/assay.yaml names what is there"],
           "init makes a project")
    mine = f"{folder}/mine"
    check(below(mine) == ["assay.yaml", "known.yaml", "suites/mine.yaml",
                          "targets/assay_target.py", "targets/mine.py"], "of five files",
          below(mine))
    os.mkdir(f"{folder}/half")
    with open(f"{folder}/half/known.yaml", "w") as file:
        file.write("mine\n")
    expect(assay("init", "half", cwd=folder), 2, ["half/known.yaml is there already"],
           "where one of them is there")
    check(below(f"{folder}/half") == ["known.yaml"], "none is written")
    expect(assay("init", "My-Project", cwd=folder), 2, ["say one with --name"],
           "a folder whose name is no name needs one")
    expect(assay("init", "My-Project", "--name", "other", cwd=folder), 0, [], "and takes it")
    check("suites/other.yaml" in below(f"{folder}/My-Project"), "for its suite")
    return mine


def check_used(mine, private, public):
    """From emit to verify, in the project's folder and below."""
    expect(assay("emit", cwd=mine), 1, ["no case of 5 is kept yet"], "emit means its suites")
    expect(assay("emit", "--write", cwd=f"{mine}/targets"), 0, ["5 cases, 5 new"],
           "from a folder below too")
    check("suites/vectors/mine.jsonl" in below(mine), "and writes beside the suite", below(mine))
    change(f"{mine}/assay.yaml", "exec: python3", f"exec: {sys.executable}")
    expect(assay("certify", cwd=mine), 4, ["proves nothing: 0 of 5 cases, 5 unsupported"],
           "certify means its targets; as it stands nothing passes")
    change(f"{mine}/targets/mine.py", "DONE = False", "DONE = True")
    change(f"{mine}/targets/mine.py", "\n    return [0, 0, 0, 0]\n", PHILOX_PYTHON)
    signed = assay("certify", "--sign", private, "--out", "r.jsonl", cwd=mine)
    expect(signed, 0, ["conforms: 5 of 5 cases", "certificate: r.certificate.jsonl"],
           "filled in, it conforms and is signed")
    verify = ("verify", "--key", public, "--rerun", "2")
    expect(assay(*verify, "r.certificate.jsonl", cwd=mine), 0,
           ["unchanged target/mine.py", "unchanged vectors/golden/mine.jsonl",
            "again     mine/", "The certificate holds"],
           "verify finds suite, vectors and target by itself")
    expect(assay(*verify, "../r.certificate.jsonl", cwd=f"{mine}/suites"), 0,
           ["unchanged target/mine.py"], "from a folder below too")
    expect(assay("report", "--certificate", "c.jsonl", "--sign", private, "r.jsonl", cwd=mine), 0,
           [], "report signs its results later")
    expect(assay("show", "block-2", cwd=f"{mine}/suites"), 0, ["suite mine"],
           "show finds its cases")
    change(f"{mine}/targets/mine.py", "range(10)", "range(9)")
    expect(assay(*verify, "r.certificate.jsonl", cwd=mine), 1, ["CHANGED   target/mine.py"],
           "a target that is another now is told")
    expect(assay("certify", cwd=mine), 1, ["rounds=9"], "and is certified as what it is")
    expect(assay("minimize", "many", "--target", "mine", cwd=mine), 0, ["rounds=9"],
           "minimize makes its failure small")


def check_names(mine, folder):
    """Which names mean what."""
    change(f"{mine}/assay.yaml", "  # - {name: acme, plugin: build/acme.so}",
           f"  - {{name: nine, plugin: {WRONG}}}")
    expect(assay("certify", "--target", "nine", "--write-known", "new.yaml", cwd=mine), 1,
           ["rounds=9"], "a plugin is a target by its name")
    os.replace(f"{mine}/new.yaml", f"{mine}/known.yaml")
    expect(assay("certify", "--target", "nine", "--quiet", cwd=f"{mine}/suites"), 0,
           ["5 cases, 0 unexpected, 5 expected failures"],
           "what its list says is expected, without a word")
    expect(assay("certify", "--target", "random123", "--suite", "philox", "--case", "published-*",
                 "--quiet", cwd=mine), 0, [" 0 unexpected"], "suites of assay are there by name")
    change(f"{mine}/assay.yaml", "[suites] ", "[suites, philox] ")
    expect(assay("list", "cases", cwd=mine), 0, ["mine block-1", "philox published-"],
           "and by the project's list")
    with open(f"{mine}/suites/mine.yaml") as file:
        text = file.read()
    with open(f"{mine}/suites/threefry.yaml", "w") as file:
        file.write(text.replace("suite: mine", "suite: threefry"))
    expect(assay("show", "many", "--suite", "threefry", cwd=mine), 0, ["suite threefry"],
           "its own suite goes before assay's of the same name")
    os.remove(f"{mine}/suites/threefry.yaml")
    expect(assay("list", "cases", "--suite", "mine", cwd=folder), 2, ["there is no suite 'mine'"],
           "above the project it is not there")
    expect(assay("list", "cases", "--suite", "mime", cwd=mine), 2, ["did you mean 'mine'?"],
           "a name that is nearly one of the project's is told")


def check_refused(folder):
    """A project that is not as it should be."""
    wrong = f"{folder}/wrong"
    os.mkdir(wrong)
    for text, code, said in (
            ("suites: [nowhere]\n", 2, "assay.yaml:1:10: 'nowhere' is no file"),
            ("suites: mine\n", 2, "assay.yaml:1:9: "),
            ("suits: []\n", 2, "assay.yaml:1:1: "),
            ("targets: [{name: a}]\n", 2, "assay.yaml:1:11: target 'a' needs one of 'plugin'"),
            ("targets: [{name: a, plugin: x.so, exec: y}]\n", 2, "needs one of 'plugin'"),
            ("targets: [{name: numpy, exec: y}]\n", 2, "target 'numpy' is there already"),
            ("targets: [{name: a, exec: y}, {name: a, exec: z}]\n", 2, "'a' is there already"),
            ("targets: [{name: a, of: nothing}]\n", 2, "there is no target 'nothing'"),
            ("targets: [{name: 'a,b', exec: y}]\n", 2, "without a comma"),
            ("targets: []\nknown: nowhere.yaml\n", 2, "name a target with --target"),
            ("targets: [{name: a, exec: y}]\nknown: nowhere.yaml\n", 2, "nowhere.yaml"),
            ("targets: [{name: a, exec: ' '}]\n", 2, "command is empty"),
            ("suites: [\n", 2, "assay.yaml:2:1: ")):
        with open(f"{wrong}/assay.yaml", "w") as file:
            file.write(text)
        expect(assay("certify", cwd=wrong), code, [said], f"refused: {text.strip()}")
    with open(f"{wrong}/assay.yaml", "w") as file:
        file.write("suites: []\n")
    expect(assay("list", "cases", cwd=wrong), 4, [], "a project without suites has no cases")
    if os.geteuid():
        skip("the project of another user is refused", "only root can make one")
        return
    os.chmod(folder, 0o755)
    os.chown(f"{wrong}/assay.yaml", 12345, 12345)
    expect(assay("list", "cases", cwd=wrong, user=65534, group=65534, extra_groups=[]), 2,
           ["belongs to another user"], "the project of another user is refused")


before = tool_files()
with tempfile.TemporaryDirectory() as top:
    project = check_made(top)
    check_used(project, *keys(top))
    check_names(project, top)
    check_refused(top)
check(tool_files() == before, "nothing was written where assay's own lie")
finish()
