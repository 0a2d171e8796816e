# SPDX-License-Identifier: Apache-2.0
"""Other processes as the system shows them, and one that is made to stand still at a moment that a
test chooses."""
import os
import signal
import time


def stat(number):
    """State and parent of a process; None when it is gone."""
    try:
        with open(f"/proc/{number}/stat") as file:
            state, parent = file.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return state, int(parent)


def children(of):
    found = ((int(name), stat(name)) for name in os.listdir("/proc") if name.isdigit())
    return [number for number, known in found if known and known[1] == of]


def stop(number):
    """Whether it stands still now; otherwise it has ended."""
    try:
        os.kill(number, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    while (known := stat(number)) and known[0] not in "TtZX":
        time.sleep(0.001)
    return bool(known) and known[0] in "Tt"


def go_on(number):
    os.kill(number, signal.SIGCONT)
