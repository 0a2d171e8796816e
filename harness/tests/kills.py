# SPDX-License-Identifier: Apache-2.0
"""Processes killed (SIGKILL) at random moments of their run, however fast the machine is at the
moment."""
import ctypes
import os
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
MOST_TRIES = 40
LONGEST_SECONDS = 600


def wait_for_orphans():
    end = time.monotonic() + LONGEST_SECONDS
    try:
        while time.monotonic() < end:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.001)
    except ChildProcessError:
        return
    raise TimeoutError("what a killed process has started goes on without it")


class Kills:
    """Random moments of a command whose run takes about `length` seconds. One measured length is no
    length for ever: a kill that came too late shortens it, one that did not lengthens it a little,
    so that some five of six hit."""

    def __init__(self, chance, length):
        self.chance, self.length, self.tries, self.hits = chance, length, 0, 0
        # Processes that the killed one leaves come to us, and can be waited for.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def more(self, least, hits):
        """Whether to go on: until there were `least` kills, of which so many hit. Bounded, for a
        command that no kill can reach."""
        return self.tries < least or (self.hits < hits and self.tries < least * MOST_TRIES)

    def kill(self, command, **more):
        """Runs and kills it; when this returns, its children are gone as well. Whether it was still
        running."""
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              **more) as process:
            time.sleep(self.chance.random() * self.length)
            process.send_signal(signal.SIGKILL)
            hit = process.wait() == -signal.SIGKILL
        wait_for_orphans()
        self.length *= 1.05 if hit else 0.8
        self.tries, self.hits = self.tries + 1, self.hits + hit
        return hit
