from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
import zstandard

from newscorpus.data import Page
from newscorpus.errors import LabError
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.training.block_learner import train
from newscorpus.lab.training.block_systems import PARAGRAPH_SVM
from newscorpus.lab.training.sources import silver_source
from newscorpus.model_folders import METADATA, Metadata
from newscorpus.store.archive.values import Capture, Exchange, Origin, Rules
from newscorpus.store.archive.write import ArchiveWriter, encode

MakePage = Callable[..., GoldPage]
RULES: Rules = {"text": ("article p",), "remove": ("h1",)}


def archive(
    corpus: Path,
    pages: list[GoldPage],
    template: Rules | None = RULES,
    redirects: Mapping[str, tuple[str, ...]] | None = None,
) -> None:
    with ArchiveWriter(corpus, 10_000_000, "newscorpus/test") as writer:
        for page in pages:
            body = page.html.encode()
            headers = (("content-type", "text/html; charset=utf-8"),)
            exchange = Exchange(page.url, "2026-11-01T10:00:00Z", 200, headers, body)
            origin = Origin("toy", template=template, redirects=(redirects or {}).get(page.url, ()))
            capture = Capture(Page(page.url, body, dict(headers)), origin=origin)
            writer.append(encode(exchange, capture, 10_000_000))


def silent(step: str) -> None:
    """Nobody is told."""


def test_the_text_is_what_the_template_of_the_crawl_finds(make_page: MakePage, tmp_path: Path) -> None:
    pages = [make_page(number) for number in range(3)]
    archive(tmp_path / "toy", pages)
    told: list[str] = []
    silver = list(silver_source(tmp_path / "toy", told.append).pages)
    assert [(page.url, page.text, page.dataset, page.domain) for page in silver] == [
        (page.url, page.text, "toy", "") for page in pages
    ]
    assert told == ["000001.warc.gz read"]


@pytest.mark.parametrize("template", [None, {"text": ("main p",)}])
def test_pages_on_which_no_template_finds_text_say_nothing(
    make_page: MakePage, tmp_path: Path, template: Rules | None
) -> None:
    archive(tmp_path, [make_page(1)], template)
    with pytest.raises(LabError, match=r"no page has a text, by a template of its portal or by --texts$"):
        train(PARAGRAPH_SVM, silver_source(tmp_path, silent), silent)


def test_the_text_is_what_a_corpus_has_for_the_address(make_page: MakePage, tmp_path: Path) -> None:
    here, moved, unknown = (make_page(number) for number in range(3))
    archive(tmp_path / "toy", [here, moved, unknown], template=None, redirects={moved.url: ("https://old.example/2",)})
    rows = [
        {"url": f"{here.url}?utm_source=feed#top", "text": "One."},
        {"url": "https://old.example/2", "text": "Two."},
    ]
    texts = tmp_path / "texts.jsonl.zst"
    texts.write_bytes(zstandard.compress(b"\n".join(map(msgspec.json.encode, rows))))
    silver = silver_source(tmp_path / "toy", silent, texts).pages
    assert [(page.url, page.text) for page in silver] == [(here.url, "One."), (moved.url, "Two.")]


def test_a_model_is_trained_on_the_archive_and_says_so(make_page: MakePage, tmp_path: Path) -> None:
    archive(tmp_path / "toy", [make_page(number) for number in range(30)])
    train(PARAGRAPH_SVM, silver_source(tmp_path / "toy", silent), silent).save(tmp_path / "model")
    metadata = msgspec.json.decode((tmp_path / "model" / METADATA).read_bytes(), type=Metadata)
    assert 0 < int(metadata.data["toy"]["pages"]) < 30
    assert metadata.data["toy"]["licence"] == "that of the portals"
    assert metadata.scores["toy"]["f1"] > 0.9


def test_without_an_archive_or_with_a_broken_line_of_texts_it_says_so(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"url": "https://a.example/", "text": ""}\n{"url": "https://b.example/"}\n')
    with pytest.raises(LabError, match=r"texts\.jsonl, line 2: .*`text`"):
        silver_source(tmp_path, silent, texts)
    with pytest.raises(LabError, match=r"archive: no archive here; crawl into this corpus first$"):
        list(silver_source(tmp_path, silent).pages)
