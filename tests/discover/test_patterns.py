"""Patterns proposed from links: what they take, what they leave, and what is too little to go by."""

import re
from collections.abc import Sequence

import pytest

from newscorpus.discover.patterns import Proposed, SeenLink, propose, seems_article

BASE = "https://vesti.example"
MENU = [SeenLink(f"{BASE}/{name}/", name.title()) for name in ("politika", "sport", "kultura", "o-nama")]
HEADLINE = "The council keeps the old bridge"


def takes(proposed: Proposed, path: str) -> bool:
    return any(re.search(one.expression, path) for one in proposed.articles)


def links(paths: Sequence[str], text: str = HEADLINE) -> list[SeenLink]:
    return [SeenLink(BASE + path, text) for path in paths]


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [
        ("/politika/{0}00123/clanak", "/nova-rubrika/9900123/clanak"),
        ("/2026/05/0{0}/most/", "/2024/12/31/reka/"),
        ("/sport/a-long-way-to-go-{0}", "/kultura/what-the-old-bridge-saw"),
        ("/story.php?id=10{0}", "/story.php?id=4711"),
        ("/vesti/item-{0}12345.html", "/sport/other-9876543.html"),
        ("/n/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f{0}", "/n/aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeee1"),
    ],
)
def test_articles_that_nobody_saw_are_taken_and_sections_are_not(seen: str, unseen: str) -> None:
    proposed = propose([*MENU, *links([seen.format(number) for number in range(1, 9)])])
    assert takes(proposed, unseen)
    assert not any(takes(proposed, link.url.removeprefix(BASE)) for link in MENU)
    assert not takes(proposed, "/politika/?page=2")


def test_sections_are_named_with_their_further_pages() -> None:
    (sections,) = propose([*MENU, *links([f"/2026/05/0{n}/most/" for n in range(1, 9)])]).sections
    assert sections.expression == r"^/(?:kultura|o\-nama|politika|sport)/?(?:\?page=\d+)?$"
    assert sections.sections == 4


def test_a_pattern_of_two_addresses_or_one_that_takes_sections_too_is_not_proposed() -> None:
    alike = links([f"/tema/one-two-three-{n}" for n in range(20)], "Three words only")
    judged = [SeenLink(link.url, link.text, is_article=False) for link in alike]
    assert propose([*judged, *links([f"/tema/what-came-after-{n}" for n in range(5)])]).articles == ()
    assert propose(links(["/2026/05/01/most/", "/2026/05/02/most/"])).articles == ()


def test_the_page_goes_before_the_look() -> None:
    assert seems_article(SeenLink(f"{BASE}/sport/", "Sport", is_article=True)) is True
    assert seems_article(SeenLink(f"{BASE}/2026/05/01/most/", HEADLINE, is_article=False)) is False


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("/2026/05/01/most/", HEADLINE, True),
        ("/2026/05/01/most/", "", None),
        ("/sport/", "Sport", False),
        ("/kategorija/a-story-of-four/", HEADLINE, False),
        ("/", HEADLINE, False),
        ("/2012_11_01_archive.html", "November 2012", False),
    ],
)
def test_the_words_of_a_link_tell_where_its_look_does_not(path: str, text: str, expected: bool | None) -> None:
    assert seems_article(SeenLink(BASE + path, text)) is expected


def test_what_a_feed_says_and_what_a_menu_shows_of_one_address_is_joined() -> None:
    twice = [link for n in range(3) for link in (SeenLink(f"{BASE}/x/y{n}"), SeenLink(f"{BASE}/x/y{n}", "", True))]
    assert propose(twice).n_articles == 3


@pytest.mark.timeout(60)
def test_long_addresses_of_many_words_cost_no_time() -> None:
    long = [f"/{'a-' * 900}{n}" for n in range(300)]
    assert propose([*MENU, *links(long)]).n_articles == 300
