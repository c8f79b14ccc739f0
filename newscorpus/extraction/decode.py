"""Decode: bytes to text."""

import codecs
import re
from collections.abc import Iterator

from charset_normalizer import from_bytes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from newscorpus.config import Limits
from newscorpus.data import Page, Rejected

MAX_DAMAGE = 0.001
"""Share of undecodable bytes up to which a declared charset is believed: pages are patched together (a choice)."""

DETECTION_BYTES = 20_000
"""Detection is slow; the text of this many bytes is plenty for it."""

FALLBACK = "cp1252"

_MARKUP = re.compile(rb"(?is)<(script|style)\b.*?</\1\s*>|<[^>]*>|&[#\w]+;")


def decode(page: Page, limits: Limits = Limits()) -> str | Rejected:
    """The text of `page`: by byte order mark, else HTTP charset, else the charset it declares, else detection.

    A declared charset is passed over where the bytes contradict it: bytes it cannot decode, or a single-byte charset
    for what is valid UTF-8 (servers send ISO-8859-1 by default). Rejects an empty body, one over `limits.max_bytes`,
    and one that is no text.
    """
    body = page.body
    if not body.strip():
        return Rejected("decode", "empty_body", url=page.url)
    if len(body) > limits.max_bytes:
        return Rejected("decode", "too_large", f"{len(body)} bytes, at most {limits.max_bytes}", page.url)
    text = _decode(body, page.headers.get("content-type", ""))
    if text.count("\0") > len(text) // 100:
        return Rejected("decode", "not_text", "full of NUL characters", page.url)
    return text.replace("\0", "")


def _decode(body: bytes, content_type: str) -> str:
    bom_encoding, bom = read_bom(body)
    if bom_encoding and bom:
        return body[len(bom) :].decode(bom_encoding, "replace")
    for encoding in _declared(body, content_type):
        text = body.decode(encoding, "replace")
        if text.count("\ufffd") <= MAX_DAMAGE * len(text) and not (_is_single_byte(encoding) and _is_utf8(body)):
            return text
    return body.decode("utf-8" if _is_utf8(body) else _detect(body), "replace")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    for name in (http_content_type_encoding(content_type), html_body_declared_encoding(body)):
        encoding = resolve_encoding(name) if name else None
        if encoding and _is_charset(encoding):
            yield encoding


def _is_charset(encoding: str) -> bool:
    """Whether Python decodes text by this name: codecs such as `hex` or `utf-7` are not charsets of the web."""
    try:
        return bool(getattr(codecs.lookup(encoding), "_is_text_encoding", True)) and encoding != "utf-7"
    except LookupError:
        return False


def _is_single_byte(encoding: str) -> bool:
    return len("ž".encode(encoding, "ignore") or b"?") == 1


def _is_utf8(body: bytes) -> bool:
    """Valid UTF-8 with more than ASCII in it: by chance next to impossible for text in another charset."""
    try:
        return not body.decode("utf-8").isascii()
    except UnicodeDecodeError:
        return False


def _detect(body: bytes) -> str:
    text = b" ".join(_MARKUP.sub(b" ", body).split())
    best = from_bytes(text[:DETECTION_BYTES]).best()
    return best.encoding if best else FALLBACK
