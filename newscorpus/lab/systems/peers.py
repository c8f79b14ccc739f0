"""Run other extractors (peers for texts, and for fields) behind our protocol, for side-by-side tables.

Each is called as its documentation recommends for an article (docs/evaluation.md, "The peers"); none uses the network.
They need the packages of `requirements-bench.txt`, imported only when a peer is loaded.
"""

import importlib
import logging
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from types import ModuleType
from typing import Any

from babel import Locale
from lxml import etree
from lxml import html as lxml_html
from lxml.html.defs import block_tags

from newscorpus.data import Article, Fields, Page, Rejected
from newscorpus.page.extractor import Extractor
from newscorpus.page.parsing.decode import decode
from newscorpus.tokens import collapse

logger = logging.getLogger(__name__)

Peer = Callable[[str, str], tuple[str, str]]
"""A peer's own function: from a decoded page and its address to main text and headline, each "" if it has none."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Headline, publication date (text that starts with the day in ISO 8601) and authors that a reader finds."""

    title: str = ""
    date: str = ""
    authors: tuple[str, ...] = ()


FieldReader = Callable[[str, str], Claim]
"""From a decoded page and its address to a claim."""

LINE_BREAKS = block_tags | {"br", "dd", "dt", "figcaption", "li", "td", "th", "tr"}
TAGS = ("start", "end")
DECLARED_LANGUAGE = re.compile(r"<html\b[^>]*?\slang\s*=\s*[\"']?([a-z]{2})\b", re.IGNORECASE)

JUSTEXT_NAMES: Mapping[str, str] = {
    "bn": "Bengali", "nb": "Norwegian_Bokmal", "nn": "Norwegian_Nynorsk", "no": "Norwegian_Bokmal",
    "sh": "Serbo_Croatian",
}  # fmt: skip
"""Names of jusText's stoplists that differ from CLDR's English names of the languages."""


class MissingPeerError(ImportError):
    """A peer's package is not installed; the message is one line that says how to get it."""


def load_peer(name: str) -> Extractor:
    """Return the peer called `name`, ready to run.

    Raises:
        KeyError: there is no such peer.
        MissingPeerError: its package is not installed.
    """
    return partial(_extract, name, PEERS[name]())


def load_field_peer(name: str) -> FieldReader:
    """Return the peer called `name` as a reader of title, date and authors; if it fails, its claim is empty.

    Raises:
        KeyError: there is no such peer.
        MissingPeerError: its package is not installed.
    """
    return partial(_read_fields, name, FIELD_PEERS[name]())


def _extract(name: str, peer: Peer, page: Page) -> Article | Rejected:
    html = decode(page)
    if isinstance(html, Rejected):
        return html
    try:
        with warnings.catch_warnings(action="ignore"):  # of doubtful dates and the like
            text, title = peer(html, page.url)
    except Exception as error:  # noqa: BLE001  (peers raise whatever they meet, bare Exception and RecursionError too)
        detail = collapse(f"{name}: {type(error).__name__}: {error}")
        return Rejected("extract", "peer_failed", detail, page.url)
    if not text.strip():
        return Rejected("extract", "no_main_text", f"{name} found none", page.url)
    return Article(page.url, text, Fields(title=title), name, fetched=page.fetched, capture=page.capture)


def _read_fields(name: str, peer: FieldReader, html: str, url: str) -> Claim:
    try:
        with warnings.catch_warnings(action="ignore"):
            return peer(html, url)
    except Exception as error:  # noqa: BLE001  (as above)
        logger.info("%s failed on %s: %s", name, url, error)
        return Claim()


def _package(module: str, distribution: str) -> ModuleType:
    """Import a peer with its log muted."""
    logging.getLogger(module.partition(".")[0]).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings(action="ignore"):  # newspaper4k misses its optional NLP packages
            return importlib.import_module(module)
    except ImportError as error:
        message = f"{distribution} cannot be imported ({error}); pip install -r requirements-bench.txt"
        raise MissingPeerError(message) from error


def _trafilatura(**options: Any) -> Peer:
    trafilatura = _package("trafilatura", "trafilatura")
    return lambda html, _: (trafilatura.extract(html, **options) or "", "")


def _trafilatura_with_metadata() -> Peer:
    trafilatura = _package("trafilatura", "trafilatura")

    def run(html: str, url: str) -> tuple[str, str]:
        found = trafilatura.bare_extraction(html, url=url or None, with_metadata=True)
        return (found.text or "", found.title or "") if found else ("", "")

    return run


def _readability() -> Peer:
    document = _package("readability", "readability-lxml").Document
    return lambda html, _: (visible_text(document(html).summary(html_partial=True)), "")


def visible_text(html: str) -> str:
    """Return the text of a cleaned fragment of HTML, one line per block-level element."""
    pieces = []
    for event, element in etree.iterwalk(lxml_html.fragment_fromstring(collapse(html), create_parent=True), TAGS):
        pieces.append("\n" if element.tag in LINE_BREAKS else "")
        pieces.append((element.text if event == "start" else element.tail) or "")
    return "\n".join(filter(None, map(collapse, "".join(pieces).split("\n"))))


def _justext() -> Peer:
    justext = _package("justext", "jusText")
    stoplist, known = cache(justext.get_stoplist), justext.get_stoplists()

    def run(html: str, _: str) -> tuple[str, str]:
        found = DECLARED_LANGUAGE.search(html)
        code = found[1].lower() if found else ""
        name = JUSTEXT_NAMES.get(code) or Locale("en").languages.get(code)
        if name in known:
            paragraphs = justext.justext(html, stoplist(name))
        else:  # language-independent mode, as its README has it
            paragraphs = justext.justext(html, frozenset(), stopwords_low=0, stopwords_high=0)
        return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate), ""

    return run


def _boilerpipe(extractor: str) -> Peer:
    run = getattr(_package("boilerpy3.extractors", "boilerpy3"), extractor)(raise_on_failure=False)
    return lambda html, _: (run.get_content(html), "")


def _resiliparse() -> Peer:
    extract = _package("resiliparse.extract.html2text", "resiliparse").extract_plain_text
    return lambda html, _: (extract(html, main_content=True, alt_texts=False, list_bullets=False), "")


def _newspaper_parser() -> Callable[[str, str], Any]:
    newspaper = _package("newspaper", "newspaper4k")

    def parse(html: str, url: str) -> Any:
        article = newspaper.Article(url or "http://localhost/", fetch_images=False)
        article.download(input_html=html)  # hands the page over; nothing is fetched
        article.parse()
        return article

    return parse


def _newspaper_text(parse: Callable[[str, str], Any], html: str, url: str) -> tuple[str, str]:
    article = parse(html, url)
    return article.text, article.title


def _newspaper_fields(parse: Callable[[str, str], Any], html: str, url: str) -> Claim:
    article = parse(html, url)
    date = article.publish_date
    return Claim(article.title or "", date.date().isoformat() if date else "", tuple(article.authors))


def _htmldate_fields() -> FieldReader:
    find_date = _package("htmldate", "htmldate").find_date
    return lambda html, url: Claim(date=find_date(html, url=url or None, original_date=True) or "")


def _trafilatura_fields() -> FieldReader:
    extract_metadata = _package("trafilatura.metadata", "trafilatura").extract_metadata

    def read(html: str, url: str) -> Claim:
        options = {"original_date": True, "extensive_search": True}
        found = extract_metadata(html, default_url=url or None, date_config=options)
        authors = tuple(name.strip() for name in (found.author or "").split(";") if name.strip())
        return Claim(found.title or "", found.date or "", authors)

    return read


PEERS: Mapping[str, Callable[[], Peer]] = {
    "trafilatura": _trafilatura,
    "trafilatura-no-comments": partial(_trafilatura, include_comments=False),
    "trafilatura-fast": partial(_trafilatura, fast=True),
    "trafilatura-precision": partial(_trafilatura, favor_precision=True),
    "trafilatura-metadata": _trafilatura_with_metadata,
    "readability": _readability,
    "justext": _justext,
    "boilerpipe-article": partial(_boilerpipe, "ArticleExtractor"),
    "boilerpipe-default": partial(_boilerpipe, "DefaultExtractor"),
    "resiliparse": _resiliparse,
    "newspaper4k": lambda: partial(_newspaper_text, _newspaper_parser()),
}
"""The peers for texts, by name; `load_peer` makes extractors of them."""

FIELD_PEERS: Mapping[str, Callable[[], FieldReader]] = {
    "htmldate": _htmldate_fields,
    "trafilatura": _trafilatura_fields,
    "newspaper4k": lambda: partial(_newspaper_fields, _newspaper_parser()),
}
"""The peers' own functions for fields, by name; `load_field_peer` makes readers of them."""
