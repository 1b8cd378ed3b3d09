"""Text of users' files and names as a terminal may show it: what would steer the terminal is made visible.

In: any text. Out: text in which nothing moves the cursor, changes colours or turns the direction of reading.
"""

import re

STEERING_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters (C0, DEL, C1), separators of lines and paragraphs, marks of direction (Unicode Standard Annex 9,
section 2), and halves of characters, by which Python stands for bytes that are no UTF-8."""


def visible(text: str) -> str:
    """The text with escapes in place of such characters, as Python writes them in text."""
    return STEERING_CHARACTERS.sub(lambda found: _escape_character(ord(found.group())), text)


def _escape_character(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
