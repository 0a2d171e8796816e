# SPDX-License-Identifier: Apache-2.0
"""Commands killed (SIGKILL) at random moments: what lies there afterwards is old or new and whole,
the next run ends as an undisturbed one does, and nothing of the killed one is left. Parts of emit
are killed in parts/shard_test.py.

ASSAY_FULL=1: 200 moments for each command. Words name commands, when not all are meant. TAP on
standard output.
"""
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
import undisturbed  # noqa: E402
from kills import Kills  # noqa: E402
from tap import check, finish  # noqa: E402

MOMENTS = 200 if os.environ.get("ASSAY_FULL") == "1" else 8
NAMES = [
    "certify --shard", "certify --jobs", "stream", "merge of vectors", "merge of a certification",
    "merge of an audit", "history, adding", "audit --night"
]
# Whoever runs these again after they have ended adds to what they did.
ADDS = {"audit --night"}


class Job:
    def __init__(self, template, work, name):
        self.template, self.work, self.name = template, work, name
        self.words = undisturbed.arguments(name, work)
        undisturbed.again(template, work)
        self.before = undisturbed.state(work)
        start = time.monotonic()
        done = undisturbed.run(work, self.words)
        self.length = time.monotonic() - start
        self.code, self.after = done.returncode, undisturbed.state(work)
        undisturbed.again(template, work)
        undisturbed.run(work, self.words)
        again = undisturbed.state(work)
        self.changed = {
            path for path in again if again[path] == self.after.get(path) != self.before.get(path)
        }
        self.repeatable = {path for path in again if again[path] == self.after.get(path)}

    def kill(self, kills):
        undisturbed.again(self.template, self.work)
        environment = dict(os.environ, ASSAY_HOME=self.work, ASSAY_THREADS="1",
                           SOURCE_DATE_EPOCH="1767225600")
        kills.kill([undisturbed.ASSAY, *self.words], env=environment)

    def wrong(self):
        now = undisturbed.state(self.work)
        for path, content in now.items():
            if path.endswith(".part") or path not in self.repeatable and path in self.after:
                continue
            if content not in (self.before.get(path), self.after.get(path)):
                return f"{os.path.basename(path)} is neither old nor new"
        if self.name in ADDS and all(now.get(path) == self.after[path] for path in self.changed):
            return None
        done = undisturbed.run(self.work, self.words)
        if done.returncode != self.code and (self.code, done.returncode) != (1, 0):
            return f"the next run ends with {done.returncode}: {done.stderr[-200:]}"
        now = undisturbed.state(self.work)
        for path in self.repeatable:
            if now.get(path) != self.after[path]:
                return f"the next run leaves another {os.path.basename(path)}"
        left = sorted(os.path.basename(path) for path in now.keys() - self.after.keys())
        left += [name for name in os.listdir(os.environ["TMPDIR"]) if self.name == "certify --jobs"]
        return f"left behind: {left}" if left else None


def main():
    chance = random.Random(20)
    with tempfile.TemporaryDirectory() as folder:
        template, work = f"{folder}/template", f"{folder}/work"
        os.environ["TMPDIR"] = f"{folder}/temporary"
        os.mkdir(os.environ["TMPDIR"])
        undisturbed.prepare(template)
        total = hits = 0
        for name in NAMES:
            if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                continue
            job, wrong = Job(template, work, name), []
            check(job.changed, f"{name} leaves something", [job.code])
            kills = Kills(chance, job.length)
            while kills.more(MOMENTS, MOMENTS // 4):
                job.kill(kills)
                fault = job.wrong()
                if fault:
                    wrong.append(fault)
            total, hits = total + kills.tries, hits + kills.hits
            check(
                not wrong and kills.hits >= MOMENTS // 4,
                f"{name}: {kills.tries} kills at random moments, {kills.hits} while it ran, "
                f"{len(wrong)} wrong states",
                wrong[:8])
        check(hits > 0, f"{total} kills in all, {hits} while the command ran")
    finish()


if __name__ == "__main__":
    main()
