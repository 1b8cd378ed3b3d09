"""The bench file: what is wrong is named with file, key, value and what to do."""

from pathlib import Path

import pytest

from exporter.model.library import model_path
from hil.bench import read_bench
from hil.errors import BenchError

ROOT = Path(__file__).resolve().parents[3]
GOOD = """
schema = 1
[bench]
name = "b"
target = "emulated"
export = "export"
[target.emulated]
kind = "emulated"
[target.software]
kind = "sil"
[target.board]
kind = "board"
[link.main]
kind = "tcp"
[timing]
period = "1 ms"
"""


def write(folder: Path, text: str) -> Path:
    """A bench file in `folder`."""
    path = folder / "bench.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_left_out_has_a_stated_default(tmp_path: Path) -> None:
    """The deadline is the period, the misses that latch are three, every wait has a limit."""
    bench = read_bench(write(tmp_path, GOOD))
    assert bench.timing.deadline == bench.timing.period
    assert bench.timing.latch_after == 3
    assert min(bench.timeouts.boot_s, bench.timeouts.reply_s) > 0
    assert bench.timeouts.run_s is None, "by activations and period"
    assert bench.export == tmp_path / "export"
    assert bench.target.icount_shift == 6


def test_the_example_is_valid() -> None:
    """What the documentation tells people to copy can be read."""
    bench = read_bench(ROOT / "examples" / "bench.toml")
    assert bench.runs.free_run == 60_000
    assert bench.model == "slider_crank"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("schema = 1", "schema = 2"), "schema: version 2 is not known; this version of Kinefix reads schema 1"),
        (("schema = 1", "schema = 1.0"), "schema: version 1.0 is not known"),
        (("schema = 1", "schema = true"), "schema: version true is not known"),
        (("schema = 1", "schema = '1'"), 'schema: version "1" is not known'),
        (('period = "1 ms"', "period = 1"), 'timing.period: 1 is not text in quotes .*; write it as "400 us"'),
        (('period = "1 ms"', 'period = "inf ms"'), r'"inf ms" is not read \(A time above zero with its unit\)'),
        (('period = "1 ms"', ""), 'timing: "period" is missing; state it'),
        (("[timing]", "[run]\nlockstep = 99999999999999999999\n[timing]"), "more than 10,000,000, the most"),
        (("[timing]", "[run]\nfree_run = 4294967296\n[timing]"), "give 4,294,967,295 or less"),
        (('kind = "tcp"', 'kind = "tcp"\nport = 70000'), "link.main.port: 70000 is more than 65,535"),
        (("[timing]", "[run]\nlockstep = true\n[timing]"), "true is not a whole number"),
        (("[timing]", "[run]\nlockstep = 40.0\n[timing]"), "run.lockstep: 40.0 is not a whole number .*; write 40$"),
        (("[timing]", "[run]\nlockstep = 40.5\n[timing]"), r"40.5 is not a whole number such as 3 \([^)]*\)$"),
        (("[timing]", "[[timing]]"), r"timing: .* is not a table; write \[timing\]"),
        (
            ("[timing]", "[timeouts]\nretries = 3.0\n[timing]"),
            "timeouts.retries: 3.0 is not a whole number.*; write 3$",
        ),
        (("[timing]", "[run]\nvectors = 0\n[timing]"), "give 1 or more"),
        (("[timing]", "[run]\nvectors = 100001\n[timing]"), "give 100,000 or less"),
        (('period = "1 ms"', 'period = "0 ms"'), "is zero"),
        (
            ('period = "1 ms"', 'period = "1 ms"\ndead_line = "1 ms"'),
            r'"dead_line" \(did you mean "deadline"\?\); known',
        ),
        (
            ('target = "emulated"', 'target = "other"'),
            r"there is no \[target.other\]; choose one of emulated, software",
        ),
        (('kind = "emulated"', 'kind = "simulated"'), 'target.emulated.kind: "simulated" is none of "sil"'),
        (('kind = "tcp"', 'kind = "serial"'), "does not reach a target of kind 'emulated'; choose one of tcp, pty"),
        (('export = "export"', ""), "either 'export'"),
        (('export = "export"', 'export = "export"\nmodel = "m"'), "either 'export'"),
        (('export = "export"', 'model = "module:function"'), "bench.model"),
        (("[timing]", "[timeouts]\nreply = '5 cycles'\n[timing]"), "waits in seconds"),
        (("[timing]", "[timing"), "no TOML"),
        (("[timing]", "[tolerance.default]\nabs = inf\n[timing]"), "tolerance.default.abs: inf is no finite number"),
        (("[timing]", "[tolerance.default]\nulp = inf\n[timing]"), "tolerance.default.ulp: inf is no finite number"),
        (("[timing]", "[tolerance.x]\nrel = nan\n[timing]"), "tolerance.x.rel: nan is no finite number"),
        (("[timing]", "[tolerance.x]\nrel = -1e-9\n[timing]"), "tolerance.x.rel"),
        (("[timing]", "[parameters]\nl1 = nan\n[timing]"), "parameters.l1: nan is no finite number"),
        (("[timing]", "[timeouts]\nrun = '1" + 400 * "0" + " s'\n[timing]"), "beyond 1,000,000,000,000"),
    ],
)
def test_each_mistake_is_one_clear_sentence(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    """The message carries the file and what is wrong; nothing was opened."""
    path = write(tmp_path, GOOD.replace(*change))
    with pytest.raises(BenchError, match=words) as caught:
        read_bench(path)
    assert "\n" not in str(caught.value)


def test_a_model_in_capitals_is_a_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the bench file, and in the folder where one is; a name alone is one of the library."""
    for text, meant in (("ARM.TOML", str(tmp_path / "ARM.TOML")), ("slider_crank", "slider_crank")):
        bench = write(tmp_path, GOOD.replace('export = "export"', f'model = "{text}"'))
        assert read_bench(bench).model == meant
    monkeypatch.chdir(tmp_path)
    Path("ARM.TOML").write_text("", encoding="utf-8")
    assert model_path("ARM.TOML") == Path("ARM.TOML")


def test_a_serial_link_needs_a_device(tmp_path: Path) -> None:
    """A board over a serial port without a port is refused before anything is opened."""
    text = GOOD.replace('target = "emulated"', 'target = "board"').replace('kind = "tcp"', 'kind = "serial"')
    with pytest.raises(BenchError, match="a serial link needs a device"):
        read_bench(write(tmp_path, text))


def test_a_board_on_can_needs_an_interface(tmp_path: Path) -> None:
    """Without one it is refused; an emulated ECU brings its own. Paths of logs are from the file's folder."""
    text = GOOD.replace('target = "emulated"', 'target = "board"').replace('kind = "tcp"', 'kind = "can"')
    with pytest.raises(BenchError, match=r"link\.main\.interface: name the CAN interface of the board, for example"):
        read_bench(write(tmp_path, text))
    named = read_bench(write(tmp_path, text.replace('kind = "can"', 'kind = "can"\ninterface = "slcan"')))
    assert (named.link.interface, named.link.bitrate, named.link.base) == ("slcan", 500_000, 0x400)
    emulated = GOOD.replace('kind = "tcp"', 'kind = "can"\nlog = "logs/a.asc"')
    assert read_bench(write(tmp_path, emulated)).link.log == tmp_path / "logs" / "a.asc"


def test_a_missing_file_says_what_to_copy(tmp_path: Path) -> None:
    """The example is named."""
    with pytest.raises(BenchError, match=r"examples/bench\.toml"):
        read_bench(tmp_path / "none.toml")


def test_software_is_reached_over_a_loop(tmp_path: Path) -> None:
    """The link of the file is for devices."""
    bench = read_bench(write(tmp_path, GOOD.replace('target = "emulated"', 'target = "software"')))
    assert bench.link.kind == "loop"
