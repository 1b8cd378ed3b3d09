"""Every detector is seen to fire, and to stay silent: a pytest plugin that keeps the record and prints the table.

A detector is a verdict, a status flag, a finding of a trace, a reason of a device to refuse, a fault, a violation, or a
refusal in `sil`, `hil` (with the Robot library) and `targets.audit`. Their names are read from the code. While the
tests run, each is noted where it fires and where it does not on a sound twin: the same check, the same `if`, the same
call with other rows. Only what happens in a test that passes counts. At the end of a whole run a name that was not seen
both ways fails the run; a run that was selected by -k or by paths, or on a machine without some tool, only counts them.
"""

import importlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from detector_names import PACKAGES, detector_names
from watched_raises import Watcher

TABLE = Path("build") / "detectors.md"  # in the folder of the run
TO = " to "
"""Between a device's word and the type of the request: a refused one is silent where one of its type is answered."""
Seen = dict[str, list[str]]  # name -> the tests that saw it: fire, stay silent ("" where none did)


class Record:
    """What was seen: by the test that runs, and by all that passed."""

    def __init__(self) -> None:
        self.now: set[tuple[str, bool]] = set()
        self.seen: Seen = {}
        self.lacking = ""  # a tool that a test asked for in vain

    def note(self, name: str, fired: bool) -> None:
        """Note that a detector fired, or was asked and did not."""
        self.now.add((name, fired))

    def close(self, test: str, passed: bool) -> None:
        """Keep what a test saw, if it passed; of several tests the first by name."""
        if passed:
            for name, fired in self.now:
                self.add(name, [test, ""] if fired else ["", test])
        self.now.clear()

    def add(self, name: str, tests: list[str]) -> None:
        """Join what another process, or another test, has seen."""
        known = self.seen.setdefault(name, ["", ""])
        for place, test in enumerate(tests):
            known[place] = min(filter(None, (known[place], test)), default="")

    def both_ways(self, name: str) -> list[str]:
        """The tests that saw a detector fire and stay silent."""
        found = self.seen.get(name, ["", ""])
        for said, (fires, _) in self.seen.items():
            if said.startswith(f"{name}{TO}"):
                silent = self.seen.get(f"answer{TO}{said.partition(TO)[2]}", ["", ""])[1]
                found = [found[0] or fires, found[1] or silent]
        return found


RECORD = Record()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options for those who look for a test that is still missing."""
    parser.addoption("--detectors", action="store_true", help="print every detector and the tests that saw it")
    parser.addoption("--detectors-seen", type=Path, help="JSON file: join what earlier runs saw")


def pytest_configure(config: pytest.Config) -> None:
    """Watch the code before any test imports it."""
    Watcher(PACKAGES, lambda name, fired: RECORD.note(f"refusal: {name}", fired)).install()
    _watch("sil.verdict", "Verdict", _verdict)
    _watch("sil.trace.findings", "Findings", _findings)
    _watch("hil.messages", "Summary", _fault)
    _watch("hil.messages", "Record", _violation)
    _watch("exporter.sequence.interpreter", "InterpretedRows", _flags)
    _watch("targets.python.host", "CallResult", _flags)
    _watch("hil.campaign", "BenchResult", _whole_run)
    _watch_requests()
    config.addinivalue_line("markers", "detects(name): the test makes wrong on purpose what this detector finds")


def _watch(module: str, name: str, notes: Callable[[Any], Iterable[tuple[str, bool]]]) -> None:
    """Take notes of every object of a class when it is made."""
    kind = getattr(importlib.import_module(module), name)
    make = kind.__init__

    def init(self: Any, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        for note in notes(self):
            RECORD.note(*note)

    kind.__init__ = init


def _verdict(verdict: Any) -> Iterator[tuple[str, bool]]:
    from detector_names import check_names

    begun = [name for name in check_names() if verdict.check.startswith(name)]
    if begun and (verdict.passed or verdict.stands_against):
        yield f"verdict: {max(begun, key=len)}", verdict.stands_against
    yield f"outcome: {verdict.outcome.value}", True
    yield f"outcome: {verdict.outcome.value}", False


def _whole_run(result: Any) -> Iterator[tuple[str, bool]]:
    """A run that nothing cut short has no verdict that says so."""
    from hil.check_names import BenchCheck

    if result.interruption is None:
        yield f"verdict: {BenchCheck.FINISHED}", False


def _findings(findings: Any) -> Iterator[tuple[str, bool]]:
    yield "finding: jump", bool(findings.jumps)
    yield "finding: out of reach", findings.unreached > 0
    yield "finding: outside of the ranges", findings.outside > 0
    yield "finding: narrow", findings.narrow


def _fault(summary: Any) -> Iterator[tuple[str, bool]]:
    from hil.messages import Fault

    for fault in Fault:
        if fault:
            yield f"fault: {fault.name}", summary.fault == fault


def _violation(record: Any) -> Iterator[tuple[str, bool]]:
    from hil.messages import Outcome

    for outcome in Outcome:
        if outcome:
            yield f"violation: {outcome.name}", record.outcome == outcome


def _flags(result: Any) -> Iterator[tuple[str, bool]]:
    """A flag that some rows of a call set and others do not."""
    if not result.status.any():
        return
    from exporter.sequence.status import BITS

    for name, (bit, _) in BITS.items():
        rows = result.status & (1 << bit) != 0
        if rows.any():
            yield f"flag: {name}", True
            if not rows.all():
                yield f"flag: {name}", False


def _watch_requests() -> None:
    """Take notes of refused requests, and of those that were answered."""
    from hil import exchange
    from hil.exchange import Exchange
    from hil.protocol import Reason

    request, refusal, is_garbled = Exchange.request, exchange._refusal, Exchange._is_garbled_request

    def asked(self: Any, kind: Any, *arguments: Any, **named: Any) -> Any:
        answer = request(self, kind, *arguments, **named)
        note_answer(kind.name, kind.name)
        return answer

    def refused(packet: Any, nack: Any) -> Any:
        if nack.reason in set(Reason):
            note_answer(packet.type.name, Reason(nack.reason).name)
        return refusal(packet, nack)

    def garbled(self: Any, packet: Any) -> bool:
        found = is_garbled(self, packet)
        if found:
            RECORD.note(f"reason: {Reason.UNDECODABLE.name}", True)
        return found

    Exchange.request, Exchange._is_garbled_request, exchange._refusal = asked, garbled, refused


def note_answer(kind: str, said: str) -> None:
    """Note what a device said to a request, by the names of types and reasons: the answer, or why not."""
    from hil.protocol import Reason

    of_no_type = (Reason.UNDECODABLE.name, Reason.UNKNOWN_TYPE.name)
    if said in Reason.__members__:
        RECORD.note(f"reason: {said}" if said in of_no_type else f"reason: {said}{TO}{kind}", True)
    else:
        RECORD.note(f"answer{TO}{kind}", False)
        for name in of_no_type:
            RECORD.note(f"reason: {name}", False)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep what a test saw once its body has passed."""
    outcome: Any = yield
    report = outcome.get_result()
    if report.when == "call":
        RECORD.close(item.nodeid, report.passed)
    if report.skipped and "is not installed" in str(report.longrepr):
        RECORD.lacking = item.nodeid


@pytest.fixture
def detector() -> Callable[..., None]:
    """Note by hand that a detector fired, or did not on a sound twin: for what runs in another process."""
    return RECORD.note


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the record to the process that collects, or judge it there."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["detectors"], output["lacking"] = RECORD.seen, RECORD.lacking
        return
    _join_earlier(session.config.option.detectors_seen)
    if _is_whole(session.config) and session.exitstatus == pytest.ExitCode.OK and unseen():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _join_earlier(path: Path | None) -> None:
    """Join what earlier runs saw, and write down what is known now."""
    if path is None:
        return
    if path.exists():
        for name, tests in json.loads(path.read_text(encoding="utf-8")).items():
            RECORD.add(name, tests)
    path.write_text(json.dumps(RECORD.seen, indent=1, sort_keys=True), encoding="utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Join the record of a worker."""
    output = getattr(node, "workeroutput", {})
    for name, tests in output.get("detectors", {}).items():
        RECORD.add(name, tests)
    RECORD.lacking = RECORD.lacking or output.get("lacking", "")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how many detectors were seen; after a whole run also which were not, and write the table."""
    if hasattr(config, "workeroutput"):
        return
    names = detector_names()
    missing = unseen()
    terminalreporter.line(f"detectors: {len(names) - len(missing):,} of {len(names):,} seen to fire and to stay silent")
    whole = _is_whole(config)
    if config.option.detectors:
        terminalreporter.write(table(names))
    if whole or config.option.detectors:
        for name, lacks in missing.items():
            terminalreporter.line(f"  {name}: never seen to {lacks}: {names[name]}", red=True)
    if whole:
        page = config.rootpath / TABLE
        page.parent.mkdir(exist_ok=True)
        page.write_text(table(names), encoding="utf-8")


def unseen() -> dict[str, str]:
    """The detectors that were not seen both ways, and which way is missing."""
    ways = ("fire", "stay silent")
    lacking = {
        name: " or ".join(way for way, test in zip(ways, RECORD.both_ways(name), strict=True) if not test)
        for name in detector_names()
    }
    return {name: lacks for name, lacks in lacking.items() if lacks}


def table(names: dict[str, str]) -> str:
    """The record as a page: each detector, the test that saw it fire, the test that saw it stay silent."""
    rows = [
        f"| {name} | {text.replace('|', '/')} | {' | '.join(f'`{test}`' for test in RECORD.both_ways(name))} |"
        for name, text in names.items()
    ]
    head = [
        "# Detectors and the tests that saw them",
        "",
        "| detector | says | fires in | is silent in |",
        "|---|---|---|---|",
    ]
    return "\n".join([*head, *rows]) + "\n"


def _is_whole(config: pytest.Config) -> bool:
    """Whether all tests were asked for, and every tool was there."""
    chosen = config.option.keyword or getattr(config.option, "lf", False) or config.option.deselect or RECORD.lacking
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS and not chosen
