"""Random sites, crawled as the scheduler and the spider do it, with kills at any moment: each address ends once."""

import json
import shutil
from collections import Counter
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from newscorpus.store.ledger import REJECTIONS, Fetched, Lease, Ledger, Link, Series, UrlOutcome, UrlState, key_of
from newscorpus.store.ledger.addresses import met_addresses, states
from newscorpus.store.ledger.status import status

ROWS = Series("intake/{:06}.jsonl", b"{}\n")
PORTALS = ("paper", "post")
NOW = "2026-11-21T00:00:00+00:00"
ATTEMPTS = 2
IN_MEMORY = Path("/dev/shm")
RETRIED = {"timeout", "http_500"}

FATES = {
    "kept": UrlOutcome(reason="kept", n_words=3),
    "list": UrlOutcome(),
    "short": UrlOutcome("quality", "too_short"),
    "gone": UrlOutcome("fetch", "http_404"),
    "busy": UrlOutcome("fetch", "http_500"),
    "dead": UrlOutcome("fetch", "timeout"),
    "trap": UrlOutcome("discovery", "trap"),  # never requested
}
"""Outcomes of pages; pages that are moved redirect to their first link, slow ones fail once."""

Page = tuple[str, list[int]]
"""What becomes of a page, and the numbers of the pages that it links to."""

SITES = st.lists(
    st.tuples(st.sampled_from([*FATES, "slow", *("moved", "kept") * 3]), st.lists(st.integers(0, 5), max_size=4)),
    min_size=2,
    max_size=6,
)


def address(number: int) -> str:
    """The address of a page; each portal has every second one."""
    return f"https://{portal(number)}.example/{number}"


def portal(number: int) -> str:
    """The portal of a page."""
    return PORTALS[number % 2]


def number_of(url: str) -> int:
    """The number of the page at an address."""
    return int(url.rpartition("/")[2])


@dataclass
class Visit:
    """A request in progress."""

    lease: Lease
    page: int  # after redirects; where it failed
    outcome: UrlOutcome
    answered: bool
    links: list[int] = field(default_factory=list)
    new: list[int] | None = None  # reserved links; None: not read yet


@dataclass
class Model:
    """What the ledger should hold."""

    ended: dict[int, UrlOutcome] = field(default_factory=dict)
    rows: list[tuple[str, int]] = field(default_factory=list)  # portal of the request, and page
    answers: Counter[str] = field(default_factory=Counter)  # by portal
    to_retry: set[int] = field(default_factory=set)  # failed pages that are queued again


class Crawls(RuleBasedStateMachine):
    """Crawls of one corpus."""

    def __init__(self) -> None:
        super().__init__()
        self._held = ExitStack()
        self.asked: Counter[int] = Counter()
        self.now, self.committed = Model(), Model()

    @initialize(site=SITES)
    def begin(self, site: list[Page]) -> None:
        """Queue the first pages of both portals."""
        folder = self._held.enter_context(TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None))
        self.corpus = Path(folder, "corpus")
        self._held.callback(lambda: self.ledger.close(commits=False))
        self.site = [(fate, [link % len(site) for link in links] if fate != "trap" else []) for fate, links in site]
        self.open()

    def open(self) -> None:
        """Begin the crawl, or resume it."""
        self.ledger = Ledger.open(self.corpus)
        self.visits: list[Visit] = []
        for number in (0, 1):
            if self.ledger.reserve(address(number), portal(number)):
                self.refuse_or_add(number, 0)
        for name in PORTALS:
            if not self.ledger.queue.size(name) and self.ledger.revisits.revive((), name, 0.0):
                self.now.to_retry |= {
                    n for n, end in self.now.ended.items() if portal(n) == name and end.reason in RETRIED
                }

    def refuse_or_add(self, number: int, found_on: int) -> None:
        """Queue a reserved page or refuse it."""
        url, trap = address(number), FATES["trap"]
        if self.site[number][0] != "trap":
            self.ledger.add(Link(key_of(url), url, portal(number), "article", found_on=found_on, request=b"{}"))
        elif self.ledger.refuse(url, trap, REJECTIONS, self.line(number), portal(number), found_on):
            self.now.ended[number] = trap

    def line(self, number: int) -> bytes:
        """The row or rejection of a page."""
        return json.dumps({"url": address(number)}).encode() + b"\n"

    # ---- what a crawl does --------------------------------------------------------------------------------------

    @precondition(lambda self: len(self.visits) < 4)
    @rule(at=st.integers(0, 1))
    def request(self, at: int) -> None:
        """Lease the next address, commit, and follow its redirects."""
        lease = self.ledger.queue.lease(PORTALS[at])
        if lease is None:
            return
        self.commit(is_leasing=True)
        way = self.way(number_of(lease.url))
        first, page = way[0], way[-1]
        assert first not in self.now.ended.keys() - self.now.to_retry, "it has ended, and is requested again"
        if len({*way}) < len(way) or any(self.ledger.knows(address(one), lease.url) for one in way[1:]):
            self.visits.append(Visit(lease, first, UrlOutcome("fetch", "redirect_to_known"), answered=False))
            return
        assert page not in {row for _, row in self.now.rows}, "it was kept, and is fetched again"
        self.asked[page] += 1
        fate, links = self.site[page]
        fate = {"slow": "dead" if self.asked[page] == 1 else "kept", "moved": "kept", "trap": "kept"}.get(fate, fate)
        outcome = FATES[fate]
        self.visits.append(Visit(lease, page, outcome, fate != "dead", [] if outcome.stage == "fetch" else links))

    def way(self, number: int) -> list[int]:
        """A page and those to which it redirects; in a loop the last one occurs twice."""
        way = [number]
        while self.site[way[-1]][0] == "moved" and self.site[way[-1]][1] and len({*way}) == len(way):
            way.append(self.site[way[-1]][1][0])
        return way

    def some(self, data: st.DataObject, *, is_read: bool) -> Visit | None:
        """A visit in progress."""
        found = [visit for visit in self.visits if (visit.new is not None) == is_read]
        return data.draw(st.sampled_from(found)) if found else None

    @rule(data=st.data())
    def read(self, data: st.DataObject) -> None:
        """Reserve the links of a page."""
        if visit := self.some(data, is_read=False):
            self.reserve_links(visit)

    def reserve_links(self, visit: Visit) -> None:
        """Reserve the links of a page that are new."""
        if visit.new is None:
            visit.new = [n for n in visit.links if self.ledger.reserve(address(n), portal(n), "article")]

    @rule(data=st.data())
    def finish(self, data: st.DataObject) -> None:
        """Queue the links of a page, and record its outcome; a failed one waits for a retry."""
        if visit := self.some(data, is_read=True):
            self.end(visit)

    def end(self, visit: Visit) -> None:
        """Queue or refuse the links of a page and record its outcome."""
        self.visits.remove(visit)
        serial, outcome, first = visit.lease.serial, visit.outcome, number_of(visit.lease.url)
        for number in visit.new or ():
            self.refuse_or_add(number, serial)
        if not visit.answered and outcome.reason == "timeout" and self.asked[visit.page] < ATTEMPTS:
            self.ledger.queue.release(serial, priority=visit.lease.priority - 1, ready_at=1.0)
            return
        series = REJECTIONS if outcome.stage else ROWS
        if outcome.counter != "read":
            number = first if outcome.stage else visit.page
            line = self.ledger.append(series, self.line(number))
            document = "" if outcome.stage else address(visit.page)
            outcome = UrlOutcome(outcome.stage, outcome.reason, n_words=outcome.n_words, document=document, line=line)
        answer = Fetched(address(visit.page), 200, NOW, 10) if visit.answered else None
        self.ledger.finish(serial, [outcome], answer)
        self.now.ended[first] = outcome
        self.now.to_retry.discard(first)
        self.now.rows += [(portal(first), visit.page)] * (outcome.reason == "kept")
        self.now.answers[portal(first)] += visit.answered

    @rule(data=st.data())
    def postpone(self, data: st.DataObject) -> None:
        """Queue an address again whose request was not sent."""
        if visit := self.some(data, is_read=False):
            self.visits.remove(visit)
            self.ledger.queue.release(visit.lease.serial)

    @rule()
    def wake(self) -> None:
        """Let the failed addresses be retried."""
        self.ledger.queue.wake(2.0)

    @rule()
    def commit(self, *, is_leasing: bool = False) -> None:
        """Commit, as the clock does in a crawl."""
        self.ledger.commit()
        self.committed = deepcopy(self.now)
        there = {key: n for key, (n, _) in states(self.corpus).items()}
        for name in PORTALS:
            assert there.get((name, UrlState.WAITING), 0) == self.ledger.queue.waiting(name)
            assert there.get((name, UrlState.QUEUED), 0) == self.ledger.queue.ready[name]
        leased = sum(n for (_, state), n in there.items() if state == UrlState.LEASED)
        assert leased == len(self.visits) + is_leasing

    @rule()
    def sync(self) -> None:
        """Write a checkpoint."""
        self.commit()
        self.ledger.transaction.checkpoint()()

    @rule(how=st.sampled_from(["kill", "interrupt", "end"]))
    def resume(self, how: str) -> None:
        """Kill the crawl, interrupt it or end it, and resume it."""
        if how == "end":
            self.commit()
        as_killed = self.corpus.with_name("killed")
        if how == "kill":  # the files as they lie on the disk
            shutil.copytree(self.corpus, as_killed, ignore=shutil.ignore_patterns("*-shm"))
        self.ledger.close(commits=how == "end")
        if how == "kill":
            shutil.rmtree(self.corpus)
            as_killed.rename(self.corpus)
        self.now = deepcopy(self.committed)
        self.open()

    @rule()
    def crawl_to_the_end(self) -> None:
        """Crawl on without disturbances, recount everything, and retry what failed."""
        while any(self.ledger.queue.size(name) for name in PORTALS) or self.visits:
            self.ledger.queue.wake(2.0)
            self.request(0)
            self.request(1)
            for visit in self.visits[:]:
                self.reserve_links(visit)
                self.end(visit)
        self.commit()
        answers = {name: self.ledger.counts.of("fetched", name) for name in PORTALS}
        self.ledger.close()
        self.recount(answers)
        self.open()

    def teardown(self) -> None:
        """Remove the corpus, if the machine ran."""
        self._held.close()

    def recount(self, answers: dict[str, int]) -> None:
        """Compare the outcomes, the counts and the files."""
        met = [(name, number_of(one.url), one) for name in PORTALS for one in met_addresses(self.corpus, name, 100)]
        rows = [number_of(json.loads(line)["url"]) for line in self.lines("intake/*.jsonl")]
        rejected = [number_of(json.loads(line)["url"]) for line in self.lines("rejected.jsonl")]
        assert sorted(rows) == sorted(page for _, page in self.now.rows)
        assert sorted(rejected) == sorted(number for number, end in self.now.ended.items() if end.stage)
        reached = self.reached()
        assert sorted(number for _, number, _ in met) == sorted(reached)
        assert {n for n in reached if self.site[n][0] in {"kept", "slow"}} <= set(rows)
        for _, number, one in met:
            end = self.now.ended.get(number, UrlOutcome(reason="redirect_target"))
            assert (one.state, one.stage, one.reason) == (end.state, end.stage, end.reason)
        for now in status(self.corpus):
            ends = [(end.stage, end.reason) for n, end in self.now.ended.items() if portal(n) == now.portal]
            assert (now.queued, now.leased) == (0, 0)
            assert now.done + now.failed == sum(name == now.portal for name, _, _ in met)
            assert now.kept == sum(name == now.portal for name, _ in self.now.rows) == ends.count(("", "kept"))
            assert now.words == 3 * now.kept
            assert now.rejected == Counter(f"{stage}/{reason}" for stage, reason in ends if stage)
            assert answers[now.portal] == self.now.answers[now.portal]

    def lines(self, pattern: str) -> list[str]:
        """The lines of files, without headers."""
        texts = (path.read_text() for path in self.corpus.glob(pattern))
        return [line for text in texts for line in text.splitlines() if line != "{}"]

    def reached(self) -> set[int]:
        """The pages to which links or redirects lead."""
        found, ahead = set(), [0, 1]
        while ahead:
            number = ahead.pop()
            *passed, end = self.way(number)
            if number not in found:
                fate, links = self.site[end]
                found |= {number} if fate == "dead" or end in passed[1:] else {number, end}
                ahead += [] if fate in {"gone", "busy", "dead", "moved"} else links
        return found


TestCrawls = Crawls.TestCase
TestCrawls.settings = settings(max_examples=80, stateful_step_count=30)
