"""Characters that a page or picture can hold: names come from files, where every character can be written.

In: text of an XML or HTML document. Out: the text that every reader takes.
"""

import re

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold (section 2.2); in HTML they are errors too."""


def readable(text: str) -> str:
    """The text with U+FFFD in place of each character that XML cannot hold."""
    return NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def css_text(text: str) -> str:
    """Text inside quotation marks of a style sheet: whatever could end it is written by its number."""
    return "".join(each if each.isalnum() or each in " .,:+-()" else f"\\{ord(each):x} " for each in text)
