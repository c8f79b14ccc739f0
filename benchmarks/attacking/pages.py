"""Pages that are made to stall the extractor, to exhaust its memory or to break it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.attacking.attack import Attack, Outcome, extract

SECONDS, MEGABYTES = 10.0, 1_000.0
"""What a page of up to 20 MB may take, the start of the program included."""
PATIENCE_SECONDS = 60.0
"""After which a page is given up."""

HEAD = "<html><head><title>The mayor opens a bridge</title></head><body><h1>The mayor opens a bridge</h1>"
PROSE = (
    "<p>The mayor of the town opened a new bridge over the river on Friday morning, and some two hundred people came "
    "to see it, although it was raining and the wind was strong.</p>"
)


def page(attack: str) -> bytes:
    """Make a page of a short article and what attacks."""
    return f"{HEAD}{PROSE}{attack}".encode()


def numbered(pattern: str, count: int) -> str:
    """Repeat a pattern, in which `%d` stands for the number."""
    return "".join([pattern.replace("%d", str(number)) for number in range(count)])


def attacked(make: Callable[[], str], folder: Path) -> Outcome:
    """Extract a page that attacks."""
    return extract(page(make()), folder, PATIENCE_SECONDS)


HOSTILE: dict[str, Callable[[], str]] = {
    "1,100 nested inline elements": lambda: "<div class=date>" + "<b>" * 1_100 + "by John Smith 3 May 2024",
    "100,000 microdata items": lambda: (
        "<div itemscope itemtype='https://schema.org/NewsArticle'>"
        + numbered("<div itemscope itemprop=x%d itemtype=Person><span itemprop=name>n</span></div>", 100_000)
    ),
    "200,000 RDFa items": lambda: (
        "<div typeof=NewsArticle>" + "<div typeof=Person property=x><span property=name>n</span></div>" * 200_000
    ),
    "300,000 attributes that hold >": lambda: "<p " + numbered("a%d='>' ", 300_000) + ">text",
    "300,000 options": lambda: "<select>" + "<option>one" * 300_000,
    "a million p": lambda: "<p>a" * 1_000_000,
    "six million empty p": lambda: "<p>" * 6_000_000,
    "300,000 li": lambda: "<ul>" + "<li>one" * 300_000,
    "200,000 ruby": lambda: "<ruby>a<rt>b" * 200_000,
    "a class of 5 MB of dashes": lambda: f"<p class='{'-' * 5_000_000}'>some text",
    "150 classes and ids of dashes": lambda: f"<p class='{'-' * 50_000}' id='{'_' * 50_000}'>some text" * 150,
    "15 MB of Thai": lambda: "<p>" + "ภาษาไทย" * 700_000,
    "18 MB of Chinese": lambda: "<p>" + "新闻语料库。" * 1_000_000,
    "a table of 400,000 cells": lambda: "<table>" + ("<tr>" + "<td>cell one" * 20) * 20_000,
    "480,000 dt and dd": lambda: "<dl>" + "<dt>a<dd>b" * 480_000,
    "500,000 lists": lambda: "<ul><li>a</ul>" * 500_000,
    "900 nested lists": lambda: "<ul><li>a" * 900 + "<li>b" * 300_000,
    "400,000 ids": lambda: numbered("<p id=x%d>a</p>", 400_000),
}
"""What attacks, by name; each page is 20 MB long at most."""

SHORT = frozenset(
    {"1,100 nested inline elements", "100,000 microdata items", "300,000 attributes that hold >", "300,000 options"}
)

ATTACKS = tuple(
    Attack(name, partial(attacked, make), SECONDS, MEGABYTES, is_short=name in SHORT) for name, make in HOSTILE.items()
)
