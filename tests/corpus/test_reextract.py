"""Archives extracted again, and what that changes."""

import itertools
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from crawled import Crawl, take
from prose import article
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import QualityConfig, SignatureParameters
from newscorpus.corpus import changes
from newscorpus.corpus import reextract as reextraction
from newscorpus.corpus.build import build
from newscorpus.corpus.changes import ChangeKind, PortalChanges
from newscorpus.corpus.reextract import Archived, Extracted, History, apply, reextract, store
from newscorpus.data import Evidence, Page, Rejected
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import BUILD_LOCK
from newscorpus.page.judge import process_page
from newscorpus.page.judgement import Judgement
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row, Withdrawal, encode_row
from newscorpus.portal.portal import Portal, TemplateSection, TemplateVersion
from newscorpus.store.archive.read import read_captures
from newscorpus.store.archive.values import ArchiveError, Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.intake import read_intake, read_journal
from newscorpus.store.ledger import ROWS, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.addresses import unfinished_captures
from newscorpus.store.ledger.status import status
from newscorpus.store.pages import archive_files, page_of_capture
from newscorpus.views.explain.address import Fate, explain
from newscorpus.views.stats.page import corpus_stats

BTE = Recipe("bte")
PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",), articles=("/(?:story|other)",))
FETCHED = "2026-11-20T08:00:{:02}+00:00"


def capture(number: int, html: str = "", source: str = "news") -> Capture:
    url = f"https://news.example/story-{number}"
    body = (html or article(f"story {number}")).encode()
    page = Page(url, body, {"content-type": "text/html; charset=utf-8"}, FETCHED.format(number))
    return Capture(page, origin=Origin(source, ("en",)))


def archive(corpus: Path, *captures: Capture) -> Path:
    with ArchiveWriter(corpus, 10**9, "newscorpus/0") as writer:
        for one in captures:
            headers = tuple(one.page.headers.items())
            exchange = Exchange(one.page.url, "2026-11-20T08:00:00.000000Z", 200, headers, one.page.body)
            writer.append(encode(exchange, one, 10**6))
    return corpus


def extracted(corpus: Path, output: Path, recipe: Recipe = BTE, portals: tuple[Portal, ...] = ()) -> PortalChanges:
    """Extract the archive of `corpus` again, and what differs from its intake, all portals taken as one."""
    done = store(reextract(archive_files(corpus), recipe, portals), output)
    (found,) = changes.count_changes(changes.find_changes(corpus, output, done.read))
    return found


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of three articles and a page that is none, with archive and intake."""
    folder = archive(tmp_path / "corpus", *map(capture, range(3)), capture(3, "<p>short</p>"))
    store(reextract(archive_files(folder), BTE, ()), folder)
    return folder


def test_a_new_corpus_is_on_the_disk_when_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda handle: synced.add(os.fstat(handle).st_ino))
    store([(None, Rejected("archive", "broken_record", "", "a.warc.gz@0"))], tmp_path / "new")
    assert (tmp_path / "new" / "rejected.jsonl").stat().st_ino in synced


def test_the_same_recipe_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    assert extracted(corpus, tmp_path / "new") == PortalChanges("news", same=3)
    for name in ("intake/000001.jsonl", "rejected.jsonl"):
        assert (tmp_path / "new" / name).read_bytes() == (corpus / name).read_bytes()


def test_the_template_of_today_counts_and_differences_are_cut(corpus: Path, tmp_path: Path) -> None:
    portal = replace(PORTAL, template=TemplateVersion(text=("p:first-of-type",)))
    found = extracted(corpus, tmp_path / "new", portals=(portal,))
    assert (found.text, found.words_added) == (3, 0)
    assert found.words_removed > 100
    change = next(iter(changes.find_changes(corpus, tmp_path / "new", frozenset())))
    first, *_, last = lines = changes.difference(change, 4)
    assert (len(lines), first.startswith("--- https://news.example/story-")) == (5, True)
    assert first.endswith(" before")
    assert last.startswith("... ")


def test_the_version_of_the_template_counts_that_held_when_the_page_was_fetched(tmp_path: Path) -> None:
    pages = [replace(capture(n).page, fetched=f"2026-11-{19 + n}T23:30:00+00:00") for n in range(2)]
    folder = archive(tmp_path / "corpus", *(replace(capture(n), page=page) for n, page in enumerate(pages)))
    switch = date(2026, 11, 20)
    versions = (TemplateVersion(text=("p:last-of-type",), until=switch), TemplateVersion(text=("p",), since=switch))
    store(reextract(archive_files(folder), BTE, (replace(PORTAL, template=versions),)), tmp_path / "new")
    lines = (line for _, line in read_intake(tmp_path / "new" / "intake", SignatureParameters()))
    assert [line.record.text.count("\n") for line in lines if isinstance(line, Row)] == [0, 5]


def test_changes_are_told_apart(corpus: Path, tmp_path: Path) -> None:
    changed = capture(2)
    changed = replace(changed, page=replace(changed.page, evidence=(Evidence("authors", "Ada Writer", "feed"),)))
    later = archive(tmp_path / "later", capture(1, "<p>short</p>"), changed, capture(5))
    done = store(reextract(archive_files(later), BTE, ()), tmp_path / "new")
    found = list(changes.find_changes(corpus, tmp_path / "new", done.read))
    kinds = [ChangeKind.FIELDS, ChangeKind.GAINED, ChangeKind.LOST, ChangeKind.NOT_READ]
    assert sorted(change.kind for change in found) == kinds
    (counts,) = changes.count_changes(found)
    assert (counts.fields, counts.gained, counts.lost, counts.not_read, counts.same) == (1, 1, 1, 1, 0)
    with pytest.raises(ArchiveError, match="no archive here"):
        archive_files(tmp_path)
    with pytest.raises(CorpusError, match="is there already"):
        store(reextract(archive_files(corpus), BTE, ()), corpus)


def test_the_latest_text_of_a_document_counts(tmp_path: Path) -> None:
    first = capture(1)
    second = capture(1, article("another story"))
    second = replace(second, page=replace(second.page, fetched=FETCHED.format(30)))
    corpus = archive(tmp_path / "corpus", second, first)
    store(reextract(archive_files(corpus), BTE, ()), corpus)
    (change,) = changes.find_changes(corpus, corpus, frozenset())
    assert change.before is not None
    assert change.before.offset < (corpus / "intake" / "000001.jsonl").stat().st_size / 2


def test_pages_have_the_rules_of_their_portal_or_of_the_archive() -> None:
    assert page_of_capture(capture(1), (PORTAL,)).languages == ("en",)
    assert page_of_capture(capture(1, source="other"), (PORTAL,)).source == "other"
    foreign = replace(capture(1), origin=None)
    assert page_of_capture(foreign, (PORTAL,)).source == "news"
    assert page_of_capture(foreign, ()).source == "news.example"
    title = Evidence("title", "A", "feed")
    page = replace(capture(1).page, evidence=(Evidence("language", "hr", "portal"), title))
    fetched = page_of_capture(replace(capture(1), page=page), (PORTAL,))
    assert fetched.page.evidence == (title, Evidence("language", "en", "portal"))
    archived = replace(capture(1), origin=Origin("gone", ("sr",), {"text": ("p",), "no_more": ("x",)}))
    fetched = page_of_capture(archived, ())
    assert (fetched.languages, fetched.template) == (("sr",), TemplateSection(text=("p",)))


def test_a_killed_reextraction_is_written_anew(corpus: Path, tmp_path: Path) -> None:
    def die_after_one() -> Iterator[Extracted]:
        yield next(reextract(archive_files(corpus), BTE, ()))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store(die_after_one(), tmp_path / "again")
    assert not list(tmp_path.glob("again/intake/*"))

    again, whole = (store(reextract(archive_files(corpus), BTE, ()), tmp_path / name) for name in ("again", "whole"))
    assert again == whole
    segments = [path.read_bytes() for path in sorted(tmp_path.glob("*/intake/000001.jsonl"))][:2]
    assert segments[0] == segments[1]


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """A corpus as a crawl leaves it: four pages archived, three of them articles, and a ledger that knows its files."""
    folder = tmp_path / "crawled"
    crawl = Crawl(folder)
    for one in (*map(capture, range(3)), capture(3, "<p>short</p>")):
        crawl.visit(one.page, process_page(BTE, page_of_capture(one, (PORTAL,))))
    crawl.close()
    return folder


def published(corpus: Path) -> dict[str, bytes]:
    build(corpus)
    return {
        path.name: path.read_bytes() for path in (corpus / "duplicates.jsonl", *sorted((corpus / "corpus").iterdir()))
    }


def applied(corpus: Path, recipe: Recipe = BTE, *rules: str) -> Mapping[str, int]:
    """Apply a recipe, with rules of the portal's template for the text."""
    portal = replace(PORTAL, template=TemplateVersion(text=rules) if rules else None)
    return apply(Archived(corpus, archive_files(corpus), recipe, (portal,))).outcomes


FIRST_PARAGRAPH, NOTHING = "p:first-of-type", "h6"
STRICT = replace(BTE, quality=QualityConfig(min_words=100_000))


def test_what_is_applied_is_published_as_if_crawled_so(crawled: Path, tmp_path: Path) -> None:
    published(crawled)
    assert applied(crawled, BTE, FIRST_PARAGRAPH)["kept"] == 3
    portal = replace(PORTAL, template=TemplateVersion(text=(FIRST_PARAGRAPH,)))
    store(reextract(archive_files(crawled), BTE, (portal,)), tmp_path / "fresh")
    assert published(crawled) == published(tmp_path / "fresh")
    assert next(changes.find_changes(crawled, tmp_path / "fresh", frozenset())).kind is ChangeKind.SAME


def test_pages_of_this_recipe_are_skipped_and_a_crawl_keeps_the_result(crawled: Path) -> None:
    assert applied(crawled) == {"quality/too_short": 1}
    applied(crawled, BTE, FIRST_PARAGRAPH)
    before = sorted((crawled / "intake").iterdir()), published(crawled)
    assert applied(crawled, BTE, FIRST_PARAGRAPH) == {}
    Ledger.open(crawled).close()
    assert (sorted((crawled / "intake").iterdir()), published(crawled)) == before


def test_what_a_recipe_rejects_goes_with_its_reason_and_comes_back(crawled: Path) -> None:
    first = published(crawled)
    url = "https://news.example/story-1"
    assert sum(applied(crawled, STRICT).values()) == 4
    assert build(crawled).kept == 0
    said = explain(crawled, url)
    assert (said.fate, said.rejected and said.rejected.reason) == (Fate.REJECTED, "too_short")
    without = shutil.copytree(crawled, crawled.parent / "without", ignore=lambda *_: ["ledger.sqlite"])
    assert explain(without, url).rejected == said.rejected
    applied(crawled)
    assert published(crawled) == first
    assert explain(crawled, url).fate is Fate.PUBLISHED


def test_status_journal_and_stats_hold_the_latest_outcomes(crawled: Path) -> None:
    def counts() -> tuple[int, int, Mapping[str, int]]:
        (now,) = status(crawled)
        return now.kept, now.words, now.rejected

    def refused() -> dict[str, list[str]]:
        build(crawled)
        lines = [one.url.rpartition("-")[2] for one in read_journal(crawled / "rejected.jsonl")]
        return {**{one.reason: [str(one.number)] for one in corpus_stats(crawled).refusals}, "journal": sorted(lines)}

    first, before = refused(), counts()
    applied(crawled, STRICT)
    assert refused() == {"too_short": ["4"], "journal": ["0", "1", "2", "3"]}
    assert counts() == (0, 0, {"quality/too_short": 4})
    applied(crawled)
    assert refused() == first == {"too_short": ["1"], "journal": ["3"]}
    assert counts() == before


def test_a_kill_costs_the_pages_since_the_last_commit(crawled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reextraction, "PAGES_A_COMMIT", 2)
    whole = shutil.copytree(crawled, crawled.parent / "whole")
    applied(whole, BTE, FIRST_PARAGRAPH)

    killed = crawled.parent / "killed"

    def broken_off(extracted: Iterable[Extracted]) -> Iterator[Extracted]:
        yield from itertools.islice(extracted, 3)
        shutil.copytree(crawled, killed)  # what a kill leaves on the disk

    portal = replace(PORTAL, template=TemplateVersion(text=(FIRST_PARAGRAPH,)))
    apply(Archived(crawled, archive_files(crawled), BTE, (portal,)), watch=broken_off)
    assert build(killed).kept == 3
    assert sum(applied(killed, BTE, FIRST_PARAGRAPH).values()) == 2
    assert published(killed) == published(whole)


def test_pages_of_visits_that_never_ended_are_passed_over(crawled: Path) -> None:
    (file,) = archive_files(crawled)
    places = [found.place for found in read_captures(file) if isinstance(found, Capture) and found.place]
    with Ledger.open(crawled) as ledger:
        for place in places[:2]:
            ledger.begin_capture(f"archive/{file.name}", place.offset)
        ledger.end_capture(f"archive/{file.name}", places[0].offset)
    left = unfinished_captures(crawled)
    assert left == {(f"archive/{file.name}", places[1].offset)}
    found = [page.page.url for page, _ in reextract([file], BTE, (PORTAL,), unfinished=left) if page]
    assert [url.rpartition("-")[2] for url in found] == ["0", "2", "3"]
    assert sum(applied(crawled, STRICT).values()) == 3
    done = CliRunner().invoke(app, ["reextract", str(crawled), "--extractor", "bte"])
    assert "pages extracted: 3 " in done.output, done.output


def test_an_earlier_fetch_says_nothing_of_what_became_of_its_address(crawled: Path) -> None:
    """A page was fetched again, and gave another text, by the recipe that is applied now."""
    url = "https://news.example/story-1"
    later = capture(1, article("later"))
    later = replace(later, page=replace(later.page, fetched=FETCHED.format(59)))
    portal = replace(PORTAL, template=TemplateVersion(text=(FIRST_PARAGRAPH,)))
    (again,) = (row for _, row in reextract(archive_files(archive(crawled.parent / "later", later)), BTE, (portal,)))
    assert isinstance(again, Row)
    with Ledger.open(crawled) as ledger:
        ledger.add(Link(key_of(url), url, "news", "article"), again=True)
        lease = take(ledger, "news")
        kept = UrlOutcome("", "kept", line=ledger.append(ROWS, encode_row(again)))
        ledger.finish(lease.serial, [kept])
    assert applied(crawled, BTE, FIRST_PARAGRAPH)["kept"] == 3
    found = explain(crawled, url).row
    assert found
    assert (found.fetched, found.revision) == (again.record.fetched, again.record.revision)


def test_faults_of_ours_leave_a_page_what_it_was(crawled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = published(crawled)
    lost = Rejected("extract", "worker_failed", "out of memory", "https://news.example/story-1")
    monkeypatch.setattr(reextraction, "judge", lambda page, rules: Judgement(lost))
    assert applied(crawled, STRICT) == {"extract/worker_failed": 4}
    assert published(crawled) == before


def test_a_page_that_is_another_document_now(crawled: Path) -> None:
    """The canonical address was not seen before, for one."""
    published(crawled)
    pages = [page for page, _ in reextract(archive_files(crawled), BTE, (PORTAL,)) if page]
    history = History(crawled / "intake", STRICT)
    (row,) = (row for _, row in read_intake(crawled / "intake", SignatureParameters()) if row.fetch[1][-8:-6] == "01")
    assert isinstance(row, Row)
    other = replace(row, record=replace(row.record, id="0123456789abcdef", url="https://news.example/other"))
    new, gone = history.lines(pages[1], other)
    assert isinstance(new, Row)
    assert isinstance(gone, Withdrawal)
    assert new.reextraction == 1
    assert (gone.withdrawn, gone.reason, gone.reextraction) == (row.document, "other_document", 1)


def test_only_what_was_crawled_is_changed_in_place_and_by_one_at_a_time(corpus: Path, crawled: Path) -> None:
    with pytest.raises(CorpusError, match="no ledger here"):
        applied(corpus)
    with exclusive(crawled / BUILD_LOCK), pytest.raises(CorpusError, match="another build is at work"):
        applied(crawled)
    with Ledger.open(crawled), pytest.raises(CorpusError, match="another crawl is at work"):
        applied(crawled)


def test_the_command_applies(crawled: Path) -> None:
    arguments = ["reextract", str(crawled), "--apply", "--extractor", "justext"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "pages extracted again: 4 (" in done.output
    assert "had extracted before" not in done.output
    assert f"Next: newscorpus build {crawled}" in done.output
    done = CliRunner().invoke(app, arguments)
    assert done.output == "pages extracted again: 0\npages that this recipe had extracted before: 4\n"
    assert CliRunner().invoke(app, [*arguments, "--diff"]).exit_code == 2


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    arguments = ["reextract", str(corpus), "--extractor", "justext", "--diff", "--limit", "1"]
    (tmp_path / "quality.toml").write_text("min_words = 30\n")
    arguments += ["--quality", str(tmp_path / "quality.toml")]
    done = CliRunner().invoke(app, [*arguments, "--output", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    assert "pages extracted: 4 (" in done.output
    assert (tmp_path / "new" / "intake").is_dir()
    assert CliRunner().invoke(app, ["reextract", str(corpus), "--rights", "steal"]).exit_code == 2
