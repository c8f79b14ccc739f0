"""A list of other pages is told from an article by what its headings link to, however much text it shows."""

import pytest
from lxml.html import HtmlElement

from newscorpus.page.listing import find_listing
from newscorpus.page.parsing.parse import parse

SITE = "http://example.org"
LINES = [f"The council of town number {n} decided that the old bridge stays open until spring." for n in range(4)]
STORIES = "".join(f"<p>{line}</p>" for line in LINES)


def tree_of(body: str, head: str = "", name: str = "") -> HtmlElement:
    parsed = parse(f"<html><head>{head}</head><body class='{name}'>{body}</body></html>", f"{SITE}/")
    assert isinstance(parsed, HtmlElement)
    return parsed


def teasers(form: str, n: int = 4) -> str:
    return "".join(form.format(at=at, line=LINES[at]) for at in range(n))


LISTS = {
    "classic": teasers(
        "<div class='post-7 hentry'><h2 class='entry-title'><a href='/news-{at}/'>A bridge for town {at}"
        "</a></h2><h2>Below</h2><p>{line}</p></div>"
    ),
    "blocks": teasers(
        "<li class='wp-block-post post hentry'><h2><a href='/?p={at}'>A bridge for town {at}</a></h2><p>{line}</p></li>"
    ),
    "articles": "<h1>4 posts tagged with bridges</h1>"
    + teasers(
        "<article><header><h2><a href='/blog/{at}'>A bridge for town {at}</a></h2></header><p>{line}</p></article>"
    ),
    "links beside": "<h1>Posts</h1>"
    + teasers(
        "<article><h2>A bridge for town {at}</h2><p>{line}</p><a aria-label='Read' href='/blog/{at}'></a></article>"
    ),
    "headings": teasers("<li><h3><a href='/news-{at}.html'>A bridge for town {at}</a></h3><p>{line}</p></li>"),
    "linked cards": teasers("<div><a href='/news-{at}'><h3>A bridge for town {at}</h3></a><p>{line}</p></div>"),
    "named titles": teasers(
        "<div class='post'><span class='post-title'><a href='/n/{at}'>A bridge for town {at}</a>"
        "</span><p>{line}</p></div>"
    ),
    "one teaser": teasers(
        "<article><h2><a href='/blog/{at}'>A bridge for town {at}</a></h2><p>{line}</p></article>", 1
    ),
    "one teaser under a link": teasers(
        "<article><p>4 May</p><p class='title'><a href='/n/{at}'>A bridge for town {at}</a></p><p>{line}</p></article>",
        1,
    ),
    "cards of links": "<h1><a href='/'>The News of the Bridge</a></h1>"
    + teasers(
        "<div class='item'><time>23 May</time><a href='/n/{at}'>A bridge for town {at}</a><div>{line}</div></div>", 2
    ),
    "twice the same": 2
    * teasers("<article><h2><a href='/blog/{at}'>A bridge for town {at}</a></h2><p>{line}</p></article>", 1),
}


@pytest.mark.parametrize("form", LISTS)
def test_a_page_whose_text_stands_under_headings_of_other_pages_is_a_list(form: str) -> None:
    tree = tree_of(LISTS[form], "<link rel='next' href='/tag/bridge/page/3/'>")
    assert "words stand under headings that link to" in find_listing(tree, f"{SITE}/tag/bridge/page/2/", LINES)


def test_a_text_of_dates_is_a_list() -> None:
    dates = ["Tue 23 June 2026", "Mon 15 June 2026", "Sat 28 February 2026"]
    tree = tree_of("".join(f"<dt>{date}</dt><dd><a href='/bridge'>A bridge</a></dd>" for date in dates))
    assert "3 of 4 lines are hardly more than dates" in find_listing(tree, OWN, ["Archives", *dates])
    assert not find_listing(tree, OWN, [*LINES, *dates])


def test_a_remark_beside_the_headlines_of_other_pages_is_no_article() -> None:
    titles = teasers("<article><h2><a href='/n/{at}'>A bridge for town {at}</a></h2><time>05-0{at}</time></article>")
    remark = "Excellent! 222 posts in total. Keep on posting."
    page = f"<h1>The Herald</h1><p>{remark}</p>{titles}"
    assert find_listing(tree_of(page), f"{SITE}/archives/page/3/", [remark]).startswith("8 words stand beside")
    own = f"<h1>The old bridge stays open</h1><p>{remark}</p>{titles}"
    assert not find_listing(tree_of(own), f"{SITE}/bridge-stays-open/", [remark])
    assert not find_listing(tree_of(page), f"{SITE}/bridge-stays-open/", [LINES[0], LINES[1]])


def test_a_text_of_headlines_that_link_to_other_pages_is_a_list_whatever_its_headline() -> None:
    rows = teasers("<li><time>2{at} May</time> <a href='/news-{at}'>{line}</a></li>")
    lines = [f"2{at} May {line}" for at, line in enumerate(LINES)]
    tree = tree_of(f"<h1>All that we wrote about bridges</h1><ul>{rows}</ul>")
    assert "words are links to 4 other pages" in find_listing(tree, OWN, lines)
    assert not find_listing(tree, OWN, [*LINES[:1], *["Own words of a text that stands above its links."] * 5])


@pytest.mark.parametrize(
    ("head", "name", "said"),
    [
        ("", "home archive category category-7", "the class of its body is 'archive'"),
        ("<meta property='og:type' content='article'>", "tag-template tag-news", "the class of its body is"),
        ("<link rel='alternate' href='/wp-json/wp/v2/tags/25'>", "", "its data is that of one of tags"),
        ("<link rel='alternate' href='/wp-json/wp/v2/pages/2'>", "", "its data is that of one of pages"),
        ("<meta property='og:type' content='article'>", "page page-id-2", "the class of its body is 'page-id-2'"),
        ("", "page-template page-about", "the class of its body is 'page-template'"),
    ],
)
def test_a_page_whose_markup_calls_it_a_list_or_a_page_of_the_site_is_none(head: str, name: str, said: str) -> None:
    assert said in find_listing(tree_of(f"<h1>A headline of its own</h1>{STORIES}", head, name), OWN, LINES)
    single = tree_of(STORIES, head, f"{name} single single-post tag")
    assert not find_listing(single, OWN, LINES, is_declared=True)


def test_a_declared_article_is_no_page_of_its_site_unless_that_is_a_picture_or_calls_itself_a_website() -> None:
    head = "<meta property='og:type' content='website'>"
    assert not find_listing(tree_of(STORIES, name="page page-id-2"), OWN, LINES, is_declared=True)
    assert find_listing(tree_of(STORIES, name="single postid-7 attachmentid-7"), OWN, LINES, is_declared=True)
    assert find_listing(tree_of(STORIES, head, "page-template"), OWN, LINES, is_declared=True)


OWN = f"{SITE}/news/bridge/"
CARDS = teasers("<article><h3><a href='/news-{at}'>A bridge for town {at}</a></h3><p>Read it</p></article>")
COLUMNS = "<div class='half'><p><a href='/n/{at}'>A bridge for town {at}</a></p>{stories}</div>"
ARTICLES = {
    "columns": COLUMNS.format(at=1, stories=STORIES) + COLUMNS.format(at=2, stories=""),
    "links inside": teasers("<p>On Monday <a href='/n/{at}'>the council of the town number {at}</a> met.</p>")
    + STORIES,
    "cards below": f"<article><h1>The old bridge stays open</h1>{STORIES}</article>{CARDS}",
    "cards above": f"{CARDS}<h2>The old bridge stays open</h2>{STORIES}",
    "link first": f"<h1>The old bridge stays open</h1><article><p><a href='/n/1'>A bridge for town 1</a></p>{STORIES}"
    "</article>",
    "links to itself": f"<article><h1><a href='/news/bridge/'>The old bridge stays open</a></h1>{STORIES}</article>",
    "further page": f"<article><h1><a href='/news/'>The old bridge stays open</a></h1>{STORIES}</article>",
    "section first": f"<article><h2><a href='/s/7'>News</a></h2><p>By us</p>{STORIES}</article>",
    "sources": teasers("<h2><a href='http://other.example/{at}'>The paper of town {at}</a></h2><p>{line}</p>"),
    "own items": "<h1>What we read this week</h1>"
    + teasers("<h2><a href='/n/{at}'>A bridge for town {at}</a></h2><p>{line}</p>"),
    "live with links": "<h1>Debate</h1>"
    + teasers("<article><h2>A bridge for town {at}</h2><p>{line}</p><a href='/news/bridge/#{at}'>Link</a></article>"),
    "live": "<h1>Debate</h1>" + teasers("<h2>1{at}:00</h2><p>{line}</p>"),
}


@pytest.mark.parametrize("form", ARTICLES)
def test_an_article_is_no_list_for_the_headings_that_it_shows_beside_its_own(form: str) -> None:
    assert not find_listing(tree_of(ARTICLES[form]), OWN, LINES)


def test_a_page_that_calls_itself_an_article_is_one_by_og_type_only_with_a_headline_of_its_own() -> None:
    for head, name in (
        ("<meta property='article:published_time' content='2026-11-20'>", ""),
        ("<link rel='alternate' href='/wp-json/wp/v2/posts/25'>", ""),
        ("", "post single-post"),
    ):
        assert not find_listing(tree_of(LISTS["articles"], head, name), OWN, LINES)
    head = "<meta property='og:type' content='article'>"
    assert find_listing(tree_of(LISTS["articles"].replace("4 posts tagged with bridges", "News"), head), OWN, LINES)
    assert not find_listing(tree_of(LISTS["articles"], head), OWN, LINES)
    assert not find_listing(tree_of(LISTS["one teaser"], head), OWN, LINES)
    assert not find_listing(tree_of(LISTS["headings"], head), OWN, LINES)


def test_its_own_address_is_also_the_canonical_one() -> None:
    body = f"<article><h1><a href='/a/7'>The old bridge stays open</a></h1>{STORIES}</article>"
    assert find_listing(tree_of(body), OWN, LINES)
    assert not find_listing(tree_of(body, "<link rel='canonical' href='/a/7'>"), OWN, LINES)


def test_a_text_of_a_menu_and_one_headline_is_a_list() -> None:
    names = ["Home", "Sport", "Culture", "Business", "Science", "Weather", "Travel", "Authors", "Archive", "May"]
    menu = "".join(f"<li><a href='/{name}/'>{name}</a></li>" for name in names)
    heading = "<h1><a href='/local/'>Local</a> — May 2025</h1>"
    card = "<article><h3><a href='/local/the-bridge/'>The old bridge stays open</a></h3><p>May 3, 2025</p></article>"
    tree = tree_of(f"<ul>{menu}</ul>{heading}{card}<ul><li>Paul Stone</li></ul>")
    lines = [*names, "Local — May 2025", "The old bridge stays open", "May 3, 2025", "Paul Stone"]
    assert "15 of 23 words are links to 11 other pages" in find_listing(tree, f"{SITE}/local/2025-05/", lines)
    assert not find_listing(tree, f"{SITE}/local/2025-05/", [*names, "Local — May 2025", *LINES[:2]])


@pytest.mark.parametrize(
    ("path", "is_list"), [("/science/", True), ("/science", True), ("/bridges/", False), ("/", False)]
)
def test_the_summary_of_a_page_below_the_own_address_is_a_list(path: str, is_list: bool) -> None:
    summary = f"<section><h2><a href='/science/the-bridge/'>The old bridge stays open</a></h2>{STORIES}</section>"
    tree = tree_of(
        f"<header><h1>The Herald</h1></header><h1>Science</h1>{summary}", "<title>Science | The Herald</title>"
    )
    found = find_listing(tree, f"{SITE}{path}", ["The old bridge stays open", *LINES])
    assert found.endswith("under headings that link to another page") == is_list
