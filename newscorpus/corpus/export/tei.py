"""Export TEI P5: files `[PART-]00000.xml`, each a `teiCorpus` of bounded size with one `TEI` a document."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from lxml import etree
from lxml.builder import ElementMaker  # type: ignore[import-not-found]
from lxml.etree import _Element

from newscorpus.corpus.export.source import ExportPart, ExportSource
from newscorpus.corpus.export.text import safe_name
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.tokens import collapse, paragraphs

TEI = "http://www.tei-c.org/ns/1.0"


class TeiMaker(Protocol):
    """Makes elements: `E.name(attributes, text or children ...)`."""

    def __getattr__(self, name: str) -> Callable[..., _Element]: ...


E: TeiMaker = ElementMaker(namespace=TEI, nsmap={None: TEI})
XML = "http://www.w3.org/XML/1998/namespace"

NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent (section 2.2)."""

URI_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters of an address that are not percent-encoded."""

FREE = re.compile(r"https?://(?:www\.)?creativecommons\.org/")
"""Licences known to permit redistribution."""

UNKNOWN_LANGUAGE = "und"

RIGHTS = "The rights in the texts remain with the portals; what each page declares stands in its header."

OPENING = f'<?xml version="1.0" encoding="utf-8"?>\n<teiCorpus xmlns="{TEI}">\n'
CLOSING = "</teiCorpus>\n"


def write(source: ExportSource, folder: Path) -> None:
    """Write all parts; each file is a valid document."""
    for part in source.parts:
        for number, records in part.files(source.config.max_bytes):
            with (folder / f"{part.name or 'corpus'}-{number}.xml").open("xb") as file:
                file.write(OPENING.encode())
                file.write(etree.tostring(corpus_header(source, part), encoding="utf-8") + b"\n")
                for record in records:
                    try:
                        element = document(record)
                    except ValueError as error:  # XML cannot represent its id or language, which are not changed
                        raise CorpusError(f"record {record.id!r}, {record.url!r}: {error}") from error
                    file.write(etree.tostring(element, encoding="utf-8") + b"\n")
                file.write(CLOSING.encode())


def corpus_header(source: ExportSource, part: ExportPart) -> _Element:
    """Make the header of a file."""
    about, generation = source.about, source.manifest.generation
    place = [E.idno({"type": "URL"}, _address(about.url))] if about.url else []
    return E.teiHeader(
        E.fileDesc(
            E.titleStmt(E.title(_text(about.name) + (f", {part.name}" if part.name else ""))),
            E.publicationStmt(
                E.publisher(_text(about.creator) or "unknown"),
                *place,
                E.idno({"type": "generation"}, generation),
                E.availability({"status": "unknown"}, E.p(RIGHTS)),
            ),
            E.sourceDesc(E.p("Articles of news portals, crawled, extracted and freed from duplicates.")),
        ),
        E.encodingDesc(
            E.appInfo(E.application({"ident": "newscorpus", "version": version("newscorpus")}, E.label("newscorpus")))
        ),
    )


def document(record: Record) -> _Element:
    """Make a document with its header; unknown values are omitted."""
    language = record.language or UNKNOWN_LANGUAGE
    profile = E.profileDesc(E.langUsage(E.language({"ident": language}, language)), *_classes(record))
    body = [E.p(_text(line)) for line in paragraphs(record.text)] or [E.p()]
    element = E.TEI(E.teiHeader(_file_description(record), profile), E.text(E.body(*body)))
    element.set(f"{{{XML}}}id", f"d{safe_name(record.id)}")
    element.set(f"{{{XML}}}lang", language)
    return element


def _file_description(record: Record) -> _Element:
    title = _text(record.title) or record.id
    return E.fileDesc(
        E.titleStmt(E.title(title), *_authors(record)),
        E.extent(E.measure({"unit": "words", "quantity": str(record.n_words)}, f"{record.n_words} words")),
        E.publicationStmt(
            E.publisher(_publisher(record)), E.idno({"type": "newscorpus"}, record.id), _availability(record)
        ),
        E.sourceDesc(_source(record, title)),
    )


def _source(record: Record, title: str) -> _Element:
    """Make the bibliographic reference to the published article."""
    agencies = [E.respStmt(E.resp("news agency"), E.orgName(_text(agency))) for agency in record.agencies]
    pointers = [E.ptr({"target": _address(record.url)})] if record.url else []
    return E.biblStruct(
        E.analytic(E.title({"level": "a"}, title), *_authors(record), *agencies, *pointers),
        E.monogr(
            E.title({"level": "j"}, _publisher(record)),
            E.imprint(E.publisher(_publisher(record)), *_dates(record)),
        ),
    )


def _authors(record: Record) -> list[_Element]:
    return [E.author(_text(author)) for author in record.authors]


def _dates(record: Record) -> Iterator[_Element]:
    """Yield the dates of publication, last change and fetch; `when` is omitted if the value is no ISO 8601 date."""
    for kind, value in (("published", record.published), ("modified", record.modified), ("fetched", record.fetched)):
        if value:
            attributes = {"type": kind}
            with suppress(ValueError):
                moment = datetime.fromisoformat(value)
                attributes["when"] = moment.isoformat() if "T" in value else moment.date().isoformat()
            yield E.date(attributes, _text(value))


def _availability(record: Record) -> _Element:
    if not record.license:
        status = "restricted" if record.paywalled else "unknown"
        return E.availability({"status": status}, E.p("The page declares no licence."))
    is_address = record.license.startswith(("http://", "https://"))
    status = "free" if is_address and FREE.match(record.license) else "restricted"
    target = {"target": _address(record.license)} if is_address else {}
    return E.availability({"status": status}, E.licence(target, _text(record.license)))


def _classes(record: Record) -> Iterator[_Element]:
    terms = [("section", record.section), *(("tag", tag) for tag in record.tags)]
    found = [E.term({"type": kind}, _text(name)) for kind, name in terms if _text(name)]
    if found:
        yield E.textClass(E.keywords(*found))


def _publisher(record: Record) -> str:
    return _text(record.site_name) or _text(record.source) or "unknown"


def _text(text: str) -> str:
    """Remove characters that XML cannot represent, and collapse white space."""
    return collapse(NO_XML.sub("", text))


def _address(url: str) -> str:
    """Percent-encode an address to make it a URI."""
    return quote(_text(url), safe=URI_SAFE)
