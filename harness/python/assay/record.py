# SPDX-License-Identifier: Apache-2.0
"""Records what a library answers on a machine where assay is not.

usage: python record.py [--name NAME] [--case PATTERN] [--without PATTERN] TARGET REQUESTS DIR

TARGET is FILE.py or MODULE, with one function for each operation (openvino.range is the function
openvino_range), each of one argument, the Request, or with a Target; FILE.py:NAME names one.
REQUESTS is what `assay export --requests` wrote, DIR the folder to make. Every request is made
twice. `assay certify --recorded DIR` judges the answers, there or anywhere.

This file needs numpy and target.py beside it, and nothing else. A module may say NAME, VERSION,
MODEL (the evaluation model that it declares), REFUSALS (exceptions of the library that say that a
request is invalid), and MACHINE: {"processor": ...} where it is a device that computes.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from types import ModuleType
from typing import Any, BinaryIO, Callable, Iterator, Mapping, Sequence

import numpy

if not __package__:  # target.py lies beside this file, and goes by its name in the package
    beside = ModuleType("assay")
    beside.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules["assay"] = beside

from assay.target import (DTYPES, Request, Target, Unsupported, Window, as_array,  # noqa: E402
                          dtype_name, dtype_named, loaded_files, refuses)

REQUESTS, RECORD = "requests", "record"
RUNNER = "assay record.py 1"
TIMES = 2  # how often each request is made
UNTRIED = ("inaccessible pages beside tensors, outputs poisoned, checks of what a call does to its "
           "process, repeated calls of one instance, several numbers of threads, rows that stand "
           "apart, two calls at once, a process apart from the runner's, other requests of a "
           "relation, more draws than a case asks for")


class Broken(Exception):
    """What was read is not what it says."""


# ---- the form ----------------------------------------------------------------


def sealed(line: Mapping[str, Any]) -> bytes:
    """The line with its digest."""
    text = json.dumps(line)[:-1].encode()
    return text + f', "sha256": "{hashlib.sha256(text).hexdigest()}"}}\n'.encode()


def read_lines(path: str) -> Iterator[dict[str, Any]]:
    """The lines, each held against its digest."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            text, _, seal = line.rpartition(b', "sha256": "')
            if seal != hashlib.sha256(text).hexdigest().encode() + b'"}\n':
                raise Broken(f"{path}:{number}: the line was changed: its digest is another")
            document = json.loads(line)
            del document["sha256"]
            yield document


def take_tensor(document: Mapping[str, Any], data: BinaryIO) -> numpy.ndarray[Any, Any]:
    dtype, shape = dtype_named(document["dtype"]), tuple(document["shape"])
    data.seek(document["at"])
    count = 1
    for extent in shape:
        count *= extent
    bytes_ = data.read(count * dtype.itemsize)
    if hashlib.sha256(bytes_).hexdigest() != document["sha256"]:
        raise Broken(f"{data.name}: bytes from {document['at']} on were changed")
    words = numpy.frombuffer(bytes_, dtype=f"<u{dtype.itemsize}")
    native = words.astype(words.dtype.newbyteorder("="))
    return native.view(dtype).reshape(shape)


class Record:
    """A record that is being written: a folder beside its place until it is done."""

    def __init__(self, folder: str) -> None:
        self.folder = folder.rstrip("/") or folder
        if os.path.isdir(self.folder) and os.listdir(self.folder):
            raise Broken(f"{folder} is there already; name a folder that is not, or is empty")
        parent = os.path.dirname(os.path.abspath(self.folder))
        self.part = tempfile.mkdtemp(prefix=os.path.basename(self.folder) + ".", dir=parent)
        self.data = open(os.path.join(self.part, RECORD + ".data"), "wb")
        self.lines: list[bytes] = []
        self.kept: dict[bytes, int] = {}
        self.size, self.all = 0, hashlib.sha256()

    def put_tensor(self, value: Any) -> dict[str, Any]:
        array = value.elements if isinstance(value, Window) else value
        words = numpy.asarray(array, order="C").reshape(-1).view(f"u{array.dtype.itemsize}")
        bytes_ = words.astype(words.dtype.newbyteorder("<")).tobytes()
        digest = hashlib.sha256(bytes_)
        if digest.digest() not in self.kept:
            self.kept[digest.digest()] = self.size
            self.data.write(bytes_)
            self.all.update(bytes_)
            self.size += len(bytes_)
        return {"dtype": dtype_name(array), "shape": [int(n) for n in value.shape],
                "at": self.kept[digest.digest()], "sha256": digest.hexdigest()}

    def put_line(self, line: Mapping[str, Any]) -> None:
        self.lines.append(sealed(line))

    def close(self, header: Mapping[str, Any]) -> None:
        lines = [sealed(header), *self.lines]
        footer = {"record": "footer", "lines": len(self.lines),
                  "lines_sha256": hashlib.sha256(b"".join(lines)).hexdigest(),
                  "bytes": self.size, "data_sha256": self.all.hexdigest()}
        with open(os.path.join(self.part, RECORD + ".jsonl"), "wb") as file:
            file.writelines([*lines, sealed(footer)])
            file.flush()
            os.fsync(file.fileno())
        self.data.flush()
        os.fsync(self.data.fileno())
        self.data.close()
        os.chmod(self.part, 0o755)
        os.replace(self.part, self.folder)

    def abandon(self) -> None:
        self.data.close()
        shutil.rmtree(self.part, ignore_errors=True)


# ---- what is recorded --------------------------------------------------------


class Functions(Target):
    """The functions of a module, by the operations whose names they bear."""

    def __init__(self, module: ModuleType, name: str) -> None:
        self.module = module
        self.name = getattr(module, "NAME", name)
        self.version = str(getattr(module, "VERSION", "0"))
        self.model = getattr(module, "MODEL", None)
        self.refusals = tuple(getattr(module, "REFUSALS", ()))

    def function(self, request: Request) -> Callable[[Request], Any]:
        found: Callable[[Request], Any] | None = getattr(
            self.module, request.op.replace(".", "_"), None)
        if found is None:
            raise Unsupported(f"there is no function {request.op.replace('.', '_')}")
        return found

    def supports(self, request: Request) -> None:
        self.function(request)
        asks = getattr(self.module, "supports", None)
        if asks:
            asks(request)

    def run(self, request: Request) -> Any:
        return self.function(request)(request)


def find_target(place: str) -> tuple[Any, str, ModuleType]:
    """The target that FILE.py, MODULE or either with :NAME means, and its file."""
    path, _, name = place.partition(":")
    if path.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        stem = os.path.basename(path)[:-3]
        spec = importlib.util.spec_from_file_location("recorded_" + stem, path)
        if not spec or not spec.loader or not os.path.exists(path):
            raise Broken(f"there is no {path}")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module, stem = importlib.import_module(path), path.rpartition(".")[2]
        path = getattr(module, "__file__", None) or path
    if not name:
        return Functions(module, stem), path, module
    found = getattr(module, name, None)
    if found is None:
        raise Broken(f"{path} has no '{name}'")
    return found() if isinstance(found, type) else found, path, module


def make_request(line: Mapping[str, Any], data: BinaryIO | None) -> Request:
    """The request of a line; without data, as `supports` is asked."""
    plain = {key: {"dtype": tensor["dtype"], "shape": tensor["shape"]}
             for key, tensor in line["inputs"].items()}
    attributes = dict(line["attributes"])
    for name, kind in line.get("kinds", {}).items():
        if kind == "real":
            attributes[name] = float(attributes[name])
        elif kind == "reals":
            attributes[name] = [float(number) for number in attributes[name]]
    request = Request({"op": line["op"], "attributes": attributes, "inputs": plain,
                       "outputs": list(line["outputs"]), "window": line.get("window")}, ".")
    if data:
        request.inputs = {name: take_tensor(tensor, data)
                          for name, tensor in line["inputs"].items()}
    return request


def ask(target: Any, line: Mapping[str, Any]) -> str | None:
    """Why the target does not support the request; None: it does."""
    try:
        for name, tensor in [*line["inputs"].items(), *line["outputs"].items()]:
            if tensor["dtype"] not in DTYPES:
                raise Unsupported(f"no {tensor['dtype']} for '{name}' here")
        target.supports(make_request(line, None))
    except Unsupported as why:
        return str(why)
    return None


def described(dtype: str, shape: Sequence[int]) -> str:
    """As assay writes it, which compares these words with what a list of failures says."""
    return f"{dtype}[{','.join(str(int(size)) for size in shape)}]"


def take_outputs(outputs: Any, line: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """Outcome and values, as a line of the record says them."""
    wanted = line["outputs"]
    if not isinstance(outputs, Mapping):
        if len(wanted) != 1:
            raise TypeError(f"expected a dictionary of the outputs {', '.join(wanted)}")
        outputs = {next(iter(wanted)): outputs}
    arrays = {name: as_array(value) for name, value in outputs.items()}
    said = {name: described(dtype_name(array), array.shape) for name, array in arrays.items()}
    asked = {name: described(tensor["dtype"], tensor["shape"]) for name, tensor in wanted.items()}
    if said != asked:
        name = next(name for name in [*asked, *said] if asked.get(name) != said.get(name))
        wrong: dict[str, Any] = {
            "outcome": "wrong result",
            "message": f"output '{name}' is {said.get(name, 'missing')}; expected "
                       f"{asked.get(name, 'none of that name')}"}
        if len(wanted) == 1 and set(arrays) == set(wanted) and arrays[name].size <= 64:
            wrong["received"] = record.put_tensor(arrays[name])
        return wrong
    return {"outcome": "ok",
            "outputs": {name: record.put_tensor(arrays[name]) for name in wanted}}


def run_once(target: Any, line: Mapping[str, Any], data: BinaryIO,
             record: Record) -> dict[str, Any]:
    refusals = tuple(getattr(target, "refusals", ()))
    request = make_request(line, data)
    try:
        return take_outputs(target.run(request), line, record)
    except Broken:
        raise
    except Exception as why:  # noqa: BLE001 the library failed: an answer
        if refuses(why, refusals):
            return {"outcome": "rejected", "message": str(why)[:900] or "-"}
        return {"outcome": "failed", "message": f"{type(why).__name__}: {why}"[:900]}


def record_case(target: Any, line: Mapping[str, Any], data: BinaryIO, record: Record) -> bool:
    head = {"record": "answer", "case": line["case"], "request": line["request"]}
    why = ask(target, line)
    if why is not None:
        record.put_line({**head, "ask": True, "outcome": "unsupported", "message": why[:900]})
        return False
    for _ in range(TIMES):
        for run in range(line["runs"]):
            again = {"again": 1, "counts": 1} if run else {}
            record.put_line({**head, "conditions": again, **run_once(target, line, data, record)})
    return True


# ---- the header --------------------------------------------------------------


def digest_of(path: str) -> str:
    """Of a file; of a folder as certificates have it: in-toto's dirHash without __pycache__."""
    if os.path.isdir(path):
        lines = []
        for folder, inner, files in os.walk(path, followlinks=False):
            inner[:] = [name for name in inner if name != "__pycache__"]
            for name in files:
                full = os.path.join(folder, name)
                if os.path.isfile(full):
                    lines.append((os.fsencode(os.path.relpath(full, path)), digest_of(full)))
        text = b"".join(digest.encode() + b"  " + name + b"\n" for name, digest in sorted(lines))
        return hashlib.sha256(text).hexdigest()
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def make_header(target: Any, path: str, module: ModuleType, name: str | None,
                suites: Sequence[Any]) -> dict[str, Any]:
    folders = [os.path.abspath(file) + ("/" if os.path.isdir(file) else "")
               for file in loaded_files()]
    own = os.path.abspath(path)
    now = datetime.datetime.now(datetime.timezone.utc)
    about = {"name": name or target.name, "kind": "process", "library": target.name,
             "version": str(target.version), "model": target.model, "file": os.path.basename(path),
             "sha256": digest_of(path) if os.path.isfile(path) else None, "untried": UNTRIED,
             "unseen": "files were not watched: known are the packages that were imported",
             "libraries": [{"file": file, "sha256": digest_of(file)}
                           for file in sorted(set(folders)) if file.rstrip("/") != own]}
    machine = {"architecture": platform.machine() or "unknown", "processor": processor(),
               "system": platform.platform(), "processors": os.cpu_count() or 1}
    machine.update(getattr(module, "MACHINE", {}))
    return {"record": "header", "format": "assay.record/1",
            "recorded": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "by": RUNNER,
            "target": {key: value for key, value in about.items() if value is not None},
            "machine": machine, "suites": suites}


def record_all(place: str, requests: str, folder: str, name: str | None = None,
               pattern: str = "*", without: str = "") -> tuple[int, int]:
    """Records all requests whose case matches `pattern` and not `without`; how many were answered,
    and of how many."""
    target, path, module = find_target(place)
    record = Record(folder)
    answered = total = 0
    try:
        lines = read_lines(os.path.join(requests, REQUESTS + ".jsonl"))
        header = next(lines)
        with open(os.path.join(requests, REQUESTS + ".data"), "rb") as data:
            for line in lines:
                if line["record"] == "footer":
                    break
                case = line["case"].partition("/")[2]
                if fnmatch.fnmatchcase(case, pattern) and not fnmatch.fnmatchcase(case, without):
                    total += 1
                    answered += record_case(target, line, data, record)
            else:
                raise Broken(f"{requests}/{REQUESTS}.jsonl has no footer: it is cut off")
        record.close(make_header(target, path, module, name, header["suites"]))
    except BaseException:
        record.abandon()
        raise
    return answered, total


def main() -> int:
    parser = argparse.ArgumentParser(prog="record.py",
                                     description="Record a library's answers to exported requests.")
    parser.add_argument("--name", help="of the target in the results; the module's when not given")
    parser.add_argument("--case", default="*", help="only cases whose id matches, as in a shell")
    parser.add_argument("--without", default="", metavar="PATTERN",
                        help="no cases whose id matches: those that end the process, say")
    parser.add_argument("target", help="FILE.py or MODULE, also with :NAME of a Target")
    parser.add_argument("requests", help="what assay export --requests wrote")
    parser.add_argument("folder", help="to make: one that is not there, or is empty")
    given = parser.parse_args()
    try:
        answered, total = record_all(given.target, given.requests, given.folder, given.name,
                                     given.case, given.without)
    except (Broken, OSError, ImportError) as error:
        print(f"record.py: {error}", file=sys.stderr)
        return 2
    print(f"answers to {answered} of {total} requests recorded in {given.folder}")
    return 0 if answered else 4


if __name__ == "__main__":
    sys.exit(main())
