"""What a corpus tells of its addresses, and on what an extractor decides a page."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig, Part, Revision
from newscorpus.corpus.build import build
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import INTAKE_SEGMENT
from newscorpus.page import extractor as extraction
from newscorpus.page.judge import process_page
from newscorpus.page.parsing.parse import parse
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row, encode_row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.intake import encode_header, journal_line, write_segment
from newscorpus.store.ledger import Fetched, Ledger, Link, Series, UrlOutcome, UrlState, key_of
from newscorpus.views.explain.address import FATES, Explanation, Fate, explain, explanation_lines
from newscorpus.views.explain.page import archived_source, show_page

SITE = "https://news.example"
BTE = Recipe("bte")
ROWS = Series(INTAKE_SEGMENT, encode_header(BuildConfig().signature))
REJECTED = Series("rejected.jsonl")
FETCHED = "2026-11-20T08:00:0{}+00:00"
EVIDENCE = Evidence("title", "News of one, says the feed", "feed")


class Crawl:
    """A crawl of which every step is written here."""

    def __init__(self, ledger: Ledger, archive: ArchiveWriter) -> None:
        self._ledger = ledger
        self._archive = archive

    def queue(self, path: str, found_on: str = "", **request: object) -> None:
        url, before = SITE + path, self._ledger.serial(SITE + found_on) if found_on else 0
        link = Link(key_of(url), url, "news", "article", 1, before, request=msgspec.json.encode(request))
        self._ledger.add(link, again=True)
        assert self._ledger.queue.lease("news")

    def answer(
        self,
        path: str,
        *outcomes: UrlOutcome,
        final: str = "",
        second: int = 0,
        archived: tuple[str, int] = ("", 0),
    ) -> None:
        serial = self._ledger.serial(SITE + path)
        fetched = Fetched(SITE + (final or path), 200, FETCHED.format(second), 10, archived=archived)
        self._ledger.finish(serial, outcomes, fetched)

    def keep(self, path: str, html: str, canonical: str = "", second: int = 0) -> None:
        page = Page(SITE + path, html.encode(), {"content-type": "text/html; charset=utf-8"}, FETCHED.format(second))
        row = process_page(BTE, SourcePage(page, "news", ("en",)))
        assert isinstance(row, Row), row
        exchange = Exchange(page.url, "2026-11-20T08:00:00.000000Z", 200, tuple(page.headers.items()), page.body)
        archived = self._archive.append(encode(exchange, Capture(page, origin=Origin("news", ("en",))), 10**6))
        place = self._ledger.append(ROWS, encode_row(row))
        outcome = UrlOutcome("", "kept", "", row.record.revision, 10, SITE + (canonical or path), place)
        self.answer(path, outcome, second=second, archived=(archived.file, archived.offset))

    def reject(self, path: str, rejected: Rejected) -> None:
        place = self._ledger.append(REJECTED, journal_line(replace(rejected, url=SITE + path)))
        outcome = UrlOutcome(rejected.stage, rejected.reason, rejected.detail, line=place)
        self.answer(path, outcome)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    with ArchiveWriter(folder, 10**9, "newscorpus/0") as archive, Ledger.open(folder) as ledger:
        fill(ledger, Crawl(ledger, archive))
        ledger.commit()
    build(folder)
    return folder


def fill(ledger: Ledger, crawl: Crawl) -> None:
    crawl.queue("/")
    crawl.answer("/")
    crawl.queue("/feed", "/")
    crawl.answer("/feed")
    crawl.queue("/one", "/feed", cb_kwargs={"evidence": [msgspec.to_builtins(EVIDENCE)]})
    head = f'<link rel="canonical" href="{SITE}/canonical">'  # dated: the earlier one of two stays
    head += '<meta property="article:published_time" content="2026-11-19T08:00:00Z">'
    crawl.keep("/one", article("one", head), "/canonical")
    crawl.queue("/reprint", "/one", cb_kwargs={"evidence": "of another spider"})
    crawl.keep("/reprint", article("one").replace("News of one", "Another headline"), second=1)
    crawl.queue("/bad", "/one")
    crawl.reject("/bad", Rejected("quality", "too_short", "3 words", excerpt="Too short by far"))
    crawl.queue("/moved", "/one")
    crawl.answer("/moved", UrlOutcome("discovery", "no_article", "redirected"), final="/home")
    crawl.queue("/became-short", "/one")
    crawl.keep("/became-short", article("two"))
    crawl.queue("/became-short", "/one")
    crawl.reject("/became-short", Rejected("quality", "too_short", "3 words"))
    crawl.queue("/later", "/one")
    ledger.queue.release(ledger.serial(SITE + "/later"))


def told(corpus: Path, path: str) -> tuple[Explanation, str]:
    said = explain(corpus, SITE + path)
    return said, "\n".join(explanation_lines(said))


def test_a_document_of_the_corpus(corpus: Path) -> None:
    said, text = told(corpus, "/one")
    assert said.fate is Fate.PUBLISHED
    assert said.entry is not None
    assert (said.entry.portal, said.entry.trail) == ("news", (f"{SITE}/feed", f"{SITE}/"))
    assert said.entry.evidence == (EVIDENCE,)
    assert [line.url for line in said.stands_for] == [f"{SITE}/reprint"]
    assert "feed        title: News of one, says the feed" in text
    assert f"stands for  {SITE}/reprint, near duplicate, similarity 0.99" in text


def test_a_duplicate_and_what_stands_for_it(corpus: Path) -> None:
    said, text = told(corpus, "/reprint")
    assert said.fate is Fate.DUPLICATE
    assert said.published is not None
    assert f"instead     {said.published.id}, {SITE}/canonical" in text
    assert said.entry is not None
    assert said.entry.evidence == ()


@pytest.mark.parametrize(
    ("path", "fate", "lines"),
    [
        ("/canonical", Fate.PUBLISHED, [f"asked as    {SITE}/one"]),
        ("/bad", Fate.REJECTED, ["why         quality/too_short  3 words", "Too short by far"]),
        (
            "/became-short",
            Fate.REJECTED,
            [f"but         an earlier text stands in the corpus, fetched {FETCHED.format(0)}"],
        ),
        ("/home", Fate.REJECTED, [f"asked as    {SITE}/moved", f"redirected  to {SITE}/home"]),
        ("/", Fate.READ, []),
        ("/later", Fate.QUEUED, []),
        ("/never", Fate.NEVER_MET, []),
    ],
)
def test_what_became_of_an_address(corpus: Path, path: str, fate: Fate, lines: list[str]) -> None:
    said, text = told(corpus, path)
    assert said.fate is fate
    assert [line for line in lines if line not in text] == []
    assert said.row is None or path in {"/canonical", "/became-short"}


def test_corpora_without_a_ledger_are_searched(corpus: Path, tmp_path: Path) -> None:
    for name in ("intake", "corpus", "rejected.jsonl", "duplicates.jsonl"):
        (tmp_path / name).symlink_to(corpus / name)
    assert told(tmp_path, "/canonical")[0].fate is Fate.PUBLISHED
    assert told(tmp_path, "/reprint")[0].fate is Fate.DUPLICATE
    assert told(tmp_path, "/bad")[0].fate is Fate.REJECTED
    assert told(tmp_path, "/later")[0].fate is Fate.NEVER_MET


@pytest.mark.parametrize("name", ["corpus", "."])
def test_a_corpus_that_was_given_away_is_searched(corpus: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "corpus").symlink_to(corpus / "corpus")
    said, text = told(tmp_path / name, "/canonical")
    assert said.fate is Fate.PUBLISHED
    assert "News of one" in text
    assert told(tmp_path / name, "/reprint")[0].fate is Fate.NEVER_MET


def test_a_text_that_is_not_trusted_is_named_with_what_stands_for_it(tmp_path: Path) -> None:
    pages = [
        Page(f"{SITE}/a", article(seed).encode(), {}, FETCHED.format(at)) for at, seed in enumerate(("one", "two"))
    ]
    rows = [row for page in pages if isinstance(row := process_page(BTE, SourcePage(page, "news", ("en",))), Row)]
    confidences = zip(rows, (0.9, 0.1), strict=True)
    rows = [replace(row, record=replace(row.record, confidence=stated)) for row, stated in confidences]
    with write_segment(tmp_path / "intake" / "000001.jsonl", BuildConfig().signature) as append:
        append(rows[0])
        append(rows[1])
    build(tmp_path, BuildConfig(least_confidence=0.5))
    said, text = told(tmp_path, "/a")
    assert said.fate is Fate.DOUBTFUL
    assert "fate        in the intake; not in the corpus: left out by the build" in text
    assert "why         quality/low_confidence  0.100, less than 0.5; by bte" in text
    assert f"but         an earlier text stands in the corpus, fetched {FETCHED.format(0)}" in text
    build(tmp_path, BuildConfig(least_confidence=0.0))
    assert told(tmp_path, "/a")[0].fate is Fate.PUBLISHED


def test_before_the_build(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "intake").symlink_to(corpus / "intake")
    assert told(tmp_path, "/reprint")[0].fate is Fate.NOT_BUILT


def test_damage_is_named(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").symlink_to(corpus / "ledger.sqlite")
    (tmp_path / "rejected.jsonl").write_text("{}\n")
    with pytest.raises(CorpusError, match=r"rejected\.jsonl, at offset 0: "):
        explain(tmp_path, f"{SITE}/bad")
    with pytest.raises(CorpusError, match="no such folder"):
        explain(tmp_path / "none", SITE)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="empty: no corpus here"):
        explain(tmp_path / "empty", SITE)


def test_sources_that_disagree_are_shown() -> None:
    head = '<meta property="og:title" content="News of one | Paper"><meta name="author" content="A Bee">'
    page = replace(Page.from_html(article("one", head), f"{SITE}/one"), evidence=(EVIDENCE,))
    view = show_page(Recipe(), SourcePage(page, "news")).view
    fields = {one.field: one for one in view.fields}
    assert fields["title"].values == ("News of one",)
    assert EVIDENCE in fields["title"].others
    assert (fields["authors"].values, fields["authors"].source) == (("A Bee",), "meta")
    assert view.outcome.startswith("article: ")
    assert [block.text for block in view.blocks if block.label == "good"] == paragraphs("one")
    assert {*msgspec.to_builtins(view)["blocks"][0]} == {
        *("label", "score", "given", "reasons", "path", "text", "position", "features")
    }


def test_pages_that_cannot_be_read_and_extractors_without_blocks() -> None:
    assert show_page(BTE, SourcePage(Page(SITE, b""), "news")).view.outcome.startswith("rejected: ")
    page = SourcePage(Page.from_html(article("one")), "news", template=TemplateSection(text=("p",)))
    view = show_page(BTE, page).view
    assert (view.extractor.partition("@")[0], view.blocks) == ("template:news", ())


@pytest.mark.parametrize("extractor", ["main-text", "bte"])
def test_a_page_is_read_once_to_be_judged_and_shown(extractor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = Mock(wraps=parse)
    monkeypatch.setattr(extraction, "parse", parsed)
    view = show_page(Recipe(extractor), SourcePage(Page.from_html(article("the quarry"), SITE))).view
    assert parsed.call_count == 1
    assert view.outcome.startswith("article: ")


def test_what_a_portal_leaves_out_is_shown_so() -> None:
    row = "<tr><td>The quarry in the north</td><td>Twelve people worked there until the spring.</td></tr>"
    page = Page.from_html(article("the quarry").replace("</p>", f"</p><table>{row * 3}</table>", 1), SITE)
    for parts, reasons in (((), set()), ((Part.TABLES,), {Part.TABLES})):
        source = SourcePage(page, leave_out=parts, revision=Revision(upper=1e-9))
        cells = [block for block in show_page(Recipe(), source).view.blocks if "/td" in block.path]
        assert {reason for cell in cells for reason in cell.reasons} == reasons
        assert len(cells) == 6


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["explain", f"{SITE}/one", "--corpus", str(corpus), "--page", "--format", "json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.output)
    assert (said["address"]["fate"], said["page"]["extractor"]) == ("published", "model:main-text@3")
    (tmp_path / "page.html").write_text(article("one"))
    done = CliRunner().invoke(app, ["explain", str(tmp_path / "page.html")])
    assert done.exit_code == 0, done.output
    assert "  title       News of one" in done.output


@pytest.mark.parametrize("arguments", [[SITE], ["page.html", "--corpus", "x"], [SITE, "--corpus", "x", "--url", SITE]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["explain", *arguments]).exit_code == 2


def test_what_a_corpus_says_does_not_steer_the_terminal(corpus: Path) -> None:
    said = explain(corpus, SITE + "/one")
    assert said.row is not None
    hostile = replace(said.row, title="a\x9b2J\u202eb\n  fate        in the corpus", flags=("\x1b[1m",))
    text = "\n".join(explanation_lines(replace(said, url="https://a.cz/\x9b", row=hostile)))
    assert all(character == "\n" or character.isprintable() for character in text)
    assert text.count("\n  fate ") == 1


def place_of(said: Explanation) -> tuple[str, int]:
    return said.entry.archived if said.entry else ("", 0)


@pytest.mark.parametrize("column", ["archive_file", "line_file"])
@pytest.mark.parametrize("name", ["../secret.txt", "{folder}/secret.txt", "intake/\0"])
def test_a_ledger_that_names_files_outside_the_corpus_opens_none(
    corpus: Path, tmp_path: Path, column: str, name: str
) -> None:
    crafted = shutil.copytree(corpus, tmp_path / "crafted")
    (tmp_path / "secret.txt").write_text("secret")
    with closing(sqlite3.connect(crafted / "ledger.sqlite")) as connection, connection:
        connection.execute(f"UPDATE urls SET {column} = ?", (name.format(folder=tmp_path),))
    with pytest.raises(CorpusError, match="names a file outside the corpus"):
        archived_source(crafted, SITE + "/one", *place_of(explain(crafted, SITE + "/one")))


def test_every_state_of_an_address_has_a_fate() -> None:
    assert FATES.keys() == set(UrlState)
