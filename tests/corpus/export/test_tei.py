"""TEI, validated against the TEI Consortium's own schema.

`tei_all.rng.gz` is the RELAX NG schema "tei_all" of TEI P5 4.3.0, unaltered; by the TEI Consortium, under CC BY and
BSD-2-Clause, as it says itself.
"""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from newscorpus.config import ExportConfig
from newscorpus.corpus.export import tei
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.tokens import paragraphs

from .conftest import MakeSource

NAMES = {"t": tei.TEI}
LANG = f"{{{tei.XML}}}lang"


@pytest.fixture(scope="module")
def schema() -> etree.RelaxNG:
    """The schema; libxml2 needs some seconds for it."""
    return etree.RelaxNG(etree.fromstring(gzip.decompress(Path(__file__).with_name("tei_all.rng.gz").read_bytes())))


def read(path: Path) -> etree._ElementTree:
    return etree.parse(str(path))


def test_every_file_is_valid(
    schema: etree.RelaxNG, make_source: MakeSource, records: list[Record], record: Record, folder: Path
) -> None:
    others = [
        replace(record, id="free", license="https://creativecommons.org/licenses/by/4.0/ é", site_name="Web & News"),
        replace(record, id="paid", paywalled=True, title="", text="", authors=(), tags=(), section="S"),
    ]
    tei.write(make_source({"train": records, "test": others}, ExportConfig(max_bytes=60)), folder)
    files = sorted(folder.iterdir())
    assert [path.name for path in files] == ["test-00000.xml", "train-00000.xml", "train-00001.xml"]
    for path in files:
        schema.assertValid(read(path))


def test_texts_and_headers_come_back(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    tei.write(make_source({"": records}), folder)
    found = read(folder / "corpus-00000.xml").getroot().findall("t:TEI", NAMES)
    assert [[p.text for p in one.findall("t:text/t:body/t:p", NAMES)] for one in found[:2]] == [
        paragraphs(record.text) for record in records[:2]
    ]
    heads = [[head.text for head in one.findall("t:text/t:body/t:head", NAMES)] for one in found[:2]]
    assert heads == [[record.title] if record.title else [] for record in records[:2]]
    assert [one.get(LANG) for one in found] == ["cs", "und", "und"]
    first = found[0].find("t:teiHeader/t:fileDesc", NAMES)
    assert first is not None
    assert first.findtext("t:titleStmt/t:title", namespaces=NAMES) == records[0].title
    assert [one.text for one in first.findall("t:titleStmt/t:author", NAMES)] == list(records[0].authors)
    assert [one.get("when") for one in first.findall(".//t:date[@type='published']", NAMES)] == [records[0].published]


def test_hostile_values_stay_text(make_source: MakeSource, hostile_record: Record, folder: Path) -> None:
    tei.write(make_source({"": [hostile_record]}), folder)
    (document,) = read(folder / "corpus-00000.xml").getroot().findall("t:TEI", NAMES)
    assert [p.text for p in document.findall(".//t:body/t:p", NAMES)] == [
        '<doc id="1">',
        "</p> a < b && c > d",
        "Tab here, zero\u200bwidth \U0001f600.",
    ]
    (pointer,) = document.findall(".//t:ptr", NAMES)
    assert pointer.get("target") == "https://www.a.cz/%C4%8Dl%C3%A1nek%201?a=b&c=%22d%22%3Ce%3E"
    dates = {one.get("type"): one.get("when") for one in document.findall(".//t:date", NAMES)}
    assert (dates["published"], dates["modified"]) == (None, "2026-03-01T08:00:00"), "XML Schema wants seconds"


@pytest.mark.parametrize(
    ("text", "held"), [("a\x00b\x1fc", "abc"), ("\ufffe\ud800x", "x"), ("\U0010ffff", "\U0010ffff")]
)
def test_what_xml_cannot_hold_goes(text: str, held: str) -> None:
    assert tei.xml_text(text) == held


def test_a_record_that_xml_cannot_hold_is_named(make_source: MakeSource, record: Record, folder: Path) -> None:
    odd = replace(record, id="odd", language="c\x1bs", url="https://a.cz/odd")
    with pytest.raises(CorpusError, match=r"^record 'odd', 'https://a\.cz/odd': .*XML compatible"):
        tei.write(make_source({"": [record, odd]}), folder)
