"""Comments of C out of anybody's words: what could end or open a comment is defused, long ones are wrapped."""

import re
import textwrap

WIDTH = 120
ELLIPSIS = " ..."


def comment_text(text: str) -> str:
    """Words that are safe inside a block comment, ASCII only, on one line."""
    line = " ".join(text.split()) if "\n" in text else text.strip()
    ascii_line = line.encode("ascii", "backslashreplace").decode("ascii")
    return re.sub(r"\?\?", "? ?", re.sub(r"/(?=[/*])", "/ ", ascii_line.replace("*/", "* /")))


def clipped(text: str, longest: int) -> str:
    """Words that fit so many characters; others are cut behind a clause, or behind a word, and end in " ..."."""
    whole = comment_text(text)
    clause = whole[: longest - len(ELLIPSIS)].rfind(";") + 1
    cut = whole[:clause] + ELLIPSIS if clause else textwrap.shorten(whole, longest, placeholder=ELLIPSIS)
    return whole if len(whole) <= longest else cut


def comment_lines(text: str, indent: int = 4) -> list[str]:
    """One block comment as lines, wrapped at the line limit."""
    pad = " " * indent
    wrapped = textwrap.wrap(
        comment_text(text), WIDTH - indent - 6, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    ) or [""]
    lines = [f"{pad}/* {wrapped[0]}", *(f"{pad} * {line}" for line in wrapped[1:])]
    lines[-1] += " */"
    return lines
