# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm against a Slurm of our own on this machine: munged, slurmctld and slurmd with a private configuration.

An audit and a certification run as arrays while a task is killed and the node's daemon is restarted; what is missing is submitted
again; the joined result equals the local one byte for byte. So do vectors, in arrays of few tasks. TAP on standard output.
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
TREE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


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
AuthInfo=socket={self.socket}
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
NodeName={self.node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={self.node} Default=YES MaxTime=INFINITE State=UP
""")
        os.chmod(work, 0o755)
        self.environment = {**os.environ, "SLURM_CONF": f"{work}/slurm.conf", "SLURM_TIME_FORMAT": "standard"}

    def start(self, name, *arguments):
        with open(f"{self.work}/log/{name}.out", "ab") as log:
            self.process[name] = subprocess.Popen([shutil.which(name) or f"/usr/sbin/{name}", *arguments], stdout=log, stderr=log,
                                                  env=self.environment)

    def start_all(self):
        w = self.work
        self.start("munged", "--foreground", "--force", f"--socket={self.socket}", f"--key-file={w}/munge/key",
                   f"--pid-file={w}/munge/pid", f"--seed-file={w}/munge/seed", "--num-threads=2")
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

    def stop_all(self):
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, capture_output=True, timeout=30)
        for name in ("slurmd", "slurmctld", "munged"):
            self.stop(name)

    def run(self, *arguments):
        return subprocess.run(arguments, env=self.environment, capture_output=True, text=True).stdout

    @staticmethod
    def wait(condition, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return True
            time.sleep(0.2)
        return False

    def submit(self, parts, folder, out, *command):
        done = subprocess.run([f"{TREE}/scripts/slurm", str(parts), folder, out, "--", ASSAY, *command], env=self.environment,
                              capture_output=True, text=True)
        if done.returncode:
            print("#", done.stderr.replace("\n", "\n# "))
        return done.stdout.strip()

    def drained(self, seconds=240):
        return self.wait(lambda: not self.run("squeue", "-h").strip(), seconds)

    def tasks(self, state):
        return self.run("squeue", "-h", "-r", "-t", state, "-n", "assay", "-o", "%i").split()


def with_accidents(slurm, work, name, *command):
    subprocess.run([ASSAY, *command, "--out", f"{work}/{name}.whole"], capture_output=True)
    folder, out = f"{work}/{name}.parts", f"{work}/{name}.joined"
    slurm.submit(8, folder, out, *command)
    check(slurm.wait(lambda: slurm.tasks("RUNNING"), 60), f"{name} in 8 parts runs as an array")
    # One in the middle of its work, and one that has not begun and so surely leaves a gap.
    victims = slurm.tasks("RUNNING")[:1] + slurm.tasks("PENDING")[-1:]
    for victim in victims:
        slurm.run("scancel", victim)
    time.sleep(1)
    slurm.stop("slurmd", signal.SIGKILL)
    time.sleep(1)
    slurm.start("slurmd", "-D", "-f", f"{work}/slurm.conf", "-N", slurm.node)
    check(slurm.drained(), f"the queue drains though tasks {', '.join(victims)} were cancelled and the node's daemon killed and restarted")
    missing = subprocess.run([ASSAY, "merge", folder, "--missing", "8"], capture_output=True, text=True).stdout.strip()
    check(missing != "" and not os.path.exists(out), f"the joining job refused to join without part {missing or '(none)'}")
    slurm.submit(8, folder, out, *command)
    slurm.drained()
    check(os.path.exists(out) and filecmp.cmp(out, f"{work}/{name}.whole", shallow=False),
          "submitted again, only what was missing ran, and the result equals the local one byte for byte")
    check(slurm.submit(8, folder, out, *command) == "complete", "a third time there is nothing to do")


def vectors_in_chunks(slurm, work):
    os.mkdir(f"{work}/whole")
    subprocess.run([ASSAY, "emit", "--suite", "philox", "--to", f"{work}/whole"], capture_output=True)
    slurm.environment["ASSAY_SLURM_CHUNK"] = "3"
    slurm.submit(7, f"{work}/emit", f"{work}/vectors", "emit", "--suite", "philox")
    arrays = {line.split("_")[0] for line in slurm.run("squeue", "-h", "-n", "assay", "-o", "%i").split()}
    slurm.drained()
    names = sorted(os.listdir(f"{work}/whole"))
    same = os.path.isdir(f"{work}/vectors") and names == sorted(os.listdir(f"{work}/vectors")) and \
        all(filecmp.cmp(f"{work}/whole/{n}", f"{work}/vectors/{n}", shallow=False) for n in names)
    check(same, f"vectors in 7 parts, in arrays of at most 3 ({len(arrays)} seen queued), equal the local ones byte for byte")


def main():
    path = os.environ["PATH"] + ":/usr/sbin"
    absent = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name, path=path)]
    if absent or os.geteuid() != 0:
        skip("Slurm", "not installed: " + ", ".join(absent) if absent else "needs root for the daemons")
        finish()
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        slurm = Slurm(work)
        try:
            up = slurm.start_all()
            check(up, "munged, slurmctld and slurmd are up")
            if up:
                with_accidents(slurm, work, "an audit", "audit", "--source", "philox4x32", "--bytes", "64000000", "--threads", "1")
                # Failures of the library are results, not failures of jobs.
                with_accidents(slurm, work, "a certification", "certify", "--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite",
                               "philox,threefry,openvino.range,openvino.random_uniform,cousins,directml.random_generator")
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
