"""Crawl many portals at once, each in its own process and corpus; portals that share a site, one after another."""

import hashlib
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from newscorpus.errors import STOPPED, CrawlError
from newscorpus.fetch.options import default_corpus
from newscorpus.portal.portal import Portal
from newscorpus.urls import host_of, site_key
from newscorpus.workers import Commands

ENDS = {0: "done", 1: "failed", 2: "wrong usage", STOPPED: "stopped"}
"""Meanings of a crawl's exit codes."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One of several machines among which the portals are divided."""

    number: int  # from 1
    of: int

    @classmethod
    def read(cls, text: str) -> "Machine":
        """Parse "2/5".

        Raises:
            CrawlError: the text has another form.
        """
        number, _, of = text.partition("/")
        if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise CrawlError(f"part {text!r}: expected N/M, such as 2/5")
        return cls(int(number), int(of))

    def has(self, group: "Group") -> bool:
        """Check whether this machine crawls a group: by a hash of its first site, independent of the other groups."""
        return int(hashlib.sha256(group.site.encode()).hexdigest(), 16) % self.of == self.number - 1


@dataclass(frozen=True, slots=True)
class Group:
    """Portals that share a site, which only one of them crawls at a time."""

    site: str  # the first of their registered domains
    portals: tuple[str, ...]  # names


@dataclass(frozen=True, slots=True)
class Crawl:
    """The crawl of one portal."""

    portal: str
    corpus: Path
    code: int | None = None  # return code, as in Popen; None while it runs
    why: str = ""  # why it could not start

    @property
    def log(self) -> Path:
        """The file of its output."""
        return self.corpus.with_name(f"{self.portal}.log")

    @property
    def end(self) -> str:
        """Describe how it ended."""
        code = self.code or 0
        end = f"killed by signal {-code}" if code < 0 else ENDS.get(code, f"exit code {code}")
        return f"{end}, {self.why}" if self.why else end


def group(portals: Iterable[Portal]) -> list[Group]:
    """Group portals that share a registered domain, directly or through other portals."""
    groups: list[tuple[set[str], list[str]]] = []
    for portal in sorted(portals, key=lambda one: one.name):
        hosts = {host_of(url) for url in portal.start}
        domains = (f"https://{domain}" for domain in portal.domains if domain not in hosts)
        sites = {site_key(url) for url in (*portal.start, *domains)}  # with the port of hosts without a domain
        shared = [one for one in groups if one[0] & sites]
        groups = [one for one in groups if not one[0] & sites]
        names = [name for _, members in shared for name in members]
        groups.append((sites.union(*(others for others, _ in shared)), [*names, portal.name]))
    return sorted((Group(min(sites), tuple(names)) for sites, names in groups), key=lambda one: one.site)


class Crawls:
    """Runs the crawls of groups of portals.

    Ctrl-C and SIGTERM are passed on to the running crawls; no further one starts.

    Raises:
        CrawlError: the corpus of a portal is ambiguous.
    """

    def __init__(self, groups: Sequence[Group], options: Sequence[str]) -> None:
        self._groups = groups
        self._options = options
        self._corpora = {name: default_corpus(name) for one in groups for name in one.portals}
        self._commands = Commands()
        self._running: set[Crawl] = set()

    @property
    def running(self) -> list[Crawl]:
        """The running crawls, by name."""
        return sorted(self._running, key=lambda one: one.portal)

    def run(self, at_once: int) -> Iterator[Crawl]:
        """Crawl all groups, `at_once` at a time; yields each crawl when it has ended."""
        before = {one: signal.signal(one, self._stop) for one in (signal.SIGINT, signal.SIGTERM)}
        ended: SimpleQueue[Crawl] = SimpleQueue()
        try:
            with ThreadPoolExecutor(at_once) as threads:
                for one in self._groups:
                    threads.submit(self._crawl_group, one, ended)
                for _ in range(sum(len(one.portals) for one in self._groups)):
                    yield ended.get()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _crawl_group(self, portals: Group, ended: "SimpleQueue[Crawl]") -> None:
        for name in portals.portals:
            crawl = Crawl(name, self._corpora[name])
            try:
                code, why = self._crawl(crawl), ""
            except OSError as error:  # such as a full disk, or no room for another process
                code, why = 1, str(error)
            ended.put(replace(crawl, code=code, why=why))

    def _crawl(self, crawl: Crawl) -> int:
        """Crawl a portal and return the exit code."""
        crawl.log.parent.mkdir(parents=True, exist_ok=True)
        command = ["crawl", crawl.portal, "-s", f"NEWSCORPUS_CORPUS={crawl.corpus}", *self._options]
        self._running.add(crawl)
        try:
            with crawl.log.open("wb") as log:
                return self._commands.run(command, log, log)
        finally:
            self._running.remove(crawl)

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self._commands.stop(number)
