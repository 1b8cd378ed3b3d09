"""Functions of an export with two choices of coordinates: which reference judges which vectors.

In: the evidence of a function and the reference of its mechanism. Out: groups of vectors, each with the reference that
is driven by the choice that is active there, assembled on the branch that the state names. Within a group everything
is judged as for any other function.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from exporter.errors import Unsolved
from exporter.manifest import Field, Function
from exporter.model.complete import by_alternative
from sil.domain import Rows
from sil.evidence import Evidence
from sil.reference.continuation import differs_from_design
from sil.reference.mechanism import Reference, reference_of, residual_reference_of
from sil.reference.opposite import opposite_of
from sil.signals import by_role

CHOICE_INPUT = "choice"
BRANCHES = ("branch.", "alternative.branch.")
OTHER_CHOICE_STATUS = np.uint32(0xFFFFFFFF)

Key = tuple[int, int]  # choice; +1 on the branch of the design pose, -1 on the other one


@dataclass(frozen=True, slots=True)
class Group:
    """Vectors with one active choice on one branch."""

    key: Key
    name: str
    mask: NDArray[np.bool_]  # the vectors that belong to it
    evidence: Evidence  # vectors of other groups have no inputs and every flag
    reference: Reference


class References:
    """The references of both choices on both branches, made when they are needed."""

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._found: dict[Key, Reference | None] = {(0, 1): reference}

    def of(self, key: Key) -> Reference | None:
        """None where the branch cannot be told from the orientation alone: with several loops, or with none found."""
        if key not in self._found:
            choice, branch = key
            if branch > 0:
                self._found[key] = alternative_reference(self._reference)
            else:
                own = self.of((choice, 1))
                self._found[key] = None if own is None else opposite_of(own)
        return self._found[key]


def alternative_reference(reference: Reference) -> Reference:
    """The reference driven by the alternative coordinates, at the same parameters."""
    skeleton = reference.skeleton
    values = {name: float(value) for name, value in skeleton.values.items()}
    mechanism = by_alternative(skeleton.mechanism)
    try:
        return reference_of(mechanism, values, start=reference.start)
    except Unsolved:
        if not differs_from_design(skeleton.mechanism, values):
            raise
        return residual_reference_of(mechanism, values)


def switches(function: Function) -> bool:
    """Whether a function takes the active choice."""
    return any(field.name == CHOICE_INPUT for field in function.row_inputs)


def relevant_rows(evidence: Evidence) -> Rows:
    """The vectors with nominal values where the active choice does not count an entry: bad or good, it is ignored."""
    rows = evidence.vectors.rows
    if not switches(evidence.function):
        return rows
    names = [field.name for field in evidence.function.row_inputs]
    second = evidence.domain.with_nominal(rows)[:, names.index(CHOICE_INPUT)] > 0.5
    return np.where(idle_entries(evidence.export.manifest.model, names, second), evidence.domain.nominal, rows)


def idle_entries(model: Mapping[str, object], names: list[str], second: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Coordinates and rates that are of the other choice alone, (rows, names), by whether the second one is active."""
    first, other = (
        np.array([name.removesuffix(".rate") in own for name in names])
        for own in (_names_only(model, "independent", "alternative"), _names_only(model, "alternative", "independent"))
    )
    return np.where(second[:, None], first, other)


def _names_only(model: Mapping[str, object], key: str, other: str) -> set[object]:
    """Coordinates of one choice that are not in the other."""
    own, shared = model.get(key), model.get(other)
    return set(own if isinstance(own, list) else ()) - set(shared if isinstance(shared, list) else ())


def driven_by_alternative(function: Function, reference: Reference) -> bool:
    """Whether a function takes the alternative coordinates, and not the first ones."""
    mechanism = reference.skeleton.mechanism
    given = {field.name for field in function.row_inputs}
    other = set(mechanism.alternative)
    return bool(other) and other <= given and not set(mechanism.independent) <= given


def keys_of(fields: tuple[Field, ...], rows: Rows, nominal: Mapping[str, float]) -> NDArray[np.int64]:
    """Choice and branch of every row, (rows, 2); branch 0 where only some of several roots are the design pose's."""
    names = [field.name for field in fields]
    choice = (rows[:, names.index(CHOICE_INPUT)] > 0.5).astype(np.int64)
    branch = np.zeros(len(rows), dtype=np.int64)
    for number, prefix in enumerate(BRANCHES):
        columns = [k for k, name in enumerate(names) if name.startswith(prefix)]
        same = [np.where(rows[:, k] >= 0, 1, -1) == (1 if nominal[names[k]] >= 0 else -1) for k in columns]
        agreeing = np.sum(same, axis=0) if same else np.zeros(len(rows))
        found = np.where(agreeing == len(columns), 1, np.where((agreeing == 0) & (len(columns) == 1), -1, 0))
        branch = np.where(choice == number, found, branch)
    return np.stack([choice, branch], axis=1)


def design_roots(function: Function) -> dict[str, float]:
    """The roots of the design pose, by state entry."""
    return {field.name: field.nominal or 1.0 for field in function.row_inputs if field.name.startswith(BRANCHES)}


def groups_of(evidence: Evidence, references: References) -> list[Group]:
    """The groups that have vectors and a reference."""
    keys = keys_of(evidence.function.row_inputs, evidence.vectors.rows, design_roots(evidence.function))
    found = []
    for key in ((0, 1), (0, -1), (1, 1), (1, -1)):
        mask = (keys == np.array(key)).all(axis=1)
        reference = references.of(key) if mask.any() else None
        if reference is not None:
            found.append(
                Group(key, _name(reference, key), mask, _evidence_within(evidence, mask, reference), reference)
            )
    return found


def _name(reference: Reference, key: Key) -> str:
    names = ", ".join(reference.skeleton.mechanism.independent)
    return f"driven by {names}{'' if key[1] > 0 else ', other root'}"


def _evidence_within(evidence: Evidence, mask: NDArray[np.bool_], reference: Reference) -> Evidence:
    """The evidence with the vectors of other groups put aside; numbers of vectors stay."""
    rows = np.where(mask[:, None], evidence.vectors.rows, np.nan).astype(evidence.vectors.rows.dtype)
    status = np.where(mask, evidence.ran.status, OTHER_CHOICE_STATUS)
    return replace(
        evidence,
        vectors=replace(evidence.vectors, rows=rows),
        ran=replace(evidence.ran, status=status),
        margins=_margins(evidence, mask, reference),
    )


def _margins(evidence: Evidence, mask: NDArray[np.bool_], reference: Reference) -> NDArray[np.float64]:
    """Smallest margin or pivot by the function that is driven by the same coordinates; both roots have the same."""
    wanted = set(reference.skeleton.mechanism.independent)
    margins = np.ones(len(mask))
    for function in evidence.telling.manifest.functions:
        chosen = by_role(function, "margin") + by_role(function, "pivot")
        if chosen and {field.name for field in function.row_inputs} == wanted:
            names = [field.name for field in evidence.function.row_inputs]
            columns = np.array([names.index(field.name) for field in function.row_inputs])
            outputs = evidence.telling.call(function.name, evidence.vectors.rows[np.ix_(mask, columns)]).outputs
            margins[mask] = np.abs(outputs[:, chosen].astype(np.float64)).min(axis=1)
            break
    return margins
