"""Undo mojibake: text that was read in a wrong charset before it came to the page, such as UTF-8 as Windows-1252.

Only what can be undone with certainty is: the bytes of the wrong charset, read as UTF-8, are text again (ftfy). What
stays broken is for the filters of quality.
"""

import re
from dataclasses import replace
from typing import Any

from ftfy import fix_encoding

from newscorpus.data import Fields

REPAIRED = "encoding_repaired"
"""Flag of a text that held mojibake."""

KOI8 = "koi8_r"
CHARSETS = (
    "latin-1", "iso-8859-2", "macroman", KOI8,
    *(f"sloppy-windows-{page}" for page in (1250, 1251, 1252, 1253, 1254, 1257)),
)  # fmt: skip
"""What UTF-8 is taken for by mistake: those that ftfy knows, and the one that it does not."""


def _characters(first: int, last: int) -> str:
    """Those that the bytes from `first` to `last` are in one of the charsets, as a class of a regular expression."""
    bytes_of_charset = bytes(range(first, last + 1))
    found = {char for charset in CHARSETS for char in bytes_of_charset.decode(charset, "ignore") if not char.isascii()}
    return f"[{re.escape(''.join(sorted(found)))}]"


_SIGN = re.compile(f"{_characters(0xC2, 0xF4)}{_characters(0x80, 0xBF)}")
"""A character of UTF-8 in another charset: a first byte and one that follows. Rare in text that is right."""
_CONTROL = re.compile("[\x80-\x9f]")


def repair(text: str) -> str:
    """`text` without mojibake that can be undone; a text is a paragraph a line."""
    if not (_SIGN.search(text) or _CONTROL.search(text)):
        return text
    return "\n".join(map(_repair_line, text.split("\n")))


def _repair_line(line: str) -> str:
    try:
        return line.encode(KOI8).decode("utf-8")  # other text is next to never UTF-8 in the bytes of KOI8-R
    except UnicodeError:
        return fix_encoding(line)


def repair_fields(fields: Fields) -> Fields:
    """`fields` whose texts are without it."""
    changed: dict[str, Any] = {
        **{name: repair(getattr(fields, name)) for name in ("title", "lead", "section", "description", "site_name")},
        **{name: tuple(map(repair, getattr(fields, name))) for name in ("authors", "agencies", "tags")},
        "images": tuple(replace(one, alt=repair(one.alt), caption=repair(one.caption)) for one in fields.images),
    }
    return replace(fields, **changed)
