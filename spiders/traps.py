"""Addresses that lead into endless space: calendars, growing paths, piled-up parameters."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from urllib.parse import parse_qsl, urlsplit

MAX_URL_LENGTH = 2_000
"""Longest address asked for; browsers and servers have long drawn the line at about 2,000 characters."""

MAX_PARAMETERS = 8
MAX_REPEATS = 2
"""Most times a path names the same directory; relative links gone wrong repeat it without end."""

MAX_OF_A_SHAPE = 200
"""Most listing pages whose addresses differ in their digits only: the pages of one section, the days of a calendar."""

FORESIGHT = timedelta(days=7)
"""How far ahead of today a date in an address may lie: what is planned for the week is announced with its date."""

WRITTEN_DATE = re.compile(
    r"(?<!\d)(19\d\d|20\d\d|21\d\d)[-/._]?(0[1-9]|1[0-2]|[1-9](?!\d))(?:[-/._]?(0[1-9]|[12]\d|3[01]))?(?!\d)"
)
YEAR_NAMES = frozenset({"year", "y", "rok", "god", "godina", "leto", "jahr"})
MONTH_NAMES = frozenset({"month", "m", "mesic", "mesiac", "mjesec", "mesec", "miesiac", "monat"})


def find_trap(url: str, today: date) -> str:
    """What makes `url` look like a trap, in one line for a person; "" where nothing does."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "no valid address"
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    if (latest := max(_months(parts.path, parameters), default=date.min)) > today + FORESIGHT:
        return f"a date to come: {latest:%Y-%m}"
    directories = Counter(part for part in parts.path.split("/")[:-1] if part and not part.isdigit())
    if directories and max(directories.values()) > MAX_REPEATS:
        return f"a path that repeats itself: {directories.most_common(1)[0][0]}"
    if len(parameters) > MAX_PARAMETERS:
        return f"{len(parameters)} parameters"
    return ""


def shape(url: str) -> str:
    """`url` with every run of digits made one 0: the same for all pages of one listing."""
    return re.sub(r"\d+", "0", url)


def _months(path: str, parameters: list[tuple[str, str]]) -> Iterator[date]:
    """The first day of every month, or the day, that a path or a query names."""
    for text in (path, *(value for _, value in parameters)):
        for year, month, day in WRITTEN_DATE.findall(text):
            yield from _valid(year, month, day or "1")
    named = {name.lower(): value for name, value in parameters}
    years = [value for name, value in named.items() if name in YEAR_NAMES]
    months = [value for name, value in named.items() if name in MONTH_NAMES]
    for year in years:
        yield from _valid(year, months[0] if months else "1", "1")


def _valid(year: str, month: str, day: str) -> Iterator[date]:
    try:
        yield date(int(year), int(month), int(day))
    except ValueError:
        return
