"""What an address is fetched for, other versions of an article, and traps."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import ROBOTS_TXT, Evidence
from newscorpus.portal.addresses import (
    PORTAL_EVIDENCE,
    AddressTrust,
    FetchKind,
    find_archive,
    find_kind,
    find_trap,
    find_trust,
    is_further,
    looks_like_article,
    pattern_of,
    plain_address,
    section_of,
)
from newscorpus.portal.portal import Portal

TODAY = date(2026, 11, 21)
BASE = "http://example.org"
SITE = "https://www.vesti.example"


def test_traps() -> None:
    traps = [
        *"/calendar/2026/12/ /calendar/2027-01 /kalendar?rok=2027&mesic=1 /events?date=2026-12-24".split(),
        *"/x?month=12&year=2026 /archive/20270101 /y/2199/01/ /a/b/a/b/a/b/ /shop/shop/shop/x".split(),
        "/filter?" + "&".join(f"f{number}=1" for number in range(9)),
    ]
    others = [
        *"/ /calendar/2026/11/ /calendar/2026/11/28 /1999/12/31/millennium /archive?year=2026&month=11".split(),
        *"/2011/11/11/eleven /article-20261.html /news/20991231234 /story?id=2027 /f?a=1&b=2 /clanek/210001".split(),
        *"/plan-2050-of-the-city.html /zpravy/203012-most-se-otevre /a/b/a/b/".split(),
        "/index.php?a=1&b=2&c=3&d=4&e=5&utm_source=feed&utm_medium=rss&utm_campaign=rss&fbclid=x",
    ]
    assert [path for path in (*traps, *others) if find_trap(BASE + path, TODAY)] == traps


@given(st.text())
def test_no_address_raises(text: str) -> None:
    assert isinstance(find_trap(text, TODAY), str)
    assert isinstance(find_trap(BASE + "/" + text, TODAY), str)
    assert isinstance(plain_address(text), str)


def test_which_addresses_look_like_an_article() -> None:
    articles = [
        *"/news/mayor-opens-the-bridge.html /2026/11/20/bridge /domaci/clanek-1234567 /a/story.php?id=10423".split(),
        *"/c1-67712340-most-otevren /2026/11/bridge/ /2026/11/20/bridge/index.html /world/the_ferry_is_late".split(),
        *"/aktu%C3%A1ln%C3%AD-zpr%C3%A1vy/4711".split(),
        *"/zpravy/%C5%BElut%C3%BD-k%C5%AF%C5%88-b /domaci/3f2a9c1b7d5e4f60 /a/Xk3PqR7sTuVw9Yz2Ab".split(),
        *"/zpravy/0c8a5f1e-96cb-4110-bbec-db840bf1f28e/ /domaci.aspx?c=A260110_123456_domaci_abc".split(),
        *"/story.html?id=af4bb925-96cb-4110-bbec-db840bf1f28e /nba/15009143/detail.html /clanek/?id=4711".split(),
        *"/artykul/4711/ /vijest.php?vijest=871 /?p=34508 /stranica/novi-most-u-gradu".split(),
        "/archives/2012/11/12/chef-rant.php",
    ]
    others = [
        *("", "/", "/sport", "/sport/", "/world-news/", "/sport/page/12345", "/sport/strana/2/", "/strana"),
        *"/sport?page=10423 /2026/11/ /2026/11/20/ /2026/11/20/index.html /tag/mayor-opens-the-bridge".split(),
        *"/author/12345 /archive/2026 /?region=usa /?p=521 /program/20261120/ /sport?date=20261120".split(),
        *"/about.html /calendar?year=2026&month=11".split(),
    ]
    assert [path for path in (*articles, *others) if looks_like_article(BASE + path)] == articles


@pytest.mark.parametrize(
    ("patterns", "path", "kind"),
    [
        ({}, "/sport", FetchKind.SECTION),
        ({}, "/mayor-opens-the-bridge", FetchKind.ARTICLE),
        ({"articles": ["^/a/"]}, "/a/x", FetchKind.ARTICLE),
        ({"articles": ["^/a/"]}, "/sport", FetchKind.SECTION),
        ({"articles": ["^/a/"]}, "/mayor-opens-the-bridge", FetchKind.ARTICLE),
        ({"articles": ["^/a/"], "only": ["x"]}, "/mayor-opens-the-bridge", FetchKind.UNWANTED),
        ({"articles": ["^/a/"], "only": ["x"]}, "/sport", FetchKind.SECTION),
        ({"articles": ["^/a/"], "sections": ["^/s/"], "only": ["x"]}, "/x", FetchKind.UNWANTED),
        ({"sections": ["^/s/"]}, "/s/mayor-opens-the-bridge", FetchKind.SECTION),
        ({"sections": ["^/s/"]}, "/x", FetchKind.SECTION),
        ({"articles": ["^/a/"], "sections": ["^/s/"]}, "/s/x", FetchKind.SECTION),
        ({"articles": ["^/a/"], "sections": ["^/s/"]}, "/x", FetchKind.SECTION),
        ({"articles": ["^/s/x"], "sections": ["^/s/"]}, "/s/x", FetchKind.ARTICLE),
    ],
)
def test_patterns_of_the_portal_come_before_looks(patterns: dict[str, list[str]], path: str, kind: FetchKind) -> None:
    given: dict[str, Any] = {name: tuple(found) for name, found in patterns.items()}
    only = bool(given.pop("only", ()))
    portal = Portal("mock", ("en",), ("example.org",), (BASE + "/",), only_articles=only, **given)
    assert find_kind(BASE + path, portal) is kind


@pytest.mark.parametrize(
    ("patterns", "path", "trust"),
    [
        ({}, "/", AddressTrust.SECTION),
        ({}, "/?region=usa", AddressTrust.SECTION),
        ({}, "/?page=2", AddressTrust.SECTION),
        ({}, "/?p=521", AddressTrust.DOUBTFUL),
        ({}, "/?p=45", AddressTrust.DOUBTFUL),
        ({}, "/?lang=sr&id=7", AddressTrust.DOUBTFUL),
        ({}, "/?7", AddressTrust.DOUBTFUL),
        ({}, "/sport?p=2", AddressTrust.UNLIKELY),
        ({}, "/journey/", AddressTrust.DOUBTFUL),
        ({}, "/mayor-opens-the-bridge", AddressTrust.LIKELY),
        ({}, "/forum/bridge", AddressTrust.UNLIKELY),
        ({}, "/privacy.html", AddressTrust.LISTED),
        ({}, "/sk/kontakty/", AddressTrust.LISTED),
        ({}, "/regulamin", AddressTrust.LISTED),
        ({}, "/hr/uvjeti-koristenja/", AddressTrust.LISTED),
        ({}, "/%D0%BE-%D0%BD%D0%B0%D1%81/", AddressTrust.LISTED),
        ({}, "/anketa", AddressTrust.LISTED),
        ({}, "/aviso-legal/", AddressTrust.LISTED),
        ({}, "/vreme.html", AddressTrust.LISTED),
        ({}, "/horoskop/rak/", AddressTrust.LISTED),
        ({}, "/osmrtnice/9000/", AddressTrust.LISTED),
        ({}, "/vreme/sneg", AddressTrust.DOUBTFUL),
        ({}, "/archiv/2026-10-25/", AddressTrust.LISTED),
        ({}, "/horoskop/the-week-of-the-lion", AddressTrust.LIKELY),
        ({}, "/about-time", AddressTrust.DOUBTFUL),
        ({}, "/contact/bridge", AddressTrust.DOUBTFUL),
        ({}, "/tag/water-in-the-cellar", AddressTrust.LISTED),
        ({}, "/topics/show.asp?item=193311", AddressTrust.UNLIKELY),
        ({}, "/en/@@search?tag=water", AddressTrust.LISTED),
        ({}, "/search-for-a-lost-dog", AddressTrust.LIKELY),
        ({}, "/sport?page=2", AddressTrust.LISTED),
        ({}, "/sport/page/12/", AddressTrust.LISTED),
        ({}, "/p/1234", AddressTrust.DOUBTFUL),
        ({}, "/archive/2023/12/", AddressTrust.LISTED),
        ({"articles": ["^/tag/"]}, "/tag/water", AddressTrust.CERTAIN),
        ({"sections": ["^/journey"]}, "/journey/", AddressTrust.SECTION),
        ({"articles": ["^/a/"]}, "/mayor-opens-the-bridge", AddressTrust.LIKELY),
    ],
)
def test_how_far_an_address_promises_an_article(patterns: dict[str, list[str]], path: str, trust: AddressTrust) -> None:
    given: dict[str, Any] = {name: tuple(found) for name, found in patterns.items()}
    portal = Portal("mock", ("en",), ("example.org",), (BASE + "/",), **given)
    of_site = (Evidence("rsl", "/license.xml", ROBOTS_TXT), Evidence("language", "en", PORTAL_EVIDENCE))
    assert find_trust(BASE + path, portal) is find_trust(BASE + path, portal, of_site) is trust


@pytest.mark.parametrize(("path", "trust"), [("/bridge", AddressTrust.CERTAIN), ("/about/", AddressTrust.LISTED)])
def test_entries_of_feeds_are_articles_but_pages_about_the_site(path: str, trust: AddressTrust) -> None:
    portal = Portal("mock", ("en",), ("example.org",), (BASE + "/",))
    assert find_trust(BASE + path, portal, (Evidence("title", "A bridge", "feed"),)) is trust


@pytest.mark.parametrize(
    ("version", "article"),
    [
        ("/sport/story-1/amp", "/sport/story-1"),
        ("/sport/story-1/amp/", "/sport/story-1/"),
        ("/amp/sport/story-1", "/sport/story-1"),
        ("/sport/story-1.amp.html", "/sport/story-1.html"),
        ("/sport/story-1/stampaj", "/sport/story-1"),
        ("/sport/story-1?amp=1", "/sport/story-1"),
        ("/sport/story-1?outputType=amp", "/sport/story-1"),
        ("/sport/story-1?id=7&print", "/sport/story-1?id=7"),
        ("/story?view=print&name=%E8lanek", "/story?name=%E8lanek"),
        ("/index.php?do=print&newsid=15", "/index.php?newsid=15"),
        ("/?p=15&replytocom=1234", "/?p=15"),
        ("/?p=15&cpage=2", "/?p=15"),
        ("/news/?query-page=2&cst", "/news/?query-page=2"),
        ("/bridge/comment-page-2/", "/bridge/"),
        ("/story-1/?share=mail&nb=1", "/story-1/"),
        ("/story-1/?like_comment=7&_wpnonce=0a1b2c", "/story-1/"),
        ("/sport?orderby=date&order=asc&page=2", "/sport?page=2"),
        ("/search?tag=rain&sort_on=date", "/search?tag=rain"),
    ],
)
def test_another_version_is_folded_into_the_article(version: str, article: str) -> None:
    assert plain_address(SITE + version) == SITE + article


def test_what_only_looks_like_one_is_left_alone() -> None:
    for path in (
        *"/sport/story-1 /amplituda/story-1 /tags/champ /sport/print-is-dead-1 /sport/amp-story-1.html".split(),
        *"/story?print=no&page=2 /story?view=full /amp /stampa /media/print/ /show?order=12345".split(),
    ):
        assert plain_address(SITE + path) == SITE + path


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/tag/bridge/", "/tag/*"),
        ("/en/authors/ann-lee/page/3/", "/en/authors/*"),
        ("/2024/05/", "/0/0"),
        ("/archives/2024/05/17/page/2", "/archives/0/0/0"),
        ("/2024-05.html", "/0-0.html"),
        ("/2024/05/17/index.html", "/0/0/0"),
        ("/tag/bridge/index.html", "/tag/*"),
        ("/2024/?page=2", "/0"),
        ("/2024/week/7/", "/0/week/0"),
        ("/category/town/page/2/", "/category/*"),
        ("/kategorie/kultura.xml", "/kategorie/*"),
        ("/contributors/jana-malik/archive", "/contributors/*"),
        *((f"/{word}/jana/", f"/{word}/*") for word in ("auteur", "autoren", "mot", "mots-cles", "oznaka", "stitky")),
        *((f"/{word}/jana/", "") for word in ("auto", "motor", "stit")),
        ("/wiki/Category:Old_bridges", "/wiki/Category/*"),
        ("/?cat=12", "/?cat=*"),
        ("/?author=3&paged=2", "/?author=*"),
        ("/?m=202405", "/?m"),
        ("/tags/", ""),
        ("/topics/money/the-bridge-opens", ""),
        ("/category/", ""),
        ("/2024/05/the-bridge-opens/", ""),
        ("/page/12/", ""),
        ("/?p=15", ""),
    ],
)
def test_archives_of_tags_categories_and_days_have_one_shape(path: str, shape: str) -> None:
    assert find_archive(SITE + path) == (shape and SITE.removeprefix("https://") + shape)


def test_further_pages_of_lists_have_a_number() -> None:
    further = "/page/2/ /sport/index-3.html /index2.html /blog/page-12 /sport?page=2".split()
    further += "/?query-page=2 /news/?query-12-page=3 /news?tx_news%5BcurrentPage%5D=2".split()
    others = "/sport?p=2 /sport?homepage=2 /?query-page=next /sport/ /the-last-page-closed-12345/".split()
    assert [path for path in (*further, *others) if is_further(SITE + path)] == further


def test_sections_are_named_by_the_first_step_of_a_path_that_has_more() -> None:
    assert section_of("https://news.example/sport/match-1") == "news.example/sport"
    assert section_of("https://news.example/2026/match") == section_of("https://news.example/match") == "news.example"


def test_addresses_of_one_pattern_differ_in_words_and_numbers_alone() -> None:
    first = pattern_of("https://news.example/sport/bridge-over-river-17.html")
    assert first == pattern_of("https://news.example/town/a-new-school-opens.html")
    others = ("/sport/bridge.html", "/tag/a/", "/sport/page/2/", "/2026/11/a-new-school-opens.html", "/?tag=a", "/?p=3")
    patterns = {pattern_of(f"https://news.example{other}") for other in others}
    assert len(patterns) == len(others)
    assert first not in patterns
