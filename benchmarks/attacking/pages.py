"""Pages that are made to stall the extractor, to exhaust its memory or to break it."""

import json
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from benchmarks.attacking.attack import NEWSCORPUS, Attack, Outcome, extract, run
from benchmarks.attacking.damage import damage_at_random
from benchmarks.newspapers import ROOT

SECONDS, MEGABYTES = 10.0, 1_000.0
"""What a page of up to 20 MB may take, the start of the program included."""
PATIENCE_SECONDS = 120.0
"""After which a page is given up."""

TITLE = "The mayor opens a bridge"
ARTICLE = '<script type="application/ld+json">{"@type": "NewsArticle"}</script>'
PROSE = (
    "<p>The mayor of the town opened a new bridge over the river on Friday morning, and some two hundred people came "
    "to see it, although it was raining and the wind was strong.</p>"
)

Count = Callable[[int], int]
"""Says how many there are of what is repeated: all (`int`), or for a test a part of them."""


def hostile_page(attack: str) -> bytes:
    """Make a page of a short article and what attacks."""
    head = f"<html><head><title>{TITLE}</title>{ARTICLE}</head>"
    return f"{head}<body><h1>{TITLE}</h1>{PROSE}{attack}".encode()


def numbered(pattern: str, count: int) -> str:
    """Repeat a pattern, in which `%d` stands for the number."""
    return "".join([pattern.replace("%d", str(number)) for number in range(count)])


def script(text: str, kind: str = "") -> str:
    """Make a script."""
    return f"<script type='{kind}'>{text}</script>"


BEYOND: dict[str, Callable[[], str]] = {
    "100,000 microdata items": lambda: (
        "<div itemscope itemtype='https://schema.org/NewsArticle'>"
        + numbered("<div itemscope itemprop=x%d itemtype=Person><span itemprop=name>n</span></div>", 100_000)
    ),
    "200,000 RDFa items": lambda: (
        "<div typeof=NewsArticle>" + "<div typeof=Person property=x><span property=name>n</span></div>" * 200_000
    ),
    "9,500 elements of 499 attributes": lambda: ("<p " + numbered("%d ", 499) + ">x") * 9_500,
    "300,000 options": lambda: "<select>" + "<option>one" * 300_000,
    "a million p": lambda: "<p>a" * 1_000_000,
    "six million empty p": lambda: "<p>" * 6_000_000,
    "300,000 li": lambda: "<ul>" + "<li>one" * 300_000,
    "200,000 ruby": lambda: "<ruby>a<rt>b" * 200_000,
    "a class of 5 MB of dashes": lambda: f"<p class='{'-' * 5_000_000}'>some text",
    "15 MB of Thai": lambda: "<p>" + "ภาษาไทย" * 700_000,
    "a table of 400,000 cells": lambda: "<table>" + ("<tr>" + "<td>cell one" * 20) * 20_000,
    "480,000 dt and dd": lambda: "<dl>" + "<dt>a<dd>b" * 480_000,
    "500,000 lists": lambda: "<ul><li>a</ul>" * 500_000,
    "900 nested lists": lambda: "<ul><li>a" * 900 + "<li>b" * 300_000,
    "400,000 ids": lambda: numbered("<p id=x%d>a</p>", 400_000),
    "950 nested headings of 15 MB": lambda: "<h1><span>" * 950 + "x" * 15_000_000,
}
"""Pages beyond the bounds on a page, by what they hold: each is refused before it costs much."""

WITHIN: dict[str, Callable[[Count], str]] = {
    "1,100 nested inline elements": lambda _: "<div class=date>" + "<b>" * 1_100 + "by John Smith 3 May 2024",
    "120,000 microdata items in a text": lambda n: (
        "<div itemscope itemtype='https://schema.org/NewsArticle'>"
        + "<i itemscope itemprop=author itemtype=Person><b itemprop=name>n</b></i>" * n(120_000)
    ),
    "950 nested properties of 2 MB of Cyrillic": lambda n: "<b itemprop=name>" * 950 + "слово " * n(330_000),
    "a value of 2 MB of 100,000 properties": lambda n: (
        f"<p itemprop='{numbered('a%d ', n(100_000))}' content='{'word ' * n(400_000)}'>some text"
    ),
    "300,000 attributes that hold >": lambda n: "<p " + numbered("a%d='>' ", n(300_000)) + ">text",
    "490,000 empty p": lambda n: "<p>" * n(490_000),
    "99,000 p": lambda n: "<p>a" * n(99_000),
    "380,000 words of classes": lambda n: numbered("<p class='" + "nav%dfoot " * 19 + "'>a", n(20_000)),
    "6 MB of Chinese": lambda n: "<p>" + "新闻语料库。" * n(330_000),
    "2 MB of words of one letter": lambda n: "<p>" + "a " * n(990_000),
    "99,000 ids and classes": lambda n: numbered("<p id=x%d class=c%d>ab cd", n(99_000)),
    "95,000 p inline at depth 1,900": lambda n: "<div>" * 1_900 + "<b><p>x</p></b>" * n(95_000),
    "200,000 images before 140,000 p": lambda n: "<img src=x>" * n(200_000) + "<p></p>" * n(140_000),
    "950 nested p around 240,000 elements": lambda n: "<p><span itemprop=name>" * 950 + "<i></i>" * n(240_000),
    "200,000 dates in a class of 4 MB": lambda n: f"<div class='{'x ' * n(2_000_000)}'>" + "<span>1 2 2" * n(1_900),
    "90,000 dates": lambda n: "<div class=date>1.2.2024 12:30</div>" * n(90_000),
    "450,000 meta": lambda n: "<meta property='og:title' content='x'>" * n(450_000),
    "six million lists in JSON-LD": lambda n: (
        script('{"@type": "Article", "a": [' + "[]," * n(650_000) + "[]]}", "application/ld+json") * 9
    ),
    "six million values in JSON-LD": lambda n: script("{} " * n(650_000) + "x", "application/ld+json") * 9,
    "a text of 4 MB 300,000 times in a state": lambda n: script(
        f'[[{"1," * n(299_000)}1], "{"word it is " * n(400_000)}"]'
    ),
    "200,000 p in 1,900 nested templates": lambda n: "<template>" * 1_900 + "<p>some words here</p>" * n(200_000),
    "99,000 p in 900 nested noscript": lambda n: "<noscript><div>" * 900 + "<p>some words here</p>" * n(99_000),
}
"""Pages within the bounds, by what they hold; `n` says how many there are of it."""

SHORT = frozenset(
    {"1,100 nested inline elements", "100,000 microdata items", "300,000 attributes that hold >", "99,000 p"}
)
DEMO = sorted((ROOT / "newscorpus" / "views" / "demo" / "site" / "pages").glob("*.html"))


def attack_by_page(make: Callable[[], str], folder: Path) -> Outcome:
    """Extract a page that attacks."""
    return extract(hostile_page(make()), folder, PATIENCE_SECONDS)


def attack_by_damage(count: int, folder: Path) -> Outcome:
    """Extract pages of the demo that are damaged at random, from one file: each must give a line without a fault."""
    source, written = folder / "pages.jsonl", folder / "out.jsonl"
    with source.open("w", encoding="utf-8") as lines:
        for number in range(count):
            body = damage_at_random(DEMO[number % len(DEMO)].read_bytes(), Random(number))
            html = body.decode("utf-8", "replace")
            lines.write(json.dumps({"id": number, "url": f"https://demo.example/{number}", "html": html}) + "\n")
    ended = run((NEWSCORPUS, "extract", source, "--no-filters", "--output", written), folder, count)
    ends: Counter[str] = Counter()
    if not ended.code:
        for line in written.read_text(encoding="utf-8").splitlines():
            rejected = json.loads(line).get("rejected")
            ends[rejected["reason"] if rejected else "article"] += 1
    wrong = [f"{ends[fault]} {fault}" for fault in ("worker_failed", "timeout") if ends[fault]]
    return Outcome(
        said=", ".join(f"{reason} {times}" for reason, times in ends.most_common()) or f"exit code {ended.code}",
        seconds=ended.cpu_seconds / count,
        megabytes=ended.megabytes,
        lost=count - ends.total(),
        wrong=", ".join(wrong),
    )


ATTACKS = (
    *(
        Attack(name, partial(attack_by_page, make), SECONDS, MEGABYTES, is_short=name in SHORT)
        for name, make in (BEYOND | {name: partial(make, int) for name, make in WITHIN.items()}).items()
    ),
    Attack("200 damaged pages, seconds a page", partial(attack_by_damage, 200), 0.5, MEGABYTES, is_short=True),
    Attack("5,000 damaged pages, seconds a page", partial(attack_by_damage, 5_000), 0.5, MEGABYTES),
)
