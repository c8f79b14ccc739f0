"""Read the words of dates in some thirty languages: months, and distances from now such as "před 2 hodinami"."""

import re
from collections.abc import Mapping
from datetime import date, datetime, timedelta

from newscorpus.resources import read_toml
from newscorpus.tokens import fold

WORDS = read_toml(__package__, "date_words.toml")
SOUTH_SLAVIC = frozenset({"hr", "bs", "sr", "sh"})
"""Languages with the Croatian names of months, or with names that are not ambiguous."""

ROMAN = {name: number for number, name in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), 1)}


MONTHS = {fold(word): number for number, words in enumerate(WORDS["months"], 1) for word in words.split()}
AMBIGUOUS: Mapping[str, tuple[int, int]] = WORDS["ambiguous"]
"""Words that are one month in Croatian and another elsewhere."""
DAYS = {fold(word): int(days) for days, words in WORDS["days"].items() for word in words.split() if len(word) > 2}
UNITS = {fold(word): timedelta(**{unit: 1}) for unit, words in WORDS["units"].items() for word in words.split()}
AGO_WORDS = "|".join(map(fold, WORDS["ago"]))
AGO = re.compile(rf"\b(?:{AGO_WORDS})\b")
SINGLE = "|".join(map(fold, WORDS["single_units"].split()))
ONE = "|".join(map(fold, WORDS["ones"].split()))
ONE_AGO = re.compile(rf"\b(?:{AGO_WORDS})\s+(?:(?:{ONE})\s+)?({SINGLE})\b|\b({SINGLE})\s+(?:{AGO_WORDS})\b")
"""One unit that is not counted; the word stands beside "ago", since "before the hour of ..." says no date."""
# Letters alone: beside a date, unlike in `newscorpus.tokens`, a digit is no part of a word.
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
COUNTED = re.compile(r"(?<![\d.:/-])(?P<count>\d{1,3})\s*(?P<unit>[^\W\d_]+)")
WEEKDAYS = {fold(stem): day for day, stems in enumerate(WORDS["weekdays"]) for stem in stems.split()}
WEEKDAY = re.compile(r"([^\W\d_]{3,})[\s,.]{1,3}(?:(?:dne|den|the|el|le|il|am|dem)\s)?$")
NEAR = 20
"""Characters on either side of a counted unit in which "ago" must stand."""


def month_number(word: str, language: str = "", ordinal_day: bool = False) -> int:
    """Number of the month that `word` names (in any case, or a Roman number in capitals), 0 for none.

    Croatian differs from its neighbours by `language`; without one by the dot behind the day, `ordinal_day`.
    """
    if word in ROMAN:
        return ROMAN[word]
    folded = fold(word)
    if folded in AMBIGUOUS:
        in_croatian, elsewhere = AMBIGUOUS[folded]
        is_croatian = language in SOUTH_SLAVIC or (not language and ordinal_day and folded == "listopada")
        return in_croatian if is_croatian else elsewhere
    return MONTHS.get(folded, 0)


def weekday_before(text: str) -> int | None:
    """The day of the week, 0 for Monday, that `text` ends with, as before a date; None for none."""
    found = WEEKDAY.search(text)
    word = fold(found[1]) if found else ""
    days = (day for stem, day in WEEKDAYS.items() if word.startswith(stem) and len(word) <= len(stem) + 3)
    return next(days, None)


def relative_day(text: str, today: date) -> tuple[date, int, int] | None:
    """The day that a word such as "yesterday" names, and where the word starts and ends; None without one."""
    for match in WORD.finditer(text):
        days = DAYS.get(fold(match[0]).replace("’", "'"))
        if days is not None:
            return today - timedelta(days=days), match.start(), match.end()
    return None


def time_ago(text: str, now: datetime) -> tuple[datetime, bool] | None:
    """The time that "3 hours ago" or "an hour ago" names, and whether it is known to the minute; None for none."""
    for match in COUNTED.finditer(text):
        unit = UNITS.get(fold(match["unit"]))
        around = text[max(0, match.start() - NEAR) : match.start()] + " " + text[match.end() : match.end() + NEAR]
        if unit and AGO.search(fold(around)):
            return now - int(match["count"]) * unit, unit < timedelta(days=1)
    if single := ONE_AGO.search(fold(text)):
        unit = UNITS[single[1] or single[2]]
        return now - unit, unit < timedelta(days=1)
    return None
