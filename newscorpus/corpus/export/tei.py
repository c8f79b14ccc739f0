"""TEI P5: files `[PART-]00000.xml`, each a `teiCorpus` of bounded size with one `TEI` a document."""

import re
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lxml import etree
from lxml.etree import _Element

from newscorpus.corpus.export.source import ExportPart, ExportSource, bounded
from newscorpus.corpus.export.text import safe_name
from newscorpus.data import Record
from newscorpus.tokens import collapse, paragraphs

TEI = "http://www.tei-c.org/ns/1.0"
DEFAULT_NAMESPACE: Any = {None: TEI}
"""lxml's stubs know no default namespace."""
XML = "http://www.w3.org/XML/1998/namespace"

NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any form (section 2.2)."""

URI_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters of an address that stay as they are; the others are percent-encoded."""

FREE = re.compile(r"https?://(?:www\.)?creativecommons\.org/")
"""Licences under which a text may be passed on; of others nobody knows."""

UNKNOWN_LANGUAGE = "und"

RIGHTS = "The rights in the texts remain with the portals; what each page declares stands in its header."

OPENING = f'<?xml version="1.0" encoding="utf-8"?>\n<teiCorpus xmlns="{TEI}">\n'
CLOSING = "</teiCorpus>\n"


def write(source: ExportSource, folder: Path) -> None:
    """Write all parts; each file is valid by itself."""
    for part in source.parts:
        for number, records in bounded(part.records(), source.config.max_bytes):
            with (folder / f"{part.name or 'corpus'}-{number}.xml").open("xb") as file:
                file.write(OPENING.encode())
                for element in chain([corpus_header(source, part)], map(document, records)):
                    file.write(etree.tostring(element, encoding="utf-8") + b"\n")
                file.write(CLOSING.encode())


def corpus_header(source: ExportSource, part: ExportPart) -> _Element:
    """The header of a file."""
    about, manifest = source.about, source.manifest
    place = [_node("idno", {"type": "URL"}, _address(about.url))] if about.url else []
    return _node(
        "teiHeader",
        _node(
            "fileDesc",
            _node("titleStmt", _node("title", _text(about.name) + (f", {part.name}" if part.name else ""))),
            _node(
                "publicationStmt",
                _node("publisher", _text(about.creator) or "unknown"),
                *place,
                _node("idno", {"type": "generation"}, manifest.generation),
                _node("availability", {"status": "unknown"}, _node("p", RIGHTS)),
            ),
            _node("sourceDesc", _node("p", "Articles of news portals, crawled, extracted and freed from duplicates.")),
        ),
        _node(
            "encodingDesc",
            _node(
                "appInfo",
                _node(
                    "application",
                    {"ident": "newscorpus", "version": version("newscorpus")},
                    _node("label", "newscorpus"),
                ),
            ),
        ),
    )


def document(record: Record) -> _Element:
    """A document with its header; what is not known is left out."""
    language = record.language or UNKNOWN_LANGUAGE
    element = _node(
        "TEI",
        _node(
            "teiHeader",
            _file_description(record),
            _node("profileDesc", _node("langUsage", _language(language)), *_classes(record)),
        ),
        _node("text", _node("body", *[_node("p", _text(line)) for line in paragraphs(record.text)] or [_node("p")])),
    )
    element.set(f"{{{XML}}}id", f"d{safe_name(record.id)}")
    element.set(f"{{{XML}}}lang", language)
    return element


def _file_description(record: Record) -> _Element:
    title = _text(record.title) or record.id
    authors = [_node("author", _text(author)) for author in record.authors]
    return _node(
        "fileDesc",
        _node("titleStmt", _node("title", title), *authors),
        _node(
            "extent", _node("measure", {"unit": "words", "quantity": str(record.n_words)}, f"{record.n_words} words")
        ),
        _node(
            "publicationStmt",
            _node("publisher", _publisher(record)),
            _node("idno", {"type": "newscorpus"}, record.id),
            _availability(record),
        ),
        _node("sourceDesc", _source(record, title, authors)),
    )


def _source(record: Record, title: str, authors: list[_Element]) -> _Element:
    """The article as it was published."""
    return _node(
        "biblStruct",
        _node(
            "analytic",
            _node("title", {"level": "a"}, title),
            *[_node("author", author.text or "") for author in authors],
            *[
                _node("respStmt", _node("resp", "news agency"), _node("orgName", _text(agency)))
                for agency in record.agencies
            ],
            *([_node("ptr", {"target": _address(record.url)})] if record.url else []),
        ),
        _node(
            "monogr",
            _node("title", {"level": "j"}, _publisher(record)),
            _node("imprint", _node("publisher", _publisher(record)), *_dates(record)),
        ),
    )


def _dates(record: Record) -> Iterator[_Element]:
    """The dates of publication, of the last change and of the fetch; what is no date to XML has no `when`."""
    for kind, value in (("published", record.published), ("modified", record.modified), ("fetched", record.fetched)):
        if value:
            when = _moment(value)
            yield _node("date", {"type": kind} | ({"when": when} if when else {}), _text(value))


def _moment(value: str) -> str:
    """An ISO 8601 date or time as a date or dateTime of XML Schema, or ""."""
    try:
        return (
            datetime.fromisoformat(value).isoformat()
            if "T" in value
            else datetime.fromisoformat(value).date().isoformat()
        )
    except ValueError:
        return ""


def _availability(record: Record) -> _Element:
    if record.license.startswith(("http://", "https://")):
        return _node(
            "availability",
            {"status": "free" if FREE.match(record.license) else "restricted"},
            _node("licence", {"target": _address(record.license)}, _text(record.license)),
        )
    if record.license:
        return _node("availability", {"status": "restricted"}, _node("licence", _text(record.license)))
    return _node(
        "availability",
        {"status": "restricted" if record.paywalled else "unknown"},
        _node("p", "The page declares no licence."),
    )


def _classes(record: Record) -> Iterator[_Element]:
    """Section and keywords of the site."""
    terms = [("section", record.section), *(("tag", tag) for tag in record.tags)]
    found = [_node("term", {"type": kind}, _text(name)) for kind, name in terms if _text(name)]
    if found:
        yield _node("textClass", _node("keywords", *found))


def _language(tag: str) -> _Element:
    return _node("language", {"ident": tag}, tag)


def _publisher(record: Record) -> str:
    return _text(record.site_name) or _text(record.source) or "unknown"


def _text(text: str) -> str:
    """A text that XML can hold, white space collapsed."""
    return collapse(NO_XML.sub("", text))


def _address(url: str) -> str:
    """An address as the URI it stands for."""
    return quote(_text(url), safe=URI_SAFE)


def _node(name: str, *content: dict[str, str] | str | _Element) -> _Element:
    """An element of TEI with attributes, a text or children."""
    node = etree.Element(f"{{{TEI}}}{name}", nsmap=DEFAULT_NAMESPACE)
    for piece in content:
        if isinstance(piece, str):
            node.text = piece
        elif isinstance(piece, dict):
            for key, value in piece.items():
                node.set(key, value)
        else:
            node.append(piece)
    return node
