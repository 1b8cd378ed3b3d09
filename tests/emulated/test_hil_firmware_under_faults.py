"""The firmware's C in the emulator under faults on its link: the sound one, and two that were made wrong on purpose."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from exporter.export import write_export
from hil.bench import read_bench
from hil.campaign import BenchResult, Plan, run_campaign
from hil.check_names import BenchCheck
from hil.faults.fault_file import read_faults
from hil.faults.kinds import CAN_KINDS, SERIAL_KINDS, Direction, Kind
from hil.report.document import run_document
from sil.verdict import Outcome
from targets.ecu import firmware as building

pytestmark = pytest.mark.emulated

BENCH = """
schema = 1
[bench]
name = "under faults"
target = "emulated"
export = "export"
function = "dostep"
[target.emulated]
kind = "emulated"
[target.software]
kind = "sil"
[timing]
period = "1 ms"
[timeouts]
boot = "60 s"
reply = "60 s"
retries = 20
[parameters]
l1 = 0.25
"""
OVER_CAN = '[link.main]\nkind = "can"\n'
FAULTS = "schema = 1\nseed = {seed}\nsteps = {steps}\n[[fault]]\nrate = {rate}\n"
Campaign = Callable[..., BenchResult]


@pytest.fixture(scope="module")
def campaign(
    tmp_path_factory: pytest.TempPathFactory,
    load_data_module: Callable[[str], ModuleType],
    require_tool: Callable[[str], str],
) -> Campaign:
    """Steps the hand-written slider-crank, its crank tuned off nominal, under faults."""
    for tool in ("gcc", "arm-none-eabi-gcc", "qemu-system-arm"):
        require_tool(tool)
    place = tmp_path_factory.mktemp("faults")
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    write_export(program, place / "export", {})

    def run(
        steps: int, rate: float, more: str = "", seed: int = 1, target: str = "emulated", link: str = ""
    ) -> BenchResult:
        (place / "bench.toml").write_text(BENCH.replace('"emulated"', f'"{target}"', 1) + link, encoding="utf-8")
        text = FAULTS.format(seed=seed, steps=steps, rate=rate) + more
        (place / "faults.toml").write_text(text, encoding="utf-8")
        plan = Plan(lockstep=0, free_run=0, vectors=16, seed=1, faults=read_faults(place / "faults.toml"))
        return run_campaign(read_bench(place / "bench.toml"), plan)

    return run


def outcomes(result: BenchResult) -> dict[str, Outcome]:
    return {verdict.check: verdict.outcome for verdict in result.verdicts}


def require_right(result: BenchResult, steps: int, kinds: tuple[Kind, ...] = SERIAL_KINDS) -> None:
    """All steps done once and right, amid all kinds of faults in both directions."""
    run = result.under_faults
    assert run is not None
    assert result.passed, result.headline
    assert set(outcomes(result)) == {BenchCheck.UNDER_FAULTS, BenchCheck.DONE, BenchCheck.ONCE}
    assert (run.steps, run.wrong, run.off, run.ended) == (steps, 0, 0, "")
    assert run.telling > 0.9 * steps / 40
    assert {(fault.kind, fault.direction) for fault in run.log} == {(kind, way) for kind in kinds for way in Direction}
    assert run.stimulus.parameters == {"l1": 0.25}


def test_the_firmware_steps_right_amid_all_kinds_of_faults(campaign: Campaign) -> None:
    """As does the software device, which meets the very same faults: both histories are equal, entry by entry."""
    emulated, software = campaign(300, 0.3), campaign(300, 0.3, target="software")
    require_right(emulated, 300)
    require_right(software, 300)
    assert run_document(emulated)["faults"] == run_document(software)["faults"]


def test_the_firmware_steps_right_over_can_amid_all_kinds_of_faults(campaign: Campaign) -> None:
    """What is lost shows only where a value changed, and ticks change with the time at which a frame came.

    So histories differ a little from run to run; what is accepted is right in all of them.
    """
    require_right(campaign(160, 0.1, link=OVER_CAN), 160, CAN_KINDS)


@pytest.mark.slow
def test_twenty_thousand_steps_over_can_at_one_percent(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    """Frames lost, doubled, late, out of order, changed, cut and foreign; what happened is printed."""
    result = campaign(20_000, 0.01, seed=9, link=OVER_CAN)
    require_right(result, 20_000, CAN_KINDS)
    with capsys.disabled():
        print(f"\n{result.headline}; {json.dumps(run_document(result)['faults']['traffic'])}")  # noqa: T201


@pytest.mark.slow
def test_ten_thousand_steps_at_one_percent(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    """The seed is printed with what happened."""
    result = campaign(10_000, 0.01, seed=7)
    require_right(result, 10_000)
    with capsys.disabled():
        found = run_document(result)["faults"]
        print(f"\nseed {found['seed']}: {result.headline}; {json.dumps(found['traffic'])}")  # noqa: T201


WRONG = {
    "steps again where a request is repeated": (
        "bench_main.c", "{\n        repeat_answer();", "{\n        serve(&request);",
        'kinds = ["drop", "double"]\n', "",
    ),
    "looks at no CRC": (
        "bench_frame.c", "(bench_frame_crc(receiver->packet.bytes, covered) == receiver->crc) ?", "true ?",
        'kinds = ["flip"]\ndirection = "to device"\nrequests = ["STEP", "SETSTATE"]\n', "",
    ),
    "takes a row of which a frame is missing": (
        "bench_can.c", "(receiver->crc == mark.crc) ?", "true ?",
        'kinds = ["drop", "flip"]\ndirection = "to device"\nrequests = ["STEP"]\n', OVER_CAN,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_firmware_that_was_made_wrong_fails(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    """Two verdicts fail; the sound firmware passes amid the same faults."""
    name, right, wrong, faults, link = WRONG[what]
    passed = campaign(200, 0.3, faults, link=link)
    assert passed.passed, passed.headline
    sources = tmp_path / "ecu"
    shutil.copytree(building.ECU, sources)
    text = (sources / name).read_text(encoding="utf-8")
    assert text.count(right) == 1
    (sources / name).write_text(text.replace(right, wrong), encoding="utf-8")
    monkeypatch.setattr(building, "ECU", sources)
    found = outcomes(campaign(200, 0.3, faults, link=link))
    assert found[BenchCheck.UNDER_FAULTS] is Outcome.FAILED
    assert Outcome.FAILED in (found[BenchCheck.ONCE], found[BenchCheck.DONE])
