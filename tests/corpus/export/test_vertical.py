"""The vertical, read back by a parser of what Sketch Engine documents, and the registry."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from newscorpus.corpus.export import vertical
from newscorpus.data import Record
from newscorpus.tokens import collapse, paragraphs, tokenise

from .conftest import MakeSource

OPENING = re.compile(r'<(doc|head|p)((?: [a-z_]+="[^"<>]*")*)>')


def read(text: str) -> list[dict[str, Any]]:
    """The documents of a vertical: attributes, and paragraphs as they were before they were cut into tokens."""
    documents: list[dict[str, Any]] = []
    inside: list[str] = []
    glued = True
    for line in text.removesuffix("\n").split("\n"):
        if match := OPENING.fullmatch(line):
            if match[1] == "doc":
                values = {key: unescape(value) for key, value in re.findall(r' ([a-z_]+)="([^"]*)"', match[2])}
                documents.append(values | {"head": [], "p": []})
            else:
                inside = documents[-1][match[1]]
                inside.append("")
            glued = True
        elif line == "<g/>":
            glued = True
        elif line not in ("</head>", "</p>", "</doc>"):
            assert not set("<>\t") & set(line), line
            inside[-1] += ("" if glued else " ") + unescape(line)
            glued = False
    assert [text.count(f"<{name}") for name in ("doc ", "p>", "g/>")][:2] == [text.count("</doc>"), text.count("</p>")]
    return documents


@pytest.fixture
def exported(make_source: MakeSource, records: list[Record], folder: Path) -> Path:
    vertical.write(make_source({"train": records[:2], "test": records[2:]}, name='Zprávy "2026"'), folder)
    return folder


def test_texts_come_back(exported: Path, records: list[Record]) -> None:
    found = read((exported / "zpravy_2026.vert").read_text("utf-8"))
    assert [one["head"] for one in found] == [[collapse(one.title)] if one.title else [] for one in records[:2]] + [
        ['A "quoted" <title> & ]]> *bold* [link](x) |']
    ]
    assert [one["p"] for one in found[:2]] == [paragraphs(record.text) for record in records[:2]]
    assert found[2]["p"] == ['<doc id="1">', "</p> a < b && c > d", "Tab here, zero\u200bwidth \U0001f600."]


def test_values_come_back(exported: Path, records: list[Record]) -> None:
    found = read((exported / "zpravy_2026.vert").read_text("utf-8"))
    assert [one["id"] for one in found] == [record.id for record in records]
    assert [one["title"] for one in found] == [collapse(record.title) for record in records]
    assert [one["split"] for one in found] == ["train", "train", "test"]
    assert found[0]["author"].split("|") == list(records[0].authors)
    assert found[2]["author"].split("|") == ["One/Two", "<b>"]
    assert (found[0]["date"], found[0]["year"], found[2]["date"]) == ("2026-03-01", "2026", "")


def test_the_registry_declares_what_the_vertical_has(exported: Path) -> None:
    registry = (exported / "zpravy_2026").read_text("utf-8")
    assert registry.count("{") == registry.count("}")
    assert "NAME \"Zprávy '2026'\"" in registry
    assert 'VERTICAL "zpravy_2026.vert"' in registry
    (structure,) = re.findall(r"(?s)STRUCTURE doc \{(.*?)\n\}", registry)
    (document, *_) = re.findall(r"<doc (.*)>", (exported / "zpravy_2026.vert").read_text("utf-8"))
    assert re.findall(r"ATTRIBUTE (\w+)", structure) == re.findall(r'(\w+)="', document)
    assert "LANGUAGE" not in registry, "the corpus has several"


def test_a_corpus_of_one_language_names_it(make_source: MakeSource, record: Record, folder: Path) -> None:
    vertical.write(make_source({"": [record]}), folder)
    assert 'LANGUAGE "Czech"' in (folder / "a").read_text("utf-8")
    assert "split" not in (folder / "a").read_text("utf-8") + (folder / "a.vert").read_text("utf-8")


def test_a_document_without_text_is_a_document(record: Record) -> None:
    assert list(vertical.lines(replace(record, title="", text=" \n"), ""))[1:] == ["</doc>"]


def test_tokens_are_those_of_the_tokeniser(record: Record) -> None:
    tokens = [line for line in vertical.lines(record, "") if not line.startswith("<")]
    assert tokens == tokenise(f"{record.title}\n{record.text}")


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Vesti-2026", "vesti_2026"),
        ("../x", "x"),
        ("Žluťoučký kůň", "zlutoucky_kun"),
        ("новости", "corpus"),
        ("", "corpus"),
    ],
)
def test_names_of_files(name: str, safe: str) -> None:
    assert vertical.file_name(name) == safe
