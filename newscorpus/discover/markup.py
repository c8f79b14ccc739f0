"""Parse the markup of a feed or a sitemap, as far as errors permit."""

import codecs
import io
import re
import zlib
from contextlib import suppress
from dataclasses import replace

from lxml import etree

from newscorpus.config import Limits
from newscorpus.content_encoding import GZIP_MAGIC, MAX_ENCODINGS, gunzip
from newscorpus.data import Page, Rejected
from newscorpus.page.parsing.decode import decode

MAX_BYTES = 52_428_800
"""Longest uncompressed sitemap (sitemaps.org protocol: 50 MB); feeds stay far below."""

MAX_MARKS = 4_000_000
"""Maximum start and end tags of a list, and maximum references: 80 per entry. A tag takes some 200 bytes of memory."""

ROOT = re.compile(r"<(?:[\w.-]+:)?(?:rss|rdf|feed|urlset|sitemapindex)(?=[\s/>])|(?P<page><html\b)", re.IGNORECASE)
"""Start of a list, after a declaration, or after warnings and comments from a broken script of the site."""

REPAIRED = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)"
    rb"|&(?!#(?!0*5[5-7]\d{3};)\d+;|#x(?!0*d[89a-f][0-9a-f]{2};)[0-9a-f]+;|(?:amp|apos|gt|lt|quot);)"
    rb"|</?(?:br|hr|img)(?=[\s/>])[^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
"""An "&" that begins no reference known to XML, or one to half a character (a surrogate), which lxml cannot read; tags
of HTML that nothing closes. CDATA sections, in which all that is allowed, match as a whole."""


WIDE = {b"<\0?\0": codecs.BOM_UTF16_LE, b"\0<\0?": codecs.BOM_UTF16_BE}
"""Start of XML in UTF-16 without a byte order mark -> that mark."""


class ListingError(ValueError):
    """A document is no valid feed or sitemap; the message says why."""


def read_text(page: Page) -> str:
    """Return the decompressed and decoded text of a list.

    Raises:
        ListingError: there is no text, or it is longer than the protocol allows.
    """
    body = inflate(page.body)
    text = decode(replace(page, body=WIDE.get(body[:4], b"") + body), Limits(max_bytes=MAX_BYTES))
    if isinstance(text, Rejected):
        raise ListingError(" ".join(filter(None, (text.reason.replace("_", " "), text.detail))))
    return text


def inflate(body: bytes, max_bytes: int = MAX_BYTES) -> bytes:
    """Decompress `body`, even if gzipped repeatedly; a damaged file is read up to the damage.

    Raises:
        ListingError: longer than `max_bytes` when decompressed.
    """
    for _ in range(MAX_ENCODINGS):
        if not body.startswith(GZIP_MAGIC):
            break
        parts: list[bytes] = []
        with suppress(zlib.error):
            parts.extend(gunzip(body, max_bytes + 1))
        body = b"".join(parts)
        if len(body) > max_bytes:
            raise ListingError(f"longer than {max_bytes} bytes when unpacked")
    return body


def read_root(text: str, base: str) -> etree._Element | None:
    """Parse the list in `text`; entities are not expanded, and nothing is loaded.

    Args:
        text: of a document.
        base: its address.

    Returns:
        its root; None if there is no list, or it is inside an HTML page.

    Raises:
        ListingError: it has too many tags.
    """
    found = ROOT.search(text)
    if found is None or found["page"]:
        return None
    if (marks := max(text.count("<"), text.count("&"))) > MAX_MARKS:
        raise ListingError(f"{marks} tags or references, more than {MAX_MARKS}")
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(_repaired(text[found.start() :].encode("utf-8", "replace")), parser, base_url=base)
    except etree.XMLSyntaxError:  # an end in the first tag
        return None


def _repaired(body: bytes) -> bytes:
    """Replace each invalid "&" by `&amp;`, and remove HTML tags that are never closed.

    When the parser recovers from one of these, or from an unknown entity, it loses all later entities, `&amp;` too.
    """
    repaired, kept = io.BytesIO(), 0
    for found in REPAIRED.finditer(body):
        if not found[0].startswith(b"<!"):
            repaired.write(body[kept : found.start()] + (b"&amp;" if found[0] == b"&" else b" "))
            kept = found.end()
    repaired.write(body[kept:])
    return repaired.getvalue()


def local_name(element: etree._Element) -> str:
    """Return an element's name without namespace or prefix, in lower case; "" for entities."""
    # The stubs do not know that the tag of an entity is a function.
    return str(element.tag).rpartition("}")[2].rpartition(":")[2].lower() if isinstance(element.tag, str) else ""  # type: ignore[redundant-expr]
