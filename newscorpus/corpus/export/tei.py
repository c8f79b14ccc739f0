"""Export TEI P5: files `[PART-]00000.xml`, each a `teiCorpus` of bounded size with one `TEI` a document."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

from lxml import etree
from lxml.builder import ElementMaker  # type: ignore[import-not-found]
from lxml.etree import _Element

from newscorpus.corpus.annotate.annotators import Sentence
from newscorpus.corpus.annotate.conllu import Document, columns
from newscorpus.corpus.export.source import ExportPart, ExportSource, passages
from newscorpus.corpus.export.text import NO_XML, safe_name
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.tokens import collapse

TEI = "http://www.tei-c.org/ns/1.0"


class TeiMaker(Protocol):
    """Makes elements: `E.name(attributes, text or children ...)`."""

    def __getattr__(self, name: str) -> Callable[..., _Element]: ...


E: TeiMaker = ElementMaker(namespace=TEI, nsmap={None: TEI})
XML = "http://www.w3.org/XML/1998/namespace"

URI_SAFE = "!#$%&'()*+,/:;=?@[]~"
"""Characters of an address that are not percent-encoded."""

FREE = re.compile(r"https?://(?:www\.)?creativecommons\.org/")
"""Licences known to permit redistribution."""

WORD = ("lemma", "pos", "msd")
"""Attributes of a word: its lemma, tag and features (TEI, att.linguistic)."""

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
                        element = document(record, source.annotated(record))
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
            E.titleStmt(E.title(xml_text(about.name) + (f", {part.name}" if part.name else ""))),
            E.publicationStmt(
                E.publisher(xml_text(about.creator) or "unknown"),
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


def document(record: Record, sentences: Document | None = None) -> _Element:
    """Make a document with its header, with its sentences and words if it is annotated; unknown values are omitted."""
    language, title = record.language or UNKNOWN_LANGUAGE, xml_text(record.title) or record.id
    publisher = xml_text(record.site_name) or xml_text(record.source) or "unknown"
    authors = [xml_text(author) for author in record.authors]
    agencies = [E.respStmt(E.resp("news agency"), E.orgName(xml_text(agency))) for agency in record.agencies]
    pointers = [E.ptr({"target": _address(record.url)})] if record.url else []
    dates = []
    for kind, value in (("published", record.published), ("modified", record.modified), ("fetched", record.fetched)):
        attributes = {"type": kind}
        with suppress(ValueError):
            moment = datetime.fromisoformat(value)
            attributes["when"] = moment.isoformat() if "T" in value else moment.date().isoformat()
        dates += [E.date(attributes, xml_text(value))] if value else []
    if record.license:
        is_address = record.license.startswith(("http://", "https://"))
        status = "free" if is_address and FREE.match(record.license) else "restricted"
        target = {"target": _address(record.license)} if is_address else {}
        availability = E.availability({"status": status}, E.licence(target, xml_text(record.license)))
    else:
        status = "restricted" if record.paywalled else "unknown"
        availability = E.availability({"status": status}, E.p("The page declares no licence."))
    terms = [("section", record.section), *(("tag", tag) for tag in record.tags)]
    keywords = [E.term({"type": kind}, xml_text(name)) for kind, name in terms if xml_text(name)]
    article = E.biblStruct(
        E.analytic(E.title({"level": "a"}, title), *map(E.author, authors), *agencies, *pointers),
        E.monogr(E.title({"level": "j"}, publisher), E.imprint(E.publisher(publisher), *dates)),
    )
    header = E.teiHeader(
        E.fileDesc(
            E.titleStmt(E.title(title), *map(E.author, authors)),
            E.extent(E.measure({"unit": "words", "quantity": str(record.n_words)}, f"{record.n_words} words")),
            E.publicationStmt(E.publisher(publisher), E.idno({"type": "newscorpus"}, record.id), availability),
            E.sourceDesc(article),
        ),
        E.profileDesc(
            E.langUsage(E.language({"ident": language}, language)),
            *([E.textClass(E.keywords(*keywords))] if keywords else []),
        ),
    )
    body = [
        getattr(E, name)(*(map(_sentence, inside) if inside else [xml_text(text)]))
        for name, text, inside in passages(record, sentences)
    ]
    element = E.TEI(header, E.text(E.body(*body, *([] if record.text.strip() else [E.p()]))))
    element.set(f"{{{XML}}}id", f"d{safe_name(record.id)}")
    element.set(f"{{{XML}}}lang", language)
    return element


def _sentence(sentence: Sentence) -> _Element:
    """Make a sentence of words and punctuation marks, with the values that are known."""
    made = []
    for token in sentence:
        form, *values = map(xml_text, columns(token))
        known = {name: value for name, value in zip(WORD, values, strict=True) if value != "_"}
        name = "w" if any(map(str.isalnum, form)) else "pc"
        if name == "pc":
            known.pop("lemma", None)
        made.append(getattr(E, name)(known | ({} if token.space_after else {"join": "right"}), form))
    return E.s(*made)


def xml_text(text: str) -> str:
    """Remove characters that XML cannot represent, and collapse white space."""
    return collapse(NO_XML.sub("", text))


def _address(url: str) -> str:
    """Percent-encode an address to make it a URI."""
    return quote(xml_text(url), safe=URI_SAFE)
