"""Keywords find a wrong device by faults on the link and by the reference; without a model they judge nothing."""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from driven_bench import SOFTWARE
from robot.api import SkipExecution

from exporter.export import load_export
from hil.errors import BenchError
from hil.keywords import Keywords

pytestmark = pytest.mark.compiled

FAULTS = 'schema = 1\nseed = 1\nsteps = 80\n[[fault]]\nrate = 0.2\nkinds = ["double"]\n'


def in_all(outputs: Any, status: Any) -> tuple[Any, Any]:
    """An output that is a tenth too large."""
    outputs[:, 4] += 0.1
    return outputs, status


def test_faults_and_the_reference_find_a_wrong_device(board_export: Path, wire: ModuleType, tmp_path: Path) -> None:
    """The sound device passes both; one whose piston is a tenth too far fails both."""
    (tmp_path / "faults.toml").write_text(FAULTS, encoding="utf-8")
    library = Keywords()
    with wire.board_of(load_export(board_export)) as board:
        library.open_bench(str(wire.bench_file(board, tmp_path)), faults=str(tmp_path / "faults.toml"))
        library.generate_random_vectors(60)
        library.run_test_vectors()
        library.reference_checks_should_pass("closure residual")
        library.reference_checks_should_pass()
        said = library.step_under_faults(seed=3)
        assert "double" in said
        assert library.step_under_faults(seed=3) == said
        library.no_wrong_result_should_be_accepted()
        board.spoil = in_all
        library.run_test_vectors()
        with pytest.raises(AssertionError, match="coordinates"):
            library.reference_checks_should_pass()
        library.step_under_faults(seed=3)
        with pytest.raises(AssertionError, match="wrong results accepted under faults"):
            library.no_wrong_result_should_be_accepted()
        library.close_bench()


def test_a_conversation_that_ended_under_faults_fails_and_the_bench_goes_on(bench: Path, tmp_path: Path) -> None:
    """Every frame is lost, so no step is done; afterwards no fault happens any more."""
    (tmp_path / "faults.toml").write_text(FAULTS.replace("0.2", "1.0").replace("double", "drop"), encoding="utf-8")
    library = Keywords()
    library.open_bench(str(bench), faults=str(tmp_path / "faults.toml"))
    library.set_parameter("l1", "200 mm")
    library.step_under_faults()
    with pytest.raises(AssertionError, match=r"steps not done under faults 80 steps.*the conversation ended at step 0"):
        library.no_wrong_result_should_be_accepted()
    library.step(5)
    library.outputs_should_be_bit_identical()
    library.close_bench()


def test_what_has_no_model_is_not_judged(load_data_module: Any, require_tool: Any, tmp_path: Path) -> None:
    """A hand-written program has no reference: the test is skipped with that reason, and does not pass."""
    from exporter.export import write_export

    require_tool("gcc")
    write_export(load_data_module("sample_program").slider_crank_program("float32"), tmp_path / "export", {})
    (tmp_path / "bench.toml").write_text(SOFTWARE.format(export="export", work="work"), encoding="utf-8")
    library = Keywords()
    library.open_bench(str(tmp_path / "bench.toml"), target="software")
    library.step()
    with pytest.raises(SkipExecution, match="holds no model"):
        library.reference_checks_should_pass()
    library.close_bench()
    with pytest.raises(BenchError, match=r"there is no \[target.m4f\]; choose one of software"):
        library.open_bench(str(tmp_path / "bench.toml"), target="m4f")
