"""What is read of a page: links, further pages, signature, and the day of publication."""

from html import escape as html_escape
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newscorpus.data import Page
from newscorpus.page.judgement import PageLinks, PartLink
from newscorpus.page.links import MAX_HREFS, MAX_LINKS, read_page, read_tree
from newscorpus.page.parts import continues, first_part, next_part
from newscorpus.urls import MAX_ADDRESS

URL = "http://example.org/news/today/"
SITE = "https://www.vesti.example"


def links(html: str) -> PageLinks:
    return read_page(Page.from_html(html, URL))


STATE = '{"next":[{"contentUrl":"\\/news\\/2026\\/05\\/the-weir-is-repaired"},{"image":{"url":"/2026/05/weir.jpg"}}]}'
ASKED = "<a rel='nofollow' href='{0}'>x</a>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            '<a href="b.html">b</a><map><area href="/a#top"></map><a href="//x.org/c">c</a><a href="b.html#2">b</a>',
            ["/news/today/b.html", "/a", "http://x.org/c"],
            id="absolute, in order, once",
        ),
        pytest.param(
            '<frameset cols="20%,80%"><frame src="menu.html"><frame src="/news.html"></frameset>',
            ["/news/today/menu.html", "/news.html"],
            id="frames",
        ),
        pytest.param('<base href="/other/"><a href="b">b</a>', ["/other/b"], id="base"),
        pytest.param('<base href="http://["><a href="b">b</a>', ["/news/today/b"], id="broken base"),
        pytest.param(
            '<a href=" /our town/a\nlong-address.html\t">x</a>', ["/our%20town/along-address.html"], id="white space"
        ),
        pytest.param(
            r'<a href="\news\a?b=\c">x</a><a href="d\e.html">x</a><a href="http://example.org/f\g">x</a>',
            [r"/news/a?b=\c", "/news/today/d/e.html", "/f/g"],
            id="backslashes",
        ),
        pytest.param(
            '<link rel="stylesheet" href="/look"><link rel="next" href="?page=2"><link rel=prev href="/"><body><p>x',
            ["/news/today/?page=2"],
            id="next page",
        ),
        pytest.param("<meta http-equiv=refresh content=300><p>x", [], id="reload"),
        pytest.param("<meta http-equiv=refresh><p>x", [], id="empty refresh"),
        pytest.param("<meta name=x content='0;url=/sr/'><p>x", [], id="another meta"),
        pytest.param(
            "<a href='?page=1'>1</a> <a href='?page=2'>2</a> <a href='?page=1&tag=x'>1</a> <a href='/?page=1'>1</a>",
            ["/news/today/?page=2", "/news/today/?page=1&tag=x", "/?page=1"],
            id="first page",
        ),
        pytest.param("<a href='?vote=1'>x</a>", ["/news/today/?vote=1"], id="query"),
        pytest.param(ASKED.format("?vote=1") + ASKED.format("/news/today/?a=1&b=2"), [], id="query, nofollow"),
        pytest.param(
            "<a href='/in?page=login&url=%2Fnews%2Ftoday%2F'>x</a><a href='/in?url=/'>x</a>"
            "<a href='/2026/11/20/bridge?from=/news/today/'>x</a><a href='/send-to-friend?url=/news/today/'>x</a>",
            ["/in?url=/", "/2026/11/20/bridge?from=/news/today/"],
            id="own address",
        ),
        pytest.param(ASKED.format("?page=2"), ["/news/today/?page=2"], id="further page, nofollow"),
        pytest.param(ASKED.format("/news/?id=7"), ["/news/?id=7"], id="another page, nofollow"),
        pytest.param(
            "<a rel='attachment wp-att-7' href='/old-bridge/picture/'><img src='a.jpg'></a>", [], id="picture of a post"
        ),
        pytest.param("<a rel=shortlink href='/17'>x</a><a rel=bookmark href='/18'>x</a>", ["/18"], id="short link"),
        pytest.param('<a href="file:///etc/passwd">x</a>', ["file:///etc/passwd"], id="file, to be refused"),
        pytest.param(
            "<!-- <a href='/a'>a</a> --><script>'<a href=\"/b\">b</a>'</script><p>text</p>", [], id="comment and script"
        ),
        pytest.param(
            "<div data-next-url='/news/2026/05/a-museum-of-clocks-opens' data-image='/2026/05/clock'"
            " data-url='/a'></div>"
            "<div data-href='http://cdn.example.net/news/2026/05/another-site'></div>"
            f"<script>window.state = {STATE}</script><a href='/news'>News</a>",
            ["/news", "/news/2026/05/a-museum-of-clocks-opens", "/news/2026/05/the-weir-is-repaired"],
            id="articles for scripts",
        ),
    ],
)
def test_links_of_a_page(body: str, expected: list[str]) -> None:
    assert list(links(body).links) == [urljoin("http://example.org", url) if url[0] == "/" else url for url in expected]


@pytest.mark.parametrize(
    ("name", "content", "forbids"),
    [
        ("robots", "noindex, nofollow", True),
        ("ROBOTS", "NONE", True),
        ("robots", "noindex,follow,max-image-preview:none", False),
        ("robots", "noindex", False),
        ("googlebot", "nofollow", False),
    ],
)
def test_a_page_may_forbid_following_its_links(name: str, content: str, *, forbids: bool) -> None:
    assert links(f'<meta name="{name}" content="{content}"><a href="/b">b</a>').forbids_following is forbids


def test_articles_of_a_front_page_may_be_queries_with_nofollow() -> None:
    front = read_page(Page.from_html(ASKED.format("?p=7"), "http://example.org/"))
    assert front.links == ("http://example.org/?p=7",)


@pytest.mark.parametrize(
    ("own", "link", "is_left_out"),
    [
        ("/sport/old-bridge-410000.html", "/print/410000", True),
        ("/sport/old-bridge-410000.html", "/tisk.php?id=410000", True),
        ("/the-old-bridge-is-closed/", "/print/the-old-bridge-is-closed/", True),
        ("/sport/old-bridge-410000.html", "/print/410001", False),
        ("/sport/old-bridge-410000.html", "/printing/410000", False),
        ("/sport/", "/tisk/sport/", False),
        ("/wiki/Most:_the_old_bridge", "/wiki/Talk:Most:_the_old_bridge", True),
        ("/wiki/Zdar_is_a_town_%C5%BE", "/wiki/Special:Links/Zdar_is_a_town_%C5%BE", True),
        ("/wiki/Bridges", "/wiki/Special:Links/Bridges", True),
        ("/wiki/Bridges", "/wiki/Category:Bridges", False),
        ("/wiki/The_old_bridge_opens", "/wiki/Talk:The_new_bridge_opens", False),
        ("/2026/the-old-bridge-opens", "http://example.org:8000/the-old-bridge-opens", False),
    ],
)
def test_the_print_version_of_an_article_is_no_page_of_its_own(own: str, link: str, is_left_out: bool) -> None:
    page = read_page(Page.from_html(f'<a href="{link}">Print</a>', f"{SITE}{own}"))
    assert page.links == (() if is_left_out else (urljoin(SITE, link),))


def test_headlines_are_those_of_the_links_whatever_numbers_and_pictures_stand_beside_them() -> None:
    def headlines(teaser: str) -> dict[str, int]:
        found = links(f'{teaser}<a href="/sport">Sport</a><a href="/x"><img src="x.jpg"></a>')
        return dict(zip(found.links, found.headlines, strict=True))

    story = "http://example.org/a"
    first = headlines('<a href="/a"><img src="a.jpg"></a><a href="/a">Old bridge closed</a><a href="/a">More</a>')
    assert first["http://example.org/x"] == 0
    for same in ('<a href="/a">Old bridge closed (12)</a>', '<a href="/a"><h3>Old bridge closed</h3><p>today</p></a>'):
        assert headlines(same)[story] == first[story] != 0
    assert headlines('<a href="/a">Old bridge open</a>')[story] != first[story]


@pytest.mark.parametrize(
    ("kind", "path", "is_list"),
    [
        *((kind, "/backend.php", True) for kind in ("application/rss+xml", "text/xml", " Application/XML ")),
        ("text/html", "/en", False),
        ("text/xml", "/comments/feed/", False),
        ("text/xml", "/?feed=comments-rss2", False),
    ],
)
def test_feeds_are_declared_by_their_type(kind: str, path: str, is_list: bool) -> None:
    found = links(f'<link rel=alternate type="{kind}" href="{path}">').lists
    assert found == ((f"http://example.org{path}",) if is_list else ())


def test_a_page_that_sends_its_readers_on_leads_there() -> None:
    for content in ("0;url=/sr/", "0; URL='/sr/'", '5 ; url="/sr/"', "0,/sr/", "0.5; url = /sr/ ", " ;url=/sr/"):
        found = links(f"<meta http-equiv=Refresh content='{html_escape(content)}'>").links
        assert found == ("http://example.org/sr/",), content


def test_what_leads_to_no_page_is_left_out_but_a_section_named_like_a_file() -> None:
    hrefs = (
        "mailto:a@b.c javascript:void(0) tel:123 /a.JPG /b.pdf /c.zip ftp://x.org/ http://[x data:x "
        "/trackback/72/ /feeds/authors/jana-malik/ "
        "/posts/old-bridge.rst /?attachment_id=17 /old-bridge/feed/ /?feed=comments-rss2&p=17 "
        "/tag/rain/feeds/atom/ /tag/rain/index.rss /search_rss?tag=rain "
        "/wp-login.php?redirect_to=x /user/login /?title=Login&returnto=Bridge /Account.aspx?ReturnUrl=%2Fbridge "
        "/w/index.php?title=Bridge&action=edit&redlink=1 /doku.php?id=bridge&do=revisions "
        "/doku.php?id=bridge&rev=17643 /w/index.php?title=Weir&action=history"
    ).split()
    sections = "/mobi /doc /sport/iso /a.b/ps /?title=Bridge /?action=watch&id=7 /?do=show&rev=new".split()
    found = links("".join(f'<a href="{href}">x</a>' for href in (*hrefs, *sections))).links
    assert found == tuple(f"http://example.org{path}" for path in sections)


def test_a_site_other_than_a_wiki_may_have_articles_where_wikis_have_versions() -> None:
    hrefs = "/?action=info&id=71 /index.php?action=history /news?rev=2 http://wiki.example.net/?oldid=7".split()
    assert links("".join(f"<a href='{href}'>x</a>" for href in (*hrefs, "/news/today/?rev=2"))).links == tuple(
        f"http://example.org{path}" for path in hrefs[:3]
    )


def test_headlines_that_speak_of_feeds_suggest_none() -> None:
    lists = "/feed/ /rss/sport /news-rss /sitemap-news-2024-05.xml /news.rss".split()
    headlines = "/startup-lessons-blog-rss/ /cattle-feed-prices-rise/ /the-atom-bomb.html".split()
    found = links("".join(f"<a href='{path}'>x</a>" for path in (*lists, *headlines)))
    assert found.lists == tuple(f"http://example.org{path}" for path in lists)


@pytest.mark.timeout(60)
def test_addresses_in_long_scripts_cost_bounded_time() -> None:
    links("<script>" + '"aurl' * 400_000 + "</script><script>" + '"url":"/' * 200_000 + "</script>")


def test_canonical_address() -> None:
    found = links('<link rel="stylesheet" href="/x"><link rel="Canonical nofollow" href="/own"><p>x').canonical
    assert (found, links("<p>none</p>").canonical) == ("http://example.org/own", "")


def test_number_of_links_is_bounded() -> None:
    html = "".join(f'<a href="/{number}">x</a>' for number in range(MAX_LINKS + 10))
    assert len(links(html).links) == MAX_LINKS


@pytest.mark.parametrize("body", [b"", b"\x00" * 1000, b"   "])
def test_a_page_that_cannot_be_read_has_no_links(body: bytes) -> None:
    assert read_page(Page(URL, body)) == PageLinks()


@pytest.mark.timeout(60)
@pytest.mark.slow
def test_links_in_links_are_read_once() -> None:
    found = links("<a href=/x><i>" * 900 + "<b>word</b> " * 240_000)
    assert found.links == ("http://example.org/x",)


@pytest.mark.slow
def test_the_work_grows_with_the_number_of_links_no_further_than_to_a_bound() -> None:
    """Each would take 5 µs."""
    html = "".join(f"<a href=/{number}.jpg></a>" for number in range(3 * MAX_HREFS)) + "<a href=/page></a>"
    assert links(html).links == ()
    assert links(html[-2_000:]).links != ()


def test_links_are_as_long_as_addresses_may_be() -> None:
    base = f"<base href='https://a.cz/{'x' * MAX_ADDRESS}/'>"
    assert links(f"{base}<a href=y></a><a href=/{'z' * MAX_ADDRESS}></a>").links == (urljoin(URL, "y"),)


@given(
    st.lists(
        st.sampled_from(["https://", "http://", "a.cz", "/", "..", ".", "b", "?", "#", ";", "ž", ":80", "@", "%"]),
        min_size=1,
    ),
    st.sampled_from(["https://a.cz/x/y", "http://b.cz", "https://c.cz?q=/", "file:///x", "", "http://u@d.cz:8/x/"]),
)
def test_links_are_joined_as_the_standard_library_joins_them(pieces: list[str], base: str) -> None:
    href = "".join(pieces)
    found = read_tree(html.document_fromstring(f'<link rel=canonical href="{href}">'), base)
    assert found.canonical == urldefrag(urljoin(base, href)).url


@given(st.text())
def test_every_link_can_be_asked_for_or_refused(href: str) -> None:
    for link in links(f"<a href='{href}'>x</a>").links:
        assert urlsplit(link).scheme in {"http", "https", "file"}


@pytest.mark.parametrize(("start", "is_one"), [("<html amp>", True), ("<html ⚡>", True), ("<html lang=sr>", False)])
def test_a_page_says_that_it_is_a_version(start: str, is_one: bool) -> None:
    assert read_tree(html.document_fromstring(f"{start}<body><p>Text</p></body></html>"), SITE).is_amp is is_one


@pytest.mark.parametrize(
    ("tags", "own", "expected"),
    [
        (("sr-Latn", "sr-Cyrl"), 0, 1),
        (("sr-Latn", "sr-Cyrl"), 1, None),
        (("sr-Latn", "sr-Cyrl"), 2, None),  # that of another page
        (("sr-Cyrl-RS", "sr-Latn-RS", "sr-Cyrl-BA"), 1, 0),
        (("sr-Cyrl-RS", "sr-Cyrl-BA"), 0, None),
        (("sr", "en", "x-default"), 0, None),
        (("hr-Latn", "sr-Cyrl"), 0, None),
    ],
)
def test_a_page_names_its_version_in_the_first_script(tags: tuple[str, ...], own: int, expected: int | None) -> None:
    head = "".join(f"<link rel=alternate hreflang={tag} href='/{at}/story'>" for at, tag in enumerate(tags))
    found = read_tree(
        html.document_fromstring(f"<html><head>{head}</head><body>Text</body></html>"), f"{SITE}/{own}/story"
    )
    assert found.first_script == ("" if expected is None else f"{SITE}/{expected}/story")


@pytest.mark.parametrize(
    ("first", "number", "further"),
    [
        *(("/sport/story-1", 2, f"/sport/story-1{end}") for end in ("?page=2", "?strana=2", "/2", "/2/", "/strana/2")),
        ("/sport/story-1", 2, "/sport/story-1/page-2"),
        ("/sport/story.html", 2, "/sport/story-2.html"),
        ("/?p=36", 2, "/?p=36&page=2"),
        ("/story", 2, "/story?p=1"),  # counted from zero
        ("/story?page=1", 3, "/story?page=3"),
        ("/story-of-a-bridge/1", 2, "/story-of-a-bridge/2"),
        ("/2024/05/bridge,1.html", 2, "/2024/05/bridge,2.html"),
    ],
)
def test_pages_of_an_article_know_each_other(first: str, number: int, further: str) -> None:
    first, further = SITE + first, SITE + further
    other = PartLink(f"{SITE}/sport/story-2", 2)
    assert next_part(first, number, [other, PartLink(further, number)]) == further
    assert first_part(further, [PartLink(SITE, 1), PartLink(first, 1)]) == first
    assert first_part(first, [PartLink(further, number)]) == ""
    assert first_part(further, [PartLink(first, 3)]) == ""


def test_the_number_that_a_link_shows() -> None:
    texts = ("2", " <b>2</b> ", "Page 2", "2. strana", "Страница 12", "2024", "Top 10 2")
    found = links("".join(f"<a href=/story/2>{text}</a>" for text in texts)).part_links
    assert [link.number for link in found] == [2, 2, 2, 2, 12]


@pytest.mark.parametrize(
    ("part", "goes_on"),
    [
        ("<title>The bridge, page 2 - Vesti</title><h1>The bridge</h1>", True),
        ("<title>Vesti</title><h1>The bridge (2)</h1>", True),
        (f"<link rel=canonical href={SITE}/story><h1>After the flood</h1>", True),
        ("<p>No name at all.</p>", True),
        ("<title>Another bridge - Vesti</title><h1>Another one</h1>", False),
    ],
)
def test_a_further_page_is_called_like_the_first_one(part: str, *, goes_on: bool) -> None:
    first = links("<title>The bridge - Vesti</title><h1>The bridge</h1>")
    assert continues(first, links(part), f"{SITE}/story") is goes_on


def test_what_a_page_calls_its_content_is_bounded() -> None:
    names = links(f"<title>{'bridge ' * 10_000}</title><h1>{'<b>stone</b> ' * 10_000}</h1>").names
    assert len(names) == 2
    assert max(map(len, names)) <= 300


@pytest.mark.parametrize(
    "link",
    [
        PartLink(f"{SITE}/sport/other-story", is_next=True),
        PartLink(f"{SITE}/sport/story-1?page=3", 3),
        PartLink(f"{SITE}/sport/story-1?page=2"),
        PartLink(f"{SITE}/sport/?page=2", 2),
    ],
)
def test_what_is_no_second_page(link: PartLink) -> None:
    article = f"{SITE}/sport/story-1"
    assert next_part(article, 2, [link]) == ""
    assert next_part(article, 3, [link, PartLink(f"{article}?page=3", is_next=True)]) == f"{article}?page=3"


TEXT = "The council met on Tuesday and decided to repair the old bridge."


def signature(body: str) -> str:
    return read_page(Page.from_html(f"<html><body>{body}</body></html>", SITE)).signature


def test_equal_content_has_one_signature() -> None:
    first = signature(f"<p>{TEXT} Page seen 17 times.</p>")
    assert first == signature(f"<nav><p>Another menu of this site</p></nav><p>{TEXT}  Page seen 23 times.</p>")
    assert first == signature(f"<div><p>{TEXT} Page seen 5 times.</p></div><script>1</script>")
    assert first != signature(f"<p>{TEXT} Nobody came.</p>")


def test_what_says_hardly_anything_has_none() -> None:
    assert signature("<p>Short.</p>") == ""
    assert signature(f"<div>{TEXT}</div>") == ""


def test_texts_in_cells_tell_pages_with_the_same_paragraphs_apart() -> None:
    boilerplate = "<p>The paper of the town and its villages, every day since 1921.</p>"
    pages = [
        f"<body>{boilerplate}<table><tr><td>{text}<br><br>{text}</td></tr></table></body>"
        for text in ("The bridge was opened.", "The ferry was sold to the next town.")
    ]
    first, other = (read_page(Page.from_html(page, "http://example.org/1")) for page in pages)
    assert first.signature == other.signature
    assert first.letters != other.letters
    assert first.shown != other.shown
