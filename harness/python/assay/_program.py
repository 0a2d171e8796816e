# SPDX-License-Identifier: Apache-2.0
"""The program behind this package: where it is, and one process of it that answers line by line.

The process (`assay serve`) is started by the first question and ends with this one. Threads take
turns, and a process that was forked asks one of its own.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import shutil
import subprocess
import sys
import threading
from typing import Any, NoReturn

HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = os.path.join(HERE, "program", "bin", "assay")


class Error(Exception):
    """The program cannot answer; `code` says why in a word: unsupported, too_large, ..."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class InvalidRequest(Error, ValueError):
    """The request breaks a rule of its operation, or is no request."""


@functools.lru_cache(maxsize=None)
def program() -> str:
    """The path of the program.

    ASSAY_PROGRAM names it; else it lies in this package, in the tree that this package lies in, or
    on the PATH. FileNotFoundError where it is nowhere.
    """
    tree = os.path.join(HERE, "..", "..", "..", os.environ.get("BUILD", "build"), "assay")
    for path in (os.environ.get("ASSAY_PROGRAM"), INSTALLED, os.path.normpath(tree),
                 shutil.which("assay")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(
        "the program `assay` is neither in this package nor on the PATH; ASSAY_PROGRAM names it")


@functools.lru_cache(maxsize=None)
def version() -> str:
    """The version of the program."""
    return subprocess.run([program(), "--version"], capture_output=True, text=True,
                          check=True).stdout.split()[-1]


def include() -> str:
    """The folder for `cc -I` in which a plugin finds <assay/plugin.h>, as it is installed."""
    path = os.path.join(os.path.dirname(program()), "..", "include")
    if not os.path.isfile(os.path.join(path, "assay", "plugin.h")):
        raise FileNotFoundError(f"{program()} is not installed beside <assay/plugin.h>")
    return os.path.normpath(path)


def main() -> NoReturn:
    """The command `assay`: the program in place of this process."""
    os.execv(program(), ["assay", *sys.argv[1:]])


class Session:
    """A process of the program that answers one line with one line."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.process = subprocess.Popen([program(), "serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, line: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(line, allow_nan=False)
        with self.lock:
            assert self.process.stdin and self.process.stdout
            try:
                self.process.stdin.write(text + "\n")
                self.process.stdin.flush()
                answer = self.process.stdout.readline()
            except BrokenPipeError:
                answer = ""
        if not answer.endswith("\n"):
            self.close()
            raise RuntimeError(f"{program()} has ended (exit code {self.process.returncode})")
        return dict(json.loads(answer))

    def close(self) -> None:
        if self.owner != os.getpid():
            return
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
        self.process.wait()


_session: Session | None = None
_starting = threading.Lock()


def _close() -> None:
    global _session
    if _session is not None:
        _session.close()
    _session = None


atexit.register(_close)


def ask(line: dict[str, Any]) -> dict[str, Any]:
    """The program's answer to one line of `assay serve`; Error where that is an error."""
    global _session
    with _starting:
        if (_session is None or _session.owner != os.getpid()
                or _session.process.poll() is not None):
            _session = Session()
        session = _session
    answer = session.ask(line)
    error = answer.get("error")
    if error:
        kind = InvalidRequest if error["code"] == "invalid_argument" else Error
        raise kind(error["code"], error["message"])
    return answer


@functools.lru_cache(maxsize=None)
def operation(name: str, suite: str | None = None) -> dict[str, Any]:
    """What `assay list operations` says of an operation: attributes, inputs, outputs. A suite may
    declare it."""
    words = [program(), "list", "operations", name, "--json"]
    if suite is not None:
        words += ["--suite", suite]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InvalidRequest("invalid_argument", done.stderr.strip() or done.stdout.strip())
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    return found
