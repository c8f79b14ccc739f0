"""Decode the bytes of a page to text, and undo mojibake: text that was read in a wrong charset before.

Of mojibake only what can be undone with certainty is: the bytes of the wrong charset, read as UTF-8, are text again
(ftfy). What stays broken is for the filters of quality.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from charset_normalizer import from_bytes
from ftfy import fix_encoding
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from newscorpus.config import Limits
from newscorpus.data import Fields, Page, Rejected
from newscorpus.tokens import SOFT_HYPHEN

MAX_DAMAGE = 0.1
"""Undecodable bytes, of the characters beyond ASCII, up to which a charset is believed: pages are patched together (a
choice). The share of all characters would say little, since markup is ASCII."""

MAX_NULS = 0.01
"""Share of NUL characters up to which a document is a text with flaws (a choice)."""

SIGNATURES = {b"%PDF-": "a PDF", b"PK\x03\x04": "a ZIP, as of Word or EPUB", b"\x1f\x8b\x08": "compressed by gzip"}
"""How files begin that hold few NULs and are no pages (the MIME Sniffing Standard of WHATWG has them)."""

DETECTION_BYTES = 20_000
"""Detection is slow; the text of this many bytes is plenty for it."""

DETECTION_MARKUP_BYTES = 500_000
"""Bytes of the page that are searched for that text."""

CHARSETS = (
    "cp1250 iso8859_2 cp1251 koi8_r iso8859_5 cp1252 cp1253 iso8859_7 cp1254 cp1255 cp1256 cp1257 big5 gb18030 euc_jp "
    "shift_jis cp949"
).split()
"""What undeclared pages are written in, besides UTF-8: one charset a script, where several differ by little."""

DETECTION_THRESHOLD = 0.4
"""Share of disorder up to which a charset is considered. At charset-normalizer's 0.2 none is found for 2 of 15 Polish
texts of daniel in ISO-8859-2; at 0.4 all are right."""

FALLBACK = "cp1252"

_MARKUP = re.compile(rb"(?is)<(script|style)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>|&[#\w]+;")
_CHARSET = re.compile(r"utf-(8|16|32)|cp\d|iso8859|iso2022|koi8|mac|big5|gb|euc|shift_jis|johab|tis-620|ascii")
_BYTE_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_LETTER_OF_ISO_8859_2 = re.compile(rb"[a-zA-Z\xc0-\xff][\xa1-\xbf][a-z\xe0-\xff]")

REPAIRED = "encoding_repaired"
"""Flag of a text that held mojibake."""

MISREAD_AS = (
    *(f"sloppy-windows-{page}" for page in (1252, 1250, 1251, 1253, 1254, 1257)),
    "latin-1", "iso-8859-2", "macroman", "koi8_r",
)  # fmt: skip
"""What UTF-8 is taken for by mistake: those that ftfy knows, and the one that it does not."""

CERTAIN = 3
"""Different letters beyond ASCII in a line that is UTF-8 in the bytes of another charset: of the 4,669 right texts at
hand none has such a line by chance. One is enough to know in which charset a text was read."""
NO_BREAK_SPACE = "\xa0"
_LOST_BYTE = re.compile(rb"(?<=[\xc2-\xdf]) ")
"""A space in place of the second byte of a letter: that was a no-break space, and white space is collapsed."""


def decode(page: Page, limits: Limits = Limits()) -> str | Rejected:
    """The text of `page`: by byte order mark, else HTTP charset, else the charset it declares, else detection.

    A declared charset is passed over where the bytes contradict it: they cannot be decoded, or they are UTF-8, which
    text in another charset is next to never by chance (servers send ISO-8859-1 by default). Rejects an empty body, one
    over `limits.max_bytes`, and one that is no text.
    """
    body = page.body
    if not body or body.isspace():
        return Rejected("decode", "empty_body", url=page.url)
    if len(body) > limits.max_bytes:
        return Rejected("decode", "too_large", f"{len(body)} bytes, at most {limits.max_bytes}", page.url)
    if other := next((kind for begin, kind in SIGNATURES.items() if body.startswith(begin)), ""):
        return Rejected("decode", "not_text", other, page.url)
    text = _decode(body, page.headers.get("content-type", ""))
    if "\0" not in text:
        return text
    if text.count("\0") > MAX_NULS * len(text):
        return Rejected("decode", "not_text", "full of NUL characters", page.url)
    return text.replace("\0", "")


def declared_charset(page: Page) -> str:
    """The charset that `page` declares, in HTTP or in itself, by Python's name; "" where it declares none."""
    return next(_declared(page.body, page.headers.get("content-type", "")), "")


def _decode(body: bytes, content_type: str) -> str:
    bom_encoding, bom = read_bom(body)
    if bom_encoding and bom:
        return body[len(bom) :].decode(bom_encoding, "replace")
    text = _utf8(body)
    # ASCII may stand for other characters: UTF-16 is full of NULs, ISO-2022-JP has escape characters.
    if text is not None and not (text.isascii() and ("\0" in text or "\x1b" in text)):
        return text
    for encoding in _declared(body, content_type):
        declared = body.decode(encoding, "replace")
        damage = declared.count("\ufffd")
        if not damage or damage <= MAX_DAMAGE * (len(declared) - len(declared.encode("ascii", "ignore"))):
            return declared
    return text if text is not None else body.decode(_detect(body), "replace")


def _utf8(body: bytes) -> str | None:
    """`body` decoded if it is valid UTF-8; the last of several characters beyond ASCII may be cut short."""
    try:
        text, end = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return None
    return None if end < len(body) and text.isascii() else text


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """The charsets that HTTP and the page declare, by Python's names; other codecs (`idna`, `hex`) are passed over."""
    for name in (http_content_type_encoding(content_type), html_body_declared_encoding(body)):
        encoding = resolve_encoding(name) if name else None
        if encoding and _CHARSET.match(encoding):
            yield encoding


def _detect(body: bytes) -> str:
    text = b" ".join(_MARKUP.sub(b" ", body[:DETECTION_MARKUP_BYTES]).split())[:DETECTION_BYTES]
    best = from_bytes(text, cp_isolation=CHARSETS, threshold=DETECTION_THRESHOLD).best()
    if best is None:
        return FALLBACK
    # Their letters differ by so little that only this decides: bytes of one, and signs of the other inside words.
    if best.encoding == "cp1250" and not _BYTE_OF_WINDOWS.search(text) and _LETTER_OF_ISO_8859_2.search(text):
        return "iso8859_2"
    return best.encoding


def _characters(first: int, last: int) -> str:
    """Those that the bytes from `first` to `last` are in one of the charsets, as a class of a regular expression."""
    bytes_of_charset = bytes(range(first, last + 1))
    found = {
        char for charset in MISREAD_AS for char in bytes_of_charset.decode(charset, "ignore") if not char.isascii()
    }
    return f"[{re.escape(''.join(sorted(found)))}]"


_SIGN = re.compile(f"{_characters(0xC2, 0xF4)}{_characters(0x80, 0xBF)}|[\x80-\x9f]")
"""A character of UTF-8 in another charset, a first byte and one that follows, or a control character. Rare in text that
is right."""


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
    charset = max(MISREAD_AS, key=lambda charset: _certainty([_undo(line, charset) for line in suspects]))
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
