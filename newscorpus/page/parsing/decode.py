"""Decode the bytes of a page to text, and repair mojibake: text decoded in a wrong charset.

Mojibake is repaired only if that is certain: the bytes of the wrong charset, decoded as UTF-8, are text again (ftfy).
The rest is left to the quality filters.
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
"""Maximum share of undecodable bytes in the non-ASCII characters of a declared charset: pages mix sources (a choice). A
share of all characters would mean little, since markup is ASCII."""

MAX_NULS = 0.01
"""Maximum share of NUL characters in a text (a choice)."""

SIGNATURES = {b"%PDF-": "a PDF", b"PK\x03\x04": "a ZIP, as of Word or EPUB", b"\x1f\x8b\x08": "compressed by gzip"}
"""Signatures of binary files with few NULs (MIME Sniffing Standard of WHATWG)."""

DETECTION_BYTES = 20_000
"""Bytes of text used for detection, which is slow."""

DETECTION_MARKUP_BYTES = 500_000
"""Bytes of the page that are searched for that text."""

CHARSETS = (
    "cp1250 iso8859_2 cp1251 koi8_r iso8859_5 cp1252 cp1253 iso8859_7 cp1254 cp1255 cp1256 cp1257 big5 gb18030 euc_jp "
    "shift_jis cp949"
).split()
"""Charsets of undeclared pages besides UTF-8; one per script where several hardly differ."""

DETECTION_THRESHOLD = 0.4
"""Maximum mess ratio of a charset. At charset-normalizer's 0.2 none is found for 2 of 15 Polish texts of daniel in
ISO-8859-2; at 0.4 all are right."""

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
"""Charsets in which UTF-8 is decoded by mistake: those that ftfy knows, and one that it does not."""

CERTAIN = 3
"""Distinct non-ASCII letters that make a misread line certain: none of our 4,669 correct texts has such a line by
chance. One such line identifies the charset of a text."""
NO_BREAK_SPACE = "\xa0"
_LOST_BYTE = re.compile(rb"(?<=[\xc2-\xdf]) ")
"""A space in place of the second byte of a letter: that was a no-break space, and white space is collapsed."""


def decode(page: Page, limits: Limits = Limits()) -> str | Rejected:
    """Decode `page` by byte order mark, else HTTP charset, else the charset it declares, else detection.

    A declared charset is ignored if the bytes contradict it: they cannot be decoded, or they are valid UTF-8, which
    hardly happens by chance (servers send ISO-8859-1 by default). Rejects an empty body, one over `limits.max_bytes`,
    and one that is no text.
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
    """Return the charset that `page` declares, in HTTP or markup, by Python's name; "" for none."""
    return next(_declared(page.body, page.headers.get("content-type", "")), "")


def _decode(body: bytes, content_type: str) -> str:
    bom_encoding, bom = read_bom(body)
    if bom_encoding and bom:
        return body[len(bom) :].decode(bom_encoding, "replace")
    text: str | None
    try:  # the last of several non-ASCII characters may be truncated
        text, end = codecs.utf_8_decode(body, "strict", False)
        text = None if end < len(body) and text.isascii() else text
    except UnicodeDecodeError:
        text = None
    # ASCII may stand for other characters: UTF-16 is full of NULs, ISO-2022-JP has escape characters.
    if text is not None and not (text.isascii() and ("\0" in text or "\x1b" in text)):
        return text
    for encoding in _declared(body, content_type):
        declared = body.decode(encoding, "replace")
        damage = declared.count("\ufffd")
        if not damage or damage <= MAX_DAMAGE * (len(declared) - len(declared.encode("ascii", "ignore"))):
            return declared
    if text is not None:
        return text
    sample = b" ".join(_MARKUP.sub(b" ", body[:DETECTION_MARKUP_BYTES]).split())[:DETECTION_BYTES]
    best = from_bytes(sample, cp_isolation=CHARSETS, threshold=DETECTION_THRESHOLD).best()
    encoding = best.encoding if best else FALLBACK
    # Their letters differ by so little that only this decides: bytes of one, and signs of the other inside words
    if encoding == "cp1250" and not _BYTE_OF_WINDOWS.search(sample) and _LETTER_OF_ISO_8859_2.search(sample):
        encoding = "iso8859_2"
    return body.decode(encoding, "replace")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """Yield the charsets declared by HTTP and page, by Python's names; other codecs (`idna`, `hex`) are skipped."""
    for name in (http_content_type_encoding(content_type), html_body_declared_encoding(body)):
        encoding = resolve_encoding(name) if name else None
        if encoding and _CHARSET.match(encoding):
            yield encoding


def _characters(first: int, last: int) -> str:
    """Return a regex character class of the bytes `first` to `last` in any of the charsets."""
    bytes_of_charset = bytes(range(first, last + 1))
    found = {
        char for charset in MISREAD_AS for char in bytes_of_charset.decode(charset, "ignore") if not char.isascii()
    }
    return f"[{re.escape(''.join(sorted(found)))}]"


_SIGN = re.compile(f"{_characters(0xC2, 0xF4)}{_characters(0x80, 0xBF)}|[\x80-\x9f]")
"""A character of UTF-8 in another charset, a first byte and one that follows, or a control character. Rare in text that
is right."""


def repair(text: str) -> str:
    """Repair mojibake in `text`, one paragraph per line, where that is certain.

    If no suspicious line can be repaired, the text is left as is. Leftover soft hyphens are removed.
    """
    return _mend(text).replace(SOFT_HYPHEN, "")


def _mend(text: str) -> str:
    if text.isascii() or not _SIGN.search(text):
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
    """Count the letters that a charset repairs, if a line has enough to be certain."""
    letters = [len({character for character in line if not character.isascii()}) for line in undone]
    return sum(letters) if max(letters, default=0) >= CERTAIN else 0


def _undo(line: str, charset: str) -> str:
    """Restore a `line` whose UTF-8 was decoded as `charset`; "" where that is impossible."""
    try:
        return _LOST_BYTE.sub(NO_BREAK_SPACE.encode(charset), line.encode(charset)).decode("utf-8")
    except UnicodeError:
        return ""


def repair_fields(fields: Fields) -> Fields:
    """Repair mojibake in the texts of `fields`."""
    changed: dict[str, Any] = {
        **{name: repair(getattr(fields, name)) for name in ("title", "lead", "section", "description", "site_name")},
        **{name: tuple(map(repair, getattr(fields, name))) for name in ("authors", "agencies", "tags")},
        "images": tuple(replace(one, alt=repair(one.alt), caption=repair(one.caption)) for one in fields.images),
    }
    return replace(fields, **changed)
