"""The date that an address carries.

Dates in the scripts by which pages tell their statistics and their own code what they are.

Which of the dates that a page bears is its publication, and which its last change.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta, timezone
from urllib.parse import urlsplit

from newscorpus.data import Evidence
from newscorpus.extraction.fields.dates import Setting, parse_date
from newscorpus.extraction.fields.decide import Decided, of_field
from newscorpus.extraction.fields.markup import Markup

DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<mark>[/_.-]?)(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>[0-2]?\d|3[01])(?!\d)"
)
DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>[0-2]\d|3[01])(?P<mark>[/_.-])(?P<month>0[1-9]|1[0-2])(?P=mark)(?P<year>(?:19|20)\d{2})(?!\d)"
)


def read_address(url: str) -> Iterator[Evidence]:
    """Evidence of the publication day in a path such as `/2024/02/03/` or `-20240203.html`."""
    path = urlsplit(url).path
    for match in (DATE.search(path), DAY_FIRST.search(path)):
        if match and (len(match["month"] + match["day"]) == 4 or _is_whole(match)):
            yield Evidence("published", f"{match['year']}-{int(match['month']):02}-{int(match['day']):02}", "url")


def _is_whole(match: re.Match[str]) -> bool:
    """Whether a day or month of one digit is a step of the path, as in `/2024/2/3/`, not in `/2024/2/3-reasons`."""
    return match["mark"] == "/" and match.string[match.end() : match.end() + 1] in {"", "/"}


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


def read_data_layer(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the publication in scripts other than JSON-LD: the first values named so."""
    found = 0
    for script in markup.code:
        text = (script.text or "")[:MAX_CHARACTERS]
        for match in PUBLISHED.finditer(text) if _may_match(text) else ():
            yield Evidence("published", match["value"], "meta")
            found += 1
            if found == MAX_VALUES:
                return


def _may_match(text: str) -> bool:
    lower = text.lower()
    return any(literal in lower for literal in LITERALS)


MACHINE = frozenset({"json-ld", "microdata", "meta", "sitemap", "feed"})
WEIGHTS = {"template": 100, "portal": 100} | dict.fromkeys(MACHINE, 6) | {"url": 4, "time-tag": 2, "text": 2}
"""Votes of a source for the day it names first; a further one gets one vote. Chosen on the train split, 2026-11."""
MAX_VOICES = 3
"""Dates of one source that are heard: what follows belongs to other documents."""
WIDEST_ZONE = timedelta(hours=14)


def decide_dates(evidence: Sequence[Evidence], setting: Setting) -> tuple[Decided, Decided]:
    """Publication and last change, each with its source.

    The day that most sources name wins, of equals the most trusted source's; its time is then given in the zone that
    the page itself uses, where it shows one. A page that knows only of a change was published by then.
    """
    published = _elected(of_field("published", evidence), setting)
    modified = _elected(of_field("modified", evidence), setting)
    shown = [item for item in of_field("published", evidence) if item.source in {"time-tag", "text", "meta"}]
    local = _localised(published, [parse_date(item.value, setting) for item in shown], _days_of_address(evidence))
    return (local if local.value else modified), modified


def _elected(candidates: Sequence[Evidence], setting: Setting) -> Decided:
    heard: dict[str, int] = {}
    days: dict[str, set[str]] = {}
    votes: dict[str, int] = {}
    first: dict[str, Decided] = {}
    for item in candidates:
        voice = heard.get(item.source, 0)
        value = parse_date(item.value, setting) if voice < MAX_VOICES else ""
        if not value:
            continue
        heard[item.source] = voice + 1
        named = days.setdefault(item.source, set())
        if value[:10] not in named:
            named.add(value[:10])
            votes[value[:10]] = votes.get(value[:10], 0) + (1 if voice else WEIGHTS.get(item.source, 1))
        known = first.setdefault(value[:10], Decided(value, item.source))
        if len(known.value) == len("2024-02-03") < len(value):
            first[value[:10]] = Decided(value, item.source)
    return first[max(votes, key=votes.__getitem__)] if votes else Decided()


def _localised(decided: Decided, shown: Sequence[str], days: Sequence[str]) -> Decided:
    """`decided`, if it is told in UTC, in the page's own zone.

    The zone is that of another date that names the same moment, or that of a clock time shown without one. Where there
    is neither, and the address names the day before or after, that day stands: sites date by their own clock.
    """
    moment = _moment(decided.value)
    if moment is None or moment.utcoffset() != timedelta(0):
        return decided
    for other in filter(None, map(_moment, shown)):
        if other.utcoffset() and abs(other - moment) < timedelta(minutes=1):
            return Decided(other.isoformat(), decided.source)
        if other.tzinfo is None and (zone := _zone_between(moment, other)):
            return Decided(moment.astimezone(zone).isoformat(), decided.source)
    near = [day for day in days if abs(date.fromisoformat(day) - moment.date()) == timedelta(days=1)]
    return Decided(near[0], "url") if near else decided


def _zone_between(moment: datetime, shown: datetime) -> timezone | None:
    """The zone in which clocks show `shown` at `moment`; None if there is none of whole half hours."""
    shift = shown - moment.replace(tzinfo=None)
    shift -= timedelta(seconds=shift.total_seconds() % 60)
    whole = shift.total_seconds() % 1800 == 0
    return timezone(shift) if shift and whole and abs(shift) <= WIDEST_ZONE else None


def _moment(value: str) -> datetime | None:
    """A date with its time; None for a day."""
    return datetime.fromisoformat(value) if len(value) > len("2024-02-03") else None


def _days_of_address(evidence: Sequence[Evidence]) -> list[str]:
    return [item.value for item in evidence if item.field == "published" and item.source == "url"]
