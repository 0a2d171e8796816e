# SPDX-License-Identifier: Apache-2.0
"""pytest --assay SUITE[,...] --assay-target MODULE:NAME: a suite's cases as tests.

One certification runs all cases that were selected, in processes of its own; each test tells what
it says of its case. Expected failures of the list of known failures are xfail, what the target does
not support is skipped, and so is what shows nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator

import pytest

from . import _program
from ._cases import Case, cases

HERE = Path(__file__).resolve().parent
ALL_KINDS = ("values", "reject", "survive", "agrees", "distribution")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay", "certification of numeric libraries")
    group.addoption("--assay", metavar="SUITE,...", help="run the cases of these suites as tests")
    group.addoption("--assay-target", metavar="MODULE:NAME",
                    help="what is certified: a function of a request, or an assay.Target")
    group.addoption("--assay-exec", metavar="COMMAND",
                    help="in place of --assay-target: a process target's command")
    group.addoption("--assay-known", metavar="FILE",
                    help="expected failures, with their reasons (the project's when not given)")
    group.addoption("--assay-html", metavar="FILE",
                    help="where to write the page (in pytest's cache when not given)")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--assay"):
        return
    if bool(config.getoption("--assay-target")) == bool(config.getoption("--assay-exec")):
        raise pytest.UsageError("--assay needs --assay-target MODULE:NAME or --assay-exec COMMAND")
    config.pluginmanager.register(Certification(config), "assay-certification")


class CaseFailure(Exception):
    """What certify says of a case that fails."""


class Suite(pytest.Collector):
    """A suite, above its cases."""

    def collect(self) -> Iterator[pytest.Item]:
        for case in cases(self.name, kinds=ALL_KINDS):
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """A case as a test."""

    def __init__(self, *, case: Case, **more: Any) -> None:
        super().__init__(**more)
        self.case = case

    def runtest(self) -> None:
        certification = self.config.pluginmanager.get_plugin("assay-certification")
        assert isinstance(certification, Certification)
        record = certification.record(self.session, self.case)
        verdict, known = record["verdict"], record.get("known", {})
        if known.get("state") == "expected":
            pytest.xfail(known["why"])
        if known.get("state") == "cured":
            raise CaseFailure(f"listed as a known failure, and did not fail: {known['why']}")
        if verdict in ("unsupported", "vacuous"):
            pytest.skip(f"{verdict}: {record.get('reason', 'nothing is shown by it')}")
        if verdict not in ("pass", "rejected", "survived"):
            raise CaseFailure(describe(record))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, CaseFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"assay {self.case.suite}: {self.case.id}"


def describe(record: dict[str, Any]) -> str:
    """A failing case: why, which elements, what they equal instead, how to see it again."""
    lines = [f"{record['verdict']}: {record['case']} of suite {record['suite']}"]
    if record.get("reason"):
        lines.append(record["reason"])
    for output in record.get("outputs", []):
        if not output.get("wrong"):
            continue
        shape = ",".join(map(str, output["shape"]))
        lines.append(f"{output['name']} {output['dtype']}[{shape}]: {output['wrong']} of "
                     f"{output['compared']} elements differ, first at {output.get('first')}")
        for element in output.get("elements", [])[:1]:
            values = {key: element[key] for key in ("expected", "lower", "upper", "got")
                      if key in element}
            lines += [f"  {key:<9}{decimal(output['dtype'], bits)}" for key, bits in values.items()]
    explained = record.get("explained", {})
    if "text" in explained:
        lines.append(explained["text"])
    elif explained.get("searched"):
        lines.append(f"explained by none of {explained['searched']} profiles")
    lines.append(f"request: {record.get('request', '')}")
    return "\n".join(lines)


def decimal(dtype: str, bits: str) -> str:
    """Bits, and the number that they are where the type is known here."""
    from .target import DTYPES, take_bits

    if dtype not in DTYPES:
        return bits
    return f"{bits} ({take_bits([bits], DTYPES[dtype], ()).item()})"


def pattern(ids: list[str]) -> str:
    """A shell pattern that all of these ids match, and few others."""
    return ids[0] if len(ids) == 1 else os.path.commonprefix(ids) + "*"


class Certification:
    """One run of `assay certify` over the cases that were selected."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.suites = [name for name in config.getoption("--assay").split(",") if name]
        self.records: dict[tuple[str, str], dict[str, Any]] | None = None
        self.page: Path | None = None
        self.outcome = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session,
                                      items: list[pytest.Item]) -> None:
        for name in self.suites:
            try:
                suite = Suite.from_parent(session, name=name, nodeid=f"assay::{name}")
                items.extend(suite.collect())
            except _program.Error as error:
                raise pytest.UsageError(str(error)) from error

    def record(self, session: pytest.Session, case: Case) -> dict[str, Any]:
        if self.records is None:
            self.run([item.case for item in session.items if isinstance(item, CaseItem)])
        assert self.records is not None
        name = os.path.basename(case.suite).removesuffix(".yaml")
        try:
            return self.records[name, case.id]
        except KeyError:
            raise CaseFailure(f"the certification has no record of it:\n{self.outcome}") from None

    def run(self, selected: list[Case]) -> None:
        page = self.config.getoption("--assay-html")
        self.page = Path(page) if page else self.cache() / "report.html"
        self.records = {}
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, "results.jsonl")
            words = [_program.program(), "certify", "--exec", self.command(),
                     "--suite", ",".join(sorted({case.suite for case in selected})),
                     "--out", results, "--html", str(self.page), "--quiet", "--jobs", "0"]
            words += ["--case", pattern([case.id for case in selected])]
            if self.config.getoption("--assay-known"):
                words += ["--known", self.config.getoption("--assay-known")]
            done = subprocess.run(words, capture_output=True, text=True, check=False,
                                  env=self.environment())
            self.outcome = (done.stdout + done.stderr).strip()
            if os.path.exists(results):
                with open(results, encoding="utf-8") as file:
                    records = [json.loads(line) for line in file]
                self.records = {(record["suite"], record["case"]): record for record in records
                                if record["record"] == "case"}

    def cache(self) -> Path:
        cache = self.config.cache
        return Path(cache.mkdir("assay")) if cache else Path(tempfile.mkdtemp())

    def command(self) -> str:
        command = self.config.getoption("--assay-exec")
        if command:
            return str(command)
        operations = sorted({case.op for name in self.suites
                             for case in cases(name, kinds=ALL_KINDS)})
        target = self.config.getoption("--assay-target")
        # A target is called by the file that it is.
        script = self.cache() / (target.rpartition(":")[2].rpartition(".")[2] + ".py")
        script.write_text("from assay.serve_target import main\n\nmain()\n", encoding="utf-8")
        return " ".join([sys.executable, str(script), target, *operations])

    def environment(self) -> dict[str, str]:
        """The target's processes find this package and the user's modules."""
        places = [str(self.config.rootpath), os.getcwd(), str(HERE.parent),
                  os.environ.get("PYTHONPATH", "")]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in places if place)}

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.page is None:
            return
        terminalreporter.section("assay")
        terminalreporter.write_line(self.outcome)
        if self.page.exists():
            terminalreporter.write_line(f"page: {self.page}")
