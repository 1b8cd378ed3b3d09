"""Exports with random sets of frozen and tunable parameters compile in all their wrappings, and run.

Library mechanisms and small files, a fixed seed for each. The compiler is the oracle: standard C99, warnings are
errors, and no code of this project stands between the texts and it. A set that is refused with a reason is no export.
"""

import random
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exporter.errors import ModelError
from exporter.export import Export, write_export
from exporter.functions.program import program_of_mechanism
from exporter.model.complete import with_tunable
from exporter.model.library import model_names, model_path, practice_names
from exporter.model.mechanism import Mechanism, Parameter
from exporter.model.toml.reader import read_mechanism
from exporter.sequence.operations import Precision
from targets.ecu.glue import glue_files
from targets.labview.oracle import nominal_derived
from targets.labview.shim import texts
from targets.python.host import build_host

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "mechanisms"
ECU = ROOT / "targets" / "ecu"
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fno-math-errno")
QUICK = [
    ("slider_crank", "float32", 1),
    ("slider_crank", "float64", 2),
    ("four_bar", "float32", 3),
    ("planar_3r", "float64", 4),
    ("peaucellier", "float32", 5),
    ("five_bar", "float64", 6),
    ("angle_tunable", "float32", 7),
    ("angle_tunable_space", "float64", 8),
    ("height_tunable2", "float32", 9),
    ("unused_tunable", "float32", 10),
    ("unused_tunable", "float64", 11),
]
LARGE = {"excavator", "gough_stewart", "gough_stewart_wang", "backhoe", "four_loops", "arm_6r"}  # minutes each
MANY = [
    (name, precision, seed)
    for name in sorted({*model_names(), *practice_names(), *(path.stem for path in DATA.glob("*.toml"))} - LARGE)
    for seed, precision in enumerate(("float32", "float64"), start=100)
]


def random_choice(name: str, seed: int) -> Mechanism:
    """A mechanism with a random set of its parameters tunable, 5 % to either side where the file gives no range."""
    path = DATA / f"{name}.toml"
    mechanism = read_mechanism(path if path.is_file() else model_path(name))
    generator = random.Random(f"{name} {seed}")
    ranged = replace(mechanism, parameters=tuple(map(with_range, mechanism.parameters)))
    part = generator.random()
    return with_tunable(ranged, [each.name for each in ranged.parameters if generator.random() < part])


def with_range(parameter: Parameter) -> Parameter:
    if parameter.minimum is not None:
        return parameter
    room = abs(parameter.value) * Fraction(1, 20) or Fraction(1, 100)
    return replace(parameter, minimum=parameter.value - room, maximum=parameter.value + room)


def written(name: str, precision: Precision, seed: int, folder: Path) -> Export:
    """The export, and around it what LabVIEW and an ECU compile with it."""
    program = program_of_mechanism(random_choice(name, seed), precision)
    export = write_export(program, folder / "model", {})
    printed = texts(export.manifest, nominal_derived(program))
    (folder / "labview").mkdir()
    (folder / "labview" / f"{export.manifest.name}_lv.h").write_text(printed.header)
    (folder / "labview" / f"{export.manifest.name}_lv.c").write_text(printed.source)
    for function in export.manifest.functions:
        (folder / function.name).mkdir()
        for file, text in glue_files(export.manifest, function, 0).items():
            (folder / function.name / file).write_text(text)
    return export


def checked(folder: Path, *arguments: str) -> None:
    """Syntax and types, by gcc."""
    command = ["gcc", *STRICT, "-fsyntax-only", "-I.", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def compiles(export: Export, folder: Path) -> None:
    sources = [f"model/{name}" for name in export.manifest.files if name.endswith(".c")]
    checked(folder, "-pedantic", *sources)
    checked(folder, "-Imodel", "-Ilabview", f"labview/{export.manifest.name}_lv.c")
    for function in export.manifest.functions:
        checked(folder, f"-I{function.name}", f"-I{ECU}", f"{function.name}/model_glue.c")


@pytest.mark.parametrize(("name", "precision", "seed"), QUICK)
def test_random_sets_of_tunable_parameters_compile(
    name: str, precision: Precision, seed: int, tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """Source, self-test, LabVIEW's interface and the glue of every function."""
    require_tool("gcc")
    compiles(written(name, precision, seed, tmp_path), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "precision", "seed"), MANY)
def test_every_mechanism_with_a_random_set_compiles(
    name: str, precision: Precision, seed: int, tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """Library mechanisms and small files, both precisions; the self-test passes on this computer."""
    require_tool("gcc")
    try:
        export = written(name, precision, seed, tmp_path)
    except ModelError as refusal:
        pytest.skip(str(refusal))
    compiles(export, tmp_path)
    build_host(export, tmp_path / "host").selftest()


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_an_export_whose_parameters_nothing_reads_runs(
    precision: Precision, tmp_path: Path, require_tool: Callable[[str], str]
) -> None:
    """A crank of 0.3 m with two tunable parameters that its file never names: its tip by cosine and sine."""
    require_tool("gcc")
    mechanism = read_mechanism(DATA / "unused_tunable.toml")
    export = write_export(program_of_mechanism(mechanism, precision), tmp_path / "export", {})
    library = build_host(export, tmp_path / "host")
    library.selftest()
    theta = np.linspace(-3, 3, 7)
    outputs = library.call("position", theta[:, None], {"h": 2.0}).outputs
    names = [field.name for field in export.manifest.functions[0].row_outputs]
    tip = np.stack([outputs[:, names.index(f"tip.{axis}")] for axis in "xy"], axis=-1)
    assert tip == pytest.approx(0.3 * np.stack([np.cos(theta), np.sin(theta)], axis=-1), abs=1e-7)
    assert [note.split()[-5].strip(";") for note in export.manifest.notes] == ["a", "h"]


def test_the_library_in_c_follows_a_tunable_slope(tmp_path: Path, require_tool: Callable[[str], str]) -> None:
    """Closed form of a slide at 33 deg, crank 0.27 m, rod 0.5 m; nominal are 10 deg and 0.2 m."""
    require_tool("gcc")
    mechanism = read_mechanism(DATA / "angle_tunable.toml")
    export = write_export(program_of_mechanism(mechanism, "float64"), tmp_path / "export", {})
    slope, r, theta = np.radians(33.0), 0.27, np.linspace(-3, 3, 9)
    called = build_host(export, tmp_path / "host").call("position", theta[:, None], {"slope": slope, "r": r})
    names = [field.name for field in export.manifest.functions[0].row_outputs]
    s = r * np.cos(theta - slope) + np.sqrt(0.25 - (r * np.sin(theta - slope)) ** 2)
    assert not called.status.any()
    assert called.outputs[:, names.index("place.y")] == pytest.approx(s * np.sin(slope), abs=1e-14)
    assert called.outputs[:, names.index("place.x")] == pytest.approx(s * np.cos(slope), abs=1e-14)
