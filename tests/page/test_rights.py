import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import ROBOTS_TXT, Evidence, Page, Rejected, Rights
from newscorpus.page.extractor import parse_page
from newscorpus.page.fields.reading import read_fields
from newscorpus.page.rights import MAX_BYTES, MAX_STATEMENT, RightsPolicy, is_reachable, judge_rights, read_robots

URL = "https://vesti.example/1"

TEXT = b"""\xef\xbb\xbfUser-agent: newscorpus
Disallow: /closed/
Crawl-delay: 2.5

User-agent: *
Disallow: /
Crawl-delay: 60
Sitemap: https://example.org/news.xml
Sitemap: https://example.org/news.xml
"""


def test_the_rules_for_us_count_or_else_those_for_all_and_sitemaps_are_for_all() -> None:
    robots = read_robots(TEXT)
    assert [robots.allow(f"https://example.org/{path}") for path in ("open", "closed/a")] == [True, False]
    assert (robots.crawl_delay, robots.sitemaps) == (2.5, ("https://example.org/news.xml",))
    others = read_robots(b"User-agent: *\nDisallow: /x\nCrawl-delay: 7\n")
    assert (others.allow("https://example.org/x"), others.crawl_delay) == (False, 7)


def test_of_a_rule_that_is_cut_nothing_is_left() -> None:
    rules = b"User-agent: *\nDisallow: /closed/".ljust(MAX_BYTES - len(b"\nDisallow: /"), b"x")
    assert read_robots(rules + b"\nDisallow: /open").allow("https://example.org/")


@pytest.mark.parametrize("agent", ["Newscorpus", "news*corpus*", "*", "**", "news"])
def test_rules_for_us_are_found_among_those_for_others(agent: str) -> None:
    others = b"User-agent: newsbot\nUser-agent: *bot\nDisallow: /others\n\n"
    rules = f"Useragent {agent} # ours\nUser-agent: other\nDisallow: /closed\n".encode()
    robots = read_robots(others + rules + others)
    assert [robots.allow(f"https://example.org/{path}") for path in ("closed", "others")] == [False, True]


def test_rules_for_thousands_are_read_once() -> None:
    """Each rule would be copied for each of those it speaks to: 180 million copies."""
    agents = "".join(f"User-agent: {'*' * (number % 7)}robot{number}{'*' * (number % 5)}\n" for number in range(10_000))
    robots = read_robots((agents + "User-agent: *\n" + "Disallow: /a\n" * 18_000).encode())
    assert not robots.allow("https://example.org/a")
    assert len(robots.rules._user_agents) <= 2 + len("newscorpus")


SIGNALS = b"""User-Agent: *
Content-signal: search=yes, ai-train=no # Cloudflare's
Allow: /

User-agent: GPTBot
Content-Signal: ai-train=yes
"""
OURS = b"""License: https://vesti.example/license.xml
User-agent: another
User-agent: news
Sitemap: https://vesti.example/news.xml
User-agent: newscorpus
Content-Signal: ai-input=no
Disallow:
Content-Signal: search=yes
"""


@pytest.mark.parametrize(
    ("body", "stated"),
    [
        (SIGNALS, {"content_signal": "search=yes, ai-train=no"}),
        (SIGNALS + OURS, {"content_signal": "ai-input=no, search=yes", "rsl": "https://vesti.example/license.xml"}),
        (SIGNALS + b"User-agent: newscorpus\nDisallow: /a\n", {}),
        (b"User-agent:\nDisallow: /\n" + SIGNALS, {"content_signal": "search=yes, ai-train=no"}),
        (b"license: /a.xml#1\nLICENSE:/b\nLicense: /b\nLicense:\n", {"rsl": "/a.xml /b"}),
        (b"Content-Signal:\nUser-agent: x\nContent-Signal: ai-train=no\n# License: /a\n", {}),
        (b"License: /".ljust(MAX_STATEMENT * 2, b"x"), {"rsl": "/".ljust(MAX_STATEMENT, "x")}),
    ],
)
def test_rights_are_those_of_our_group_and_licenses_are_for_all(body: bytes, stated: dict[str, str]) -> None:
    assert read_robots(body).rights == tuple(Evidence(field, value, ROBOTS_TXT) for field, value in stated.items())


def test_robots_of_real_sites_are_read(gold_data: Path) -> None:
    """Of 149 news hosts, in 2025 and 2026."""
    if not (file := gold_data / "news_robots.jsonl.zst").exists():
        pytest.skip(f"{file} is not here")
    with zstandard.open(file, "rt", encoding="utf-8") as lines:
        read = [read_robots(json.loads(line)["robots"].encode()) for line in lines]
    stated = Counter((one.field, one.value) for robots in read for one in robots.rights)
    assert len(read) == 1_328
    assert stated == {("rsl", "https://theguardian.com/license.xml"): 5, ("rsl", "https://www.bild.de/rsl.xml"): 4}


PAGE = b"<html><head><link rel=license href=/cc><link rel='license' type='application/rsl+xml' href=/a.xml></head>"
LINK = '</b.xml>; rel="license"; type="application/rsl+xml", <c.css>; rel=stylesheet, </d>; rel=license'


def test_rights_are_read_from_the_page_its_headers_and_its_robots() -> None:
    page = Page(
        URL, PAGE, {"link": LINK}, evidence=read_robots(SIGNALS + b"License: https://vesti.example/r.xml").rights
    )
    parsed = parse_page(page)
    assert not isinstance(parsed, Rejected)
    fields = read_fields(parsed.tree, page).fields
    licenses = " ".join(f"https://vesti.example/{name}.xml" for name in "bar")
    assert fields.rights == Rights(content_signal="search=yes, ai-train=no", rsl=licenses)
    assert fields.license == "https://vesti.example/cc"
    again = replace(page, headers={"content-signal": "ai-train=yes"})
    assert read_fields(parsed.tree, again).fields.rights.content_signal == "ai-train=yes"


@given(st.binary())
def test_whatever_comes_is_read(body: bytes) -> None:
    assert read_robots(body).crawl_delay >= 0


def test_only_temporary_failures_leave_the_rules_open() -> None:
    assert list(filter(is_reachable, (0, 200, 301, 401, 403, 404, 429, 500, 503))) == [200, 301, 401, 403, 404]


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        (Rights(tdm="0", tdm_policy="https://vesti.example/tdm.json"), ""),
        (Rights(robots="noindex, noarchive"), ""),
        (Rights(noai="noimageai"), ""),
        (Rights(content_usage="train-ai=y, search=n"), ""),
        (Rights(content_usage="train-ai"), ""),
        (Rights(content_usage=",=n,;"), ""),
        (Rights(content_signal="search=no, ai-input=no, ai-train=yes"), ""),
        (Rights(tdm="1"), "tdm-reservation=1"),
        (Rights(robots="noai, noimageai", noai="noai, noimageai"), "robots=noai"),
        (Rights(content_usage="search=y, train-ai=n"), "content-usage: train-ai=n"),
        (Rights(content_usage="TDM=?0"), "content-usage: tdm=?0"),
        (Rights(content_usage="train-ai=n;exceptions=1"), "content-usage: train-ai=n;exceptions=1"),
        (Rights(content_signal="search=yes, AI-Train = no"), "content-signal: ai-train = no"),
        (Rights(rsl="https://vesti.example/a.xml"), "rsl=https://vesti.example/a.xml"),
        (Rights(tdm=" 1 ", content_usage="ai=n"), "tdm-reservation=1, content-usage: ai=n"),
    ],
)
def test_what_a_site_reserves_is_skipped_where_that_is_the_policy(rights: Rights, said: str) -> None:
    skipped = judge_rights(rights, RightsPolicy.SKIP, URL)
    assert skipped == (Rejected("rights", "reserved", said, URL) if said else None)
    assert judge_rights(rights, RightsPolicy.RECORD, URL) is None
