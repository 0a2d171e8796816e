# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm against a Slurm of our own on this machine: munged, slurmctld and slurmd with a
private configuration.

An audit and a certification run as arrays while a running task is killed, another is requeued, and
the node dies with all that runs on it and comes back; what is missing is submitted again; the
joined result equals the local one byte for byte. So do vectors, in arrays of few tasks. Another job
does not get onto the folder. TAP on standard output.
"""
import filecmp
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
import tap  # noqa: E402
from tap import check, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
MAX_ARRAY = 6
# A library that is slow to start and does nine rounds: its parts can be met while they run.
SLOW = f"""
import json, subprocess, sys, time
for line in sys.stdin:
    ask = json.loads(line)
    if "hello" in ask:
        time.sleep(3)
        answer = {{"name": "slow", "version": "1", "operations": ["philox"]}}
    elif "supports" in ask:
        answer = {{"supported": True}}
    else:
        asked = json.dumps(dict(ask["run"], profile={{"rounds": "9"}}))
        done = subprocess.run([{ASSAY!r}, "eval", "-"], input=asked, capture_output=True, text=True)
        answer = json.loads(done.stdout)
        answer = ({{"outputs": answer["outputs"]}} if "outputs" in answer
                  else {{"rejected": answer["error"]["message"]}})
    print(json.dumps(answer), flush=True)
"""
TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def stepd_above(pid):
    while pid > 1:
        with open(f"/proc/{pid}/stat") as file:
            name, _, rest = file.read().partition("(")[2].rpartition(")")
        if name == "slurmstepd":
            return {pid}
        pid = int(rest.split()[1])
    return set()


class Slurm:
    """The three daemons, below one folder."""

    def __init__(self, work):
        self.work, self.process = work, {}
        self.node = socket.gethostname().split(".")[0]
        for name in ("munge", "state", "spool", "log"):
            os.mkdir(f"{work}/{name}", 0o700 if name == "munge" else 0o755)
        with open(f"{work}/munge/key", "wb") as key:
            key.write(os.urandom(1024))
        os.chmod(f"{work}/munge/key", 0o600)
        self.socket = f"{work}/munge/socket"
        user = getpass.getuser()
        with open(f"{work}/slurm.conf", "w") as conf:
            conf.write(f"""ClusterName=assay
SlurmctldHost={self.node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={self.socket},cred_expire=10
CredType=cred/munge
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.pid
SlurmctldLogFile={work}/log/slurmctld
SlurmdLogFile={work}/log/slurmd
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,sched_min_interval=0,batch_sched_delay=0
MinJobAge=300
MaxArraySize={MAX_ARRAY}
BatchStartTimeout=2
SlurmdTimeout=12
KillWait=2
NodeName={self.node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={self.node} Default=YES MaxTime=INFINITE State=UP
""")
        os.chmod(work, 0o755)
        self.environment = {
            **os.environ, "SLURM_CONF": f"{work}/slurm.conf", "SLURM_TIME_FORMAT": "standard"
        }

    def start(self, name, *arguments):
        with open(f"{self.work}/log/{name}.out", "ab") as log:
            self.process[name] = subprocess.Popen(
                [shutil.which(name) or f"/usr/sbin/{name}", *arguments], stdout=log, stderr=log,
                env=self.environment)

    def start_all(self):
        w = self.work
        self.start("munged", "--foreground", "--force", f"--socket={self.socket}",
                   f"--key-file={w}/munge/key", f"--pid-file={w}/munge/pid",
                   f"--seed-file={w}/munge/seed", "--num-threads=2")
        self.wait(lambda: os.path.exists(self.socket), 10)
        os.chmod(f"{w}/munge", 0o711)
        self.start("slurmctld", "-D", "-f", f"{w}/slurm.conf")
        self.start("slurmd", "-D", "-f", f"{w}/slurm.conf", "-N", self.node)
        return self.wait(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T"), 60)

    def stop(self, name, how=signal.SIGTERM):
        process = self.process.pop(name, None)
        if process:
            process.send_signal(how)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def steps(self):
        """The processes of running tasks, and the slurmstepd of each, which is not a child of
        slurmd."""
        found = set()
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    words = file.read().split(b"\0")
                if f"SLURM_CONF={self.work}/slurm.conf".encode() in words and any(
                        w.startswith(b"SLURM_JOB_ID=") for w in words):
                    found |= {int(pid), *stepd_above(int(pid))}
            except OSError:
                pass
        return found

    def end_node(self):
        """slurmd, the steps and their tasks, at once, as when the power goes; back when slurmctld
        has noticed."""
        doomed = self.steps()
        self.stop("slurmd", signal.SIGKILL)
        for pid in doomed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.wait(lambda: "down" in self.run("sinfo", "-h", "-o", "%T"), 90)
        self.start("slurmd", "-D", "-f", f"{self.work}/slurm.conf", "-N", self.node)
        return len(doomed)

    def stop_all(self):
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment,
                       capture_output=True, timeout=30)
        for name in ("slurmd", "slurmctld", "munged"):
            self.stop(name)

    def run(self, *arguments):
        return subprocess.run(arguments, env=self.environment, capture_output=True,
                              text=True).stdout

    @staticmethod
    def wait(condition, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.2)
        return False

    def submit(self, parts, folder, out, *command, code=0):
        done = subprocess.run(
            [f"{TREE}/scripts/slurm",
             str(parts), folder, out, "--", ASSAY, *command], env=self.environment,
            capture_output=True, text=True)
        if done.returncode != code:
            print("#", done.stderr.replace("\n", "\n# "))
        return done.stdout.strip() if done.returncode == code else f"exit code {done.returncode}"

    def drained(self, seconds=240):
        return self.wait(lambda: not self.run("squeue", "-h").strip(), seconds)

    def jobs(self, *states):
        """ARRAY_TASK of the tasks, in order."""
        lines = [
            line.split()
            for line in self.run("squeue", "-h", "-r", *((
                "-t", ",".join(states)) if states else ()), "-o", "%F %K %j").splitlines()
        ]
        return sorted((int(array), int(task))
                      for array, task, name in lines
                      if name.startswith("assay-") and not name.endswith("-merge"))

    def met(self, part):
        """A running task whose part is not written; `part` gives the number of a task's part."""
        for task in self.jobs("RUNNING"):
            if not os.path.exists(part(task)):
                return task
        return None


def merge_missing(folder):
    return subprocess.run([ASSAY, "merge", folder, "--missing", "8"], capture_output=True,
                          text=True).stdout.strip()


def with_accidents(slurm, work, name, *command):
    subprocess.run([ASSAY, *command, "--out", f"{work}/{name}.whole"], capture_output=True)
    folder, out = f"{work}/{name}.parts", f"{work}/{name}.joined"
    joining = slurm.submit(8, folder, out, *command)
    all_jobs = slurm.jobs()
    arrays = sorted({array for array, _ in all_jobs})
    check(
        len(arrays) == 2 and len(all_jobs) == 8,
        f"{name} in 8 parts is two arrays where an array has at most {MAX_ARRAY} tasks", all_jobs)

    def number(task):
        return arrays.index(task[0]) * MAX_ARRAY + task[1] + 1

    def file(task):
        return f"{folder}/shard-{number(task)}-of-8"

    check(
        slurm.submit(8, folder, out, *command) == joining and len(slurm.jobs()) <= 8,
        "while they wait or run, nothing is submitted twice")
    slurm.wait(lambda: slurm.met(file), 60)
    killed = slurm.met(file)
    slurm.run("scancel", "%d_%d" % killed)
    last = slurm.jobs("PENDING")[-1]
    slurm.run("scancel", "%d_%d" % last)
    gaps = sorted({number(killed), number(last)})
    slurm.wait(lambda: killed not in slurm.jobs() and slurm.met(file), 60)
    again = slurm.met(file)
    done = subprocess.run(["scontrol", "requeue", "%d_%d" % again], env=slurm.environment,
                          capture_output=True, text=True)
    check(done.returncode == 0 and not os.path.exists(file(again)),
          f"part {number(again)} is requeued while it runs", done.stderr)
    slurm.wait(lambda: slurm.met(file), 60)
    dead = [number(task) for task in slurm.jobs("RUNNING") if not os.path.exists(file(task))]
    ended = slurm.end_node()
    check(dead and ended > len(dead),
          f"the node dies with parts {dead}, {ended} processes, and comes back", [dead, ended])
    drained = slurm.drained()
    check(drained, "and the queue drains",
          slurm.run("squeue") + slurm.run("scontrol", "show", "job"))
    missing = merge_missing(folder)
    check(
        missing == ",".join(map(str, gaps)) and not os.path.exists(out),
        f"part {number(killed)}, killed while it ran, and {number(last)}, cancelled before, are "
        "missing and no others; nothing is joined",
        missing)
    slurm.submit(8, folder, out, *command)
    submitted = len(slurm.jobs())
    slurm.drained()
    check(
        submitted == len(gaps) and os.path.exists(out)
        and filecmp.cmp(out, f"{work}/{name}.whole", shallow=False),
        "submitted again, only what was missing ran, and the result equals the local one byte for "
        "byte",
        submitted)
    check(
        slurm.submit(8, folder, out, *command) == "complete", "a third time there is nothing to do")
    os.remove(out)
    check(
        slurm.submit(8, folder, out, *command) != "complete" and slurm.drained()
        and os.path.exists(out) and filecmp.cmp(out, f"{work}/{name}.whole", shallow=False),
        "a result that was removed is joined again")
    more = ["--seed", "2"] if command[0] == "audit" else ["--quick"]
    other = f"{work}/{name}.other"
    check(
        slurm.submit(8, folder, other, *command, *more, code=2) == ""
        and not slurm.run("squeue", "-h").strip() and not os.path.exists(other),
        "another job on the folder ends with 2 and submits nothing")
    check([slurm.submit(parts, folder, other, *command, code=2)
           for parts in ("0", "x", "9")] == ["", "", ""],
          "so do a number of parts that is none, and another number")


def vectors_in_chunks(slurm, work):
    os.mkdir(f"{work}/whole")
    subprocess.run([ASSAY, "emit", "--suite", "philox", "--to", f"{work}/whole"],
                   capture_output=True)
    slurm.environment["ASSAY_SLURM_CHUNK"] = "3"
    slurm.submit(7, f"{work}/emit", f"{work}/vectors", "emit", "--suite", "philox")
    arrays = {array for array, _ in slurm.jobs()}
    slurm.drained()
    names = sorted(os.listdir(f"{work}/whole"))
    same = os.path.isdir(f"{work}/vectors") and names == sorted(os.listdir(f"{work}/vectors")) and \
        all(filecmp.cmp(f"{work}/whole/{n}", f"{work}/vectors/{n}", shallow=False) for n in names)
    check(
        same,
        f"vectors in 7 parts, in arrays of at most 3 ({len(arrays)} seen queued), equal the local "
        "ones byte for byte"
    )


def main():
    path = os.environ["PATH"] + ":/usr/sbin"
    absent = [
        name for name in ("munged", "slurmctld", "slurmd", "sbatch")
        if not shutil.which(name, path=path)
    ]
    if absent or os.geteuid() != 0:
        skip("Slurm",
             "not installed: " + ", ".join(absent) if absent else "needs root for the daemons")
        finish()
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        slurm = Slurm(work)
        try:
            up = slurm.start_all()
            check(up, "munged, slurmctld and slurmd are up")
            if up:
                with_accidents(slurm, work, "an audit", "audit", "--source", "philox4x32",
                               "--bytes", "320000000", "--threads", "1")
                # Failures of the library are results, not failures of jobs.
                with open(f"{work}/slow.py", "w") as file:
                    file.write(SLOW)
                with_accidents(slurm, work, "a certification", "certify", "--exec",
                               f"{sys.executable} {work}/slow.py", "--suite", "philox", "--case",
                               "published*", "--quiet")
                vectors_in_chunks(slurm, work)
            if tap.failed:
                for name in ("slurmctld", "slurmd", "munged.out", "slurmd.out", "slurmctld.out"):
                    path = f"{work}/log/{name}"
                    if os.path.exists(path):
                        print(f"# ---- {name}")
                        print("#", "# ".join(open(path, errors="replace").readlines()[-25:]))
        finally:
            slurm.stop_all()
    finish()


if __name__ == "__main__":
    main()
