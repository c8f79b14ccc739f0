"""Detect redesigns of a portal.

Each page is a set of signs: elements of its markup, and missing results. A redesign is a sign that was on hardly any
page and is now on many, or was on nearly all and is now gone. The test is that of a change-point in a binary sequence
(Pettitt 1980, Applied Statistics 29; Worsley 1983, Biometrika 70): given the number of pages with the sign, their
number among the last pages is hypergeometric, whatever the rate of the sign. Every split of the last pages is tried for
every sign, and the threshold is divided by the number of signs (Bonferroni), so that pages in random order cause few
alarms; benchmarks/results/redesign.md counts them. Pages are compared within their address pattern, since a crawl
alternates between lists and articles.
"""

import sys
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import comb, log

from newscorpus.data import Rejected
from newscorpus.page.judgement import Judgement
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.addresses import pattern_of, section_of
from newscorpus.portal.portal import TemplateSection, version_of
from newscorpus.store.ledger.portals import KEPT_LOOKS, Alarm, Look

WINDOW = 30
"""Number of newest pages searched for a break; enough for a redesign of every third page."""

LEAST_BEFORE = 20
"""Fewest pages before a break: with fewer, too many signs are constant by chance."""

LEAST_OF_SECTION = 10
"""The same within a section: the test accounts for the small number, and the portal has shown more pages."""

RARE = 0.02
"""Largest share of pages before the break with a new sign of the markup, or without one that is gone."""

RARE_MISSING = 0.2
"""The same for missing results, such as an author, which are usual on some pages of a good site."""

PROBABILITY = 1e-4
"""Threshold of the probability of a break as clear by chance, times the number of signs."""

KNOWN_SECTION = 3
"""Fewest pages of a section before the window for a break: a new section has markup of its own."""

MISSING = "missing: "
"""Prefix of the signs of missing results; the others are of the markup."""

WATCHED_FIELDS = ("title", "authors", "published", "section", "tags")
"""Fields that a redesign may lose; others depend on these or are rare."""

WORDS = (25, 50, 100, 200, 400)
"""Numbers of words, each twice the last: truncated texts fall below some that most texts reach."""

CONFIDENCES = (0.5, 0.7, 0.9)
OTHER_STAGES = frozenset({"discovery", "fetch", "language", "rights"})
"""Stages whose rejections do not depend on the design of a page."""


@dataclass(frozen=True, slots=True)
class Split:
    """The frequencies of a sign before and after a page."""

    log_chance: float  # log probability of a split as clear by chance
    sign: str
    first: Look  # the first different page
    before: tuple[int, int]  # pages with the sign, of all
    after: tuple[int, int]


class _Sequence:
    """Pages in the order of the crawl, and the number of pages with each sign."""

    def __init__(self) -> None:
        self.looks: deque[Look] = deque()
        self.counts: Counter[str] = Counter()


class PortalWatch:
    """Watches one portal, by the looks of its last pages, oldest first."""

    def __init__(self, looks: Iterable[Look] = ()) -> None:
        self._begin(looks)

    def add(self, look: Look) -> Alarm | None:
        """Add a page; return the redesign that it reveals, and continue with the redesigned pages only.

        A new template starts the watch afresh, since it finds and misses other things.
        """
        if self._looks and self._looks[-1].template != look.template:
            self._begin(())
        self._append(look)
        counts = self._pages[pattern_of(look.url)].counts
        bound = log(PROBABILITY / max(1, 2 * sum(n > 1 for n in counts.values())))
        splits = [split for split in self._splits(look) if split.log_chance < bound]
        if not splits:
            return None
        # The page that most signs point to: a single one may have been missing earlier by chance.
        ((first, _),) = Counter(split.first for split in splits).most_common(1)
        # Of equally clear splits, the missing results.
        clearest = min(
            (split for split in splits if split.first == first),
            key=lambda split: (split.log_chance, not split.sign.startswith(MISSING), split.sign),
        )
        self._begin(list(self._looks)[self._looks.index(first) :])
        return Alarm(
            portal=look.portal,
            url=clearest.first.url,
            since=clearest.first.fetched,
            noticed=look.fetched,
            until="" if look.template else look.fetched,
            template=look.template,
            sign=clearest.sign,
            before=clearest.before,
            after=clearest.after,
        )

    def _begin(self, looks: Iterable[Look]) -> None:
        self._looks: deque[Look] = deque()
        self._pages: defaultdict[str | tuple[str, str], _Sequence] = defaultdict(_Sequence)  # by pattern, and section
        for look in looks:
            self._append(look)

    def _append(self, look: Look) -> None:
        """Add a page and drop the oldest."""
        self._looks.append(look)
        for key in _groups(look.url):
            self._pages[key].looks.append(look)
            self._pages[key].counts.update(look.signs)
        if len(self._looks) > KEPT_LOOKS:
            oldest = self._looks.popleft()
            for key in _groups(oldest.url):
                self._pages[key].looks.popleft()
                self._pages[key].counts -= Counter(oldest.signs)  # which drops signs of no page
                if not self._pages[key].looks:
                    del self._pages[key]

    def _splits(self, newest: Look) -> Iterator[Split]:
        """Split the pages of the newest page's pattern, and those of its section, which may be redesigned alone."""
        pattern, of_section = _groups(newest.url)
        looks, section = self._pages[pattern].looks, section_of(newest.url)
        older = islice(looks, max(LEAST_BEFORE, len(looks) - WINDOW))
        known = (look for look in older if section_of(look.url) == section)
        if len(list(islice(known, KNOWN_SECTION))) == KNOWN_SECTION:
            yield from _splits(self._pages[pattern], LEAST_BEFORE)
        if len(looks) > max(LEAST_BEFORE, len(self._pages[of_section].looks)):
            yield from _splits(self._pages[of_section], LEAST_OF_SECTION)


def _splits(pages: _Sequence, least: int) -> Iterator[Split]:
    """Split by every sign in which the newest page differs from most others."""
    n, newest = len(pages.looks), pages.looks[-1]
    window = min(WINDOW, n - least)
    for sign, count in pages.counts.items() if window > 0 else ():
        is_there, is_missing = sign in newest.signs, sign.startswith(MISSING)
        alike = count if is_there else n - count
        rare = RARE_MISSING if is_missing else RARE
        if 1 < alike <= window + rare * n and (is_there or not is_missing):
            split = _best(pages.looks, sign, alike, window, rare)
            if split:
                yield split


def _best(looks: Sequence[Look], sign: str, alike: int, window: int, rare: float) -> Split | None:
    """Return the clearest split of the last pages by a sign; None if it was as frequent before.

    Args:
        looks: oldest first.
        sign: that the newest page has or lacks.
        alike: number of pages like the newest one in that.
        window: most pages after the split.
        rare: largest share of such pages before it.
    """
    n, found, is_there = len(looks), 0, sign in looks[-1].signs
    best: Split | None = None
    for k in range(1, window + 1):
        if (sign in looks[-k].signs) != is_there:
            continue
        found += 1
        before = alike - found
        chance = log_chance(n, alike, k, found)
        if before <= rare * (n - k) and (best is None or chance < best.log_chance):
            had, has = (before, found) if is_there else (n - k - before, k - found)
            best = Split(chance, sign, looks[-k], (had, n - k), (has, k))
    return best


def _groups(url: str) -> tuple[str, tuple[str, str]]:
    """Return the groups of pages with which a page is compared: its pattern, and its section within it."""
    pattern = pattern_of(url)
    return pattern, (pattern, section_of(url))


def log_chance(n: int, marked: int, drawn: int, found: int) -> float:
    """Return the log of the hypergeometric probability that `found` of `drawn` pages are among `marked` of `n`."""
    return log(comb(marked, found)) + log(comb(n - marked, drawn - found)) - log(comb(n, drawn))


def look_of(page: SourcePage, judged: Judgement) -> Look | None:
    """Return the look of a judged page; None if its outcome does not depend on the design."""
    outcome = judged.outcome
    if not judged.markup or (isinstance(outcome, Rejected) and outcome.stage in OTHER_STAGES):
        return None
    signs = judged.markup | {MISSING + what for what in _missing(page.template, judged)}
    template = version_of(page.template) if page.template else ""
    return Look(page.source, page.page.url, page.page.fetched, template, frozenset(map(sys.intern, signs)))


def _missing(template: TemplateSection | None, judged: Judgement) -> Iterator[str]:
    """Name the missing results of a page."""
    hits = {(hit.field, hit.position) for hit in judged.rule_hits or ()}
    for field in TemplateSection.__slots__ if template and judged.rule_hits is not None else ():
        for position, rule in enumerate(getattr(template, field)):
            if (field, position) not in hits:
                yield f"rule {rule!r} of {field}"
    if not isinstance(judged.outcome, Row):
        yield "a page that is accepted"
        return
    record = judged.outcome.record
    yield from (field for field in WATCHED_FIELDS if not getattr(record, field))
    yield from (f"a text of {words} words" for words in WORDS if record.n_words < words)
    yield from (f"a confidence of {least}" for least in CONFIDENCES if record.confidence < least)
    if record.paywalled:
        yield "a page that is free"
