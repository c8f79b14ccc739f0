"""Parse dates and times written for machines or readers, and convert them to ISO 8601.

Words of some thirty languages are known: months, and relative times such as "před 2 hodinami".
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import NamedTuple
from unicodedata import category, decimal
from urllib.parse import urlsplit

from newscorpus.data import Evidence
from newscorpus.resources import read_toml
from newscorpus.tokens import fold

FILLER = r"(?:[^\w\n+]|\b[^\W\d_]{1,6}\b)"
"""Marks and short words between date and time, such as "ob", "um", "godine u"."""
MERIDIEM = r"[ap]\.?\s?m\b|π\.?\s?μ\b|μ\.?\s?μ\b"
CLOCK_AFTER = re.compile(
    rf"{FILLER}{{0,9}}?(?P<before>오전|오후|上午|下午|午前|午後)?\s?(?<![\d.,:+-])"
    r"(?P<hour>\d{1,2})(?:\s?[:.hHч時点시]\s?(?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?![:.]?\d|[-/]\d|\.\s?\d)|(?=\s?(?:uhr|[ap]\.?m\b)))"
    rf"(?:\s?(?P<after>{MERIDIEM}))?",
    re.IGNORECASE,
)
CLOCK_BEFORE = re.compile(
    r"(?<![\d.:])(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    rf"(?:\s?(?P<after>{MERIDIEM}))?(?P<gap>\W{{0,3}}(?:\b[^\W\d_]{{1,12}}\b[^\w\n]{{1,3}}){{0,3}})$",
    re.IGNORECASE,
)
ZONE = re.compile(
    r"[\s.]*(?:(?i:uhr|hod|h|ч)\b)?[\s.(]*(?P<name>[A-ZČА-Я]{1,5}(?![^\W\d_]))?"
    r"[\s(]*(?P<offset>[+-]\d{1,2}(?::?\d{2})?(?!\d))?"
)
LOOK_BACK = 60
"""Characters before a date that are searched for its time."""

EARLIEST_YEAR = 1990
"""No news page is older than the web."""
SLACK = timedelta(hours=36)
"""Maximum time of a date after the fetch: missing or wrong time zones, and tomorrow's paper."""
MAX_CHARACTERS = 5_000
"""Longest text searched (a choice; a byline has some 100 characters)."""

DAY = r"(?<![\d.,:/-])(?P<day>\d{1,2})(?P<ordinal>st|nd|rd|th|er|[.ºª°]|-?(?:го|ого|га|ти|η|ης))?"
MARKS = "".join(char for char in map(chr, range(0x900, 0xE80)) if category(char)[0] == "M")
"""Vowel signs of South Asian and Thai scripts, which are part of words."""
WORD = rf"(?P<word>(?:[^\W\d_][{MARKS}]*){{3,14}}|[IVX]{{1,4}})"
OF = r"(?:de |del |d['’]|of |di |da |dell['’])?"
YEAR = r"(?P<year>\d{4})(?!\d)"
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"

ISO = r"(?<!\d)(?P<year>\d{4})\s?(?P<mark>[-/.])\s?(?P<month>\d{1,2})\s?(?P=mark)\s?(?P<day>\d{1,2})(?!\d)"
PATTERNS = (
    # 2024-02-03, 2024-02-03T14:05:00.000, 2024/2/3, 2024. 2. 3.
    re.compile(rf"{ISO}(?:[Tt\s]+{CLOCK})?"),
    # 2024年2月3日, 2024년 2월 3일, 令和6年2月3日
    re.compile(
        r"(?:(?P<era>令和|平成|民[國国])(?P<short>\d{1,3})|(?P<year>\d{4}))\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일]?"
    ),
    # 3. 2. 2024, 03/02/2024, 3.2.24
    re.compile(
        r"(?<![\d.,:/-])(?P<first>\d{1,2})\s?(?P<mark>[./-])\s?(?P<other>\d{1,2})\s?(?P=mark)\s?"
        r"(?:(?P<year>(?:19|20)\d{2})|(?P<short>\d{2}))(?!\d|[/:-]\d)"
    ),
    # 1. 5. after "publ." etc.
    re.compile(r"(?<![\d.])(?P<first>\d{1,2})\.\s?(?P<other>\d{1,2})\.(?!\s?\d)(?P<labelled>)"),
    # 3. února 2024, 15 октября, 3 de febrero de 2024, 15. XI. 2023, 03-Feb-24
    re.compile(rf"{DAY}[\s./-]*{OF}{WORD}(?!\w)(?:[\s.,/-]*{OF}(?:{YEAR}|(?<=-)(?P<short>\d\d)(?!\d)))?"),
    # 3 tháng 2 năm 2024
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\s+tháng\s+(?P<month>\d{1,2})(?:\s+năm|,)?\s+(?P<year>\d{4})(?!\d)"),
    # February 3, 2024; Sat Feb 3 14:05:00 CET 2024
    re.compile(
        rf"\b{WORD}\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[:.]\d)"
        rf"(?:[\s,]+(?:de )?(?:{CLOCK}\s+\w+\s+)?{YEAR})?"
    ),
    # 2024. február 3., 2024 m. vasario 3 d.
    re.compile(rf"(?<!\d)(?P<year>\d{{4}})[\s.,-]*(?:m\. |g\. )?{WORD}[\s.,-]*(?P<day>\d{{1,2}})(?!\d)"),
    # 20240203, 20240203T140500
    re.compile(
        r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)"
        r"(?:T?(?P<hour>\d{2}):?(?P<minute>\d{2}):?(?P<second>\d{2})?)?(?!\d)"
    ),
)
"""Date formats; the earliest match in a text counts, ties go to the format listed first."""
ADDRESS_DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<mark>[/_.-]?)(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>[0-2]?\d|3[01])(?!\d)"
)
ADDRESS_DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>[0-2]\d|3[01])(?P<mark>[/_.-])(?P<month>0[1-9]|1[0-2])(?P=mark)(?P<year>(?:19|20)\d{2})(?!\d)"
)
ADDRESS_MONTH = re.compile(r"/((?:19|20)\d\d)/(0[1-9]|1[0-2])/")
FOR_MACHINES = re.compile(r"(\d{4}-\d\d-\d\d(?P<clock>[T ]\d\d:\d\d(?::\d\d)?)?)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?")
"""The usual machine format; Python's own parser is ten times as fast."""
DIGIT = re.compile(r"\d")
OTHER_DIGITS = {code: str(digit) for code in range(0x660, 0xE60) if (digit := decimal(chr(code), -1)) >= 0}
"""Digits of Arabic, Persian, Indic and Thai."""
ERAS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
"""Years before the first of Japanese eras and of the Republic of China."""
BUDDHIST = 543
"""Years by which the Thai calendar is ahead."""
YEAR_LIKE = re.compile(r"\d{4}|[./-]\s?\d\d")
"""A part of every date with a year."""
EPOCH = re.compile(r"\d{10}(?:\d{3})?")

LABEL = re.compile(r"\b(?:publ|vyd|akt|upr|obj|zve[rř]|ažur|опубл|обн|објављ)[^\W\d_]*[.:]{0,2}\s*$", re.IGNORECASE)
"""Words before a day and month without a year."""

WORDS = read_toml(__package__, "date_words.toml")
ZONES: Mapping[str, float] = WORDS["zones"]
SOUTH_SLAVIC = frozenset({"hr", "bs", "sr", "sh"})
"""Languages with the Croatian names of months, or with unambiguous ones."""

ROMAN = {name: number for number, name in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), 1)}

MONTHS = {fold(word): number for number, words in enumerate(WORDS["months"], 1) for word in words.split()}
MONTHS |= {fold(word): number for number, word in enumerate(WORDS["persian"].split(), 1)}
PERSIAN_YEAR, NOWRUZ = 1369, date(1990, 3, 21)
PERSIAN_LEAPS = frozenset({1, 5, 9, 13, 17, 22, 26, 30})
"""Leap years of the Persian calendar in its cycle of 33 years."""
AMBIGUOUS: Mapping[str, tuple[int, int]] = WORDS["ambiguous"]
"""Names of months that mean one month in Croatian and another elsewhere."""
DAYS = {fold(word): int(days) for days, words in WORDS["days"].items() for word in words.split() if len(word) > 2}
UNITS = {fold(word): timedelta(**{unit: 1}) for unit, words in WORDS["units"].items() for word in words.split()}
LONG_UNITS = frozenset(map(fold, WORDS["long_units"].split()))
AGO_WORDS = "|".join(map(fold, WORDS["ago"]))
AGO = re.compile(rf"\b(?:{AGO_WORDS})\b")
SINGLE = "|".join(map(fold, WORDS["single_units"].split()))
ONE = "|".join(map(fold, WORDS["ones"].split()))
ONE_AGO = re.compile(rf"\b(?:{AGO_WORDS})\s+(?:(?:{ONE})\s+)?({SINGLE})\b|\b({SINGLE})\s+(?:{AGO_WORDS})\b")
"""A single unit without a number, adjacent to "ago", since "before the hour of ..." gives no date."""
# Letters alone: beside a date, unlike in `newscorpus.tokens`, a digit is no part of a word.
PLAIN_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
COUNTED = re.compile(r"(?<![\d.:/-])(\d{1,3})\s*([^\W\d_]+)")
SUM = re.compile(rf"{COUNTED.pattern}(?:[\s,]*(?:(?:and|a|aj|i|и|und|et|y|e)\s+)?{COUNTED.pattern})*")
"""Counted units in a row, which add up: "1 day, 3 hours"."""
WEEKDAYS = {fold(stem): day for day, stems in enumerate(WORDS["weekdays"]) for stem in stems.split()}
WEEKDAY = re.compile(r"([^\W\d_]{3,})[\s,.]{1,3}(?:(?:dne|den|the|el|le|il|am|dem)\s)?$")
NEAR = 20
"""Maximum distance, in characters, of "ago" from a counted unit."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The context in which a page's dates are parsed."""

    # Time of the fetch, with offset; None: unknown, so that relative dates and those without a year are not parsed, and
    # those after the current time are rejected.
    fetched: datetime | None = None
    language: str = ""  # primary tag of the page's language, "" where unknown
    month_first: bool = False  # 2/3/2024 is the third of February
    year: int = 0  # for dates without a year, from another date of the page; 0: inferred from the fetch


@dataclass(frozen=True, slots=True)
class Dated:
    """A date in a text: ISO 8601 (a day, or day and time, with offset where given), and its start and end."""

    value: str
    start: int
    end: int


class Clock(NamedTuple):
    """A time of day."""

    time: time  # with its zone if known
    end: int  # in the text


def parse_date(text: str, setting: Setting = Setting()) -> str:
    """Return the first date in `text` as ISO 8601, "" for none; impossible and future dates are rejected."""
    text = text.strip()[:MAX_CHARACTERS]
    if EPOCH.fullmatch(text):
        return _checked(datetime.fromtimestamp(int(text[:10]), UTC), setting)
    if (match := FOR_MACHINES.fullmatch(text)) and (moment := _from_iso(match[1] + (match[3] or ""))):
        return _checked(moment if match["clock"] else moment.date(), setting)
    found = next(find_dates(text, setting), None)
    if found or setting.fetched is None:
        return found.value if found else ""
    if ago := time_ago(text, setting.fetched):
        moment, to_the_minute = ago
        return _checked(moment.replace(second=0, microsecond=0) if to_the_minute else moment.date(), setting)
    for match in PLAIN_WORD.finditer(text):
        days = DAYS.get(fold(match[0]).replace("’", "'"))
        if days is not None:  # "yesterday"
            day = setting.fetched.date() - timedelta(days=days)
            clock = clock_after(text, match.end()) or clock_before(text, match.start())
            return _checked(datetime.combine(day, clock.time) if clock else day, setting)
    return ""


def find_dates(text: str, setting: Setting = Setting()) -> Iterator[Dated]:
    """Yield the absolute dates in `text`, in order, without overlaps."""
    if not (YEAR_LIKE if setting.fetched is None and not setting.year else DIGIT).search(text):
        return
    if not text.isascii():
        text = text.translate(OTHER_DIGITS)
    matches = ((match.start(), rank, match) for rank, each in enumerate(PATTERNS) for match in each.finditer(text))
    position = 0
    for start, _, match in sorted(matches, key=lambda item: item[:2]):
        parts = match.groupdict()
        is_plain = parts.get("labelled") is None or LABEL.search(text[max(0, start - LOOK_BACK) : start])
        day = _day(parts, setting) if start >= position and is_plain else None
        if day is None:
            continue
        named = None if _year(parts) else WEEKDAY.search(text[max(0, start - LOOK_BACK) : start])
        word = fold(named[1]) if named else ""
        stated = (each for stem, each in WEEKDAYS.items() if word.startswith(stem) and len(word) <= len(stem) + 3)
        if next(stated, day.weekday()) != day.weekday():  # the weekday shows that the inferred year is wrong
            continue
        own_clock = _clock(match, text) if parts.get("hour") else None  # as in ISO 8601
        clock = own_clock or clock_after(text, match.end()) or clock_before(text, start)
        if value := _checked(datetime.combine(day, clock.time) if clock else day, setting):
            position = max(match.end(), clock.end if clock else 0)
            yield Dated(value, start, position)


def _from_iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def read_address(url: str) -> Iterator[Evidence]:
    """Yield the publication day in a path such as `/2024/02/03/` or `-20240203.html`."""
    path = urlsplit(url).path
    for match in (ADDRESS_DATE.search(path), ADDRESS_DAY_FIRST.search(path)):
        if not match:
            continue
        # A day or month of one digit must be a whole segment, as in /2024/2/3/, not in /2024/2/3-reasons.
        is_step = match["mark"] == "/" and path[match.end() : match.end() + 1] in {"", "/"}
        if is_step or len(match["month"] + match["day"]) == 4:
            yield Evidence("published", f"{match['year']}-{int(match['month']):02}-{int(match['day']):02}", "url")


def month_in(url: str) -> str:
    """Return the month in a path such as `/2024/02/the-bridge`, as "2024-02"; "" for none."""
    found = ADDRESS_MONTH.search(urlsplit(url).path)
    return f"{found[1]}-{found[2]}" if found else ""


def parse_moment(text: str) -> datetime | None:
    """Parse ISO 8601 to a time with offset, by default UTC; None for other texts."""
    moment = _from_iso(text)
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _day(parts: dict[str, str | None], setting: Setting) -> date | None:
    """Return the day of a match; None if it is impossible."""
    if word := parts.get("word"):
        month, day = month_number(word, setting.language, parts.get("ordinal") == "."), int(parts["day"] or 0)
    elif parts.get("first"):
        day, month = int(parts["first"] or 0), int(parts["other"] or 0)
        if month > 12 or (setting.month_first and parts.get("mark") == "/" and day <= 12):
            month, day = day, month
    else:
        month, day = int(parts["month"] or 0), int(parts["day"] or 0)
    try:
        if year := _year(parts):
            is_persian = year < 1500 and (word or setting.language == "fa")
            return _from_persian(year, month, day) if is_persian else date(year, month, day)
        # Without a year, numbers and short Roman numerals may be anything.
        if len(word or "") <= 2 and parts.get("labelled") is None:
            return None
        if setting.year:
            return date(setting.year, month, day)
        if setting.fetched is None:
            return None
        today = setting.fetched.date()
        this_year = date(today.year, month, day)  # without a year, the last such day that is not after tomorrow
        return this_year if this_year <= today + timedelta(days=1) else date(today.year - 1, month, day)
    except ValueError:
        return None


def _from_persian(year: int, month: int, day: int) -> date | None:
    """Convert a day of the Persian calendar."""
    if not (year >= PERSIAN_YEAR and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    leaps = sum(each % 33 in PERSIAN_LEAPS for each in range(PERSIAN_YEAR, year))
    days = (year - PERSIAN_YEAR) * 365 + leaps + 30 * (month - 1) + min(month - 1, 6) + day - 1
    return NOWRUZ + timedelta(days=days)


def _year(parts: dict[str, str | None]) -> int:
    """Return the year, with two digits one of 1990 to 2089; 0 for none."""
    if parts.get("year"):
        year = int(parts["year"] or 0)
        return year - BUDDHIST if year > EARLIEST_YEAR + BUDDHIST else year
    short = parts.get("short")
    if era := parts.get("era"):
        return ERAS[era] + int(short or 0)
    return 0 if not short else int(short) + (1900 if int(short) >= EARLIEST_YEAR % 100 else 2000)


def _checked(value: date | datetime, setting: Setting) -> str:
    """Return `value` as text if it is plausible for a web page fetched at that time; else ""."""
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    latest = (setting.fetched or datetime.now(UTC)) + SLACK
    return value.isoformat() if value.year >= EARLIEST_YEAR and moment <= latest else ""


def clock_after(text: str, position: int) -> Clock | None:
    """Return the time that follows a date ending at `position` of `text`."""
    match = CLOCK_AFTER.match(text, position)
    return _clock(match, text, match["before"] or match["after"] or "") if match else None


def clock_before(text: str, position: int) -> Clock | None:
    """Return the time that precedes a date starting at `position` of `text`."""
    match = CLOCK_BEFORE.search(text[max(0, position - LOOK_BACK) : position])
    return _clock(match, match.string[: match.start("gap")], match["after"] or "") if match else None


def _clock(match: re.Match[str], text: str, half: str = "") -> Clock | None:
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0].lower() in "pμ" or half in {"오후", "下午", "午後"} else 0)
    end, zone = match.end(), None
    if found := ZONE.match(text, end):  # "Uhr (MEZ)", "GMT+3", "+0100"
        name, offset = found["name"], found["offset"]
        if offset:
            digits, end = offset[1:].replace(":", ""), found.end()
            hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
            shift = timedelta(hours=hours, minutes=minutes) * (-1 if offset[0] == "-" else 1)
            zone = timezone(shift) if hours <= 14 and minutes <= 59 else None
        elif name in ZONES:
            zone, end = timezone(timedelta(hours=ZONES[name])), found.end("name")
    try:
        return Clock(time(hour, minute, second, tzinfo=zone), end)
    except ValueError:
        return None


def month_number(word: str, language: str = "", ordinal_day: bool = False) -> int:
    """Return the number of the month `word` (in any case, or a Roman numeral in capitals), 0 for none.

    Croatian months are recognised by `language` or, if that is unknown, by the dot after the day, `ordinal_day`.
    """
    if word in ROMAN:
        return ROMAN[word]
    folded = fold(word)
    if folded in AMBIGUOUS:
        in_croatian, elsewhere = AMBIGUOUS[folded]
        is_croatian = language in SOUTH_SLAVIC or (not language and ordinal_day and folded == "listopada")
        return in_croatian if is_croatian else elsewhere
    return MONTHS.get(folded, 0)


def time_ago(text: str, now: datetime) -> tuple[datetime, bool] | None:
    """Parse "3 hours ago" or "an hour ago": return the time, and whether it is exact to the minute; None for none."""
    for match in SUM.finditer(text):
        names = {fold(name): int(count) for count, name in COUNTED.findall(match[0])}
        units = [(count, UNITS[name]) for name, count in names.items() if name in UNITS]
        around = text[max(0, match.start() - NEAR) : match.start()] + " " + text[match.end() : match.end() + NEAR]
        if units and AGO.search(fold(around)):
            passed, least = sum((n * unit for n, unit in units), timedelta()), min(unit for _, unit in units)
            return (now - passed, least < timedelta(days=1)) if LONG_UNITS.isdisjoint(names) else None
    if single := ONE_AGO.search(fold(text)):
        unit = UNITS[single[1] or single[2]]
        return now - unit, unit < timedelta(days=1)
    return None
