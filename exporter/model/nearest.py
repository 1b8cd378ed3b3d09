"""The known word nearest to one that is not known, for messages.

In: a word, the known ones. Out: text to go into a sentence, empty if none is near.
"""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """' (did you mean "crank"?)', or nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f' (did you mean "{near[0]}"?)' if near else ""


def listed(words: Iterable[str]) -> str:
    """'a, b, c', or 'none'."""
    return ", ".join(words) or "none"
