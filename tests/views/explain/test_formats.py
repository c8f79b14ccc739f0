"""One page in each format of `extract`."""

import json
from datetime import UTC, datetime

import msgspec
import pytest

from newscorpus.config import Revision
from newscorpus.data import Block, Element, Label, LabelledBlock, Page, Record, Rejected
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.urls import document_id
from newscorpus.views.explain.formats import COLUMNS, blocks, brezovnik, record, refusal, text

BTE = Recipe("bte", quality=None)
STORY = "The council met on Tuesday and decided that the old bridge stays open until the new one stands. " * 5
HTML = f"<html lang=en><head><title>Bridge</title></head><body><p>{STORY}</p></body></html>"


def accepted(found: bytes | Rejected) -> bytes:
    assert isinstance(found, bytes)
    return found


def test_one_page_as_text_and_as_record() -> None:
    page = SourcePage(Page.from_html(HTML, "https://news.example/bridge"))
    assert accepted(text(BTE, page)).decode() == STORY.strip() + "\n"
    shown = msgspec.json.decode(accepted(record(BTE, page)), type=Record)
    assert (shown.id, shown.text) == (document_id(page.page.url), STORY.strip())


def test_one_page_as_brezovnik_writes_it() -> None:
    html = HTML.replace("<title>", "<meta property=og:image content=/a.jpg><title>")
    shown = json.loads(
        accepted(
            brezovnik(BTE, SourcePage(Page.from_html(html, "https://news.example/bridge", "2026-11-01T10:00:00Z")))
        )
    )
    assert shown == {
        "url": "https://news.example/bridge",
        "date_accessed": "2026-11-01T10:00:00Z",
        "extracted_data": {
            "title": "Bridge",
            "subtitle": "",
            "content": STORY.strip(),
            "images": [{"url": "https://news.example/a.jpg", "alt": ""}],
        },
    }


def test_a_subtitle_is_a_sub_heading_that_the_content_does_not_repeat() -> None:
    body = (
        f"<h1>Bridge</h1><article><h2>It opens at last</h2><p>{STORY}</p><h2>Below</h2><p>{STORY} Again.</p></article>"
    )
    page = SourcePage(Page.from_html(f"<html lang=en><title>Bridge</title><body>{body}</body></html>"))
    shown = json.loads(accepted(brezovnik(Recipe("main-text", revision=Revision(upper=-1)), page)))
    assert shown["extracted_data"]["subtitle"] == "It opens at last"
    assert shown["extracted_data"]["content"].splitlines() == [STORY.strip(), "Below", f"{STORY}Again."]
    assert datetime.fromisoformat(shown["date_accessed"]) <= datetime.now(UTC)


def test_one_rejected_page_as_text_and_as_record() -> None:
    page = SourcePage(Page.from_html("", "https://news.example/"))
    for found in (text(BTE, page), record(BTE, page)):
        assert isinstance(found, Rejected)
        assert refusal("It", found) == "It was rejected: decode/empty_body"


class Labelling:
    """An extractor that decides block by block."""

    def __call__(self, page: Page) -> Rejected:
        return Rejected("extract", "no_main_text")

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        block = Block(0, "Some\ttext \ud83d", "", Element("p", id="x\ty", classes="a b"))
        return (LabelledBlock(block, 0.25, Label.ALMOST, ("near_good", "short")),)


def test_blocks_are_shown_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newscorpus.views.explain.formats.extractor_of", lambda *_: Labelling())
    head, row = blocks(BTE, SourcePage(Page.from_html(""))).decode().splitlines()
    assert head.split("\t") == list(COLUMNS)
    assert row.split("\t") == ["almost_good", "0.2500", "near_good,short", "p#x y.a.b", "Some text"]


def test_an_extractor_without_blocks_says_so() -> None:
    with pytest.raises(ValueError, match="does not decide block by block"):
        blocks(BTE, SourcePage(Page.from_html(HTML)))
