"""Times of day beside a date, with their zones."""

import re
from dataclasses import dataclass
from datetime import timedelta, timezone

ZONES = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "SEČ": 1, "CEST": 2,
    "MESZ": 2, "SELČ": 2, "EET": 2, "SAST": 2, "CAT": 2, "EEST": 3, "MSK": 3, "МСК": 3, "EAT": 3, "TRT": 3, "IST":
    5.5, "WIB": 7, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "EST":
    -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
"""Hours east of Greenwich of zone abbreviations; of two meanings the one more common in news (a choice)."""

FILLER = r"(?:[^\w\n+]|\b[^\W\d_]{1,6}\b)"
"""What may stand between date and time: marks, and short words such as "ob", "um", "godine u"."""
MERIDIEM = r"[ap]\.?\s?m\b|π\.?\s?μ\b|μ\.?\s?μ\b"
AFTER = re.compile(
    rf"{FILLER}{{0,9}}?(?P<before>오전|오후|上午|下午|午前|午後)?\s?(?<![\d.,:+-])"
    r"(?P<hour>\d{1,2})(?:\s?[:.hHч時点시]\s?(?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?![:.]?\d|[-/]\d|\.\s?\d)|(?=\s?(?:uhr|[ap]\.?m\b)))"
    rf"(?:\s?(?P<after>{MERIDIEM}))?",
    re.IGNORECASE,
)
BEFORE = re.compile(
    r"(?<![\d.:])(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    rf"(?:\s?(?P<after>{MERIDIEM}))?(?P<gap>\W{{0,3}}(?:\b[^\W\d_]{{1,12}}\b[^\w\n]{{1,3}}){{0,3}})$",
    re.IGNORECASE,
)
ZONE = re.compile(
    r"[\s.]*(?:(?i:uhr|hod|h|ч)\b)?[\s.(]*(?P<name>[A-ZČА-Я]{1,5}(?![^\W\d_]))?"
    r"[\s(]*(?P<offset>[+-]\d{1,2}(?::?\d{2})?(?!\d))?"
)
LOOK_BACK = 60
"""Characters before a date in which its time may stand."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day: hour 0..23, minute, second, its zone where known, and where in the text it ends."""

    hour: int
    minute: int
    second: int
    zone: timezone | None
    end: int


def clock_after(text: str, position: int) -> Clock | None:
    """The time that follows a date which ends at `position` of `text`."""
    match = AFTER.match(text, position)
    return _clock(match, text, match["before"] or match["after"] or "") if match else None


def clock_before(text: str, position: int) -> Clock | None:
    """The time that precedes a date which starts at `position` of `text`."""
    match = BEFORE.search(text[max(0, position - LOOK_BACK) : position])
    return _clock(match, match.string[: match.start("gap")], match["after"] or "") if match else None


def zone_at(text: str, position: int) -> tuple[timezone | None, int]:
    """The zone written at `position` of `text` ("Uhr (MEZ)", "GMT+3", "+0100"), and where it ends."""
    match = ZONE.match(text, position)
    if not match:
        return None, position
    name, offset = match["name"] or "", match["offset"] or ""
    if offset:
        return _zone_of_offset(offset), match.end()
    return (timezone(timedelta(hours=ZONES[name])), match.end("name")) if name in ZONES else (None, position)


def _clock(match: re.Match[str], text: str, half: str) -> Clock | None:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0].lower() in "pμ" or half in {"오후", "下午", "午後"} else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    zone, end = zone_at(text, match.end())
    return Clock(hour, minute, second, zone, end)


def _zone_of_offset(offset: str) -> timezone | None:
    digits = offset[1:].replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 14 or minutes > 59:
        return None
    shift = timedelta(hours=hours, minutes=minutes)
    return timezone(-shift if offset[0] == "-" else shift)
