"""Documents that are taken out: no byte of them is left, nothing brings them back, and a death costs nothing."""

import gzip
import json
import re
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import msgspec
import pytest
import zstandard
from crawled import Crawl
from dying import in_a_child
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig, ExportFormat, ShardConfig, ShardFormat
from newscorpus.content_encoding import gunzip
from newscorpus.corpus import reextract
from newscorpus.corpus.build import build
from newscorpus.corpus.export.export import export
from newscorpus.corpus.export.source import About
from newscorpus.corpus.merge import dedup
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.release import RowChanges, diff, release
from newscorpus.corpus.remove import RemovalReport, finish_removal, remove
from newscorpus.corpus.search_index import index_path, make_index, temporary_index
from newscorpus.data import Page, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.lab.gold.marking import MarkedBlock, MarkLine, journal_of, place_of, read_marks, save_mark
from newscorpus.layout import REMOVED, REMOVING
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import ESCAPE, ESCAPED, ESCAPED_NEWLINE, Row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.profile import Profile, Repeated, profile_path, read_profile, write_profile
from newscorpus.store.archive.read import read_capture, read_captures
from newscorpus.store.archive.values import Capture
from newscorpus.store.ledger import REJECTIONS, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.addresses import find
from newscorpus.store.ledger.status import status
from newscorpus.store.pages import archive_findings
from newscorpus.store.removals import removals_of
from newscorpus.tokens import folded_words
from newscorpus.urls import document_id
from newscorpus.views.explain.address import explain

URL = "https://news.example/story-{}"
GONE = URL.format(3)
ALIAS = "https://news.example/old/3"
LIST = "https://news.example/section"
PAGES = 7
LINKING = 6
RECIPE = Recipe("bte")
REASON = "asked for by the publisher"


def story(number: int, visit: int = 0) -> Page:
    seed = f"story {number}" + f", visit {visit}" * bool(visit)
    fetched = f"2026-11-{20 + visit}T08:00:{number:02}+00:00"
    return Page(URL.format(number), article(seed).encode(), {"content-type": "text/html"}, fetched)


def listing(name: str, body: bytes) -> Page:
    return Page(f"{LIST}{name}", body, {"content-type": "text/html"}, "2026-11-20T09:00:00+00:00")


def row_of(page: Page) -> Row:
    row = process_page(RECIPE, SourcePage(page, "news", ("en",)))
    assert isinstance(row, Row), row
    return row


def make(corpus: Path) -> Path:
    """A corpus in which a document left traces wherever it can."""
    crawl = Crawl(corpus)
    pages = {number: story(number) for number in range(PAGES)}
    linking = b'<aside><a href="/story-3">Read</a></aside></body>'
    pages[LINKING] = replace(pages[LINKING], body=pages[LINKING].body.replace(b"</body>", linking))
    places = {number: crawl.visit(page, row_of(page)) for number, page in pages.items()}
    teaser = f"<li><a href='/story-3'>News</a> {paragraphs('story 3')[0][:90]}</li>"
    markup = f"<html><body><ul>{teaser}<li><a href='/story-4'>More</a></li></ul></body></html>"
    crawl.visit(listing("", markup.encode()), None)
    crawl.visit(story(3, 1), row_of(story(3, 1)), asked=ALIAS)
    excerpt = paragraphs("story 5")[0][:100]
    crawl.visit(replace(story(5), url=URL.format(50)), Rejected("quality", "listing", "", URL.format(50), excerpt))
    crawl.close()
    build(corpus, BuildConfig(shards=ShardConfig(ShardFormat.GZIP)))
    for number in (3, 4):
        block = MarkedBlock(1, "good", "html/body", paragraphs(f"story {number}")[0])
        marks = MarkLine(URL.format(number), "measure", "ann", "2026-11-21", (block,), place_of(*places[number]), 9)
        save_mark(journal_of(corpus, "news"), marks)
    repeated = {"1": Repeated(2, paragraphs("story 3")[0][:80]), "2": Repeated(2, "Read more")}
    ids = tuple(sorted(document_id(URL.format(number)) for number in range(PAGES)))
    profile = Profile("news", "bte", ids, {}, repeated)
    write_profile(profile_path(corpus, "news"), profile)
    of_older_form = msgspec.to_builtins(profile) | {"version": 1}
    profile_path(corpus, "old").write_bytes(msgspec.json.encode(of_older_form))
    make_index(corpus)
    release(corpus, "1")
    return corpus


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("made") / "news")


@pytest.fixture
def corpus(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "news")
    shutil.copy(index_path(made), index_path(tmp_path / "news"))
    return tmp_path / "news"


def unpacked(data: bytes) -> Iterator[bytes]:
    """Some bytes, and whatever lies compressed in them; a row of the intake is compressed, with newlines escaped."""
    yield data
    ways = (
        (b"\x1f\x8b", lambda part: b"".join(gunzip(part, 10**8))),
        (zstandard.FRAME_HEADER, _unzstd),
        (zstandard.FRAME_HEADER, lambda part: _unzstd(part.replace(ESCAPED_NEWLINE, b"\n").replace(ESCAPED, ESCAPE))),
    )
    for magic, unpack in ways:
        at = data.find(magic)
        while at >= 0:
            with suppress(zlib.error, zstandard.ZstdError):
                yield unpack(data[at:])
            at = data.find(magic, at + 1)


def _unzstd(data: bytes) -> bytes:
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def traces(folder: Path, url: str = GONE, seeds: tuple[str, ...] = ("story 3", "story 3, visit 1")) -> list[str]:
    """The files in which the id of a document stands, as text or as a number, or eight words of its text in a row."""
    runs = set()
    for seed in seeds:
        words = folded_words(" ".join(paragraphs(seed)))
        runs |= {" ".join(words[at : at + 8]) for at in range(len(words) - 7)}
    name = document_id(url)
    ids = (name.encode(), bytes.fromhex(name), bytes.fromhex(name)[::-1])
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        for data in unpacked(path.read_bytes()):
            words = folded_words(data.decode("utf-8", "replace"))
            if any(one in data for one in ids) or any(" ".join(words[at : at + 8]) in runs for at in range(len(words))):
                found.append(path.relative_to(folder).as_posix())
                break
    return found


def published(corpus: Path) -> set[str]:
    return {record.url for record in open_corpus(corpus).records()}


def archived_body(corpus: Path, url: str) -> bytes:
    entry = find(corpus, url)
    assert entry
    found = read_capture(corpus / entry.archived[0], entry.archived[1])
    assert isinstance(found, Capture)
    return found.page.body


def test_traces_are_found_wherever_they_are(corpus: Path) -> None:
    (corpus / "rest.zst").write_bytes(zstandard.compress(paragraphs("story 3")[1].encode()))
    found = set(traces(corpus.parent))
    assert {path.removeprefix("news/").partition("/")[0] for path in found} == {
        *("archive", "corpus", "duplicates.jsonl", "gold", "index", "intake", "ledger.sqlite", "news.search.sqlite"),
        *("profiles", "releases", "rest.zst"),
    }


@pytest.mark.parametrize("damage", [lambda content: content[:-9], lambda content: b"no zstd"])
def test_a_damaged_list_of_a_release_goes_and_blocks_nothing(corpus: Path, damage: Callable[[bytes], bytes]) -> None:
    path = corpus / "releases" / "1" / "added.jsonl.zst"
    path.write_bytes(damage(path.read_bytes()))
    assert remove(corpus, [GONE], "asked", from_archive=True).rows
    assert traces(corpus) == []
    assert build(corpus).kept
    with pytest.raises(CorpusError, match=r"added.jsonl.zst: .*; remove .*releases/1, and later releases can be made"):
        release(corpus, "2")


def test_damage_in_the_archive_is_named_when_it_may_hold_the_page(
    corpus: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (path, *_) = sorted((corpus / "archive").glob("*.warc.gz"))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 9] = b"x" * 9
    path.write_bytes(damaged)
    remove(corpus, [GONE], REASON, from_archive=True)
    assert f"{path}, offset" in caplog.text
    assert "damaged, and not searched" in caplog.text


def test_addresses_that_were_redirected_to_it_name_it_no_more(tmp_path: Path) -> None:
    crawl, moved = Crawl(tmp_path), "https://news.example/moved-3"
    for number in (3, 4):
        crawl.visit(story(number), row_of(story(number)))
    refused = Rejected("fetch", "redirect_to_known", f"to {GONE}", moved)
    crawl.visit(Page(moved, b"", {"location": GONE}, "2026-11-20T09:00:00+00:00"), refused)
    crawl.close()
    build(tmp_path)
    assert remove(tmp_path, [GONE], REASON, from_archive=True).rows
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and GONE.encode() in path.read_bytes()]
    with Ledger.open(tmp_path) as ledger:
        assert not ledger.reserve(moved, "news")


def test_no_search_index_brings_it_back(corpus: Path) -> None:
    def watch(records: Iterable[Record]) -> Iterator[Record]:
        yield from records
        remove(corpus, [GONE], REASON, from_archive=True)

    with pytest.raises((CorpusError, OSError), match=r"published anew|search.sqlite"):
        make_index(corpus, watch)
    assert traces(corpus.parent) == []


def test_no_byte_of_what_was_taken_out_is_left(corpus: Path) -> None:
    (corpus / "intake" / ".000001.jsonl.tmp").write_text("\n".join(paragraphs("story 3")))  # of a killed re-extraction
    temporary_index(corpus).write_text("\n".join(paragraphs("story 3")))  # of a killed search
    report = remove(corpus, [GONE], REASON, from_archive=True)
    assert report == RemovalReport((), {}, rows=2, archived=3, linking=1, copies=())
    assert traces(corpus.parent) == []
    assert published(corpus) == {URL.format(number) for number in range(PAGES)} - {GONE}
    assert not (corpus / REMOVING).exists()
    (line,) = (corpus / REMOVED).read_text().splitlines()
    assert json.loads(line)["reason"] == REASON
    assert "story" not in line


def test_what_only_names_it_goes_too_or_is_said(corpus: Path, tmp_path: Path) -> None:
    (title,) = {record.title for record in open_corpus(corpus).records() if record.url == GONE}
    profile = read_profile(profile_path(corpus, "news"))
    write_profile(
        profile_path(corpus, "news"), msgspec.structs.replace(profile, texts={"1": Repeated(2, f"{title} May ")})
    )
    crawl, linked = Crawl(corpus), "https://news.example/print/3"
    page = listing("/2", f'<a href="{GONE}">{title}</a>'.encode())
    crawl.visit(page, Rejected("discovery", "section", "", page.url))  # judged as a page that may be an article
    crawl.ledger.transaction.write("UPDATE urls SET kind = 'section' WHERE url = ?", (page.url,))
    request = json.dumps({"headers": {"Referer": [GONE]}}).encode()
    crawl.ledger.add(Link(key_of(linked), linked, "news", "article", request=request))
    crawl.close()
    make_index(corpus / "corpus")
    export(corpus, tmp_path / "texts", ExportFormat.TEXT, About("news"))
    dedup([corpus], tmp_path / "merged")

    report = remove(corpus, [GONE], REASON, from_archive=True)

    assert report.linking == 1
    assert report.copies == (str(tmp_path / "texts"), str(tmp_path / "merged"))
    shutil.rmtree(tmp_path / "texts")
    assert remove(corpus, [GONE], REASON).copies == (str(tmp_path / "merged"),)
    shutil.rmtree(tmp_path / "merged")
    for path in filter(Path.is_file, tmp_path.rglob("*")):
        for data in unpacked(path.read_bytes()):
            assert title.encode() not in data, path
            assert GONE.encode() not in data, path


def test_all_else_stays_as_it_is(corpus: Path) -> None:
    before = [found for found in read_captures(corpus / "archive" / "000001.warc.gz") if isinstance(found, Capture)]
    remove(corpus, [GONE], REASON, from_archive=True)
    after = list(read_captures(corpus / "archive" / "000001.warc.gz"))
    assert list(archive_findings(corpus, iter, whole=True)) == []
    assert remove(corpus, [GONE], REASON, from_archive=True).archived == 0
    assert after == [capture for capture in before if capture.page.url != GONE]
    assert archived_body(corpus, URL.format(4)) == story(4).body
    (now,) = status(corpus)
    assert now.kept == PAGES - 1
    assert now.rejected == {"quality/listing": 1}
    assert [one.page for one in read_marks(journal_of(corpus, "news"))] == [URL.format(4)]
    profile = read_profile(profile_path(corpus, "news"))
    assert len(profile.pages) == PAGES - 1
    assert [one.text for one in profile.texts.values()] == ["Read more"]
    assert open_corpus(corpus).manifest.parameters.shards.format is ShardFormat.GZIP, "as it was built before"
    assert diff("1", str(corpus), corpus) == RowChanges({}, {}, {}, taken_out=1), "nor do versions name it"


def test_other_programs_read_an_archive_of_which_something_was_taken(corpus: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    remove(corpus, [GONE], REASON, from_archive=True)
    with (corpus / "archive" / "000001.warc.gz").open("rb") as file:
        kinds = [record.rec_type for record in ArchiveIterator(file, check_digests=True)]
    assert (kinds.count("response"), kinds.count("metadata")) == (PAGES, PAGES + 3)
    assert gzip.decompress((corpus / "archive" / "000001.warc.gz").read_bytes()).count(b"Taken out.") == 3


@pytest.mark.parametrize("name", [GONE, f"{GONE}?utm_source=rss", ALIAS, document_id(GONE), document_id(ALIAS)])
def test_each_of_its_names_will_do(corpus: Path, name: str) -> None:
    assert remove(corpus, [name], REASON, from_archive=True).unknown == ()
    assert traces(corpus.parent) == []
    assert removals_of(corpus).covers(ALIAS)


def test_without_the_archive_the_page_lies_there_and_nobody_reads_it(corpus: Path, tmp_path: Path) -> None:
    remove(corpus, [GONE], REASON)
    assert traces(corpus.parent) == ["news/archive/000001.warc.gz"]
    archived = reextract.Archived(corpus, [corpus / "archive" / "000001.warc.gz"], RECIPE)
    reextract.apply(archived)
    read = reextract.reextract(archived.files, RECIPE, ())
    reextract.store(read, tmp_path / "other")
    build(corpus)
    build(tmp_path / "other")
    assert traces(corpus.parent, seeds=()) == [], "re-extraction obeys, and so does the build after it"
    remove(corpus, [GONE], "once more", from_archive=True)
    assert traces(corpus.parent) == [], "the archive may follow later"


def test_a_crawl_does_not_fetch_it_again_and_explain_says_why(corpus: Path) -> None:
    remove(corpus, [GONE], REASON)
    with Ledger.open(corpus) as ledger:
        for url in (GONE, ALIAS, f"{GONE}#top"):
            assert ledger.knows(url)
            assert not ledger.reserve(url, "news")
            assert not ledger.add(Link(key_of(url), url, "news", request=b"{}"), again=True)
            assert not ledger.refuse(url, UrlOutcome("discovery", "trap"), REJECTIONS, b"{}\n")
        assert ledger.reserve(URL.format(99), "news")
    assert traces(corpus.parent, seeds=()) == []
    rejected = explain(corpus, f"{GONE}?utm_source=rss").rejected
    assert rejected
    assert (rejected.stage, rejected.reason, rejected.detail.endswith(REASON)) == ("rights", "taken_out", True)
    (corpus / REMOVED).write_text("{}\n")
    with pytest.raises(CorpusError, match=r"removed\.jsonl"):
        removals_of(corpus)


def test_what_comes_again_by_another_address_goes_with_the_next_build(corpus: Path) -> None:
    remove(corpus, [GONE], REASON, from_archive=True)
    crawl, other = Crawl(corpus), replace(story(3), url="https://news.example/amp/3")
    row = row_of(story(3))
    crawl.visit(other, replace(row, page=other.url, record=replace(row.record, fetched="2026-12-01T00:00:00+00:00")))
    crawl.close()
    build(corpus)
    assert GONE not in published(corpus)
    assert {path.partition("/")[0] for path in traces(corpus)} == {"archive"}
    remove(corpus, [GONE], REASON, from_archive=True)
    assert traces(corpus) == []
    assert removals_of(corpus).covers(other.url)


def test_a_merge_obeys_the_removals_of_all_that_it_joins(corpus: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(corpus, other)
    dedup([corpus, other], tmp_path / "merged")
    assert GONE in published(tmp_path / "merged")
    shutil.copytree(tmp_path / "merged", tmp_path / "copy")
    assert remove(tmp_path / "copy", [GONE], REASON) == RemovalReport((), {}, 1, 0, 0, ()), "of a merged corpus, too"
    assert traces(tmp_path / "copy") == []
    assert len(published(tmp_path / "copy")) == PAGES - 1
    remove(corpus, [GONE], REASON, from_archive=True)
    dedup([corpus, other], tmp_path / "merged")
    assert traces(tmp_path / "merged") == [], "though the other corpus holds it still"
    dedup([tmp_path / "merged", other], tmp_path / "more")
    assert traces(tmp_path / "more") == []


def test_documents_that_quote_it_stay_with_their_pages(tmp_path: Path) -> None:
    quote = f"<p>She wrote: {paragraphs('story 3')[1]}</p><a href='/story-3'>More</a></article>"
    quoting = replace(story(4), body=story(4).body.replace(b"</article>", quote.encode()))
    crawl = Crawl(tmp_path)
    for page in (story(3), story(5), quoting):
        crawl.visit(page, row_of(page))
    crawl.close()
    build(tmp_path)
    remove(tmp_path, [GONE], REASON, from_archive=True)
    assert published(tmp_path) == {quoting.url, URL.format(5)}
    assert archived_body(tmp_path, quoting.url) == quoting.body


def test_lists_that_do_not_link_to_it_stay(corpus: Path) -> None:
    crawl = Crawl(corpus)
    lists = {"/more/1": "<a href='/story-31'>More</a>", "/more/2": "<a href='/a-story-3'>More</a>"}
    for name, markup in lists.items():
        crawl.visit(listing(name, markup.encode()), None)
    crawl.close()
    assert remove(corpus, [GONE], REASON, from_archive=True).archived == 3


def test_lists_that_link_to_it_go_however_they_are_sent(tmp_path: Path) -> None:
    crawl, gone = Crawl(tmp_path), "https://news.example/%D1%81%D0%BB%D0%BE%D0%B2%D0%BE"
    page = replace(story(3), url=gone)
    crawl.visit(page, row_of(page))
    crawl.visit(story(4), row_of(story(4)))
    markup = "<a href='/слово'>Слово</a>"
    sent = {
        "utf-16": (markup.encode("utf-16"), ""),
        "cp1251": (f"<meta charset=windows-1251>{markup}".encode("cp1251"), ""),
        "br": (brotli.compress(markup.encode()), "br"),
        "gz": (gzip.compress(f"<urlset><loc>{gone}</loc></urlset>".encode()), ""),
    }
    for name, (body, encoding) in sent.items():
        crawl.visit(listing(f"/{name}", body), None, sent=(body, encoding))
    crawl.close()
    build(tmp_path)
    assert remove(tmp_path, [gone], REASON, from_archive=True).archived == 1 + len(sent)


def test_documents_rows_and_responses_are_counted(corpus: Path) -> None:
    command = ["remove", str(corpus), GONE, "--reason", REASON]
    assert "Taken out: 1 document (2 rows). The corpus" in CliRunner().invoke(app, command).output
    again = CliRunner().invoke(app, [*command, "--from-archive"]).output
    assert "\nTaken out: 3 responses of the archive. The corpus" in again


def test_what_is_not_here_is_said_and_never_taken_in(corpus: Path) -> None:
    url = "https://news.example/never"
    done = CliRunner().invoke(app, ["remove", str(corpus), url, "--reason", REASON])
    assert done.exit_code == 0
    assert f"{url}: nothing of it was here; it will not be taken in" in done.output
    again = CliRunner().invoke(app, ["remove", str(corpus), url, "--reason", REASON])
    assert re.fullmatch(f"{url}: taken out before, on 20[-0-9T:]+Z\n", again.output)
    with Ledger.open(corpus) as ledger:
        assert not ledger.reserve(url, "news")


def test_it_ends_where_a_killed_extraction_left_an_intake_without_segments(tmp_path: Path) -> None:
    (tmp_path / "intake").mkdir()
    assert remove(tmp_path, [GONE], REASON).unknown == (GONE,)
    assert not (tmp_path / REMOVING).exists()


@pytest.mark.parametrize("name", ["story-3", "0123", "ftp://news.example/3", f"{document_id(GONE)}0"])
def test_a_name_that_is_none_is_refused(corpus: Path, name: str) -> None:
    with pytest.raises(CorpusError, match=f"'{name}' is neither an address nor the id"):
        remove(corpus, [name], REASON)
    with Ledger.open(corpus), pytest.raises(CorpusError, match="another crawl is at work"):
        remove(corpus, [GONE], REASON)
    assert not (corpus / REMOVED).exists()
    with pytest.raises(CorpusError, match="no corpus here"):
        remove(corpus / "archive", [GONE], REASON)


def test_wherever_it_is_killed_the_next_run_finishes_it(made: Path, tmp_path: Path) -> None:
    finishing: tuple[Callable[[Path], object], ...] = (
        build,
        finish_removal,  # as a crawl does when it begins
        lambda corpus: remove(corpus, [URL.format(1)], REASON),
    )
    unfinished = 0
    for step in count(1, 4):  # all of them, one by one, take minutes
        corpus = tmp_path / "news"
        shutil.rmtree(corpus, ignore_errors=True)
        shutil.copytree(made, corpus)
        if not in_a_child(partial(remove, corpus, [GONE], REASON, from_archive=True), step):
            break
        was_asked = (corpus / REMOVING).exists()
        unfinished += was_asked
        finishing[step // 4 % len(finishing)](corpus)
        assert not was_asked or traces(tmp_path) == [], step
        assert not (corpus / REMOVING).exists()
        assert {URL.format(number) for number in (0, 2, 4, 5, 6)} <= published(corpus)
    assert unfinished > 10
