"""What is counted, and that nothing a page says does anything on the page or in the terminal."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from parsel import Selector
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.config import BuildConfig
from newscorpus.corpus.contents import LENGTH_CLASSES, OTHERS, SAMPLES, UNKNOWN, ContentCounts, Size
from newscorpus.corpus.published import publish
from newscorpus.data import Article, Fields, Record, Rejected
from newscorpus.errors import CorpusError
from newscorpus.page.records import make_record
from newscorpus.store.intake import journal_line
from newscorpus.views.stats.page import MAX_BARS, CorpusStats, corpus_stats, page, summary, tables

HOSTILE = '</text><script>alert("1")</script>$x_{$ [bold]&amp;'


def record(number: int, words: int = 30, **fields: object) -> Record:
    text = " ".join(["slovo"] * words)
    article = Article(f"https://a.example/{number}", text, Fields(), "bte", 0.95)
    return replace(make_record(article, "alfa", "sk", 0.9), **fields)  # type: ignore[arg-type]


def corpus(
    folder: Path, records: Sequence[Record], rejected: Sequence[Rejected] = (), kinds: Sequence[str] = ()
) -> Path:
    publish(folder / "corpus", records, BuildConfig())
    (folder / "rejected.jsonl").write_bytes(b"".join(map(journal_line, rejected)))
    (folder / "duplicates.jsonl").write_text("".join(map(duplicate_line, kinds)))
    return folder


def duplicate_line(kind: str) -> str:
    line = {"id": "a", "revision": "b", "url": "", "title": "", "duplicate_of": "c", "kind": kind, "similarity": 0.9}
    return json.dumps(line) + "\n"


def documents(found: CorpusStats, kind: str) -> dict[str, int]:
    return {group: size.documents for group, size in found.contents.groups[kind].items() if size.documents}


def test_documents_and_words_are_counted_by_each_kind_of_group(tmp_path: Path) -> None:
    records = [
        record(1, 10, published="2025-12-31T10:00:00+01:00", section="Šport", confidence=1.0),
        record(2, 30, published="2026-01-01", section="Šport", flags=("masked_email:2", "flash_news")),
        record(3, 4000, published="2026-01-07", source="beta", language="", cluster_size=3, confidence=0.0),
        record(4, 25, published="someday", cluster_size=3),
    ]
    found = corpus_stats(corpus(tmp_path, records))
    assert found.total == Size(4, 4065)
    assert found.contents.groups["portal"] == {"alfa": Size(3, 65), "beta": Size(1, 4000)}
    assert list(found.contents.groups["month"].items()) == [
        ("2026-01", Size(2, 4030)),
        ("2025-12", Size(1, 10)),
        (UNKNOWN, Size(1, 25)),
    ]
    assert documents(found, "year") == {"2026": 2, "2025": 1, UNKNOWN: 1}
    assert documents(found, "language") == {"sk": 3, UNKNOWN: 1}
    assert documents(found, "section") == {"Šport": 2, UNKNOWN: 2}
    assert documents(found, "length") == {"0 to 24": 1, "25 to 49": 2, "3200 and more": 1}
    assert tuple(found.contents.groups["length"]) == LENGTH_CLASSES
    assert documents(found, "confidence") == {"0.0 to 0.1": 1, "0.9 to 1.0": 3}
    assert documents(found, "flag") == {"flash_news": 1, "masked_email": 1}
    assert found.contents.clusters == {3: 2}


def test_what_was_left_out_is_counted(tmp_path: Path) -> None:
    rejected = [Rejected("quality", "listing", url=f"https://a.example/{number}") for number in range(9)]
    rejected.insert(4, Rejected("fetch", "http_404"))
    found = corpus_stats(corpus(tmp_path, [record(1)], rejected, ["near", "exact", "near"]))
    assert found.duplicates == {"near": 2, "exact": 1}
    assert [(one.stage, one.reason, one.number) for one in found.refusals] == [
        ("quality", "listing", 9),
        ("fetch", "http_404", 1),
    ]
    assert len(found.refusals[0].samples) == SAMPLES
    other_order = corpus_stats(corpus(tmp_path, [record(1)], rejected[::-1], ["near", "near", "exact"]))
    assert other_order == found
    assert "3 left out as duplicates, 10 pages rejected" in summary(found)


def test_what_the_build_left_out_as_doubtful_is_quoted(tmp_path: Path) -> None:
    folder = corpus(tmp_path, [record(1)], [Rejected("fetch", "http_404")])
    doubtful = Rejected("quality", "low_confidence", "0.010, less than 0.065; by x", "https://a.example/9", "A | b")
    (folder / "low-confidence.jsonl").write_bytes(journal_line(doubtful))
    found = corpus_stats(folder)
    assert {(one.reason, one.samples) for one in found.refusals} == {
        ("http_404", (Rejected("fetch", "http_404"),)),
        ("low_confidence", (doubtful,)),
    }
    assert b"0.010, less than 0.065; by x" in page(found)


def test_kept_articles_are_quoted_by_portal(tmp_path: Path) -> None:
    records = [record(number, 3, title=f"Nadpis {number}", confidence=0.9) for number in range(9)]
    records.append(record(99, 2, source="beta", confidence=0.0, published="2026-01-01"))
    found = corpus_stats(corpus(tmp_path, records))
    assert list(found.contents.kept) == ["alfa", "beta"]
    assert [one.id for one in found.contents.kept["alfa"]] == sorted(record.id for record in records[:9])[:SAMPLES]
    (quoted,) = found.contents.kept["beta"]
    assert (quoted.excerpt, quoted.detail) == ("slovo slovo", "2 words, sk, 2026-01-01")
    assert corpus_stats(corpus(tmp_path, records[::-1])).contents.kept == found.contents.kept
    text = Selector(page(found).decode()).xpath("string(//body)").get("")
    assert "What was kept: samples" in text
    assert "alfa: 5 of 9" in text
    assert "| slovo slovo slovo3 words, sk, no date, confidence 0.90" in " ".join(text.split()).replace(" 3 w", "3 w")


@pytest.mark.parametrize("kept", [None, b"", b"{}", b'["x",{"groups":{},"clusters":{},"kept":{}}]'])
def test_counts_kept_at_publication_are_those_of_the_documents(tmp_path: Path, kept: bytes | None) -> None:
    records = [record(n, 10 * n, source=f"p{n % 2}", cluster_size=n, published="2026-01-02") for n in range(1, 9)]
    folder = corpus(tmp_path, records)
    counted, file = corpus_stats(folder, watch=iter), folder / "corpus" / ".contents.json"
    (shard,) = (folder / "corpus").glob("shard-*")
    content = shard.read_bytes()
    shard.write_bytes(bytes(len(content)))
    assert corpus_stats(folder) == counted, "no document is read"
    shard.write_bytes(content)
    file.unlink() if kept is None else file.write_bytes(kept)
    assert corpus_stats(folder) == counted


def test_several_corpora_are_counted_as_one(tmp_path: Path) -> None:
    one = corpus(tmp_path / "one", [record(1), record(2)], [Rejected("fetch", "http_404")], ["near"])
    other = corpus(tmp_path / "other", [record(3, source="beta")], [Rejected("fetch", "http_404")], ["near", "exact"])
    found = corpus_stats(one, other)
    assert (found.name, found.total) == ("one, other", Size(3, 90))
    assert documents(found, "portal") == {"alfa": 2, "beta": 1}
    assert found.duplicates == {"near": 2, "exact": 1}
    assert [(refusals.reason, refusals.number) for refusals in found.refusals] == [("http_404", 2)]
    done = CliRunner().invoke(app, ["stats", str(one), str(other)])
    assert "one, other: 3 documents, 90 words" in done.output


def test_files_are_written_although_nobody_reads_the_tables(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from newscorpus.cli import main; main()", "stats"]
    command += [str(corpus(tmp_path / "one", [record(1)])), "--output", str(tmp_path / "out")]
    reading, writing = os.pipe()
    os.close(reading)
    assert subprocess.run(command, stdout=writing, check=False).returncode == 1
    os.close(writing)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["stats.html"]


def test_a_ledger_that_cannot_be_read_costs_its_crawl_and_is_said(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "one", [record(1)])
    (folder / "ledger.sqlite").write_bytes(b"rubbish" * 1_000)
    done = CliRunner().invoke(app, ["stats", str(folder), "--output", str(tmp_path / "out")])
    assert (done.exit_code, "ledger.sqlite: " in done.stderr) == (1, True)
    assert "1 document," in (tmp_path / "out" / "stats.html").read_text("utf-8")


def test_a_published_folder_has_no_rejections_and_one_of_nothing_its_page(tmp_path: Path) -> None:
    publish(tmp_path, [record(1)], BuildConfig())
    found = corpus_stats(tmp_path)
    assert (found.name, found.refusals, found.duplicates) == (tmp_path.name, (), {})
    found = corpus_stats(corpus(tmp_path / "empty", []))
    assert found.total == Size(0, 0)
    assert b"0 documents" in page(found)


def test_groups_beyond_the_bound_are_added_up() -> None:
    records = [record(number, section=f"s{number}", source=f"p{number}") for number in range(5)]
    counts = ContentCounts(max_groups=2)
    assert list(counts.count(records)) == records
    found = counts.contents()
    assert {name: size.documents for name, size in found.groups["section"].items()} == {OTHERS: 3, "s0": 1, "s1": 1}
    assert {portal: len(articles) for portal, articles in found.kept.items()} == {OTHERS: 3, "p0": 1, "p1": 1}


def test_a_record_takes_little_memory_whatever_it_holds(tmp_path: Path) -> None:
    long: dict[str, Any] = dict.fromkeys(("section", "source", "language", "published"), "x" * 100_000)
    found = corpus_stats(corpus(tmp_path, [record(1, **long)]))
    assert len(repr(found)) < 10_000


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("duplicates.jsonl", duplicate_line("unheard-of").encode()),
        ("duplicates.jsonl", b"{}\n"),
        ("duplicates.jsonl", b"\xff\n"),
        ("rejected.jsonl", b'{"stage":"fetch"}\n'),
        ("rejected.jsonl", b"no json\n"),
    ],
)
def test_damaged_files_beside_the_corpus_are_named_with_the_line(tmp_path: Path, name: str, line: bytes) -> None:
    folder = corpus(tmp_path, [record(1)])
    (folder / name).write_bytes(line)
    with pytest.raises(CorpusError, match=f"{name}, line 1: ") as error:
        corpus_stats(folder)
    assert "\n" not in str(error.value)


def test_texts_of_pages_do_nothing_on_the_page(tmp_path: Path) -> None:
    rejected = [
        Rejected("quality", HOSTILE, HOSTILE, "javascript:alert(1)", HOSTILE),
        Rejected("quality", "listing", "d", 'https://a.example/"onclick="x', "Nadpis | Text"),
    ]
    hostile: dict[str, Any] = {"title": HOSTILE, "url": "javascript:alert(2)", "published": HOSTILE}
    records = [record(1, section=HOSTILE, source=HOSTILE, language=HOSTILE, flags=(HOSTILE,), **hostile)]
    found = corpus_stats(corpus(tmp_path / '<b>"c"', records, rejected))
    made = page(found)
    tree = Selector(made.decode())
    assert not tree.xpath("//script | //b | //*[@onclick] | //img | //link").getall()
    assert tree.xpath("//a/@href").getall() == ['https://a.example/"onclick="x']
    assert HOSTILE in "".join(tree.xpath("//text()").getall())
    assert b"http" not in made.replace(b"https://a.example/", b"").replace(b"http-equiv", b"")  # needs no other file


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("Здравље и становништво Србије", "Здравље и становништво Србије"),
        ("Πολιτική", "Πολιτική"),
        ("国際経済ニュース", "国際経済ニュース"),
        ("国" * 16, "国" * 14 + "…"),
        ("x" * 31, "x" * 29 + "…"),
    ],
)
def test_labels_of_any_script_fit_beside_their_bars(tmp_path: Path, label: str, shown: str) -> None:
    found = replace(corpus_stats(corpus(tmp_path, [])), duplicates={label: 1})
    drawn = Selector(page(found).decode()).xpath("//g/text/text()").getall()
    assert any(text.split() == shown.split() for text in drawn)


def test_a_chart_has_a_bar_for_each_of_the_first_rows(tmp_path: Path) -> None:
    found = corpus_stats(corpus(tmp_path, []))
    groups = {f"row {number} {'x' * 40}": Size(1100 - number, 5000) for number in range(MAX_BARS + 5)}
    tree = Selector(page(replace(found, contents=replace(found.contents, groups={"section": groups}))).decode())
    widths = [float(width) for width in tree.xpath("//rect/@width").getall()]
    assert len(widths) == MAX_BARS
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 420
    assert "1,100 (5,000 words)" in tree.xpath("//text/text()").getall()
    assert len(tree.xpath("//tr").getall()) == MAX_BARS + 6


def test_tables_without_rows_are_left_out(tmp_path: Path) -> None:
    titles = {table.title for table in tables(corpus_stats(corpus(tmp_path, [record(1)])))}
    assert titles & {"Portals", "Flags", "Documents left out as duplicates"} == {"Portals"}
