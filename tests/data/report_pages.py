"""One page of each kind that Kinefix writes, in a folder: of HIL, SIL, requirements, the index, and the keywords.

In: an empty folder. Out: the pages by kind. The run of a bench is that of bench_result.py, with misses;
the others come from an export that is verified by the interpreter, so that no tool is needed.
"""

import importlib.util
from pathlib import Path
from types import ModuleType

import bench_result

from exporter.export import export_source
from hil.report.files import write_report as write_bench_report
from hil.report.index import index_of, write_index
from hil.requirements.endings import Ending, RunTest
from hil.requirements.files import write_matrix
from hil.requirements.matrix import matrix_of
from sil.campaign import run
from sil.options import Options
from sil.report.files import write_report

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("hil", "sil", "requirements", "index", "keywords")
TESTS = (
    RunTest("Suite.Stays Below", Ending.PASSED, "", ("SYS-1",), "output.xml"),
    RunTest("Suite.Is In Time", Ending.FAILED, "12 us late", ("SYS-2",), "output.xml"),
    RunTest("Suite.On A Board", Ending.SKIPPED, "no board", ("SYS-3",), "output.xml"),
)


def write_pages(folder: Path) -> dict[str, Path]:
    """All of `KINDS`."""
    export = export_source("slider_crank", folder / "slider_crank", "float32", functions=["dostep"])
    campaign = run(export, Options(count=40, runner="interpreter", functions=("dostep",)))
    listed = {"SYS-1": "the piston stays", "SYS-2": "no deadline is missed", "SYS-3": "on a board", "SYS-4": "untested"}
    return {
        "hil": write_bench_report(bench_result.report(), folder / "hil"),
        "sil": write_report(campaign, folder / "sil"),
        "requirements": write_matrix(matrix_of(TESTS, listed), folder / "requirements"),
        "index": write_index(folder, index_of(folder)),
        "keywords": module_at("ci/keyword_pages.py").write_pages(folder / "keywords")[0],
    }


def module_at(path: str) -> ModuleType:
    """A module of the checkout that no package has."""
    spec = importlib.util.spec_from_file_location(f"kinefix_pages_{Path(path).stem}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
