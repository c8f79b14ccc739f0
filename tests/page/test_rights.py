import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Rejected, Rights
from newscorpus.page.rights import MAX_BYTES, RightsPolicy, is_reachable, judge_rights, read_robots

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


@given(st.binary())
def test_whatever_comes_is_read(body: bytes) -> None:
    assert read_robots(body).crawl_delay >= 0


@pytest.mark.parametrize("status", [0, 200, 301, 401, 403, 404, 429, 500, 503])
def test_only_temporary_failures_leave_the_rules_open(status: int) -> None:
    assert is_reachable(status) is (status not in {0, 429, 500, 503})


URL = "https://vesti.example/1"


@pytest.mark.parametrize(
    ("rights", "said"),
    [
        (Rights(tdm="1"), "tdm-reservation=1"),
        (Rights(robots="noai, noimageai", noai="noai, noimageai"), "robots=noai"),
        (Rights(content_usage="search=y, train-ai=n"), "content-usage: train-ai=n"),
        (Rights(content_usage="TDM=?0"), "content-usage: tdm=?0"),
        (Rights(content_usage="train-ai=n;exceptions=1"), "content-usage: train-ai=n;exceptions=1"),
        (Rights(tdm=" 1 ", content_usage="ai=n"), "tdm-reservation=1, content-usage: ai=n"),
    ],
)
def test_what_a_site_reserves_is_skipped_where_that_is_the_policy(rights: Rights, said: str) -> None:
    assert judge_rights(rights, RightsPolicy.SKIP, URL) == Rejected("rights", "reserved", said, URL)
    assert judge_rights(rights, RightsPolicy.RECORD, URL) is None


@pytest.mark.parametrize(
    "rights",
    [
        Rights(),
        Rights(tdm="0", tdm_policy="https://vesti.example/tdm.json"),
        Rights(robots="noindex, noarchive"),
        Rights(noai="noimageai"),
        Rights(content_usage="train-ai=y, search=n"),
        Rights(content_usage="train-ai"),
        Rights(content_usage=",=n,;"),
    ],
)
def test_what_is_not_reserved_stays(rights: Rights) -> None:
    assert judge_rights(rights, RightsPolicy.SKIP, URL) is None
