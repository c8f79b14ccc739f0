"""Decode the bytes of a page to text."""

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from newscorpus.config import Limits
from newscorpus.data import Page, Rejected

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
