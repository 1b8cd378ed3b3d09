"""What a run was fed with: its words, its replay command, files of rows, parameters with units."""

import hashlib
import math
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from exporter.errors import KinefixError
from exporter.export import Export, write_export
from hil.bench import read_bench
from hil.errors import BenchError
from hil.parameters import why_flagged
from hil.stimulus import Stimulus, load_rows, replay_command
from sil.parameter_texts import parse_parameters
from targets.rows import function_of

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "bench.toml"


@pytest.fixture
def export(load_data_module: Callable[[str], ModuleType], tmp_path: Path) -> Export:
    """The hand-written slider-crank with a tunable crank, 0.1 to 0.39 m."""
    program = load_data_module("sample_program").slider_crank_program("float32", tunable=True)
    return write_export(program, tmp_path / "export", {})


def test_a_replay_command_names_everything_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Absolute paths, quoted; seed or file; parameters to the bit."""
    example = read_bench(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    bench = replace(example, path=Path("my bench.toml"))
    fed = Stimulus(seed=7, parameters={"l1": float(np.float32(0.2))})
    words = shlex.split(replay_command(bench, 30, 0, fed))
    assert words[:3] == ["kinefix", "hil", str(tmp_path / "my bench.toml")]
    assert words[3:9] == ["--lockstep", "30", "--free-run", "0", "--seed", "7"]
    assert words[9] == "--parameter=l1=0.20000000298023224"
    from_file = shlex.split(replay_command(bench, 3, 0, Stimulus(file=Path("rows.npy"), sha256="ab")))
    assert from_file[7:] == ["--vectors", str(tmp_path / "rows.npy")]
    assert replay_command(bench, 3, 0, Stimulus()) == ""
    chosen = replace(read_bench(EXAMPLE, example.target.name), path=Path("b.toml"))
    assert shlex.split(replay_command(chosen, 3, 0, fed))[3:5] == ["--target", example.target.name]


def test_sources_in_words() -> None:
    """Seed, file with hash, program; nominal or not."""
    assert Stimulus(seed=7).source == "seed 7"
    assert Stimulus(file=Path("a/rows.npy"), sha256="ab").source == "file rows.npy, SHA-256 ab"
    assert (Stimulus().source, Stimulus().tuned) == ("rows of a program", "nominal")
    assert Stimulus(parameters={"l1": 0.25, "l2": 1.0}).tuned == "l1 = 0.25, l2 = 1.0"


def test_rows_of_a_file_come_with_its_hash(export: Export, tmp_path: Path) -> None:
    """What is read is what was written."""
    function = function_of(export.manifest, "dostep")
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "rows.npy", rows)
    read, stimulus = load_rows(tmp_path / "rows.npy", function)
    assert read.tolist() == rows.tolist()
    assert stimulus.sha256 == hashlib.sha256((tmp_path / "rows.npy").read_bytes()).hexdigest()


def test_a_file_name_may_be_in_capitals(export: Export, tmp_path: Path) -> None:
    """As some systems write them."""
    function = function_of(export.manifest, "dostep")
    np.save(tmp_path / "rows.npy", np.full((1, 3), 0.5))
    (tmp_path / "rows.npy").rename(tmp_path / "ROWS.NPY")
    (tmp_path / "TABLE.CSV").write_text("theta [rad],theta.rate [rad/s],F [kN]\n0.5,0.5,0.0005\n", encoding="utf-8")
    (tmp_path / "HEX.CSV").write_text(HEX.replace("-0x1p+1,nan", "0x1p-1,0x1p-1"), encoding="utf-8")
    for name in ("ROWS.NPY", "TABLE.CSV", "HEX.CSV"):
        assert load_rows(tmp_path / name, function)[0].tolist() == [[0.5, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read"),
        (b"", "holds no rows"),
        (b"no array", "holds no rows"),
        (np.zeros((2, 4), dtype=np.float32), "takes rows of 3 reals"),
        (np.zeros((0, 3), dtype=np.float32), "takes rows of 3 reals"),
        (np.zeros(3, dtype=np.float32), "takes rows of 3 reals"),
        (np.zeros((2, 3), dtype=np.int32), "an array of int32"),
        (np.array([["a", "b", "c"]]), "an array of <U1"),
    ],
)
def test_files_without_rows_are_one_sentence(export: Export, tmp_path: Path, content: object, words: str) -> None:
    """Missing, empty, no array, another width, another type."""
    path = tmp_path / "rows.npy"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, content)
    with pytest.raises(BenchError, match=words):
        load_rows(path, function_of(export.manifest, "dostep"))


HEX = "kind,theta,theta.rate,F\nrandom,0x1p-1,-0x1p+1,nan\n"


def test_hexadecimal_vectors_stand_under_the_names_of_the_function(export: Export, tmp_path: Path) -> None:
    """As `kinefix sil` leaves them; anything else was read as sixteen for 10, without its first column."""
    function, path = function_of(export.manifest, "dostep"), tmp_path / "rows.csv"
    path.write_text(HEX, encoding="utf-8")
    assert np.array_equal(load_rows(path, function)[0], [[0.5, -2.0, np.nan]], equal_nan=True)
    for wrong, said in (
        (HEX.replace("F\n", "G\n"), "its header is 'kind,theta,theta.rate,G'; hexadecimal floats stand under 'kind,th"),
        (HEX.replace("theta,theta.rate", "theta.rate,theta"), "its header is"),
        ("theta,theta.rate,F\n0.5,2,1\n", "under names with units, such as 'theta"),
        ("n,F,theta.rate,theta\n1,0.5,2,1\n", "its header is"),
        (HEX.replace("0x1p-1", "10"), "'10' is no hexadecimal float"),
        ("", "its header is ''"),
    ):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(BenchError, match=said):
            load_rows(path, function)


@pytest.mark.parametrize(
    ("text", "value"), [("200 mm", 0.2), ("0.2 m", 0.2), ("0.2", 0.2), (0.2, 0.2), ("2e-1 m", 0.2)]
)
def test_values_have_units_or_are_si(export: Export, text: str | float, value: float) -> None:
    """As a test engineer writes them."""
    assert parse_parameters(export.manifest, {"l1": text}) == {"l1": value}


@pytest.mark.parametrize(
    ("text", "sign"), [("-0.0 mm", -1.0), (-0.0, -1.0), ("-0e3", -1.0), ("0.0 m", 1.0), ("+0", 1.0)]
)
def test_a_zero_keeps_its_sign(export: Export, text: str | float, sign: float) -> None:
    assert math.copysign(1.0, parse_parameters(export.manifest, {"l1": text})["l1"]) == sign


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("l9", "1 m", "'l9' is no tunable parameter of 'slider_crank'; tunable: l1"),
        ("l1", "200 kg", r"'200 kg' is a mass \(kg\), wanted is a length \(m\)"),
        ("l1", "long", "does not start with a finite decimal number"),
        ("l1", "nan", "does not start with a finite decimal number"),
        ("l1", "0.2 furlong", 'unknown unit|"furlong"'),
        ("l1", "200mm", "needs a space"),
    ],
)
def test_other_values_are_one_sentence(export: Export, name: str, text: str, words: str) -> None:
    """Unknown names, other dimensions, no numbers."""
    with pytest.raises(KinefixError, match=words):
        parse_parameters(export.manifest, {name: text})


def test_a_refused_set_is_told_with_its_range(export: Export) -> None:
    """Condition, value, range, what is in force now."""
    bit = 1 << export.manifest.status["ARG_REJECTED"]
    assert why_flagged(export.manifest, {"l1": 4.0}, bit) == (
        "recalibrate flags ARG_REJECTED: l1 = 4 m (from 0.1 to 0.39 m); the parameters before stay in force; "
        "give values of these ranges"
    )
