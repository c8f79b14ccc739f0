"""The journal of rejections has one line per address, however often it failed."""

import json
import shutil
from functools import partial
from itertools import count
from pathlib import Path

from dying import in_a_child

from newscorpus.store.ledger import REJECTIONS, Ledger, Link, Series, UrlOutcome, key_of
from newscorpus.store.ledger.addresses import find
from newscorpus.store.ledger.status import status

ROWS = Series("intake/{:06}.jsonl")
SITE = "https://paper.example"


def crawl(corpus: Path, fates: dict[str, str]) -> None:
    """Crawl addresses, which end with these reasons."""
    with Ledger.open(corpus) as ledger:
        for path in fates:
            ledger.add(Link(key_of(SITE + path), SITE + path, "paper", request=b"{}"), again=True)
        while lease := ledger.queue.lease("paper"):
            reason = fates[lease.url.removeprefix(SITE)]
            line = json.dumps({"url": lease.url, "reason": reason}).encode() + b"\n"
            is_kept = reason == "kept"
            place = ledger.append(ROWS if is_kept else REJECTIONS, line)
            ledger.finish(lease.serial, [UrlOutcome("" if is_kept else "fetch", reason, line=place)])


def journal(corpus: Path) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in (corpus / "rejected.jsonl").read_text().splitlines()]
    return [(line["url"].removeprefix(SITE), line["reason"]) for line in lines]


def test_the_latest_state_has_the_only_line_and_the_only_count(tmp_path: Path) -> None:
    crawl(tmp_path, {"/a": "http_500", "/b": "http_404", "/c": "timeout"})
    for _ in range(3):
        crawl(tmp_path, {"/a": "http_500", "/c": "timeout"})
    assert sorted(journal(tmp_path)) == [("/a", "http_500"), ("/b", "http_404"), ("/c", "timeout")]
    (now,) = status(tmp_path)
    assert now.rejected == {"fetch/http_404": 1, "fetch/http_500": 1, "fetch/timeout": 1}
    crawl(tmp_path, {"/a": "kept", "/c": "http_500"})
    assert sorted(journal(tmp_path)) == [("/b", "http_404"), ("/c", "http_500")]
    (now,) = status(tmp_path)
    assert (now.kept, now.rejected) == (1, {"fetch/http_404": 1, "fetch/http_500": 1})
    assert_places(tmp_path)


def assert_places(corpus: Path) -> None:
    """Check the place of each line in the ledger."""
    text = (corpus / "rejected.jsonl").read_bytes()
    for path, reason in journal(corpus):
        entry = find(corpus, SITE + path)
        assert entry
        found = json.loads(text[entry.line[1] :].split(b"\n")[0])
        assert (found["url"], found["reason"]) == (SITE + path, reason)


def test_what_the_ledger_does_not_know_stays(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.append(REJECTIONS, b'{"url": "https://elsewhere.example/", "reason": "http_500"}\n')
        ledger.append(REJECTIONS, b"no line of ours\n")
    crawl(tmp_path, {"/a": "http_500"})
    crawl(tmp_path, {"/a": "http_500"})
    lines = (tmp_path / "rejected.jsonl").read_text().splitlines()
    assert len(lines) == 3
    assert lines[1] == "no line of ours"


def test_a_death_at_any_write_loses_no_line_and_no_place(tmp_path: Path) -> None:
    crawl(tmp_path / "made", {"/a": "http_500", "/b": "timeout"})
    for step in count(1):
        corpus = shutil.copytree(tmp_path / "made", tmp_path / str(step))
        died = in_a_child(partial(crawl, corpus, {"/a": "http_404"}), step)
        crawl(corpus, {"/a": "http_404"})
        assert sorted(journal(corpus)) == [("/a", "http_404"), ("/b", "timeout")]
        assert_places(corpus)
        assert sorted(path.name for path in corpus.iterdir() if "rejected" in path.name) == ["rejected.jsonl"]
        if not died:
            break
    assert step > 5
