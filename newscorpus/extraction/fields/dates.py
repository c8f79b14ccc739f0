"""Dates as pages write them, brought to ISO 8601."""

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

EARLIEST_YEAR = 1990
"""No news page is older than the web."""
SLACK = timedelta(hours=36)
"""How far after the fetch a date may lie: time zones that are missing or wrong, and tomorrow's paper."""

ISO = re.compile(
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[T\s]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"\s*(?P<offset>Z|UTC|GMT|[+-]\d{2}:?\d{0,2})?)?",
    re.IGNORECASE,
)
COMPACT = re.compile(
    r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T?(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?)?"
)
EPOCH = re.compile(r"^\d{10}(?:\d{3})?$")


def parse_date(text: str, fetched: datetime | None = None) -> str:
    """The date in `text` as ISO 8601: a day, or day and time, with offset where the text gives one; "" for none.

    Impossible dates and those after `fetched` are refused.
    """
    text = text.strip()
    if EPOCH.match(text):
        return _checked(datetime.fromtimestamp(int(text[:10]), UTC), True, fetched)
    match = ISO.search(text) or COMPACT.match(text)
    return _from_parts(match, fetched) if match else _from_mail_date(text, fetched)


def parse_moment(text: str) -> datetime | None:
    """An ISO 8601 text as a time with offset, UTC where it names none; None where it is none."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _from_mail_date(text: str, fetched: datetime | None) -> str:
    """The date of a text such as feeds carry: "Sat, 03 Feb 2024 14:05:00 +0100" (RFC 5322)."""
    try:
        return _checked(parsedate_to_datetime(text), True, fetched)
    except ValueError:
        return ""


def _from_parts(match: re.Match[str], fetched: datetime | None) -> str:
    parts = match.groupdict()
    try:
        moment = datetime(
            int(parts["year"]),
            int(parts["month"]),
            int(parts["day"]),
            int(parts.get("hour") or 0),
            int(parts.get("minute") or 0),
            int(parts.get("second") or 0),
            tzinfo=_zone(parts.get("offset") or ""),
        )
    except ValueError:
        return ""
    return _checked(moment, parts.get("hour") is not None, fetched)


def _zone(offset: str) -> timezone | None:
    """The zone of an offset such as "+01:00", "+0100" or "Z"; None for none."""
    if not offset:
        return None
    if offset[0] not in "+-":
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-shift if offset[0] == "-" else shift)


def _checked(moment: datetime, with_time: bool, fetched: datetime | None) -> str:
    """`moment` as text if a page fetched at `fetched` can bear it."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment.year < EARLIEST_YEAR or (fetched and aware - fetched > SLACK):
        return ""
    return moment.isoformat() if with_time else moment.date().isoformat()
