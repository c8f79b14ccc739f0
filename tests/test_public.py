"""The public interface: its names, its examples, and that importing it is quick."""

import doctest
import re
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

import newscorpus
from newscorpus.config import BuildConfig
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Page, Record, Rejected
from newscorpus.page.records import make_record
from newscorpus.page.registry import DEFAULT
from newscorpus.page.rows import Row
from newscorpus.views.demo.server import SITE

DOCUMENT = Path(__file__).parents[1] / "docs" / "python.md"
PAGE = SITE / "pages" / "en-allotment.html"


def published_record() -> Record:
    found = newscorpus.extract(PAGE.read_bytes(), "https://www.vesti.example/1")
    assert isinstance(found, Article)
    return make_record(found, "vesti", "en", 1.0)


def test_every_name_is_there_and_says_what_it_is() -> None:
    assert set(newscorpus.__all__) <= set(dir(newscorpus))
    for name in newscorpus.__all__:
        assert getattr(newscorpus, name).__doc__
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        newscorpus.nonsense  # noqa: B018


def test_the_version_is_that_of_the_distribution() -> None:
    assert version("newscorpus") == newscorpus.__version__


def test_importing_loads_nothing() -> None:
    program = "import sys; before = {*sys.modules}; import newscorpus; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {name for name in done.stdout.split() if name.startswith("newscorpus")} == {"newscorpus"}
    assert not {"numpy", "scrapy", "lxml", "msgspec", "rich", "typer"} & set(done.stdout.split())


def test_the_examples_of_the_document_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_bytes(PAGE.read_bytes())
    publish(tmp_path / "corpora" / "vesti" / "corpus", [published_record()], BuildConfig())
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 5
    said: list[str] = []
    for number, block in enumerate(blocks, 1):
        example = doctest.DocTestParser().get_doctest(block, {}, f"example {number}", DOCUMENT.name, 0)
        doctest.DocTestRunner().run(example, out=said.append)
    assert "".join(said) == ""


@pytest.mark.parametrize("extractor", [DEFAULT, "bte"])
def test_bytes_text_and_pages_give_the_same_article(extractor: str) -> None:
    url, body = "https://www.vesti.example/1", PAGE.read_bytes()
    found = newscorpus.extract(body, url, extractor)
    assert isinstance(found, Article)
    assert newscorpus.extract(body.decode(), url, extractor) == found
    assert newscorpus.extract(Page(url, body), extractor=extractor) == found
    assert newscorpus.load_extractor(extractor)(Page(url, body)) == found
    assert newscorpus.load_extractor(extractor) is newscorpus.load_extractor(extractor)


def test_a_page_of_no_portal_is_judged_as_in_a_crawl_in_any_language() -> None:
    page = Page("https://www.vesti.example/1", PAGE.read_bytes())
    row = newscorpus.process_page(newscorpus.Recipe(), page)
    assert isinstance(row, Row)
    assert (row.record.source, row.record.language, row.signature) == ("", "en", newscorpus.sign(row.record.text))
    stub = replace(page, body=b"<html lang=en><title>Weather</title><p>Sunny, and warm later on.")
    refused = newscorpus.process_page(newscorpus.Recipe(), stub)
    assert isinstance(refused, Rejected)
    assert refused.stage == "quality"


def test_what_is_no_article_is_rejected_and_what_is_no_extractor_is_an_error() -> None:
    assert newscorpus.extract(b"") == Rejected("decode", "empty_body")
    with pytest.raises(ValueError, match="unknown extractor 'nonsense'; known are: "):
        newscorpus.extract("<p>", extractor="nonsense")
    with pytest.raises(TypeError, match=r"a page is HTML \(str or bytes\) or a Page, not PosixPath"):
        newscorpus.extract(Path("page.html"))  # type: ignore[arg-type]


def test_a_corpus_is_read_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    record = published_record()
    publish(tmp_path, [record, replace(record, id="f" * 32)], BuildConfig())
    assert [each.id for each in newscorpus.read_corpus(str(tmp_path))] == [record.id, "f" * 32]
    (shard,) = tmp_path.glob("shard-*")
    shard.write_bytes(shard.read_bytes()[:-1] + b"\0")
    with pytest.raises(ValueError, match=rf"{shard.name}: its content was altered"):
        next(newscorpus.read_corpus(tmp_path))
