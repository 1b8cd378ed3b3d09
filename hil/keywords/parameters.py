"""Keywords on the tunable parameters of the export that the device runs."""

from robot.api import logger
from robot.api.deco import keyword

from hil.keywords.state import State
from sil.parameter_texts import parse_parameters


class ParameterKeywords:
    """Set Parameter, Reset Parameters."""

    def __init__(self, state: State) -> None:
        self._state = state

    @keyword("Set Parameter")
    def set_parameter(self, name: str, value: str) -> None:
        """Set a tunable parameter on the device, and in what it is compared with; the others stay as they are.

        A value has a unit, or is a number in the SI unit. Out of range it is refused, and the one before stays.

        Example: | Set Parameter | l1 | 200 mm |
        """
        runtime = self._state.bench()
        given = parse_parameters(runtime.export.manifest, {name: value})
        runtime.set_parameters(runtime.parameters | given)
        self._state.is_tuned = True
        logger.info(f"in force: {', '.join(f'{each} = {number!r}' for each, number in runtime.parameters.items())}")

    @keyword("Reset Parameters")
    def reset_parameters(self) -> None:
        """Bring the nominal value of every tunable parameter into force; CAN logs run at what they state again."""
        self._state.bench().set_parameters({})
        self._state.is_tuned = False
