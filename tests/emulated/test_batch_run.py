"""Batch runs on emulated boards: exact instruction counts, and the same bits as the host."""

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

from exporter.errors import CheckFailed, KinefixError
from exporter.export import Export, write_export
from targets.ecu.batch import run_batch
from targets.ecu.firmware import build_firmware
from targets.python.host import build_host
from tests.tools.memory_run import run_unicorn

pytestmark = [pytest.mark.emulated, pytest.mark.usefixtures("tools")]


@pytest.fixture
def tools(require_tool: Callable[[str], str]) -> None:
    """Compiler and emulator."""
    require_tool("arm-none-eabi-gcc")
    require_tool("qemu-system-arm")


@pytest.fixture
def counted(load_data_module, tmp_path) -> tuple[Export, ModuleType]:
    """The hand-written export whose instructions can be counted by eye."""
    module = load_data_module("counted_export")
    return Export(tmp_path / "counted", module.write_counted(tmp_path / "counted")), module


@pytest.fixture
def sample(load_data_module, tmp_path) -> Callable[..., Export]:
    """Writes the slider-crank: precision, and whether the crank length is tunable."""

    def write(precision: str, *, tunable: bool = False) -> Export:
        program = load_data_module("sample_program").slider_crank_program(precision, tunable=tunable)
        return write_export(program, tmp_path / f"export_{precision}_{tunable}", {})

    return write


def rows_with_trouble(export: Export, function: str, count: int) -> np.ndarray:
    """Random rows, one in eight with a value that is not finite, out of range, or subnormal."""
    rng = np.random.default_rng(7)
    width = next(each for each in export.manifest.functions if each.name == function).row_inputs
    rows = rng.uniform(-3, 3, (count, len(width)))
    bad = rng.choice([np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-42, 0.0, -0.0], count // 8)
    rows[: count // 8, :1] = bad[:, None]
    return rows


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


@pytest.mark.parametrize("profile", ["arm-m3", "arm-m4f", "arm-m7"])
def test_the_count_is_exact(counted, tmp_path, profile):
    """1004 instructions written by hand in assembler are counted as 1004, on every row."""
    export, module = counted
    rows = np.arange(300, dtype=np.float32)[:, None]  # more than one block of the firmware
    run = run_batch(build_firmware(export, "step", tmp_path / "build", profile=profile), rows)
    assert set(run.instructions.tolist()) == {module.INSTRUCTIONS}
    assert run.outputs.tolist() == rows.tolist()
    assert set(run.status.tolist()) == {module.STATUS}


def test_the_counter_is_one_that_moves(counted, tmp_path):
    """The cycle counter of the emulated core reads zero for ever, so the firmware must not have used it."""
    run = run_batch(build_firmware(counted[0], "step", tmp_path / "build"), np.zeros((1, 1)))
    assert run.counter == "timer"


@pytest.mark.parametrize(
    ("function", "tunable"), [("position", True), ("dynamics", False), ("startup", False), ("dostep", True)]
)
def test_cortex_m4f_gives_the_bits_of_the_host_at_one_cost(sample, tmp_path, function, tunable):
    """float32, bad values included: outputs, status, and one single instruction count."""
    export = sample("float32", tunable=tunable)
    rows = rows_with_trouble(export, function, 2000)
    host = build_host(export, tmp_path / "host").call(function, rows)
    run = run_batch(build_firmware(export, function, tmp_path / "m4f"), rows)
    assert same_bits(run.outputs, host.outputs)
    assert same_bits(run.status, host.status)
    assert len(set(run.instructions.tolist())) == 1
    assert run.start_status == 0


@pytest.mark.parametrize("tunable", [False, True])
def test_cortex_m7_gives_the_bits_of_the_host_in_two_emulators(sample, tmp_path, tunable):
    """float64 on QEMU's board and in unicorn."""
    export = sample("float64", tunable=tunable)
    rows = rows_with_trouble(export, "dynamics", 2000)
    host = build_host(export, tmp_path / "host").call("dynamics", rows)
    run = run_batch(build_firmware(export, "dynamics", tmp_path / "m7", profile="arm-m7"), rows)
    memory = run_unicorn(export, "dynamics", rows)
    assert same_bits(run.outputs, host.outputs)
    assert same_bits(memory.outputs, host.outputs)
    assert same_bits(run.status, host.status)
    assert same_bits(memory.status, host.status)


@pytest.mark.parametrize(
    ("precision", "profile"), [("float32", "arm-m3"), ("float32", "arm-m4f"), ("float64", "arm-m7")]
)
def test_parameters_are_those_that_were_given(sample, tmp_path, precision, profile):
    """A crank of 0.2 m on every core: the host's bits at 0.2 m, not those at nominal; out of range is flagged."""
    export = sample(precision, tunable=True)
    rows = rows_with_trouble(export, "position", 200)
    library = build_host(export, tmp_path / "host")
    short, nominal = library.call("position", rows, {"l1": 0.2}), library.call("position", rows)
    assert not same_bits(short.outputs, nominal.outputs)
    firmware = build_firmware(export, "position", tmp_path / "core", profile=profile)
    assert same_bits(run_batch(firmware, rows, parameters={"l1": 0.2}).outputs, short.outputs)
    assert same_bits(run_batch(firmware, rows).outputs, nominal.outputs)
    assert run_batch(firmware, rows[:1], parameters={"l1": 4.0}).start_status != 0
    if profile == "arm-m7":
        assert same_bits(run_unicorn(export, "position", rows, parameters={"l1": 0.2}).outputs, short.outputs)
        assert run_unicorn(export, "position", rows[:1], parameters={"l1": 4.0}).start_status != 0
    with pytest.raises(KinefixError, match="'l9' is no tunable parameter"):
        run_batch(firmware, rows, parameters={"l9": 0.2})


def test_soft_float_gives_the_same_bits_at_a_cost_that_varies(sample, tmp_path):
    """Cortex-M3 has no FPU: the negative case of the fixed cost."""
    export = sample("float32")
    rows = rows_with_trouble(export, "position", 500)
    host = build_host(export, tmp_path / "host").call("position", rows)
    run = run_batch(build_firmware(export, "position", tmp_path / "m3", profile="arm-m3"), rows)
    assert same_bits(run.outputs, host.outputs)
    assert len(set(run.instructions.tolist())) > 1


def test_two_runs_are_identical_to_the_byte(sample, tmp_path):
    """Ticks included: virtual time repeats."""
    firmware = build_firmware(sample("float32"), "dostep", tmp_path / "build")
    rows = np.random.default_rng(2).uniform(-1, 1, (500, 3))
    results = []
    for _ in range(2):
        run_batch(firmware, rows)
        results.append((tmp_path / "build" / "results.bin").read_bytes())
    assert results[0] == results[1]


def test_the_same_export_gives_the_same_firmware_in_another_folder(sample, tmp_path):
    export = sample("float32")
    one = build_firmware(export, "dostep", tmp_path / "one")
    two = build_firmware(export, "dostep", tmp_path / "deep" / "two")
    assert one.elf.read_bytes() == two.elf.read_bytes()
    assert str(tmp_path).encode() not in one.elf.read_bytes()


def test_another_define_is_another_build(counted, tmp_path):
    plain = build_firmware(counted[0], "step", tmp_path / "plain")
    other = build_firmware(counted[0], "step", tmp_path / "other", defines={"SOMETHING": "1"})
    assert plain.build_id != other.build_id


def test_a_model_with_a_sign_error_is_refused_by_the_device(sample, tmp_path):
    """The self-test runs on the core before any row."""
    export = sample("float32")
    source = export.folder / "slider_crank.c"
    text = source.read_text(encoding="utf-8")
    mutant = text.replace(" = 1.0F - ", " = 1.0F + ", 1)
    assert mutant != text
    source.write_text(mutant, encoding="utf-8")
    firmware = build_firmware(export, "dostep", tmp_path / "build")
    with pytest.raises(CheckFailed, match=r"slider_crank_selftest\.c failed on Cortex-M4F"):
        run_batch(firmware, np.zeros((1, 3)))


def test_results_of_another_build_are_refused(sample, tmp_path):
    """The ELF on the disk is replaced behind the back of the runner."""
    export = sample("float32")
    expected = build_firmware(export, "dostep", tmp_path / "expected")
    other = build_firmware(export, "dostep", tmp_path / "other", defines={"SOMETHING": "1"})
    expected.elf.write_bytes(other.elf.read_bytes())
    with pytest.raises(CheckFailed, match="build_id"):
        run_batch(expected, np.zeros((1, 3)))


def test_a_firmware_of_another_kind_is_refused(counted, tmp_path):
    firmware = build_firmware(counted[0], "step", tmp_path / "build", "memory")
    with pytest.raises(KinefixError, match="kind 'batch'"):
        run_batch(firmware, np.zeros((1, 1)))


def test_a_model_named_like_a_driver_builds(counted, tmp_path):
    """Files of the export live apart from ours: a header timer.h of the user's takes nothing away."""
    export, module = counted
    (export.folder / "timer.h").write_text("#error not this one\n", encoding="utf-8")
    files = {**export.manifest.files, "timer.h": ""}
    crowded = Export(export.folder, module.counted_manifest(files))
    run = run_batch(build_firmware(crowded, "step", tmp_path / "build"), np.ones((1, 1)))
    assert run.outputs.tolist() == [[1.0]]
