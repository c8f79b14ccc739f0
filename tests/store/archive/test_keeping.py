"""Archives that are compacted: all that reads them finds every page, whenever the work is killed."""

import gzip
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from crawled import Crawl
from dying import in_a_child
from prose import article
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.verify import verify
from newscorpus.data import Page
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive
from newscorpus.layout import ARCHIVE_LOCK, COMMITTED, archived_files, inside
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.store.archive import keeping
from newscorpus.store.archive.read import read_capture
from newscorpus.store.archive.values import Capture
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.addresses import find
from newscorpus.store.pages import archive_files, finished_captures

URL = "https://news.example/story-{}"
PAGES = 16
RECIPE = Recipe("bte")


def story(number: int) -> Page:
    fetched = f"2026-11-20T08:00:{number:02}+00:00"
    return Page(URL.format(number), article(f"story {number}").encode(), {"content-type": "text/html"}, fetched)


def crawl(corpus: Path, numbers: range) -> None:
    one = Crawl(corpus, 9_000)
    for number in numbers:
        row = process_page(RECIPE, SourcePage(story(number), "news", ("en",)))
        assert isinstance(row, Row)
        one.visit(story(number), row)
    one.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    corpus = tmp_path_factory.mktemp("made") / "news"
    crawl(corpus, range(PAGES))
    build(corpus, BuildConfig())
    return corpus


@pytest.fixture
def corpus(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "news")
    return tmp_path / "news"


def read(corpus: Path) -> dict[str, bytes]:
    """Every page of an archive, by address; each is read by the place that the ledger knows, too."""
    found = [one for one in finished_captures(archive_files(corpus)) if isinstance(one, Capture)]
    for one in found:
        entry = find(corpus, one.page.url)
        assert entry
        again = read_capture(inside(corpus, entry.archived[0]), entry.archived[1])
        assert isinstance(again, Capture)
        assert again.page == one.page
    return {one.page.url: one.page.body for one in found}


def suffixes(corpus: Path) -> set[str]:
    return {"".join(path.suffixes) for path in (corpus / "archive").iterdir()}


def expected(n_pages: int = PAGES) -> dict[str, bytes]:
    return {URL.format(number): story(number).body for number in range(n_pages)}


def ledger_of(corpus: Path) -> tuple[bytes, bytes]:
    Ledger.open(corpus).close()
    return (corpus / "ledger.sqlite").read_bytes(), (corpus / COMMITTED).read_bytes()


def test_what_is_compacted_is_all_there(corpus: Path) -> None:
    before = ledger_of(corpus)
    n_files = len(archived_files(corpus))
    assert n_files >= 3
    done = keeping.compact(corpus)
    assert suffixes(corpus) == {".warc.zst"}
    assert len(done) == n_files
    assert read(corpus) == expected()
    assert keeping.compact(corpus) == []
    assert ledger_of(corpus) == before, "no ledger learns of it"


def test_the_next_crawl_and_build_go_on_as_if_nothing_were(corpus: Path) -> None:
    generation, last = verify(corpus)[0].generation, archived_files(corpus)[-1]
    keeping.compact(corpus)
    crawl(corpus, range(PAGES, PAGES + 2))
    assert not last.exists(), "a crawl begins a new file"
    assert read(corpus) == expected(PAGES + 2)
    build(corpus, BuildConfig())
    assert verify(corpus)[0].documents == PAGES + 2
    assert verify(corpus)[0].generation != generation
    (corpus / "intake" / "000001.jsonl").unlink()
    with Ledger.open(corpus) as ledger:
        assert len(list(ledger.losses.archived())) == PAGES, "the archive has what the intake lost"


def test_a_crawl_at_work_is_left_its_file(corpus: Path) -> None:
    last = archived_files(corpus)[-1]
    with Ledger.open(corpus):
        done = keeping.compact(corpus)
    assert last.name not in {one.name for one in done}
    assert (len(done) > 1, last.is_file()) == (True, True)


def test_a_crawl_that_begins_meanwhile_keeps_its_file(corpus: Path) -> None:
    last = archived_files(corpus)[-1]
    with ExitStack() as held:

        def begins(files: "list[Path]") -> Iterator[Path]:
            for path in files:
                if path == last:
                    held.enter_context(Ledger.open(corpus))
                yield path

        with pytest.raises(CorpusError, match="another crawl is at work"):
            keeping.compact(corpus, begins)  # type: ignore[arg-type]
    assert last.is_file()
    assert not list((corpus / "archive").glob(".*"))
    assert read(corpus) == expected()


def test_files_of_others_are_left_alone(corpus: Path) -> None:
    first = archived_files(corpus)[0]
    (corpus / ".adopted").write_text(f"archive/{first.name}\n")
    keeping.compact(corpus)
    assert (first.is_file(), suffixes(corpus)) == (True, {".warc.gz", ".warc.zst"})


def test_one_change_at_a_time(corpus: Path) -> None:
    with exclusive(corpus / ARCHIVE_LOCK), pytest.raises(CorpusError, match="another change of the archive is at work"):
        keeping.compact(corpus)


def test_wherever_it_is_killed_no_page_is_lost_and_the_next_run_finishes(made: Path, tmp_path: Path) -> None:
    n_files, kills = len(archived_files(made)), 0
    corpus = tmp_path / "news"
    for step in count(1, 2):  # all of them, one by one, take minutes
        shutil.rmtree(corpus, ignore_errors=True)
        shutil.copytree(made, corpus)
        if not in_a_child(partial(keeping.compact, corpus), step):
            break
        kills += 1
        assert read(corpus) == expected(), step
        if step % 4 == 1:  # a crawl may come before the next run
            crawl(corpus, range(PAGES, PAGES + 1))
        keeping.compact(corpus)
        assert read(corpus) == expected(PAGES + (step % 4 == 1)), step
        assert not list((corpus / "archive").glob(".*"))
        assert len(suffixes(corpus)) == 1, step
    assert kills >= 2 * n_files


def test_what_is_written_out_is_read_by_others(corpus: Path, tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415

    first = archived_files(corpus)[0]
    keeping.compact(corpus)
    keeping.write_out(corpus, tmp_path / "standard")
    urls = set()
    for path in (tmp_path / "standard").iterdir():
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type == "response":
                    urls.add(record.rec_headers.get_header("WARC-Target-URI"))
    assert urls == expected().keys()
    assert gzip.decompress((tmp_path / "standard" / first.name).read_bytes()).startswith(b"WARC/1.1\r\n")
    with pytest.raises(CorpusError, match="the folder of the archive itself"):
        keeping.write_out(corpus, corpus / "archive")


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def test_damage_is_named_by_verify_and_the_rest_is_read(corpus: Path, tmp_path: Path) -> None:
    keeping.compact(corpus)
    whole = CliRunner().invoke(app, ["verify", str(corpus), "--archive"])
    assert f"Every record of its archive is whole, in {len(archived_files(corpus))} files" in whole.stdout
    damage(corpus / "archive" / "000002.warc.zst")
    assert CliRunner().invoke(app, ["verify", str(corpus)]).exit_code == 0
    done = CliRunner().invoke(app, ["verify", str(corpus), "--archive"])
    assert done.exit_code == 1
    assert "000002.warc.gz, offset " in " ".join(done.stderr.split())
    assert len(done.stderr.splitlines()) == 1
    found = [one for one in finished_captures(archive_files(corpus)) if isinstance(one, Capture)]
    assert PAGES - 1 <= len(found) <= PAGES


def test_the_command_says_what_it_did(corpus: Path) -> None:
    n = len(archived_files(corpus))
    done = CliRunner().invoke(app, ["archive", str(corpus), "--compact"])
    assert done.exit_code == 0
    assert done.output.startswith(f"Compacted: {n} files, 0.")
    again = CliRunner().invoke(app, ["archive", str(corpus), "--compact"]).output
    assert again == "Compacted: nothing; no file was left to do\n"
    lines = CliRunner().invoke(app, ["archive", str(corpus)]).output.splitlines()
    assert len(lines) == n
    assert lines[0].startswith("000001.warc.zst  ")


def test_where_there_is_no_archive_the_command_says_so(tmp_path: Path) -> None:
    (tmp_path / "intake").mkdir()
    done = CliRunner().invoke(app, ["archive", str(tmp_path)])
    assert done.exit_code == 1
    assert "no archive here" in str(done.exception)
