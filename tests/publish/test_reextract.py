"""Archives extracted again, and what that changes."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus.intake import read_journal
from newscorpus.crawl.archive.encode import encode
from newscorpus.crawl.archive.values import ArchiveError, Capture, Exchange, Origin
from newscorpus.crawl.archive.writer import ArchiveWriter
from newscorpus.data import Evidence, Page
from newscorpus.errors import CorpusError
from newscorpus.portals.portal import Portal, TemplateSection
from newscorpus.publish import changes
from newscorpus.publish.reextract import reextract, store
from newscorpus.recipe import Recipe
from newscorpus.stored import archive_files, fetched_page

sys.path.insert(0, str(Path(__file__).parents[1] / "mockserver"))

from prose import article

BTE = Recipe("bte")
PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",))
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


def extracted(corpus: Path, output: Path, recipe: Recipe = BTE, portals: tuple[Portal, ...] = ()) -> changes.Tally:
    """Extract the archive of `corpus` again, and what differs from its intake, all portals taken as one."""
    done = store(reextract(archive_files(corpus), recipe, portals), output)
    (found,) = changes.tally(changes.find_changes(corpus, output, done.read))
    return found


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the work here, which is faster; the test of the command starts processes."""
    if request.function is not test_the_command:
        monkeypatch.setattr(
            "newscorpus.publish.reextract.in_order",
            lambda function, items, jobs, seconds: ((item, function(item)) for item in items),
        )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of three articles and a page that is none, with archive and intake."""
    folder = archive(tmp_path / "corpus", *map(capture, range(3)), capture(3, "<p>short</p>"))
    store(reextract(archive_files(folder), BTE, ()), folder)
    return folder


def test_the_same_recipe_gives_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    assert extracted(corpus, tmp_path / "new") == changes.Tally("news", same=3)
    for name in ("intake/000001.jsonl", "rejected.jsonl"):
        assert (tmp_path / "new" / name).read_bytes() == (corpus / name).read_bytes()


def test_rejections_are_kept_with_their_reasons(corpus: Path) -> None:
    (rejected,) = read_journal(corpus / "rejected.jsonl")
    assert (rejected.stage, rejected.url) == ("quality", "https://news.example/story-3")


def test_todays_template_counts(corpus: Path, tmp_path: Path) -> None:
    portal = replace(PORTAL, template=TemplateSection(text=("p:first-of-type",)))
    found = extracted(corpus, tmp_path / "new", portals=(portal,))
    assert (found.text, found.words_added) == (3, 0)
    assert found.words_removed > 100


def test_gained_and_lost_documents_are_told_apart(corpus: Path, tmp_path: Path) -> None:
    later = archive(tmp_path / "later", capture(0), capture(1, "<p>short</p>"), capture(5))
    done = store(reextract(archive_files(later), BTE, ()), tmp_path / "new")
    found = list(changes.find_changes(corpus, tmp_path / "new", done.read))
    assert changes.tally(found)[0].lost == 1
    kinds = sorted(change.kind for change in found)
    assert kinds == [changes.Kind.GAINED, changes.Kind.LOST, changes.Kind.NOT_READ, changes.Kind.SAME]


def test_fields_that_changed(corpus: Path, tmp_path: Path) -> None:
    evidence = (Evidence("authors", "Ada Writer", "feed"),)
    pages = [capture(number) for number in range(3)]
    changed = [replace(one, page=replace(one.page, evidence=evidence)) for one in pages]
    later = archive(tmp_path / "later", *changed)
    done = store(reextract(archive_files(later), BTE, ()), tmp_path / "new")
    assert changes.tally(changes.find_changes(corpus, tmp_path / "new", done.read)) == [changes.Tally("news", fields=3)]


def test_the_latest_text_of_a_document_counts(tmp_path: Path) -> None:
    first = capture(1)
    second = capture(1, article("another story"))
    second = replace(second, page=replace(second.page, fetched=FETCHED.format(30)))
    corpus = archive(tmp_path / "corpus", second, first)
    store(reextract(archive_files(corpus), BTE, ()), corpus)
    (change,) = changes.find_changes(corpus, corpus, frozenset())
    assert change.before is not None
    assert change.before.offset < (corpus / "intake" / "000001.jsonl").stat().st_size / 2


def test_differences_are_cut(corpus: Path, tmp_path: Path) -> None:
    portal = replace(PORTAL, template=TemplateSection(text=("p:first-of-type",)))
    done = store(reextract(archive_files(corpus), BTE, (portal,)), tmp_path / "new")
    change = next(iter(changes.find_changes(corpus, tmp_path / "new", done.read)))
    lines = changes.difference(change, 4)
    assert lines[0].startswith("--- https://news.example/story-")
    assert lines[0].endswith(" before")
    assert lines[-1].startswith("... ")
    assert len(lines) == 5


def test_a_portal_is_meant_by_name_or_by_address() -> None:
    assert fetched_page(capture(1), (PORTAL,)).languages == ("en",)
    assert fetched_page(capture(1, source="other"), (PORTAL,)).source == "other"
    foreign = replace(capture(1), origin=None)
    assert fetched_page(foreign, (PORTAL,)).source == "news"
    assert fetched_page(foreign, ()).source == "news.example"


def test_what_the_portal_says_now_replaces_what_it_said() -> None:
    page = replace(capture(1).page, evidence=(Evidence("language", "hr", "portal"), Evidence("title", "A", "feed")))
    fetched = fetched_page(replace(capture(1), page=page), (PORTAL,))
    assert fetched.page.evidence == (Evidence("title", "A", "feed"), Evidence("language", "en", "portal"))


def test_archived_rules_count_where_no_portal_is_known() -> None:
    one = replace(capture(1), origin=Origin("gone", ("sr",), {"text": ("p",), "no_more": ("x",)}))
    fetched = fetched_page(one, ())
    assert (fetched.languages, fetched.template) == (("sr",), TemplateSection(text=("p",)))


def test_a_corpus_without_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no archive here"):
        archive_files(tmp_path)


def test_an_intake_is_not_overwritten(corpus: Path) -> None:
    with pytest.raises(CorpusError, match="is there already"):
        store(reextract(archive_files(corpus), BTE, ()), corpus)


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    arguments = ["reextract", str(corpus), "--extractor", "justext", "--diff", "--limit", "1"]
    (tmp_path / "quality.toml").write_text("min_words = 30\n")
    arguments += ["--quality", str(tmp_path / "quality.toml")]
    done = CliRunner().invoke(app, [*arguments, "--output", str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    assert "4 pages: " in done.output
    assert (tmp_path / "new" / "intake").is_dir()
    assert CliRunner().invoke(app, ["reextract", str(corpus), "--rights", "steal"]).exit_code == 2
