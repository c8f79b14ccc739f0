import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.crawl.robots import is_reachable, read_robots

TEXT = b"""\xef\xbb\xbfUser-agent: newscorpus
Disallow: /closed/
Crawl-delay: 2.5

User-agent: *
Disallow: /
Crawl-delay: 60
Sitemap: https://example.org/news.xml
Sitemap: https://example.org/news.xml
"""


def test_the_rules_for_us_count_and_sitemaps_are_for_all() -> None:
    robots = read_robots(TEXT)
    assert robots.allow("https://example.org/open")
    assert not robots.allow("https://example.org/closed/a")
    assert robots.crawl_delay == 2.5
    assert robots.sitemaps == ("https://example.org/news.xml",)


def test_without_rules_for_us_those_for_all_count() -> None:
    robots = read_robots(b"User-agent: *\nDisallow: /x\nCrawl-delay: 7\n")
    assert (robots.allow("https://example.org/x"), robots.crawl_delay) == (False, 7)


@given(st.binary())
def test_whatever_comes_is_read(body: bytes) -> None:
    assert read_robots(body).crawl_delay >= 0


@pytest.mark.parametrize(("status", "reachable"), [(200, True), (301, True), (404, True), (403, True), (401, True)])
def test_statuses_that_settle_the_rules(status: int, reachable: bool) -> None:
    assert is_reachable(status) is reachable


@pytest.mark.parametrize("status", [0, 429, 500, 503])
def test_statuses_that_mean_not_now(status: int) -> None:
    assert not is_reachable(status)
