"""The known word nearest to one that is not known, for messages.

In: a word, the known ones. Out: a word, or text to go into a sentence.
"""

from collections.abc import Iterable


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The known word with the fewest typing slips, the first of several; None if more than about a third differs."""
    distances = [(_slips(word.lower(), other.lower()), other) for other in known]
    near = [(slips, other) for slips, other in distances if slips <= _allowed_edits(max(len(word), len(other)))]
    return min(near, key=lambda pair: pair[0])[1] if near else None


def _allowed_edits(length: int) -> int:
    return min(max(1, (length + 1) // 3), length - 1)


def _slips(left: str, right: str) -> int:
    """Letters missing, added, changed or exchanged with their neighbour (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        new = [i]
        for j, other in enumerate(right, 1):
            cost = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            new.append(cost)
        before, row = row, new
    return row[-1]


def nearest(word: str, known: Iterable[str]) -> str:
    """' (did you mean "crank"?)', or nothing."""
    near = nearest_word(word, known)
    return f' (did you mean "{near}"?)' if near else ""


def list_words(words: Iterable[str]) -> str:
    """'a, b, c', or 'none'."""
    return ", ".join(words) or "none"
