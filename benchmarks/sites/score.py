"""Compare a corpus with the articles that its site was filled with."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from statistics import fmean

from benchmarks.sites.posts import Post, slug_of
from newscorpus.corpus.left_out import read_duplicates
from newscorpus.corpus.published import open_corpus
from newscorpus.data import Record
from newscorpus.lab.evaluation.scores import Overlap, ngram_scores
from newscorpus.layout import DUPLICATES
from newscorpus.store.ledger.addresses import find
from newscorpus.tokens import collapse, count_words
from newscorpus.urls import document_id

INDEX = "index.html"
FEWEST_WORDS = 25
"""Of an article that must be published."""
REFUSED_KIND = "live"
"""Not expected: `quality/live_ticker` refuses live blogs, which are many short items rather than a text."""
GOOD_F1 = 0.98
"""Texts below it are listed."""


@dataclass
class Score:
    """What a corpus has of a site."""

    # articles that a corpus should hold: public, of 25 words and more, no planted copies, no live blogs
    expected: int = 0
    published: int = 0  # of these, those with a row
    public: int = 0  # articles that a visitor may read
    strangers: list[str] = field(default_factory=list)  # rows that are no articles of the site, each with what it is
    lost: list[str] = field(default_factory=list)  # articles without a row, each with the reason that the crawl gives
    wrong: dict[str, list[str]] = field(default_factory=dict)  # values that differ from what was published, by field
    values: dict[str, list[float]] = field(default_factory=dict)  # for each field the scores of the rows, 0..1
    filled: set[str] = field(default_factory=set)  # fields of which a row has a value
    fates: list[str] = field(default_factory=list)  # of the articles of special kinds, what became of them

    def mean(self, name: str) -> float:
        """The mean of a field's scores; 0 where there are none."""
        return fmean(self.values.get(name) or [0.0])

    def note(self, name: str, value: float, least: float, said: str) -> None:
        """Note the score of one row in a field, and list it below some value."""
        self.values.setdefault(name, []).append(value)
        if value < least:
            self.wrong.setdefault(name, []).append(said)


def score(corpus: Path, base: str, posts: Sequence[Post], paths: Mapping[str, str], states: Mapping[str, str]) -> Score:
    """Compare the published rows of a corpus with articles, which lie at these paths of a site."""
    known = {address_of(base + paths[post.key]): post for post in posts if post.key in paths}
    rows = list(open_corpus(corpus).records())
    found: dict[str, Record] = {}
    done = Score()
    for row in rows:
        post = known.get(address_of(row.url))
        if post and post.is_public and post.key not in found:
            found[post.key] = row
            compare(done, row, post, states)
        else:
            if post:
                what = f"{post.kind} article, {'again' if post.key in found else 'not public'}"
            else:
                keys = {line: post.key for post in posts for line in post.text.splitlines()}
                held = {keys[line] for line in row.text.splitlines() if line in keys}
                what = f"holds lines of {len(held)} articles"
            done.strangers.append(f"{row.url} ({row.n_words} words; {what}): {row.title}")
    duplicates = _duplicates(corpus)
    for post in posts:
        fate = "published" if post.key in found else "never published by the system"
        if post.key in paths and post.key not in found:
            fate = _why_lost(corpus, base + paths[post.key], duplicates)
        done.public += post.is_public
        is_wanted = post.is_public and not post.copy_of and post.kind != REFUSED_KIND
        if is_wanted and count_words(post.text) >= FEWEST_WORDS:
            done.expected += 1
            done.published += post.key in found
            if post.key not in found:
                done.lost.append(
                    f"{base}{paths.get(post.key, '?')} ({post.kind}, {count_words(post.text)} words): {fate}"
                )
        if post.kind not in {"plain", "short"}:
            done.fates.append(f"{post.kind}: {fate}")
    return done


def address_of(url: str) -> str:
    """What is the same for all addresses of a page; some systems name its file in the canonical one."""
    return document_id(url.removesuffix(INDEX))


def compare(done: Score, row: Record, post: Post, states: Mapping[str, str]) -> None:
    """Compare a row with the article of its address."""
    f1 = ngram_scores(row.text, post.text).f1
    ours, theirs = row.text.splitlines(), post.text.splitlines()
    more = next((line for line in ours if line not in theirs), "")
    less = next((line for line in theirs if line not in ours), "")
    done.note("f1", f1, GOOD_F1, f"{row.url}: {f1:.3f}; more: {more[:120]!r}; less: {less[:120]!r}")
    done.note("title", collapse(row.title) == collapse(post.title), 1.0, f"{row.url}: {row.title}, not {post.title}")
    for name in ("section", "authors", "tags"):
        got, right = _values(row, name), _values(post, name)
        if name == "tags" and states.get(name) != "all":  # some systems show the section as one of them
            got -= {post.section}
        if name not in states:  # a right value is welcome all the same
            right &= got
        elif states[name] == "first":
            right = set(post.authors[:1])
        elif states[name] == "address":
            got, right = {slug_of(one) for one in got}, {slug_of(one) for one in right}
        if got:
            done.filled.add(name)
        f1 = Overlap(len(got & right), len(got), len(right)).scores.f1
        done.note(name, f1, 1.0, f"{row.url}: {got or 'nothing'}, not {right or 'nothing'}")
    right_date = is_same_date(row.published, post.published, states.get("published", "time"))
    done.note("date", right_date, 1.0, f"{row.url}: {row.published or 'nothing'}, not {post.published}")


def is_same_date(got: str, right: str, precision: str) -> bool:
    """Whether two dates have the same minute, or the same day where only days are stated."""
    if precision == "day" or len(got) <= len("2026-01-01"):
        return precision == "day" and got[:10] == right[:10]
    ours, theirs = datetime.fromisoformat(got), datetime.fromisoformat(right)
    if ours.tzinfo is None:
        return got[:16] == right[:16]
    return abs(ours - theirs) < timedelta(minutes=1)


def changes(
    corpus: Path, base: str, before: Sequence[Post], after: Sequence[Post], paths: Mapping[str, str]
) -> tuple[int, int]:
    """How many of the new articles have a row, and how many of the changed ones have their new headline."""
    titles = {address_of(row.url): collapse(row.title) for row in open_corpus(corpus).records()}
    old = {post.key: post for post in before}
    new = sum(address_of(base + paths[post.key]) in titles for post in after if post.key not in old)
    changed = [post for post in after if post.key in old and post != old[post.key]]
    return new, sum(titles.get(address_of(base + paths[post.key])) == post.title for post in changed)


def _values(of: Record | Post, name: str) -> Set[str]:
    value: str | Sequence[str] = getattr(of, name)
    return {value} - {""} if isinstance(value, str) else set(value)


def _duplicates(corpus: Path) -> dict[str, str]:
    path = corpus / DUPLICATES
    lines = list(read_duplicates(path)) if path.exists() else []
    addresses = {row.id: row.url for row in open_corpus(corpus).records()} | {line.id: line.url for line in lines}
    return {
        address_of(line.url): f"left out as {line.kind} of {addresses.get(line.duplicate_of, line.duplicate_of)}"
        f" ({line.similarity})"
        for line in lines
    }


def _why_lost(corpus: Path, url: str, duplicates: Mapping[str, str]) -> str:
    if left_out := duplicates.get(address_of(url)):
        return left_out
    entry = find(corpus, url) or find(corpus, f"{url}{INDEX}")
    if entry is None:
        return "never met"
    outcome = f"{entry.stage}/{entry.reason}" if entry.stage else entry.reason or entry.state.name.lower()
    moved = f", to {entry.redirected_to}" if entry.redirected_to else ""
    return f"{outcome} as {entry.kind}{moved} {entry.detail}".rstrip()
