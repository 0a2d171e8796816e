# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm without a Slurm: what it submits, and what the submitted scripts do when they are
run one by one, below folders whose names have blanks, quotes and signs that Slurm takes for
patterns. Whether Slurm itself agrees is seen in full/slurm_test.py. TAP on standard output.
"""
import filecmp
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
SCRIPT = os.path.abspath("scripts/slurm")
STUBS = {
    "squeue": 'cat "$STUB/queue" 2>/dev/null || true',
    "scontrol": 'printf "MaxArraySize            = %s\\n" "$(cat "$STUB/most")"',
    "sbatch": 'n=$(ls "$STUB" | grep -c "^job") || true; printf "%s\\n" "$@" >"$STUB/words$n"; '
              'cat >"$STUB/job$n"; echo $((100 + n))',
}


class Stub:
    def __init__(self, work):
        self.work = work
        os.makedirs(f"{work}/bin")
        for name, text in STUBS.items():
            with open(f"{work}/bin/{name}", "w") as file:
                file.write(f"#!/bin/bash\nset -eu\nSTUB={work}\n{text}\n")
            os.chmod(f"{work}/bin/{name}", 0o755)
        self.put("most", "4000001")
        self.environment = dict(os.environ, PATH=f"{work}/bin:{os.environ['PATH']}",
                                ASSAY_HOME=os.getcwd())

    def put(self, name, text):
        with open(f"{self.work}/{name}", "w") as file:
            file.write(text)

    def submit(self, where, *words, **more):
        for path in glob.glob(f"{self.work}/job*") + glob.glob(f"{self.work}/words*"):
            os.remove(path)
        done = subprocess.run([SCRIPT, *words], cwd=where, env=dict(self.environment, **more),
                              capture_output=True, text=True)
        jobs = [(self.words(i), f"{self.work}/job{i}")
                for i in range(len(glob.glob(f"{self.work}/job*")))]
        return done, jobs

    def words(self, i):
        return dict(
            word.lstrip("-").partition("=")[::2]
            for word in open(f"{self.work}/words{i}").read().split("\n")
            if word)

    def run(self, script, task=None):
        environment = dict(self.environment,
                           **({} if task is None else {"SLURM_ARRAY_TASK_ID": str(task)}))
        return subprocess.run(["bash", script], cwd="/", env=environment, capture_output=True,
                              text=True)


def main():
    with tempfile.TemporaryDirectory() as work:
        stub = Stub(f"{work}/stub")
        where = f"{work}/it's 50% of $HOME"
        os.mkdir(where)
        os.mkdir(f"{work}/whole")
        subprocess.run([ASSAY, "emit", "--suite", "openvino.range", "--to", f"{work}/whole"],
                       capture_output=True)
        emit = ("parts here", "out there", "--", ASSAY, "emit", "--suite", "openvino.range")
        done, jobs = stub.submit(where, "3", *emit, ASSAY_SLURM_CHUNK="2")
        arrays = [words["array"] for words, _ in jobs if "array" in words]
        check(done.returncode == 0 and arrays == ["0-1%64", "0-0%64"],
              "three parts are two arrays of at most two, though an array may have millions",
              [done.stderr, arrays])
        check(
            len(jobs) == 3 and jobs[2][0].get("dependency") == "afterany:100:101"
            and done.stdout == "102\n", "and a joining job after them, however they end", jobs)
        check(all("requeue" in words for words, _ in jobs), "all of which may be requeued")
        stub.put("queue", "100\n")
        stub.put("most", "1")
        waiting, none = stub.submit(where, "3", *emit)
        check(waiting.stdout == "100\n" and not none,
              "while a joining job is there, nothing is submitted", waiting)
        os.remove(f"{stub.work}/queue")
        done, jobs = stub.submit(where, "3", *emit)
        check([words.get("array") for words, _ in jobs] == ["0-0%64"] * 3 + [None],
              "arrays are no larger than the cluster takes", [done.stderr, jobs])
        for words, script in jobs[:2]:
            check(
                "50%%" in words["output"] and words["output"].endswith("/%A_%a.txt") if
                os.path.isabs(words["output"]) else words["output"] == "parts here/log/%A_%a.txt",
                "its output goes below the folder", words)
            check(
                stub.run(script, 0).returncode == 0, "a task makes its part, wherever it starts",
                stub.run(script, 0).stderr)
        merged = stub.run(jobs[3][1])
        check(
            merged.returncode != 0 and "missing" in merged.stderr
            and not os.path.exists(f"{where}/out there/SHA256SUMS"),
            "without the third nothing is joined", merged.stderr)
        done, jobs = stub.submit(where, "3", *emit, ASSAY_SLURM_CHUNK="2")
        check([words.get("array") for words, _ in jobs] == ["0-0%64", None],
              "submitted again, only the third is", jobs)
        check(
            stub.run(jobs[0][1], 0).returncode == 0 and stub.run(jobs[1][1]).returncode == 0,
            "and then all are joined")
        names = sorted(os.listdir(f"{work}/whole"))
        same = os.path.isdir(f"{where}/out there") and sorted(
            os.listdir(f"{where}/out there")) == names
        check(
            same and all(
                filecmp.cmp(f"{work}/whole/{n}", f"{where}/out there/{n}", shallow=False)
                for n in names), "byte for byte as one process does", names)
        done, jobs = stub.submit(where, "3", *emit)
        check(done.stdout == "complete\n" and not jobs, "a fourth time there is nothing to do",
              done)

        absolute = f"{where}/certify"
        certify = (absolute, f"{where}/results.jsonl", "--", ASSAY, "certify", "--plugin",
                   f"{BUILD}/zoo/nine_rounds.so", "--suite", "philox", "--case", "published*",
                   "--quiet")
        stub.put("most", "1001")
        done, jobs = stub.submit(where, "2", *certify)
        check(jobs and jobs[0][0]["output"] == f"{work}/it's 50%% of $HOME/certify/log/%A_%a.txt",
              "a percent sign in a path is no pattern", jobs)
        codes = [stub.run(jobs[0][1], task).returncode
                 for task in (0, 1)] + [stub.run(jobs[1][1]).returncode]
        verdicts = [json.loads(line).get("verdict") for line in open(f"{where}/results.jsonl")]
        check(codes == [0, 0, 0] and "fail" in verdicts,
              "what is wrong with a library fails no job", [codes, verdicts])
        done, jobs = stub.submit(where, "2", absolute, f"{where}/other", "--", ASSAY, "emit")
        check(done.returncode == 2 and not jobs and "another plan" in done.stderr,
              "another command does not get onto the folder", done.stderr)
        for name in ("squeue", "scontrol", "sbatch"):
            os.rename(f"{stub.work}/bin/{name}", f"{stub.work}/kept")
            with open(f"{stub.work}/bin/{name}", "w") as file:
                file.write("#!/bin/sh\nexit 1\n")
            os.chmod(f"{stub.work}/bin/{name}", 0o755)
            done, jobs = stub.submit(where, "2", "new", "new.out", *certify[2:])
            check(done.returncode == 3, f"where {name} fails, this ends with 3",
                  [done.returncode, jobs])
            os.rename(f"{stub.work}/kept", f"{stub.work}/bin/{name}")
    finish()


if __name__ == "__main__":
    main()
