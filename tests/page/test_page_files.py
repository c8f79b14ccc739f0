import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard

from newscorpus.data import Page, Record
from newscorpus.errors import PortalError
from newscorpus.page import page_files
from newscorpus.page.page_files import PageOrigin, extract_file, page_origin, read_source
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.workers import Lost

BTE = Recipe("bte", quality=None)

STORY = "The council met on Tuesday and decided that the old bridge stays open until the new one stands. " * 5
HTML = (
    f"<html lang=en><head><title>Bridge</title></head><body><nav><a href=/>Home</a></nav><p>{STORY}</p></body></html>"
)


def write(path: Path, *lines: Any) -> Path:
    content = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    if path.suffix == ".gz":
        content = gzip.compress(content)
    if path.suffix == ".zst":
        content = zstandard.compress(content)
    path.write_bytes(content)
    return path


def run(path: Path, recipe: Recipe = BTE, jobs: int = 0, origin: PageOrigin = SourcePage) -> list[Any]:
    """A line as JSON or an error as text, for each answer."""
    return [answer.error or json.loads(answer.line) for answer in extract_file(path, recipe, origin, jobs)]


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.jsonl.gz", "pages.jsonl.zst"])
def test_each_page_gives_a_record_under_its_own_id(tmp_path: Path, name: str) -> None:
    path = write(
        tmp_path / name,
        {"id": "a", "html": HTML, "url": "https://news.example/bridge", "more": 1},
        {"id": 7, "html": HTML},
    )
    first, second = run(path)
    assert list(first) == list(Record.__slots__)
    assert (first["id"], second["id"]) == ("a", 7)
    assert first["url"] == "https://news.example/bridge"
    assert first["text"] == STORY.strip()
    assert first["title"] == "Bridge"
    assert (first["language"], first["extractor"], first["n_words"]) == ("en", "bte", 90)
    assert second["url"] == ""
    msgspec.convert(first, Record)  # every key of its type


def test_a_rejected_page_says_why_also_by_the_filters_of_a_crawl(tmp_path: Path) -> None:
    (line,) = run(write(tmp_path / "pages.jsonl", {"id": "a", "html": "", "url": "https://news.example/"}))
    assert line == {
        "id": "a",
        "url": "https://news.example/",
        "rejected": {"stage": "decode", "reason": "empty_body", "detail": ""},
    }
    (line,) = run(write(tmp_path / "pages.jsonl", {"id": "a", "html": HTML}), Recipe("bte"))
    assert (line["id"], line["rejected"]["stage"], line["rejected"]["reason"]) == ("a", "quality", "repeated_words")


def test_broken_lines_are_named_and_stop_nothing(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pages.jsonl",
        {"id": 1},
        b"no json",
        b"",
        b"\xff\xfe",
        {"id": None, "html": ""},
        {"id": 2, "html": HTML},
    )
    *errors, last = run(path)
    assert [error.partition(": ")[0] for error in errors] == [f"{path}, line {n}" for n in (1, 2, 4, 5)]
    assert "`html`" in errors[0]
    assert last["id"] == 2


def test_half_a_surrogate_pair_is_no_reason_to_lose_a_page(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pages.jsonl", {"id": "a\ud83d", "html": HTML.replace("Tuesday", "Tues\ud83dday"), "url": "\udc00"}
    )
    (line,) = run(path)
    assert line["id"] == "a"
    assert "The council met on Tues" in line["text"]


@pytest.mark.parametrize("cut", [".gz", ".zst"])
def test_a_file_that_is_cut_off_gives_what_came_before_and_a_missing_one_an_error(tmp_path: Path, cut: str) -> None:
    path = write(tmp_path / f"pages.jsonl{cut}", {"id": "a", "html": HTML}, {"id": "b", "html": HTML + "x" * 10})
    path.write_bytes(path.read_bytes()[:-3])
    *lines, error = run(path)
    assert [line["id"] for line in lines] in ([], ["a"], ["a", "b"])
    assert "cannot read" in error
    assert str(path) in error
    (error,) = run(tmp_path / "pages.jsonl")
    assert "No such file" in error


def test_a_page_whose_process_died_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        page_files, "in_order", lambda _, items, *__: ((item, Lost("timeout", "too long")) for item in items)
    )
    found, error = run(write(tmp_path / "pages.jsonl", {"id": 1, "html": HTML}, b"no json"))
    assert found["rejected"] == {"stage": "extract", "reason": "timeout", "detail": "too long"}
    assert "line 2" in error


def test_a_plain_template_decides(tmp_path: Path) -> None:
    template = tmp_path / "bridge.txt"
    template.write_text("class=lead\n")
    lead = " ".join(["A bridge stays, says the council."] * 10)  # of fewer words the extractor is asked, too
    html = HTML.replace("<p>", f"<p class=lead>{lead}</p><p>")
    (line,) = run(write(tmp_path / "pages.jsonl", {"id": 1, "html": html}), origin=page_origin(template=template))
    assert (line["text"], line["extractor"].partition("@")[0]) == (lead, "template:bridge")


def test_a_portals_template_decides_and_one_without_is_an_error(tmp_path: Path) -> None:
    portal, keys = tmp_path / "bridge.toml", 'name = "bridge"\nlanguages = ["en"]\ndomains = ["b.example"]\n'
    keys += 'start = ["https://b.example/"]\n'
    portal.write_text(keys)
    with pytest.raises(PortalError, match=r"bridge\.toml: no section \[template\]"):
        page_origin(template=portal)
    portal.write_text(f'{keys}[template]\ntext = [".lead"]\n')
    path = write(tmp_path / "pages.jsonl", {"id": 1, "html": "<p class=lead>A bridge stays.</p><p>More.</p>"})
    for origin in (page_origin(template=portal), page_origin(str(portal))):
        (line,) = run(path, origin=origin)
        assert (line["text"], line["extractor"].partition("@")[0]) == ("A bridge stays.", "template:bridge")
        assert line["source"] == "bridge"


def test_a_wrong_setup_is_found_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown extractor 'nonsense'"):
        next(extract_file(tmp_path / "pages.jsonl", Recipe("nonsense"), SourcePage, 1))


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_bytes(b"\xe9")
    assert read_source(str(tmp_path / "page.html"), "https://a.example/") == Page("https://a.example/", b"\xe9")
