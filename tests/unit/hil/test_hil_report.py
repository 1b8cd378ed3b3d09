"""The deadline report: what must stand in it, and what must never look like a pass."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bench_result import CLOCK, LOG, ROOT, analysis_of, report, result, stalled

from exporter.cli import main
from exporter.drawing.charts.svg import STRIP_SHEET, chart_svg
from hil.campaign import BenchResult
from hil.deadlines import Timing, analyse
from hil.errors import BenchError
from hil.report.charts import window_chart
from hil.report.document import run_document
from hil.report.files import write_report
from hil.report.index import collect, index_of, write_index
from hil.report.page import page_text
from sil.report.junit import junit_text
from sil.verdict import Verdict


def page_of(found: BenchResult) -> str:
    """The page of a result."""
    return page_text(report(found))


def test_the_page_begins_with_the_line_that_a_manager_reads() -> None:
    """The first paragraph is the verdict in a word, then comes the headline, marked as failed."""
    page = page_of(result())
    first, second = re.findall(r"<p class=\"(.*?)\">(.*?)</p>", page)[:2]
    assert first == ("verdict fail", "FAILED")
    assert second[0] == "headline failed"
    assert second[1] == (
        "998 of 1,000 activations ran, 3 missed, worst 481.6 us of 400 us (120 %), margin -81.6 us, at vector 52, "
        "virtual time (64 ns per instruction)"
    )


def test_a_violation_has_its_size_inputs_status_neighbours_and_replay() -> None:
    """Everything that is needed to look into activation 500 stands in its box."""
    page = page_of(result())
    box = page[page.index('<div class="activation violation">') :]
    box = box[: box.index("</div>")]
    assert "activation 500 (vector 52, due at 0.501000 s)" in box
    assert "468 us (11,700 ticks) longer than the median" in box
    assert "finished 81.6 us after its deadline" in box
    assert "theta [rad] = <code>0.25</code>" in box
    assert "ARG_REJECTED" in box
    assert [int(index) for index in re.findall(r"<tr(?: class=\"own\")?><td>(\d+)</td>", box)] == [498, 499, 500, 501]
    assert f"kinefix hil {ROOT / 'examples' / 'bench.toml'} --lockstep 0 --free-run 504 --seed 9" in box


def test_skipped_activations_are_named() -> None:
    """Which never ran, and when the first was due."""
    assert "activations 502 to 503 never ran; due at 0.503000 s" in page_of(result())


def test_the_charts_mark_the_deadline() -> None:
    """Two of the run and one for each window, inside the page; no script and nothing from a network."""
    page = page_of(result())
    assert page.count("<svg") == 5
    assert page.count(">deadline 400.0 us<") == 4
    assert page.count(">deadline less latest start 399.2 us<") == 1
    assert "longest 480.0 us" in page
    assert "<script" not in page
    assert "http" not in page


def test_small_numbers_keep_three_digits() -> None:
    """0.00123 of 0.01 is no 0.00 of 0.01; what is 1 or more keeps two decimals, whole numbers stay whole."""
    small = Verdict("angles", "dostep", 0.001234, 0.01, "rad", "all rows")
    large = Verdict("worst finish after release", "dostep", 481.6, 1400.0, "us", "all rows")
    none = Verdict("missed deadlines", "dostep", 0.0, 0.0, "activations", "all rows")
    page = page_of(replace(result(), verdicts=(small, large, none)))
    rows = [re.findall(r"<td>([^<]*)</td>", row) for row in page.split("<tr>")]
    assert ["angles", "0.00123", "0.01", "0.00877"] in rows
    assert ["worst finish after release", "481.60", "1,400", "918.40"] in rows
    assert ["missed deadlines", "0", "0", "0"] in rows


def drawings() -> list[ElementTree.Element]:
    """The charts of the page: durations, finishes in their course, two violations, the latest finish."""
    return [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page_of(result()), re.S)]


def read_off(drawing: ElementTree.Element, axis: str, low: float, high: float) -> Callable[[float], float]:
    """Pixels to values by the texts of two ticks of an axis, as a person reads them."""
    shift, anchor = (4, "end") if axis == "y" else (0, "middle")  # from a tick to the baseline of its text
    ticks = {each.text: each for each in drawing.iter("text") if each.get("text-anchor") == anchor}
    first, second = (float(ticks[f"{value:,g}"].get(axis, "nan")) - shift for value in (low, high))
    return lambda pixel: low + (pixel - first) * (high - low) / (second - first)


def within(drawing: ElementTree.Element, kind: str) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of the rectangles of a class."""
    found = []
    for each in (one for one in drawing.iter("rect") if one.get("class") == kind):
        x, y, width, height = (float(each.get(name, "nan")) for name in ("x", "y", "width", "height"))
        found.append((x, x + width, y, y + height))
    return found


def test_no_bar_stands_behind_the_words_of_a_limit() -> None:
    """In all charts, whose paper under the words meets no bar."""
    for drawing in drawings():
        papers, bars = within(drawing, "paper"), within(drawing, "bar")
        assert papers
        assert bars
        meets = [(p, b) for p in papers for b in bars if p[0] < b[1] and b[0] < p[1] and p[2] < b[3] and b[2] < p[3]]
        assert meets == []


def test_activations_are_counted_in_whole_numbers() -> None:
    """Three of them have three ticks, 0.5 is none."""
    drawing = ElementTree.fromstring(chart_svg(window_chart(LOG[:3], analysis_of()), STRIP_SHEET))
    ticks = [
        each.text for each in drawing.iter("text") if each.get("text-anchor") == "end" and each.get("class") == "tick"
    ]
    assert ticks == ["498", "499", "500"]


def test_the_latest_finish_is_no_alarm_where_it_is_in_time() -> None:
    """Red is what is late; the time that is neither start nor duration stands beside them, 20 ticks of 40 ns."""
    run = stalled()
    in_time = analyse(replace(run, summary=replace(run.summary, response_index=499)), CLOCK, Timing(25_000, 10_000), 64)
    found = result()
    assert found.timed is not None
    for analysis, look in ((found.timed.analysis, "activation violation"), (in_time, "activation")):
        page = page_of(replace(found, timed=replace(found.timed, analysis=analysis)))
        box = page[page.index("<h2>Latest finish</h2>") :]
        assert re.findall(r'<div class="(activation.*?)">', box) == [look]
        assert "<td>800 ns</td><td>12 us</td><td>800 ns</td><td>13.6 us</td>" in box


def test_what_did_not_end_has_no_empty_section() -> None:
    """A run that was cut short at once has no durations."""
    cut = replace(result(), timed=None, duration_statistics=())
    assert "<h2>Durations" in page_of(result())
    assert "<h2>Durations" not in page_of(cut)


def test_paper_tells_on_each_sheet_what_it_is_of() -> None:
    """At the foot, whatever the name has in it; a number and its limit stay on one line."""
    small = Verdict("closure residual", "dostep", 4.61e-07, 2e-06, "rad", "all rows")
    page = page_of(replace(result(), verdicts=(small,)))
    assert r'content: "PASSED: bench \3c one\3e  \26  two, 2026-01-02 03:04:05+01:00"' in page
    assert '<td class="text number">4.61e-07 of 2e-06 rad</td>' in page


def test_a_limit_stands_at_its_value_on_every_axis() -> None:
    """400 us after the release; of durations what is left of them behind the latest start, 21 ticks of 40 ns."""
    limits = [399.16, 400.0, 400.0, 400.0, 400.0]
    for axis, limit, drawing in zip("xyxxx", limits, drawings(), strict=True):
        line = next(each for each in drawing.iter("line") if each.get("class") == "mark limit")
        assert read_off(drawing, axis, 200, 300)(float(line.get(f"{axis}1", "nan"))) == pytest.approx(limit, abs=0.05)


def test_activations_are_drawn_from_start_to_finish_after_their_releases() -> None:
    """Four in a row around the overrun, 20 ticks to 340, the overrun to 12,040; each at its number."""
    for drawing in (drawings()[2], drawings()[4]):
        us, number = read_off(drawing, "x", 200, 300), read_off(drawing, "y", 499, 500)
        found = []
        for bar in (each for each in drawing.iter("rect") if each.get("class") == "bar"):
            x, y, width, height = (float(bar.get(name, "nan")) for name in ("x", "y", "width", "height"))
            found.append((round(number(y + height / 2)), us(x), us(x + width)))
        assert [place for place, _, _ in found] == [498, 499, 500, 501]
        for (_, start, finish), ticks in zip(found, (340, 340, 12_040, 340), strict=True):
            assert (start, finish) == (pytest.approx(0.8, abs=0.1), pytest.approx(ticks * 0.04, abs=0.1))


def test_names_are_text_and_not_markup() -> None:
    """A name with angle brackets is shown, not run."""
    page = page_of(result())
    assert "bench &lt;one&gt; &amp; two" in page
    assert "<one>" not in page


def test_control_characters_of_a_name_are_shown_as_unknown(tmp_path: Path) -> None:
    """The page and the index hold U+FFFD in their place; the data keeps the name."""
    named = replace(result(), bench=replace(result().bench, name="bell \x07 end"))
    write_report(report(named), tmp_path)
    (entry,) = collect(tmp_path)
    assert entry.title == "bell \x07 end"
    for text in (page_of(named), write_index(tmp_path, index_of(tmp_path)).read_text(encoding="utf-8")):
        assert "bell \N{REPLACEMENT CHARACTER} end" in text
        assert "\x07" not in text


def test_control_characters_of_a_name_are_escaped_on_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What would ring, colour or turn around the line is shown."""
    write_report(
        report(replace(result(), bench=replace(result().bench, name="red \x1b[31m turned \u202e end"))), tmp_path
    )
    with pytest.raises(SystemExit):
        main(["report", str(tmp_path)])
    assert "FAIL red \\x1b[31m turned \\u202e end (.; emulated arm-m4f, tcp): 998" in capsys.readouterr().out


def test_repairs_on_the_link_are_always_listed() -> None:
    """One retry makes the link unstable, in the page and in the data."""
    assert "Unstable" in page_of(result())
    assert run_document(result())["traffic"]["unstable"] is True


def test_honesty_stands_on_every_page() -> None:
    """A maximum is no proof, and virtual time is no time of hardware."""
    page = page_of(result())
    assert "it is no proof" in page
    assert "no deadline pass of hardware" in page


def test_without_a_clock_nothing_is_drawn_and_nothing_passes() -> None:
    """No measurement in the headline, in the verdict, in JUnit and in JSON; NaN never gets into JSON."""
    blind = result(replace(CLOCK, moves=False))
    page = page_of(blind)
    assert "no measurement: the device has no counter that moves" in page
    assert "<svg" not in page
    assert not blind.passed
    text = json.dumps(run_document(blind), allow_nan=False)
    assert json.loads(text)["verdicts"][0]["passed"] is False
    assert 'errors="1"' in junit_text("bench", blind.verdicts, {}, "hil")


def test_a_run_without_any_verdict_does_not_pass() -> None:
    """Nothing checked is nothing shown."""
    assert not replace(result(), verdicts=()).passed


def test_junit_is_flat() -> None:
    """One suite, its cases right below it, counts that add up, the replay in the failure."""
    good = Verdict("bit agreement", "dostep", 0.0, 0.0, "rows", "all of them")
    bad = Verdict("missed deadlines", "dostep", 3.0, 0.0, "activations", "late", replay="kinefix hil b.toml")
    suite = ElementTree.fromstring(junit_text("b", (good, bad), {"board": "x"}, "hil").split("\n", 1)[1])
    assert suite.tag == "testsuite"
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    assert [child.tag for child in suite] == ["properties", "testcase", "testcase"]
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert "kinefix hil b.toml" in str(failure.text)


def test_inputs_in_the_data_lose_no_bit() -> None:
    """Hexadecimal floats, NaN included."""
    violation = run_document(result())["violations"][0]
    assert violation["inputs"] == {"theta [rad]": "0x1.0000000000000p-2", "F [N]": "nan"}


def test_the_same_report_gives_the_same_bytes(tmp_path: Path) -> None:
    """Dates and places are those of its form."""
    for name in ("a", "b"):
        write_report(report(), tmp_path / name)
    for file in ("report.html", "report.json", "report.xml"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_report_whose_place_was_taken_meanwhile_is_one_sentence(tmp_path: Path) -> None:
    """It was free when the run began, and is a file at its end."""
    assert write_report(report(), tmp_path / "free").is_file()
    (tmp_path / "taken").write_text("a file", encoding="utf-8")
    with pytest.raises(BenchError, match=r"the report cannot be written to .*taken"):
        write_report(report(), tmp_path / "taken")


def test_an_index_lists_every_report_below_a_folder(tmp_path: Path) -> None:
    """Headline, verdict and a link that leads to the page."""
    write_report(report(), tmp_path / "deep" / "hil")
    (entry,) = collect(tmp_path)
    assert not entry.passed
    assert entry.failed == ("dostep: missed deadlines",)
    assert (tmp_path / entry.link).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert entry.headline in write_index(tmp_path, index_of(tmp_path)).read_text(encoding="utf-8")
    assert collect(tmp_path) == (entry,), "the index is no report itself"


def test_a_folder_without_reports_is_an_error(tmp_path: Path) -> None:
    """An empty page would look like success."""
    with pytest.raises(BenchError, match="no report below"):
        collect(tmp_path)
    with pytest.raises(BenchError, match="no folder"):
        collect(tmp_path / "none")


SPOILED = {
    "an older version": ({"version": 0}, "'version' is 0, known is 2"),
    "a version that is true": ({"version": True}, "'version' is true, known is 2"),
    "a version of text": ({"version": "1"}, "'version' is \"1\", known is 2"),
    "another kind": ({"report": "kinefix-til"}, "'report' is \"kinefix-til\", known are kinefix-sil, kinefix-hil"),
    "no kind": ({"report": None}, "'report' is null"),
    "no title": ({"title": ...}, "'title' is missing"),
    "no headline": ({"headline": ...}, "'headline' is missing"),
    "no verdicts": ({"verdicts": ...}, "'verdicts' is missing"),
    "verdicts in a table": ({"verdicts": {"a": 1}}, "'verdicts' is {\"a\": 1}"),
    "a verdict that is a number": ({"verdicts": [3]}, "in 'verdicts' 3 stands where a table belongs"),
    "a verdict without a check": ({"verdicts": [{"function": "dostep"}]}, "in 'verdicts' 'check' is missing"),
    "passed as text": ({"passed": "yes"}, "'passed' is \"yes\""),
    "verdicts of a number": ({"verdicts": 7}, "'verdicts' is 7"),
}


@pytest.mark.parametrize("case", SPOILED)
def test_a_report_of_another_form_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], case: str
) -> None:
    """Read as it was written, and refused with one thing changed; exit code 2 and no page."""
    change, words = SPOILED[case]
    write_report(report(), tmp_path)
    assert len(collect(tmp_path)) == 1
    data = tmp_path / "report.json"
    changed = json.loads(data.read_text(encoding="utf-8")) | change
    data.write_text(json.dumps({key: value for key, value in changed.items() if value is not ...}), encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert "run again what wrote it" in said
    assert not (tmp_path / "index.html").exists()


@pytest.mark.parametrize("text", ["[]", "3", "null", '"kinefix-hil"', "[" * 100_000])
def test_a_report_that_is_no_table_is_one_sentence(tmp_path: Path, text: str) -> None:
    """Whatever JSON is."""
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    with pytest.raises(BenchError, match="run again what wrote it"):
        collect(tmp_path)


def test_a_spoiled_report_is_an_error(tmp_path: Path) -> None:
    """A report that cannot be read must not vanish from the index; any other file may be what it likes."""
    write_report(report(), tmp_path / "hil")
    (tmp_path / "notes.json").write_text("{", encoding="utf-8")
    assert len(collect(tmp_path)) == 1
    (tmp_path / "report.json").write_text("{", encoding="utf-8")
    with pytest.raises(BenchError, match="is no JSON"):
        collect(tmp_path)
