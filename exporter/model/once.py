"""What takes long is found once per mechanism: the one door of all results that are kept while Kinefix runs.

In: a function of a mechanism. Out: the function, its last results kept by the mechanism's content.
"""

from collections.abc import Callable
from dataclasses import field
from functools import lru_cache, wraps
from typing import Concatenate, ParamSpec, TypeVar

from exporter.model.mechanism import Mechanism
from exporter.records import dataclass

CACHE_ENTRIES = 64
"""Results of one function; a run of `analyse` looks at more models than that, and needs each of them once."""

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: alike where mechanisms and positional arguments are equal; the hash is only where to look."""

    mechanism: Mechanism
    what: tuple[object, ...]
    how: dict[str, object] = field(compare=False)

    def __hash__(self) -> int:
        return hash((self.mechanism.model_hash, self.mechanism.independent, self.what))


def once_per_model(find: Callable[Concatenate[Mechanism, P], T]) -> Callable[Concatenate[Mechanism, P], T]:
    """A function whose results are kept; one of a mechanism without a hash is found anew, and so is an error.

    Keyword arguments say how something is found, not what (such as who hears of progress): they are no part of the key.
    """

    @lru_cache(maxsize=CACHE_ENTRIES)
    def kept(call: _Call) -> T:
        return find(call.mechanism, *call.what, **call.how)  # type: ignore[arg-type]

    @wraps(find)
    def found(mechanism: Mechanism, *what: P.args, **how: P.kwargs) -> T:
        if not mechanism.model_hash:
            return find(mechanism, *what, **how)
        return kept(_Call(mechanism, what, how))

    return found  # type: ignore[return-value]
