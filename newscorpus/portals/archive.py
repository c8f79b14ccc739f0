"""The archive of a portal: pages that list the articles of a day, a month or a year, at addresses that can be told."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

FIELD = re.compile(r"{([^{}]*)}")
KNOWN = re.compile(r"(year|month|day)(?::0?[1-9])?")


def archive_page(pattern: str, day: date) -> str:
    """The address of the page that lists `day`.

    Args:
        pattern: an address with {year}, and perhaps {month} and {day}, as `str.format` reads them.
        day: a day of the archive.

    Raises:
        ValueError: the pattern holds something else in braces, or no year.
    """
    fields = FIELD.findall(pattern)
    if unknown := [field for field in fields if not KNOWN.fullmatch(field)]:
        raise ValueError(f"{{{unknown[0]}}} is not known; known: {{year}}, {{month}}, {{day}}, {{month:02}} ...")
    if not any(field.startswith("year") for field in fields) or re.search(r"[{}]", FIELD.sub("", pattern)):
        raise ValueError(f"{pattern!r} names no {{year}}, or has a brace too many")
    return pattern.format(year=day.year, month=day.month, day=day.day)


def archive_pages(pattern: str, first: date, last: date) -> Iterator[str]:
    """The addresses of the pages that list the days from `last` back to `first`, each once: the newest come first.

    Raises:
        ValueError: as `archive_page`.
    """
    before = ""
    for back in range((last - first).days + 1):
        page = archive_page(pattern, last - timedelta(days=back))
        if page != before:
            yield page
        before = page
