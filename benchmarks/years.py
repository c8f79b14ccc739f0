"""Simulate two years of a corpus by a clock of our own: articles appear, change and go, and a build follows each week.

    python -m benchmarks.years

The intake is written as a crawl writes it; `build`, `remove` and `release` are those of users. Beside the shards that
each build wrote stands what it would have written with the rows in the order of their ids.
"""

import argparse
import hashlib
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean

from newscorpus.config import BuildConfig, ShardConfig
from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.release import ReleaseNote, diff, release
from newscorpus.corpus.remove import remove
from newscorpus.corpus.shards import bounded, is_marked
from newscorpus.data import Article, Fields, Record
from newscorpus.layout import INTAKE_SEGMENT, RELEASES
from newscorpus.page.records import encode, make_record
from newscorpus.page.rows import Row, Withdrawal
from newscorpus.page.signature import sign
from newscorpus.store.intake import write_segment

RESULT = Path(__file__).parent / "results" / "years.md"
BEGIN = datetime(2024, 1, 1, 6, tzinfo=UTC)
WEEK = timedelta(days=7)
WORDS = [f"word{number}" for number in range(5_000)]
YOUNG = 0.05
"""Share of the articles of the last two weeks that change in a week."""
OLD = 0.0005
"""The same of all others."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the simulation is."""

    weeks: int = 100
    articles: int = 100  # that appear in a week
    words: int = 120  # of a text
    max_bytes: int = 1_000_000  # of a shard
    weeks_a_release: int = 13


@dataclass(frozen=True, slots=True)
class WeekFigures:
    """What a build did."""

    shards: int  # in the corpus
    written: int  # of these new
    bytes_written: int
    bytes: int  # of all shards
    by_id: int  # shards that would be new if rows lay in the order of their ids


@dataclass
class Paper:
    """The articles as they stand, and what happened to them since the last release."""

    rows: dict[str, Record] = field(default_factory=dict)  # by id
    released: dict[str, Record] = field(default_factory=dict)
    fetched: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # times, by id

    def put(self, record: Record) -> Row:
        """Note an article, or its new text; gives its line of the intake."""
        self.rows[record.id] = record
        self.fetched[record.id].append(record.fetched)
        return Row(record, sign(record.text, BuildConfig().signature))

    def expected(self) -> tuple[set[str], set[str], set[str]]:
        """Ids added, changed and removed since the last release."""
        old, new = self.released, self.rows
        changed = {name for name in old.keys() & new.keys() if old[name].revision != new[name].revision}
        return set(new) - set(old), changed, set(old) - set(new)


def simulate(corpus: Path, scale: Scale) -> tuple[list[WeekFigures], list[ReleaseNote]]:
    """Live through the weeks; an AssertionError says where corpus, or the lists of a release, are not what happened."""
    source, paper = random.Random(21), Paper()
    config = BuildConfig(shards=ShardConfig(max_bytes=scale.max_bytes))
    figures, notes = [], []
    before: set[str] = set()
    before_by_id: set[str] = set()
    for week in range(scale.weeks):
        now = BEGIN + week * WEEK
        with write_segment(corpus / INTAKE_SEGMENT.format(week + 1), config.signature) as append:
            for line in _week(source, paper, week, now, scale):
                append(line)
        build(corpus, config)
        if week % scale.weeks_a_release == 5:  # somebody asks for a text to be taken out
            name = source.choice(sorted(paper.rows))
            remove(corpus, [paper.rows.pop(name).url], "a request")
            paper.released.pop(name, None)  # as if it had never been there
        published = open_corpus(corpus)
        records = list(published.records())
        assert {one.id: one.revision for one in records} == {one.id: one.revision for one in paper.rows.values()}, week
        shards = published.manifest.shards
        new = [shard for shard in shards if shard.name not in before]
        by_id = _names(sorted(records, key=lambda one: one.id), scale.max_bytes)
        written = sum(one.bytes for one in new)
        size = published.manifest.bytes
        figures.append(WeekFigures(len(shards), len(new), written, size, len(by_id - before_by_id)))
        before, before_by_id = {shard.name for shard in shards}, by_id
        if week % scale.weeks_a_release == scale.weeks_a_release - 1:
            notes.append(release(corpus, f"w{week:03}"))
            expected = paper.expected()
            if len(notes) > 1:
                changes = diff(notes[-2].tag, notes[-1].tag, corpus)
                lists = changes.added, changes.changed, changes.removed
                assert tuple(map(set, lists)) == expected, notes[-1].tag
            assert (notes[-1].added, notes[-1].changed, notes[-1].removed) == tuple(map(len, expected))
            paper.released = dict(paper.rows)
    return figures, notes


def _week(source: random.Random, paper: Paper, week: int, now: datetime, scale: Scale) -> Iterator[Row | Withdrawal]:
    """The lines that a week brings."""
    for name, old in sorted(paper.rows.items()):
        is_young = now - datetime.fromisoformat(old.published) < 2 * WEEK
        if source.random() < (YOUNG if is_young else OLD):
            fetched = (now + timedelta(minutes=1)).isoformat(timespec="seconds")
            yield paper.put(_record(old.url, source, old.published, fetched, scale.words))
        elif source.random() < OLD / 5:  # what it is read by changed, and it is no article any more
            del paper.rows[name]
            for fetched in paper.fetched[name]:
                yield Withdrawal(name, "quality", "listing", "", old.url, "", old.source, fetched, "", 1)
    for number in range(scale.articles):
        at = (now - timedelta(minutes=source.randrange(7 * 24 * 60))).isoformat(timespec="seconds")
        fetched = now.isoformat(timespec="seconds")
        yield paper.put(_record(f"https://a.example/{week}/{number}", source, at, fetched, scale.words))


def _record(url: str, source: random.Random, published: str, fetched: str, n_words: int) -> Record:
    text = " ".join(source.choices(WORDS, k=n_words))
    article = Article(url, text, Fields(title=url, published=published), "bte", fetched=fetched)
    return make_record(article, "paper", "en", 0.9)


def _names(records: list[Record], max_bytes: int) -> set[str]:
    """Hashes of the shards that records in this order would make."""
    rows = ((one, encode(replace(one, supersedes=""))) for one in records)
    groups = bounded(rows, lambda row: len(row[1]), max_bytes, lambda row: is_marked(row[0]))
    return {hashlib.sha256(b"".join(line for _, line in group)).hexdigest() for _, group in groups}


def main() -> None:
    """Simulate and write the results."""
    parser = argparse.ArgumentParser(description="two years of a corpus")
    parser.add_argument("--weeks", type=int, default=100, help="builds (default: 100)")
    parser.add_argument("--articles", type=int, default=100, help="new articles a week (default: 100)")
    scale = Scale(**vars(parser.parse_args()))
    with tempfile.TemporaryDirectory(prefix="newscorpus-") as folder:
        figures, notes = simulate(Path(folder, "paper"), scale)
        lists = sum(path.stat().st_size for path in Path(folder, "paper", RELEASES).rglob("*.zst"))
    RESULT.write_text(render(figures, notes, lists, scale), encoding="utf-8")
    print(RESULT.read_text("utf-8"))


def render(figures: list[WeekFigures], notes: list[ReleaseNote], lists: int, scale: Scale) -> str:
    """Write the figures of the second half, in which the corpus has many shards, as a table."""
    half = figures[len(figures) // 2 :]
    share = sum(one.bytes_written for one in half) / sum(one.bytes for one in half)
    listed = sum(note.added + note.changed + note.removed for note in notes)
    rows = [
        ("shards in the corpus, at the end", f"{figures[-1].shards}"),
        ("shards written by a build, mean", f"{mean(one.written for one in half):.1f}"),
        ("the same, at most", f"{max(one.written for one in half)}"),
        ("share of the bytes that a build writes", f"{share:.1%}"),
        ("shards that it would write in the order of ids, mean", f"{mean(one.by_id for one in half):.1f}"),
        ("releases, whose lists are what happened", f"{len(notes)}"),
        ("bytes of their lists, of each row that they list", f"{lists / listed:.1f}"),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"""# Two years of a corpus

{scale.weeks} builds, one a week; {scale.articles} new articles a week; shards of at most {scale.max_bytes:,} bytes.
Of the articles of the last two weeks {YOUNG:.0%} change in a week, of the others {OLD:.2%}. Figures of builds are of
the second half. Made by `python -m benchmarks.years`.

| | |
|---|--:|
{table}
"""


if __name__ == "__main__":
    main()
