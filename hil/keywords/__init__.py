"""The Robot Framework library: `Library    hil.keywords`.

One file per theme; this class only brings them together. Arguments are plain and typed, durations have a type of
their own ("400 us"), and failures are sentences with both values.
"""

from typing import Any, ClassVar

from hil.driving.measure import Measure, parse_measure
from hil.driving.span import Span, parse_span
from hil.duration import Duration, parse_duration
from hil.keywords.benches import BenchKeywords
from hil.keywords.can import CanKeywords
from hil.keywords.cycles import CycleKeywords
from hil.keywords.driving import DrivingKeywords
from hil.keywords.faults import FaultKeywords
from hil.keywords.outputs import OutputKeywords
from hil.keywords.parameters import ParameterKeywords
from hil.keywords.realtime import RealTimeKeywords
from hil.keywords.reference import ReferenceKeywords
from hil.keywords.state import State
from hil.keywords.tables import TableKeywords
from hil.keywords.vectors import VectorKeywords


def _duration(text: str) -> Duration:
    """A time above zero: a number and ns, us, ms, s, or cycles of the device's counter, such as `400 us`."""
    return parse_duration(text)


def _measure(text: str) -> Measure:
    """A number with its unit, such as `30 deg`, `200 mm` or `2 kN`; alone for a signal without a unit."""
    return parse_measure(text)


def _span(text: str) -> Span:
    """A number of steps, such as `50 steps`, or a time that is a whole number of the bench's periods: `20 ms`."""
    return parse_span(text)


class Keywords:
    """Verify an export on an emulated or real ECU: agreement in lockstep, deadlines in free run.

    A test opens a bench, runs vectors or lets the device run in real time, and states what must hold. A test that needs
    a clock is skipped, with the reason, where the device has none to be trusted. What one test ran is judged in no
    other one; what the setup of the suite ran is there for all of its tests.
    """

    ROBOT_LIBRARY_SCOPE = "SUITE"
    ROBOT_LISTENER_API_VERSION = 3
    ROBOT_LIBRARY_CONVERTERS: ClassVar[dict[type, Any]] = {Duration: _duration, Measure: _measure, Span: _span}

    def __init__(self) -> None:
        self.ROBOT_LIBRARY_LISTENER = self
        self._state = state = State()
        themes = (
            BenchKeywords(state),
            ParameterKeywords(state),
            DrivingKeywords(state),
            OutputKeywords(state),
            VectorKeywords(state),
            TableKeywords(state),
            ReferenceKeywords(state),
            CycleKeywords(state),
            RealTimeKeywords(state),
            FaultKeywords(state),
            CanKeywords(state),
        )
        self._keywords = {
            name: method
            for theme in themes
            for name in dir(theme)
            if hasattr(method := getattr(theme, name), "robot_name")
        }

    def start_test(self, _data: object, _result: object) -> None:
        """What Robot Framework tells a listener before each test."""
        self._state.begin_test()

    def end_test(self, _data: object, _result: object) -> None:
        """What Robot Framework tells a listener after each test."""
        self._state.end_test()

    def get_keyword_names(self) -> list[str]:
        """What Robot Framework asks a library for."""
        return sorted(self._keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._keywords:
            raise AttributeError(f"the library has no keyword '{name}'")
        return self._keywords[name]


keywords = Keywords  # Robot Framework takes the class that is called like the module
