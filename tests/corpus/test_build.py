"""The build: what stays, what goes and why, the same bytes in any order, and errors in one line."""

import errno
import json
import random
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from crawled import take, take_in
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig, DuplicateConfig, Gone, SignatureParameters, Survivor
from newscorpus.corpus import shards
from newscorpus.corpus.build import BuildReport, build
from newscorpus.corpus.duplicates.store import COLUMNS
from newscorpus.corpus.manifest import Share
from newscorpus.corpus.published import open_corpus
from newscorpus.data import LOW_CONFIDENCE, REDESIGN, Article, Fields, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import COMMITTED
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row, Withdrawal, encode_row
from newscorpus.page.signature import sign
from newscorpus.store.intake import encode_header, read_journal, write_segment
from newscorpus.store.ledger import Fetched, Ledger, Link, UrlOutcome, key_of
from newscorpus.store.ledger.portals import Alarm
from newscorpus.urls import document_id

PARAMETERS = SignatureParameters()
WORDS = [f"slovo{number}" for number in range(500)]


def text(seed: int, n_words: int = 80) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=n_words))


def row(name: str, words: str, published: str = "", fetched: str = "", source: str = "a") -> Record:
    article = Article(
        f"https://{source}.cz/{name}", words, Fields(title=name, published=published), "bte", fetched=fetched
    )
    return make_record(article, source, "cs", 0.9)


def kept(corpus: Path) -> list[Record]:
    return list(open_corpus(corpus / "corpus").records())


def lines(corpus: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (corpus / "duplicates.jsonl").read_text("utf-8").splitlines()]


def content(corpus: Path) -> dict[str, bytes]:
    files = [corpus / "duplicates.jsonl", *(corpus / "corpus").iterdir()]
    return {path.name: path.read_bytes() for path in files}


def test_a_deleted_article_is_flagged_or_left_out(tmp_path: Path) -> None:
    original = row("original", text(1), published="2026-03-01T08:00:00+01:00")
    copy = row("copy", text(1), published="2026-03-02T08:00:00+01:00", source="b")
    take_in(tmp_path, original, copy)
    with Ledger.open(tmp_path, adopts=True) as ledger:
        ledger.add(Link(key_of(original.url), original.url, "a", "article", request=b"{}"))
        for day, outcome in enumerate([UrlOutcome.of(original), *[UrlOutcome("fetch", "http_404")] * 2], 10):
            ledger.revisits.revive(("article",), "a", sys.float_info.max)
            lease = take(ledger, "a")
            status = 404 if outcome.stage else 200
            with ledger.changes.recording(lease.serial):
                fetched = Fetched(original.url, status, f"2026-04-{day}T00:00:00+00:00")
                ledger.finish(lease.serial, [outcome], fetched)
    build(tmp_path)
    assert [(one.url, one.flags) for one in kept(tmp_path)] == [(original.url, ("gone:2026-04-11",))]
    report = build(tmp_path, BuildConfig(gone=Gone.LEAVE_OUT))
    assert (report.gone, report.low_confidence, report.kept) == (1, 0, 1)
    assert [(one.url, one.flags) for one in kept(tmp_path)] == [(copy.url, ())]
    (left_out,) = map(json.loads, (tmp_path / "low-confidence.jsonl").read_text().splitlines())
    assert (left_out["reason"], left_out["detail"]) == ("gone", "missing since 2026-04-11")


def test_a_corpus_is_built(tmp_path: Path) -> None:
    original = row("original", text(1), published="2026-03-01T08:00:00+01:00")
    reprint = row("reprint", text(1) + " Foto: ČTK", published="2026-03-01T09:00:00+01:00", source="b")
    copy = row("copy", text(1), published="2026-03-01T07:30:00", source="c")  # UTC
    other = row("other", text(2), source="b")
    report = build(take_in(tmp_path, copy, other, reprint, original))
    assert report == BuildReport(
        documents=4,
        kept=2,
        duplicates={"exact": 1, "near": 1, "excerpt": 0, "revision": 0, "contains_others": 0},
        words=160,
        shares=(Share("a", "cs", 1, 80), Share("b", "cs", 1, 80)),
    )
    expected = [replace(original, cluster=original.id, cluster_size=3), other]
    assert kept(tmp_path) == sorted(expected, key=lambda record: record.id)
    by_kind = {line["kind"]: line for line in lines(tmp_path)}
    assert by_kind["exact"] == {
        "id": copy.id,
        "revision": copy.revision,
        "url": "https://c.cz/copy",
        "title": "copy",
        "duplicate_of": original.id,
        "cluster": original.id,
        "source": "c",
        "duplicate_of_source": "a",
        "kind": "exact",
        "similarity": 1.0,
    }
    assert by_kind["near"]["id"] == reprint.id
    assert 0.9 < by_kind["near"]["similarity"] < 1


def test_the_chosen_text_supersedes_the_one_before(tmp_path: Path) -> None:
    texts = [row("x", text(seed), fetched=f"2026-03-0{seed}T00:00:00+00:00") for seed in (1, 2, 3)]
    again = replace(texts[2], fetched="2026-03-09T00:00:00+00:00")
    report = build(take_in(tmp_path, texts[2], again, texts[0], texts[1]))
    assert report.duplicates["revision"] == 3
    assert kept(tmp_path) == [replace(again, supersedes=texts[1].revision)]
    assert {(line["revision"], line["duplicate_of"]) for line in lines(tmp_path)} == {
        (one.revision, texts[0].id) for one in texts
    }
    build(tmp_path, BuildConfig(duplicates=DuplicateConfig(revision=Survivor.FIRST)))
    assert kept(tmp_path) == [texts[0]]


@pytest.mark.parametrize(("is_ended", "left"), [(True, {"later"}), (False, {"first", "later", "after"})])
def test_articles_after_a_redesign_are_flagged_until_a_new_template_extracts_them(
    tmp_path: Path, is_ended: bool, left: set[str]
) -> None:
    days = {name: f"2026-03-0{day}T00:00:00+00:00" for day, name in enumerate(("before", "first", "later", "after"), 1)}
    with Ledger.open(tmp_path) as ledger:
        begin, noticed, end = days["first"], days["later"], days["after"] if is_ended else ""
        ledger.looks.add_alarm(Alarm("a", "https://a.cz/first", begin, noticed, end, "old", "p", (40, 40), (0, 9)))
    made = {name: row(name, text(seed), fetched=fetched) for seed, (name, fetched) in enumerate(days.items())}
    take_in(tmp_path, *made.values(), row("elsewhere", text(9), source="b", fetched=days["later"]))

    def flagged() -> set[str]:
        build(tmp_path)
        return {record.title for record in kept(tmp_path) if REDESIGN in record.flags}

    assert flagged() == left | {"first"}
    again = made["first"]
    with write_segment(tmp_path / "intake" / "000002.jsonl", PARAMETERS) as append:
        append(Row(again, sign(again.text, PARAMETERS), reextraction=1))
    assert flagged() == left


def doubtful(name: str, words: str, confidence: float, extractor: str = "model:main-text@3", **fields: str) -> Record:
    """A record with that confidence, flagged as its extractor does below 0.065."""
    flags = (LOW_CONFIDENCE,) if 0 < confidence < 0.065 else ()
    return replace(row(name, words, **fields), confidence=confidence, extractor=extractor, flags=flags)


def doubts(corpus: Path) -> list[Rejected]:
    return list(read_journal(corpus / "low-confidence.jsonl"))


def test_a_text_that_its_extractor_doubts_is_left_out(tmp_path: Path) -> None:
    sure, low = doubtful("sure", text(1), 0.9), doubtful("low", text(2), 0.01)
    silent = doubtful("silent", text(3), 0.0, "bte")
    report = build(take_in(tmp_path, sure, low, silent))
    assert {record.id for record in kept(tmp_path)} == {sure.id, silent.id}
    assert (report.documents, report.kept, report.low_confidence) == (3, 2, 1)
    detail = f"0.010, less than is published by default; by {low.extractor}"
    assert doubts(tmp_path) == [
        Rejected("quality", "low_confidence", detail, "https://a.cz/low", f"low | {text(2)}"[:200])
    ]
    assert open_corpus(tmp_path).manifest.parameters.least_confidence is None
    card = (tmp_path / "corpus" / "README.md").read_text("utf-8")
    assert "Texts with the flag `low_confidence` are left out. Texts of which" in card
    done = CliRunner().invoke(app, ["build", str(tmp_path), "--min-confidence", "0.95"])
    assert "3 documents; 1 kept, 80 words; left out: low_confidence 2\n" in done.output
    assert "confidence is below 0.95 are left out." in (tmp_path / "corpus" / "README.md").read_text("utf-8")
    assert CliRunner().invoke(app, ["build", str(tmp_path), "--min-confidence", "2"]).exit_code == 2


def test_a_doubtful_text_stands_for_no_other(tmp_path: Path) -> None:
    earlier = doubtful("x", text(1), 0.9, fetched="2026-03-01T00:00:00+00:00")
    later = doubtful("x", text(1) + " a", 0.01, fetched="2026-03-02T00:00:00+00:00")
    first = doubtful("first", text(2), 0.01, published="2026-03-01")
    second = doubtful("second", text(2), 0.8, published="2026-03-02")
    report = build(take_in(tmp_path, earlier, later, first, second))
    assert {record.revision for record in kept(tmp_path)} == {earlier.revision, second.revision}
    assert sum(report.duplicates.values()) == 0
    assert [rejected.url for rejected in doubts(tmp_path)] == sorted([later.url, first.url], key=document_id)


def extracted_again(record: Record, words: str, times: int = 1) -> Row:
    """The row of the same fetch, with another text."""
    again = make_record(
        Article(record.url, words, Fields(title=record.title), "other", fetched=record.fetched), "a", "cs", 0.9
    )
    return Row(again, sign(words), "recipe-2", reextraction=times)


def withdrawal(record: Record, times: int) -> Withdrawal:
    rejected = ("quality", "too_short", "", record.url, "")
    return Withdrawal(record.id, *rejected, record.source, record.fetched, "recipe-2", times)


def append(corpus: Path, *lines: Row | Withdrawal) -> None:
    """Add a segment of lines to the intake."""
    content = encode_header(PARAMETERS) + b"".join(map(encode_row, lines))
    (corpus / "intake" / f"{len(list((corpus / 'intake').iterdir())) + 1:06}.jsonl").write_bytes(content)


def test_the_row_of_the_newest_recipe_stands_for_a_fetch(tmp_path: Path) -> None:
    first, second = (row("x", text(seed), fetched=f"2026-03-0{seed}T00:00:00+00:00") for seed in (1, 2))
    again = extracted_again(second, text(3))
    append(take_in(tmp_path / "applied", first, second), again)
    build(tmp_path / "applied")
    take_in(tmp_path / "fresh", first, again.record)
    build(tmp_path / "fresh")
    assert content(tmp_path / "applied") == content(tmp_path / "fresh")
    assert [record.text for record in kept(tmp_path / "applied")] == [text(3)]


def test_withdrawn_documents_go_and_come_back(tmp_path: Path) -> None:
    stays, goes = row("stays", text(1), fetched="2026-03-01"), row("goes", text(2), "2026-03-01", fetched="2026-03-02")
    copy = row("copy", text(2), "2026-03-02", fetched="2026-03-02")
    append(take_in(tmp_path, stays, goes, copy), withdrawal(goes, 1))
    assert build(tmp_path).documents == 2
    assert {record.id for record in kept(tmp_path)} == {stays.id, copy.id}, "what it had displaced is back"
    append(tmp_path, extracted_again(goes, text(2), 2))
    assert build(tmp_path).documents == 3
    append(tmp_path, withdrawal(goes, 1))
    assert build(tmp_path).documents == 3


ROWS = st.lists(
    st.builds(
        row,
        st.sampled_from(["1", "2", "3", "4"]),
        st.sampled_from([text(1), text(1) + " konec", text(2), text(3)]),
        st.sampled_from(["", "2026-03-01", "2026-03-02"]),
        st.sampled_from(["", "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"]),
        st.sampled_from(["a", "b"]),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=25)
@given(rows=ROWS, shuffler=st.randoms(use_true_random=False), cut=st.integers(0, 8))
def test_the_order_of_arrival_changes_no_byte(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Record], shuffler: random.Random, cut: int
) -> None:
    one, other = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    (one / "intake").mkdir()
    (other / "intake").mkdir()
    report = build(take_in(one, *rows))
    shuffled = shuffler.sample(rows, len(rows))
    take_in(other, *shuffled[:cut])
    build(other)
    assert build(take_in(other, *shuffled[cut:])) == report
    assert content(other) == content(one)
    assert report.kept + sum(report.duplicates.values()) == report.documents == len(rows)


def test_a_torn_line_or_a_damaged_header_is_reported_and_the_rest_built(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="intake: no intake here"):
        build(tmp_path)
    assert list(tmp_path.iterdir()) == []
    take_in(tmp_path, row("1", text(1)), row("2", text(2)))
    segment = tmp_path / "intake" / "000001.jsonl"
    content = segment.read_bytes()[:-10]
    segment.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    report = build(tmp_path)
    assert (report.kept, report.damage[0]) == (1, f"{segment}: the last line is cut off, since the crawl was killed")
    assert "line 1: altered" in report.damage[1]
    (tmp_path / COMMITTED).write_text(json.dumps({f"intake/{name}.jsonl": 5_000 for name in ("000001", "000002")}))
    assert [line.partition(" bytes")[0] for line in build(tmp_path).damage[:2]] == [
        f"{segment}: {len(content):,} of 5,000",
        f"{segment.with_name('000002.jsonl')}: 0 of 5,000",
    ]


def test_damage_and_other_parameters_leave_the_published_corpus_alone(tmp_path: Path) -> None:
    build(take_in(tmp_path, row("1", text(1))))
    before = content(tmp_path)
    take_in(tmp_path, row("2", text(2)), parameters=SignatureParameters(seed=7))
    with pytest.raises(CorpusError, match=r"000002.jsonl, line 1: signed with other parameters: seed 7 instead of 1"):
        build(tmp_path)
    assert content(tmp_path) == before


@pytest.mark.parametrize("built_before", [True, False])
def test_a_damaged_row_is_named_and_left_out_and_blocks_nothing(tmp_path: Path, built_before: bool) -> None:
    take_in(tmp_path, *(row(str(number), text(number)) for number in range(40)))
    if built_before:
        assert build(tmp_path).kept == 40
    segment = tmp_path / "intake" / "000001.jsonl"
    lines = segment.read_bytes().split(b"\n")
    lines[5] = lines[5][:40] + b"SLOVO" + lines[5][45:]
    segment.write_bytes(b"\n".join(lines))
    report = build(tmp_path)
    assert report.damage[0] == f"{segment}, line 6: altered since it was written, by its checksum"
    assert (report.kept, len(report.damage), report.documents) == (39, 2, 39)
    assert "no ledger here" in report.damage[1]
    assert text(4) not in [record.text for record in kept(tmp_path)]
    done = CliRunner().invoke(app, ["verify", str(tmp_path)])
    assert (done.exit_code, "line 6: altered" in done.stderr) == (1, True)


@pytest.mark.parametrize("name", [*COLUMNS, "index.json"])
def test_a_changed_byte_of_the_index_changes_nothing(tmp_path: Path, name: str) -> None:
    build(take_in(tmp_path, *(row(str(number), text(number)) for number in range(3))))
    before = content(tmp_path)
    column = bytearray((tmp_path / "index" / name).read_bytes())
    column[-2] ^= 1
    (tmp_path / "index" / name).write_bytes(column)
    assert build(tmp_path).kept == 3
    assert content(tmp_path) == before


def test_a_full_disk_is_said_in_one_line_and_the_published_corpus_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(take_in(tmp_path, row("1", text(1))))
    before = content(tmp_path)
    take_in(tmp_path, row("2", text(2)))

    def full(file: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shards, "sync", full)
    with pytest.raises(CorpusError, match=r"No space left on device; what was published before stands$") as error:
        build(tmp_path)
    assert "\n" not in str(error.value)
    assert content(tmp_path) == before


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    take_in(tmp_path, row("1", text(1)))
    with closing(sqlite3.connect(tmp_path / ".build.lock", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CorpusError, match="another build is at work here"):
            build(tmp_path)
    assert build(tmp_path).kept == 1


@pytest.mark.parametrize("name", ["corpus", "index"])
def test_a_build_writes_through_no_link_unasked(tmp_path: Path, name: str) -> None:
    other = take_in(tmp_path / "other", row("other", text(2)))
    build(other)
    before = {path.name: path.read_bytes() for path in (other / "corpus").iterdir()}
    corpus = take_in(tmp_path / "mine", row("mine", text(1)))
    (corpus / name).symlink_to(other / "corpus")
    with pytest.raises(CorpusError, match=rf"/{name}: a link.*; move it away, or .* --adopt in a build"):
        build(corpus)
    assert {path.name: path.read_bytes() for path in (other / "corpus").iterdir()} == before
    assert CliRunner().invoke(app, ["build", str(corpus), "--adopt"]).exit_code == 0
    build(corpus)
    assert {record.title for record in kept(corpus)} == {"mine"}


def test_a_build_removes_no_file_that_it_did_not_write(tmp_path: Path) -> None:
    corpus = take_in(tmp_path, row("x", text(1)))
    build(corpus)
    (old,) = (corpus / "corpus").glob("shard-*")
    mine = corpus / "corpus" / "shard-0123456789ab.jsonl.zst"
    mine.write_text("of another corpus, with a name like ours")
    take_in(corpus, row("y", text(2)))
    build(corpus)
    assert mine.exists()
    assert not old.exists()


@settings(max_examples=20, deadline=None)
@given(order=st.permutations(range(5)), cuts=st.integers(0, 4))
def test_of_pages_of_one_document_its_own_or_else_the_lowest_stays(order: list[int], cuts: int) -> None:
    """Whichever came first, and however long it took: the address decides."""
    days = [f"2026-03-0{9 - at}T00:00:00+00:00" for at in order]
    own, other = row("own", text(1)), row("other", text(3))
    copies = [Row(replace(own, text=text(9)), b"", page=f"https://a.cz/print/{n}") for n in (1, 2)]
    lowest = min((f"https://a.cz/copy/{n}" for n in (1, 2)), key=document_id)
    copies += [
        Row(replace(other, text=text(3) if page == lowest else text(4)), b"", page=page)
        for page in (f"https://a.cz/copy/{n}" for n in (1, 2))
    ]
    rows = [Row(own, b""), *copies]
    with TemporaryDirectory() as folder:
        corpus = Path(folder)
        for number, part in enumerate((order[:cuts], order[cuts:])):
            with write_segment(corpus / "intake" / f"{number}.jsonl", PARAMETERS) as append:
                for at in part:
                    record = replace(rows[at].record, fetched=days[at])
                    append(replace(rows[at], record=record, signature=sign(record.text, PARAMETERS)))
        report = build(corpus)
        assert {record.url: record.text for record in kept(corpus)} == {own.url: own.text, other.url: text(3)}
        assert not any(record.supersedes for record in kept(corpus))
    assert report.duplicates["revision"] == 3
