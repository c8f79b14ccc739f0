"""Plain text and its table."""

import csv
from dataclasses import replace
from pathlib import Path

import pandas  # type: ignore[import-untyped]
import pytest
import yaml  # type: ignore[import-untyped]
from lxml.html import fromstring
from markdown_it import MarkdownIt

from newscorpus.config import ExportConfig
from newscorpus.corpus.export import text
from newscorpus.data import Record
from newscorpus.tokens import collapse, paragraphs, printable

from .conftest import MakeSource


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / text.TABLE).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_file_for_each_document(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    text.write(make_source({"": records}), folder)
    rows = table(folder)
    assert [(folder / row["file"]).read_text("utf-8") for row in rows] == [record.text + "\n" for record in records]
    assert [row["id"] for row in rows] == [record.id for record in records]
    assert len(list(folder.rglob("*.txt"))) == 3


def test_values_stay_in_their_cells(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    text.write(make_source({"train": records}), folder)
    rows = table(folder)
    assert all(set(row) == {"file", *text.COLUMNS} and None not in row.values() for row in rows)
    assert [row["title"] for row in rows] == [collapse(record.title) for record in records]
    assert rows[0]["authors"] == "; ".join(records[0].authors)


def test_one_document_a_line(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    config = ExportConfig(per_line=True)
    text.write(make_source({"train": records[:2], "test": records[2:]}, config), folder)
    lines = [line for name in ("train", "test") for line in (folder / f"{name}.txt").read_text("utf-8").splitlines()]
    assert [line.split("\t") for line in lines] == [paragraphs(record.text) for record in records]
    assert [row["file"] for row in table(folder)] == ["train.txt", "train.txt", "test.txt"]


def test_a_file_of_markdown_shows_the_text_and_its_metadata(
    make_source: MakeSource, records: list[Record], record: Record, folder: Path
) -> None:
    odd = replace(record, id="odd", text="1. a\n- b\n# c *d* `e`\n> f\n===\n---\n~~~\n[g](h) &amp; <i>j</i>\n+ k")
    text.write_markdown(make_source({"": [*records, odd]}), folder)
    for row, one in zip(table(folder), [*records, odd], strict=True):
        _, head, body = (folder / row["file"]).read_text("utf-8").split("---\n", 2)
        assert yaml.safe_load(head)["authors"] == list(one.authors)
        page = fromstring(f"<div>{MarkdownIt().render(body)}</div>")
        shown = [collapse(printable("".join(map(str, element.itertext())))) for element in page]
        assert shown == [*filter(None, [collapse(printable(one.title))]), *map(printable, paragraphs(one.text))]
        assert {element.tag for element in page} <= {"h1", "p"}
        assert not page.xpath("//em|//code|//a|//i")


def test_a_table_of_all(make_source: MakeSource, records: list[Record], folder: Path) -> None:
    text.write_csv(make_source({"train": records[:1], "test": records[1:]}), folder)
    with (folder / "test.csv").open(encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [record.text for record in records[1:]]
    table = pandas.read_csv(folder / "train.csv")
    assert table["authors"].tolist() == ["; ".join(records[0].authors)]
    assert table["n_words"].tolist() == [records[0].n_words]


def test_two_documents_of_one_id_are_refused(make_source: MakeSource, record: Record, folder: Path) -> None:
    with pytest.raises(FileExistsError, match=record.id):
        text.write(make_source({"": [record, replace(record, text="x")]}), folder)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "A", "CON", "é", "x" * 65, "a.b", "-", "a\0"])
def test_unsafe_names_are_hashed(name: str) -> None:
    safe = text.safe_name(name)
    assert text.SAFE.fullmatch(safe)
    assert safe != name


def test_safe_names_stay() -> None:
    assert text.safe_name("00ff12-a_b") == "00ff12-a_b"
