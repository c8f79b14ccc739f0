"""The progress of a crawl by portal, and what it left out.

Articles named by feeds, sitemaps and lists are counted by day and outcome. The status names the limits that cut the
crawl short and the reasons by which many pages were lost.
"""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median

from newscorpus.layout import CRAWL_REPORT, DUPLICATES
from newscorpus.portal.addresses import section_of
from newscorpus.store.ledger.addresses import states
from newscorpus.store.ledger.database import reading, remembered
from newscorpus.store.ledger.portals import Alarm, open_alarms
from newscorpus.store.ledger.values import OVER_BUDGET, TOO_DEEP, UrlState, key_of_id
from newscorpus.terminal import aligned
from newscorpus.tokens import counted

DAYS = 30
"""Number of last days counted; enough to show what is usual for a portal."""

RECENT_DAYS = 7
"""Number of days over which rows a day are counted: a week, since weekends have fewer."""

FEWEST = 20
"""Fewest articles of a day for a meaningful share of rows: of ten, half may be missing by chance."""

NOT_LOST = frozenset(
    {
        *("discovery/ignored", "discovery/nothing_new", "discovery/other_version", "discovery/out_of_period"),
        *("discovery/page_budget", "discovery/part_of_another", "discovery/section", "discovery/too_deep"),
        "fetch/redirect_to_known",
    }
)
"""Rejections by limits of the user, of pages whose article has another address, and of lists."""

NAMED = """SELECT one.portal, one.met,
    iif(page.kind IN ('feed', 'list'), 'feed', iif(page.kind = 'sitemap', 'sitemap', 'list')),
    iif(one.state < 4, '', iif(one.reason = 'kept', left_out(one.serial), one.stage || '/' || one.reason)), count(*)
    FROM urls AS one JOIN urls AS page ON page.serial = one.found_on
    WHERE one.met >= date('now', ?) AND (one.kind = 'article' OR one.reason = 'kept')
    AND (one.state < 4 OR one.stage != '' OR one.reason = 'kept' AND one.serial IN (SELECT serial FROM documents))
    GROUP BY 1, 2, 3, 4"""
"""A further address of a document is no article of its own."""
ROW = "row"

MOST_LOST = 0.02
"""Share of the pages of a portal lost by one reason above which the reason is reported."""

MOST_DUPLICATES = 0.2
"""The same for duplicates of one kind, which every portal has."""

EXAMPLES = 3
"""Number of addresses shown for a reason, and fewest pages lost by a reported one: fewer may be chance."""

SAMPLE = 300
"""Number of addresses that tell in which section most of them lie."""

CLOSED = "quality/paywall_stub"
"""Reason of pages for subscribers only, which no crawl can get."""

ENDS = {
    "byte_budget": "limits.max_bytes is reached",
    "limit": "the limit of articles is reached",
    "closespider_pagecount": "the limit of responses is reached",
    "quiet_hours": "it was stopped in quiet hours",
    "shutdown": "it was stopped",
    "refused": "the site refused again and again",
    "left_alone": "the site has refused for days and is left alone",
    "retry_after": "the site asked for a pause of more than an hour",
    "crawl_delay": "the site asks for too long a Crawl-delay",
    "robots_unavailable": "the robots.txt of the site is out of reach",
}
"""Texts of the close reasons that leave addresses queued; others are shown by name."""

LATELY = timedelta(minutes=5)
"""Period of the rate: some 200 responses of a polite crawl, one of a site with the longest delay."""

MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A document excluded by a build."""

    key: int  # of its id
    portal: str  # its name
    reason: str  # "duplicates/kind"
    url: str


@dataclass(frozen=True, slots=True)
class DayCoverage:
    """Outcomes of the articles of a portal discovered on one day."""

    day: str  # ISO 8601
    named: Mapping[str, int]  # articles by the source that named them first: "feed", "sitemap" or "list"
    rows: int  # rows of the corpus among them
    left_out: Mapping[str, int]  # rejections by "stage/reason", and duplicates by "duplicates/kind"
    unfetched: int  # still queued

    @property
    def share(self) -> float:
        """Share of rows among the articles with an outcome."""
        return self.rows / max(1, self.rows + sum(self.left_out.values()))

    def __str__(self) -> str:
        named = ", ".join(f"{source} {n:,}" for source, n in self.named.items())
        left_out = ", ".join(f"{reason} {n:,}" for reason, n in self.left_out.items())
        return (
            f"{self.day}: {sum(self.named.values()):,} articles named ({named}), {self.rows:,} rows,"
            f" {self.unfetched:,} not fetched" + (f"; left out: {left_out}" if left_out else "")
        )


def left_out_as_duplicates(corpus: Path) -> list[LeftOut]:
    """Return the documents excluded as duplicates by the last build; none without a list of ours."""
    with suppress(OSError, ValueError, LookupError, TypeError), (corpus / DUPLICATES).open("rb") as file:
        lines = [line for line in map(json.loads, file) if line["kind"] != "revision"]
        return [LeftOut(key_of_id(one["id"]), one["source"], f"duplicates/{one['kind']}", one["url"]) for one in lines]
    return []


def coverage(connection: sqlite3.Connection, left_out: Sequence[LeftOut]) -> dict[str, tuple[DayCoverage, ...]]:
    """Return the outcomes of the articles of each portal by day of discovery, oldest first."""
    reasons = {one.key: one.reason for one in left_out}
    sql = "SELECT serial, id FROM documents WHERE id IN (SELECT value FROM json_each(?))"
    of = {serial: reasons[key] for serial, key in connection.execute(sql, (json.dumps([*reasons]),))}
    connection.create_function("left_out", 1, lambda serial: of.get(serial, ROW), deterministic=True)
    named: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    ended: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for portal, day, source, end, n in connection.execute(NAMED, (f"-{DAYS} days",)):
        if end not in NOT_LOST:
            named[portal, day][source] += n
            ended[portal, day][end] += n
    days: defaultdict[str, tuple[DayCoverage, ...]] = defaultdict(tuple)
    for (portal, day), ends in sorted(ended.items()):
        lost = {end: n for end, n in ends.most_common() if end not in {"", ROW}}
        sources = dict(sorted(named[portal, day].items()))
        days[portal] += (DayCoverage(day, sources, ends[ROW], lost, ends[""]),)
    return days


def low_share(portal: str, days: Sequence[DayCoverage]) -> Iterator[str]:
    """Warn if the share of rows on the last day is below half of the median of the days before, or of 1 without any."""
    told = [day for day in days if day.rows + sum(day.left_out.values()) >= FEWEST]
    usual = median(day.share for day in told[:-1]) if told[1:] else 1.0
    if told and told[-1].share < usual / 2:
        share = f"{told[-1].share:.0%}"
        few = f"fewer rows than usual, {share} for {usual:.0%}"
        if len(told) == 1:
            few = f"rows for only {share} of its articles"
        yield f"{portal} gave {few}: {told[-1]}"


@dataclass(frozen=True, slots=True)
class PortalLoss:
    """Pages of a portal lost by one frequent reason."""

    reason: str  # "stage/reason", or "duplicates/kind"
    n: int  # pages
    pages: int  # all pages of the portal, kept or lost
    examples: tuple[str, ...]  # addresses
    section: str = ""  # of most of the addresses, as by `section_of`

    def __str__(self) -> str:
        where = f", most in {self.section}" if self.section else ""
        return f"{self.n:,} of {self.pages:,} pages ({self.n / max(1, self.pages):.1%}) by {self.reason}{where}"


def cut_short(queued: int, counted: Mapping[str, int], end: str) -> Iterator[str]:
    """Name the limits that cut the crawl of a portal short, with the number of addresses left."""
    if queued and end:
        yield f"{ENDS.get(end, end)}, addresses still queued: {queued:,}"
    bounds = {
        OVER_BUDGET: "limits.max_pages is reached, addresses not taken in: {:,}",
        TOO_DEEP: "limits.max_depth is reached, addresses that lie deeper: {:,}",
        "rejected/discovery/trap": "addresses that look like traps: {:,}",
    }
    yield from (text.format(counted[name]) for name, text in bounds.items() if counted.get(name))


@remembered
def count_lost(corpus: Path) -> dict[str, list[tuple[str, int, list[str]]]]:
    """Count the articles that each portal lost, by reason, the most frequent first, with the first addresses."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    addresses: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    # Rejected pages with the address of an article; requests of other spiders have no kind.
    lost = "SELECT portal, stage || '/' || reason, url FROM urls WHERE kind IN ('', 'article') AND stage != ''"
    with reading(corpus) as connection:
        for portal, reason, url in connection.execute(f"{lost} ORDER BY serial"):
            if reason not in NOT_LOST:
                counts[portal][reason] += 1
                if len(first := addresses[portal, reason]) < SAMPLE:
                    first.append(url)
    ordered = {portal: sorted(of.items(), key=lambda item: (-item[1], item[0])) for portal, of in counts.items()}
    return {portal: [(*one, addresses[portal, one[0]]) for one in of] for portal, of in ordered.items()}


def losses(
    kept: int, rejected: Sequence[tuple[str, int, Sequence[str]]], left_out: Sequence[LeftOut]
) -> Iterator[PortalLoss]:
    """Return the reasons by which a portal lost many articles, the most frequent first."""
    pages = kept + sum(n for _, n, _ in rejected)
    for reason, n, addresses in rejected:
        if n >= EXAMPLES and n > MOST_LOST * pages and reason != CLOSED:
            yield _loss(reason, n, pages, addresses)
    for reason, n in Counter(one.reason for one in left_out).most_common():
        if n >= EXAMPLES and n > MOST_DUPLICATES * pages:
            yield _loss(reason, n, pages, [one.url for one in left_out if one.reason == reason][:SAMPLE])


def _loss(reason: str, n: int, pages: int, addresses: Sequence[str]) -> PortalLoss:
    section, n_there = Counter(map(section_of, addresses)).most_common(1)[0]
    is_most = "/" in section and n_there > len(addresses) / 2
    return PortalLoss(reason, n, pages, tuple(addresses[:EXAMPLES]), section if is_most else "")


def unreached(corpus: Path) -> dict[str, str]:
    """Return the portals none of whose start pages could be fetched, each with the outcome of the first start page.

    A start page that redirects to another one counts as fetched.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    sql = """SELECT portal, url, stage, reason, detail,
        state = 4 AND (status = 200 OR stage = '') OR reason = 'redirect_to_known' AS reached FROM urls
        WHERE found_on = 0 AND depth = 0 AND kind IN ('', 'article', 'section') ORDER BY serial"""
    found: dict[str, list[sqlite3.Row]] = {}
    with reading(corpus) as connection:
        for row in connection.execute(sql):
            found.setdefault(row["portal"], []).append(row)
    fates = {}
    for portal, (row, *others) in found.items():
        if not any(one["reached"] for one in (row, *others)):
            reason = f"{row['stage']}/{row['reason']} " if row["stage"] else ""
            fates[portal] = f"{reason}{row['url']}" + f" ({row['detail']})" * bool(row["detail"])
    return fates


@dataclass(frozen=True, slots=True)
class PortalStatus:
    """Progress of the crawl of one portal."""

    portal: str  # its name
    queued: int  # addresses to request
    leased: int  # addresses being requested
    done: int  # addresses with an outcome other than a failure
    failed: int  # addresses that could not be fetched
    kept: int  # articles in the intake
    rejected: Mapping[str, int]  # number of rejections by "stage/reason"
    words: int  # words of the articles
    megabytes: float  # fetched, decoded (10^6 bytes)
    words_per_megabyte: float  # 0 if nothing was fetched
    pages_per_minute: float  # of the last five minutes; 0 if the crawl rests or has ended
    seconds_left: int  # estimate for the queue at that rate; 0 for none
    cut_short: tuple[str, ...] = ()  # limits that cut the crawl short, and numbers of addresses left
    losses: tuple[PortalLoss, ...] = ()  # reasons that lost three articles and over two in a hundred
    coverage: tuple[DayCoverage, ...] = ()  # outcomes of articles by day of discovery, oldest first
    redesigns: tuple[Alarm, ...] = ()  # not covered by a template yet
    last_kept: str = ""  # when the last page with an article was fetched, ISO 8601
    end: str = ""  # why its last crawl is incomplete, a key of `ENDS` or a close reason; "" if it is complete

    @property
    def share(self) -> float | None:
        """Share of rows among the articles with an outcome that were discovered in the last `DAYS`; None for none."""
        rows = sum(day.rows for day in self.coverage)
        ended = rows + sum(sum(day.left_out.values()) for day in self.coverage)
        return rows / ended if ended else None

    def rows_a_day(self, today: date) -> float:
        """Return the mean of rows discovered on the last `RECENT_DAYS` days, or since the first of them."""
        first = today - timedelta(RECENT_DAYS - 1)
        recent = [(date.fromisoformat(day.day), day.rows) for day in self.coverage]
        begun = max(first, min((day for day, _ in recent), default=first))
        return sum(rows for day, rows in recent if day >= begun) / ((today - begun).days + 1)

    def shortfalls(self) -> Iterator[str]:
        """Describe the missing pages in lines for people."""
        name = self.portal or "no portal"
        if self.cut_short:
            yield f"{name} was cut short: {'; '.join(self.cut_short)}"
        for loss in self.losses:
            examples = ", ".join(loss.examples) or "no address"
            yield f"{name} lost {loss}, such as {examples}"
        yield from low_share(name, self.coverage)


def status(corpus: Path, now: datetime | None = None, ends: Mapping[str, str] | None = None) -> list[PortalStatus]:
    """Return the progress of every portal in a corpus, by name.

    The close reasons in `ends`, "" for a finished portal, are by default those of the last report.

    Raises:
        LedgerError: there is no ledger, or it cannot be read.
    """
    now = now or datetime.now(UTC)
    if ends is None:
        ends = {}
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):  # no report of ours
            by_portal = json.loads((corpus / CRAWL_REPORT).read_bytes())["by_portal"]
            ends = {portal: str(figures.get("end", "")) for portal, figures in by_portal.items()}
    at: defaultdict[str, Counter[UrlState]] = defaultdict(Counter)
    last_kept: defaultdict[str, str] = defaultdict(str)
    for (portal, state), (n, last) in states(corpus).items():
        at[portal][state] = n
        last_kept[portal] = max(last_kept[portal], last)
    excluded, duplicates = left_out_as_duplicates(corpus), defaultdict[str, list[LeftOut]](list)
    for one in excluded:
        duplicates[one.portal].append(one)
    with reading(corpus) as connection:
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for portal, name, n in connection.execute("SELECT portal, name, n FROM counts"):
            counts[portal][name] = n
        # Pages per minute since the first response of each portal in this period.
        since = (now.astimezone(UTC) - LATELY).isoformat(timespec="seconds")
        sql = "SELECT portal, count(*), min(fetched) FROM urls WHERE fetched >= ? GROUP BY portal"
        rates = {
            portal: 60 * n / max(1.0, (now - datetime.fromisoformat(first)).total_seconds())
            for portal, n, first in connection.execute(sql, (since,))
        }
        lost, covered, found = count_lost(corpus), coverage(connection, excluded), []
        for portal in sorted({*at, *counts}):
            count, left_out, rate = counts[portal], duplicates[portal], rates.get(portal, 0.0)
            queued = at[portal][UrlState.QUEUED] + at[portal][UrlState.WAITING]
            megabytes = count["bytes"] / MEGABYTE
            rejected = [(name, n) for name, n in count.items() if name.startswith("rejected/") and n]
            ordered = sorted(rejected, key=lambda item: (-item[1], item[0]))
            found.append(
                PortalStatus(
                    portal=portal,
                    queued=queued,
                    leased=at[portal][UrlState.LEASED],
                    done=at[portal][UrlState.DONE],
                    failed=at[portal][UrlState.FAILED],
                    kept=count["kept"],
                    rejected={name.removeprefix("rejected/"): n for name, n in ordered},
                    words=count["words"],
                    megabytes=round(megabytes, 3),
                    words_per_megabyte=round(count["words"] / megabytes, 1) if megabytes else 0.0,
                    pages_per_minute=round(rate, 1),
                    seconds_left=round(60 * queued / rate) if rate else 0,
                    cut_short=tuple(cut_short(queued, count, ends.get(portal, ""))),
                    losses=tuple(losses(count["kept"], lost.get(portal, ()), left_out)),
                    coverage=covered[portal],
                    redesigns=tuple(open_alarms(connection, portal)),
                    last_kept=last_kept[portal],
                    end=ends.get(portal, ""),
                )
            )
    return found


def status_lines(found: Sequence[PortalStatus]) -> Iterator[str]:
    """Show the progress of portals: a table, and what was rejected of each."""
    rows: list[tuple[object, ...]] = [
        tuple("portal queued leased done failed kept words MB words/MB pages/min left".split())
    ]
    for one in found:
        hours, minutes = divmod(-(-one.seconds_left // 60), 60)
        left = (f"{hours} h {minutes:02} min" if hours else f"{minutes} min") if one.seconds_left else ""
        counts = (one.queued, one.leased, one.done, one.failed, one.kept, one.words)
        rates = (f"{one.megabytes:.1f}", f"{one.words_per_megabyte:.0f}", f"{one.pages_per_minute:.0f}")
        rows.append((one.portal, *counts, *rates, left))
    yield from aligned(rows)
    for one in found:
        if one.rejected:
            yield f"{one.portal or 'no portal'}, rejected: {counted(one.rejected)}"
