"""Decide which date of a page is its publication and which its last change; read dates of addresses and scripts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from math import ceil, floor
from urllib.parse import urlsplit

from newscorpus.data import STATED, Evidence
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.fields.decide import Decided, of_field
from newscorpus.page.fields.markup import Markup

DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<mark>[/_.-]?)(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>[0-2]?\d|3[01])(?!\d)"
)
DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>[0-2]\d|3[01])(?P<mark>[/_.-])(?P<month>0[1-9]|1[0-2])(?P=mark)(?P<year>(?:19|20)\d{2})(?!\d)"
)
PUBLISHED = re.compile(
    r"\b(?:first_?|article_?|content_?|page_?)?(?:publi(?:sh(?:ed)?|cation)_?(?:date|time|at|on)?|date_?published|pub_?date|upload_?date)"
    r"(?:_?(?:time|gmt|utc|iso))?\\?[\"']?\s*[:=]\s*\\?[\"'](?P<value>[^\"'\\]{8,40})",
    re.IGNORECASE,
)
MAX_CHARACTERS = 300_000
"""Longest part of a script that is searched (a choice)."""
MAX_VALUES = 2
LITERALS = ("publi", "pubdate", "pub_date", "uploaddate", "upload_date")
"""One of these stands in whatever `PUBLISHED` matches; to look for them takes a tenth of the time."""

WEIGHTS = dict.fromkeys(("template", "portal"), 100) | dict.fromkeys(STATED | {"sitemap", "feed"}, 6)
WEIGHTS |= dict.fromkeys(("text", "time-tag", "url"), 2)
"""Votes of a source for the day it names first; a further one gets one vote. Of equals the more trusted source wins, so
that what the page shows comes before its address: of 1,427 days, 2026-11, no fewer are right than with more votes."""
MAX_DATES = 3
"""Dates of one source that are weighed: what follows belongs to other documents."""
HOUR = timedelta(hours=1)
WIDEST_ZONE = timedelta(hours=14)


def read_address(url: str) -> Iterator[Evidence]:
    """Evidence of the publication day in a path such as `/2024/02/03/` or `-20240203.html`."""
    path = urlsplit(url).path
    for match in (DATE.search(path), DAY_FIRST.search(path)):
        if not match:
            continue
        # A day or month of one digit must be a step of the path, as in /2024/2/3/, not in /2024/2/3-reasons.
        is_step = match["mark"] == "/" and path[match.end() : match.end() + 1] in {"", "/"}
        if is_step or len(match["month"] + match["day"]) == 4:
            yield Evidence("published", f"{match['year']}-{int(match['month']):02}-{int(match['day']):02}", "url")


def read_data_layer(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the publication in scripts other than JSON-LD: the first values named so."""
    found = 0
    for script in markup.code:
        text = (script.text or "")[:MAX_CHARACTERS]
        lower = text.lower()
        for match in PUBLISHED.finditer(text) if any(literal in lower for literal in LITERALS) else ():
            yield Evidence("published", match["value"], "meta")
            found += 1
            if found == MAX_VALUES:
                return


def decide_dates(evidence: Sequence[Evidence], setting: Setting) -> tuple[Decided, Decided]:
    """Publication and last change, each with its source.

    The day that most sources name wins, of equals the most trusted source's; its time is then given in the zone that
    the page itself uses, where it shows one. A page that knows only of a change was published by then.
    """
    candidates = of_field("published", evidence)
    published, modified = _elected(candidates, setting), _elected(of_field("modified", evidence), setting)
    shown = [parse_date(item.value, setting) for item in candidates if item.source in {"time-tag", "text", "meta"}]
    zoned = _zoned(published, shown)
    local = _localised(zoned, shown, [item.value for item in candidates if item.source == "url"])
    return (local if local.value else modified), modified


def _elected(candidates: Sequence[Evidence], setting: Setting) -> Decided:
    """The date that gets most votes; of those on its day, the first that gives the time."""
    read: Counter[str] = Counter()
    named: set[tuple[str, str]] = set()
    votes: Counter[str] = Counter()
    first: dict[str, Decided] = {}
    for item in candidates:
        source = item.source
        value = parse_date(item.value, setting) if read[source] < MAX_DATES else ""
        if not value:
            continue
        day = value[:10]
        if (source, day) not in named:
            votes[day] += 1 if read[source] else WEIGHTS.get(source, 1)
        read[source] += 1
        named.add((source, day))
        known = first.setdefault(day, Decided(value, source))
        if len(known.value) == len("2024-02-03") < len(value):
            first[day] = Decided(value, source)
    return first[max(votes, key=votes.__getitem__)] if votes else Decided()


def _zoned(decided: Decided, shown: Sequence[str]) -> Decided:
    """`decided`, if it names no zone, in that of another date by whose clock it is the same minute."""
    moment = _moment(decided.value)
    if moment is None or moment.tzinfo:
        return decided
    minute = moment.replace(second=0, microsecond=0)
    others = (other for other in map(_moment, shown) if other and other.tzinfo)
    same = (each for each in others if each.replace(second=0, microsecond=0, tzinfo=None) == minute)
    return next((Decided(moment.replace(tzinfo=each.tzinfo).isoformat(), decided.source) for each in same), decided)


def _localised(decided: Decided, shown: Sequence[str], days: Sequence[str]) -> Decided:
    """`decided`, if it is given in UTC, in the page's own zone.

    The zone is that of another date that names the same moment, or that of a clock time shown without one. Where there
    is neither, and the page or its address names the day before or after, the moment is given in the nearest zone of
    whole hours in which it lies on that day: sites date by their own clock.
    """
    moment = _moment(decided.value)
    if moment is None or moment.utcoffset() != timedelta(0):
        return decided
    for other in filter(None, map(_moment, shown)):
        if other.utcoffset() and abs(other - moment) < timedelta(minutes=1):
            return Decided(other.isoformat(), decided.source)
        if other.tzinfo is None and (zone := _zone_between(moment, other)):
            return Decided(moment.astimezone(zone).isoformat(), decided.source)
    day = next((date.fromisoformat(each) for each in (*shown, *days) if len(each) == len("2024-02-03")), moment.date())
    shift = day - moment.date()
    if abs(shift) != timedelta(days=1):
        return decided
    midnight = datetime.combine(day if shift > timedelta() else moment.date(), time(), UTC)
    hours = ceil((midnight - moment) / HOUR) if shift > timedelta() else -(floor((moment - midnight) / HOUR) + 1)
    return Decided(moment.astimezone(timezone(hours * HOUR)).isoformat(), decided.source)


def _zone_between(moment: datetime, shown: datetime) -> timezone | None:
    """The zone in which clocks show `shown` at `moment`; None if there is none of whole half hours."""
    shift = shown - moment.replace(tzinfo=None)
    shift -= timedelta(seconds=shift.total_seconds() % 60)
    whole = shift.total_seconds() % 1800 == 0
    return timezone(shift) if shift and whole and abs(shift) <= WIDEST_ZONE else None


def _moment(value: str) -> datetime | None:
    """A date with its time; None for a day."""
    return datetime.fromisoformat(value) if len(value) > len("2024-02-03") else None
