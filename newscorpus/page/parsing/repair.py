"""Undo mojibake: text that was read in a wrong charset before it came to the page, such as UTF-8 as Windows-1252.

Only what can be undone with certainty is: the bytes of the wrong charset, read as UTF-8, are text again (ftfy). What
stays broken is for the filters of quality.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ftfy import fix_encoding

from newscorpus.data import Fields
from newscorpus.tokens import SOFT_HYPHEN

REPAIRED = "encoding_repaired"
"""Flag of a text that held mojibake."""

CHARSETS = (
    *(f"sloppy-windows-{page}" for page in (1252, 1250, 1251, 1253, 1254, 1257)),
    "latin-1", "iso-8859-2", "macroman", "koi8_r",
)  # fmt: skip
"""What UTF-8 is taken for by mistake: those that ftfy knows, and the one that it does not."""

CERTAIN = 3
"""Different letters beyond ASCII in a line that is UTF-8 in the bytes of another charset: of the 4,669 right texts at
hand none has such a line by chance. One is enough to know in which charset a text was read."""


def _characters(first: int, last: int) -> str:
    """Those that the bytes from `first` to `last` are in one of the charsets, as a class of a regular expression."""
    bytes_of_charset = bytes(range(first, last + 1))
    found = {char for charset in CHARSETS for char in bytes_of_charset.decode(charset, "ignore") if not char.isascii()}
    return f"[{re.escape(''.join(sorted(found)))}]"


_SIGN = re.compile(f"{_characters(0xC2, 0xF4)}{_characters(0x80, 0xBF)}|[\x80-\x9f]")
"""A character of UTF-8 in another charset, a first byte and one that follows, or a control character. Rare in text that
is right."""
NO_BREAK_SPACE = "\xa0"
_LOST_BYTE = re.compile(rb"(?<=[\xc2-\xdf]) ")
"""A space in place of the second byte of a letter: that was a no-break space, and white space is collapsed."""


def repair(text: str) -> str:
    """`text` without mojibake that can be undone; a text is a paragraph a line.

    Where no line that shows a sign of it can be mended, the others are right, too. Soft hyphens that are left over go.
    """
    return _mend(text).replace(SOFT_HYPHEN, "")


def _mend(text: str) -> str:
    if not _SIGN.search(text):
        return text
    lines = text.split("\n")
    suspects = [line for line in lines if _SIGN.search(line)]
    charset = max(CHARSETS, key=lambda charset: _certainty([_undo(line, charset) for line in suspects]))
    undone = [_undo(line, charset) for line in lines]
    if _certainty(undone):
        mended = (right or fix_encoding(line) for right, line in zip(undone, lines, strict=True))
        return _mend("\n".join(mended))  # it may have been misread twice
    is_right = all(fix_encoding(line) == line for line in suspects)
    return text if is_right else "\n".join(map(fix_encoding, lines))


def _certainty(undone: Sequence[str]) -> int:
    """How many letters a charset undid, if one of the lines has enough to be certain."""
    letters = [len({character for character in line if not character.isascii()}) for line in undone]
    return sum(letters) if max(letters, default=0) >= CERTAIN else 0


def _undo(line: str, charset: str) -> str:
    """`line`, whose UTF-8 was read as `charset`, as it was; "" where it cannot have been."""
    try:
        return _LOST_BYTE.sub(NO_BREAK_SPACE.encode(charset), line.encode(charset)).decode("utf-8")
    except UnicodeError:
        return ""


def repair_fields(fields: Fields) -> Fields:
    """`fields` whose texts are without it."""
    changed: dict[str, Any] = {
        **{name: repair(getattr(fields, name)) for name in ("title", "lead", "section", "description", "site_name")},
        **{name: tuple(map(repair, getattr(fields, name))) for name in ("authors", "agencies", "tags")},
        "images": tuple(replace(one, alt=repair(one.alt), caption=repair(one.caption)) for one in fields.images),
    }
    return replace(fields, **changed)
