"""What is read from the text that readers see, where the page declares nothing."""

import pytest
from lxml import html as lxml_html

from newscorpus.data import Fields, Page
from newscorpus.page.fields.reading import read_fields

FETCHED = "2024-02-05T10:30:00+01:00"


def read(body: str, head: str = "", url: str = "https://www.denikpriklad.cz/clanek", fetched: str = FETCHED) -> Fields:
    html = f"<html lang=cs><head>{head}</head><body>{body}</body></html>"
    return read_fields(lxml_html.document_fromstring(html), Page.from_html(html, url, fetched)).fields


def test_date_and_author_beside_the_headline() -> None:
    fields = read("<h1>Vláda jedná</h1><p class=info>3. února 2024 14:05</p><p>Autor: Jana Nováková</p><p>Text</p>")
    assert (fields.title, fields.published) == ("Vláda jedná", "2024-02-03T14:05:00")
    assert (fields.authors, fields.provenance.published, fields.provenance.authors) == (
        ("Jana Nováková",),
        "text",
        "text",
    )


def test_an_update_is_told_from_the_publication() -> None:
    for line in ("Publikováno 3. 2. 2024, aktualizováno 4. 2. 2024", "publ. 3. 2., akt. 4. 2."):
        fields = read(f"<h1>Vláda jedná</h1><p class='date'>{line}</p>")
        assert (fields.published, fields.modified) == ("2024-02-03", "2024-02-04"), line
    updated = read("<h1>Vláda jedná</h1><p>Aktualizováno: 4. 2. 2024</p>")
    assert (updated.published, updated.modified) == ("2024-02-04", "2024-02-04"), "published by then"


def test_the_article_beside_a_page_header_with_the_headline_is_the_documents() -> None:
    byline = "<div class='meta'><p class='author'>Eva Malá</p><p>3. února 2024</p></div>"
    body = f"<header><h1>Vláda jedná o daních</h1></header><article>{byline}{PARAGRAPH * 6}</article>"
    teaser = f"<article><h2><a href='/jiny'>Jiný článek</a></h2><p class='author'>Jan Novák</p>{PARAGRAPH}</article>"
    assert read(body + teaser).authors == read(teaser + body).authors == ("Eva Malá",)
    assert read(body + teaser).published == "2024-02-03"
    assert read(f"<h1>Vláda jedná o daních</h1>{teaser}").authors == ()


@pytest.mark.parametrize(
    ("alt", "title", "site_name"),
    [
        ("Krajské Noviny", "Vláda jedná", "Krajské Noviny"),
        ("Krajské noviny logo", "Vláda jedná", "Krajské noviny"),
        ("Jiná firma", "Vláda jedná - Krajské Noviny", ""),
        ("", "Vláda jedná - Krajské Noviny", ""),
    ],
)
def test_the_title_ends_with_the_text_of_the_logo(alt: str, title: str, site_name: str) -> None:
    logo = f"<a href='/cs/'><img src='/img/logo.gif' alt='{alt}'></a>"
    fields = read(f"{logo}<p>Vláda jedná</p>{PARAGRAPH}", "<title>Vláda jedná - Krajské Noviny</title>")
    assert (fields.title, fields.site_name) == (title, site_name)


def test_relative_dates_are_told_from_the_fetch() -> None:
    fields = read("<h1>Vláda jedná</h1><p class=date>včera v 14:30</p>")
    assert fields.published == "2024-02-04T14:30:00"  # by the clock of the site, and nothing says in which zone
    assert read("<h1>Vláda jedná</h1><p class=date>před hodinou</p>").published.startswith("2024-02-05T")
    assert read("<h1>Vláda jedná</h1><p>před hodinou</p>").published == ""


def test_dates_of_comments_and_teasers_are_not_the_documents() -> None:
    body = "<h1>Vláda jedná</h1><p>Text</p><div class=comments><p class=date>3. 2. 2024</p></div>"
    assert read(body, url="https://a.cz/2024/01/15/vlada").published == "2024-01-15"
    fields = read(f"<main><article><h1>Vláda jedná</h1>{PARAGRAPH}{TWEET}</article>{CARD}</main>")
    assert (fields.published, fields.authors) == ("", ())


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://a.cz/2024/02/03/vlada", "2024-02-03"),
        ("https://a.cz/2024/2/3/vlada", "2024-02-03"),
        ("https://a.cz/vlada-2024-02-03.html", "2024-02-03"),
        ("https://a.cz/20240203/vlada", "2024-02-03"),
        ("https://a.cz/03-02-2024/vlada", "2024-02-03"),
        ("https://a.cz/2024/2/3-duvody", ""),
        ("https://a.cz/clanek/20240203123456", ""),
        ("https://a.cz/2024/13/45/vlada", ""),
    ],
)
def test_the_date_of_the_address(url: str, day: str) -> None:
    assert read("<h1>Vláda jedná</h1>", url=url).published == day


def test_the_day_is_that_of_the_pages_own_clock() -> None:
    meta = "<meta property='article:published_time' content='2024-02-04T01:49:00Z'>"
    assert read("<h1>A</h1>", meta, "https://a.com/2024/02/03/a").published == "2024-02-03T23:49:00-02:00"
    night = "<meta property='article:published_time' content='2024-02-02T22:40:00Z'>"
    assert read("<h1>A</h1><time>3 February 2024</time>", night).published == "2024-02-03T00:40:00+02:00"
    tag = "<h1>A</h1><p class=date><time datetime='2024-02-02T23:40:40.000Z'>2024-02-03</time></p>"
    assert read(tag).published == "2024-02-03T00:40:40+01:00"
    # No zone is a whole day wide.
    early = "<meta property='article:published_time' content='2024-02-02T00:10:00Z'>"
    assert read("<h1>A</h1><time>3 February 2024</time>", early).published == "2024-02-02T00:10:00+00:00"
    shown = "<h1>Vláda jedná</h1><p class=date>3. 2. 2024 17:49</p>"
    assert read(shown, meta).published == "2024-02-03T17:49:00-08:00"
    # A time without a zone has that of the same minute elsewhere.
    declared = "<p><time datetime='2024-02-03T17:49:20+01:00'>3. 2. 2024 17:49</time></p>"
    assert read(f"<h1>Vláda jedná</h1>{declared}").published == "2024-02-03T17:49:00+01:00"
    other = "<p><time datetime='2024-02-03T12:00:00+02:00'></time></p>"
    assert read(shown + other).published == "2024-02-03T17:49:00"


JAN, ANA = "Jan Novák", "Ana Horvat"


@pytest.mark.parametrize(
    ("byline", "authors"),
    [
        ("Jan Novák 12. ledna 2024 10:20", ("Jan Novák",)),
        ("12. 1. 2024 10:20 Jan Novák, ČTK", ("Jan Novák",)),
        ("January 12, 2024 by Jane Doe", ("Jane Doe",)),
        ("written by Jane Doe on 2024-01-12", ("Jane Doe",)),
        ("Posted by Jane Doe and Ana Horvat on 12 January 2024", ("Jane Doe", "Ana Horvat")),
        ("Von Jana Novak am 12. Januar 2024", ("Jana Novak",)),
        ("by <span>Jane Doe</span> <span>Ana Horvat</span> — <i>12. 1. 2024</i>", ("Jane Doe", "Ana Horvat")),
        ("Jan Novák Aktualizováno 12. 1. 2024", ()),
        ("Středa 12. ledna 2024", ()),
        ("Autor: Jan Novák i Ana Horvat<br>Objavljeno: 12.1.2024. u 8:00<br>Zadnja izmjena: 13.1.2024.", (JAN, ANA)),
        ("Oprac.: Jan Novák <span>Data utworzenia: 12 stycznia 2024, 08:00</span>", (JAN,)),
        ("Published by Jane Doe on 12 January 2024", ()),
    ],
)
def test_an_author_beside_a_date(byline: str, authors: tuple[str, ...]) -> None:
    assert read(f"<h1>Vláda jedná</h1><div class=author>{byline}</div><p>Text</p>").authors == authors


def test_a_name_before_the_role_in_elements_that_tell_nothing() -> None:
    byline = "<div class=css-1><span class=css-2>By Jane Doe</span><span class=css-3>Senior reporter</span></div>"
    assert read(f"<h1>Vláda jedná</h1>{byline}<p>Text</p>").authors == ("Jane Doe",)


def test_an_agency_beside_the_links_to_authors() -> None:
    links = "<a href='/autor/eva'>Eva Malá</a>"
    fields = read(f"<h1>Vláda jedná</h1><div class=authors>{links}, ČTK</div><p>Text</p>")
    assert (fields.authors, fields.agencies) == (("Eva Malá",), ("ČTK",))
    fields = read(f"<h1>Vláda jedná</h1><div class=authors>{links}, Philadelphia, Pa</div><p>Text</p>")
    assert fields.agencies == ()


def test_the_lead_is_read_where_it_is_named_or_repeats_the_description() -> None:
    lead = "Vláda dnes po dlouhém jednání schválila návrh rozpočtu na příští rok."
    assert read(f"<h1>Vláda jedná</h1><div class=perex>{lead}</div><p>Text</p>").lead == lead
    head = f"<meta name=description content='{lead[:65]}'>"
    assert read(f"<h1>Vláda jedná</h1><p>{lead}</p><p>Text</p>", head).lead == lead
    assert read("<h1>Vláda jedná</h1><p>Text</p>", head).lead == ""
    perex = "<div class=perex><p>Vláda dnes jednala o důchodech.</p><p>Rozhodla</p>tak.</div>"
    fields = read(f"<h1>Vláda schválila<br>důchody</h1>{perex}")
    assert (fields.title, fields.lead) == ("Vláda schválila důchody", "Vláda dnes jednala o důchodech. Rozhodla tak.")


def test_odd_shapes_raise_nothing() -> None:
    for shape in ("<div>" * 300, "<p class=author>" * 300, "<time>" * 2_000, "<h1>" * 2_000):
        read(f"<h1>Vláda jedná</h1>{shape}3. 2. 2024")


@pytest.mark.parametrize(
    "declared",
    ["admin", "npappas", "denikpriklad.cz", "Deník Příklad", "Joomla! - Open Source Content Management", "A A A"],
)
def test_an_author_is_read_from_the_text_where_the_declared_one_is_nobody(declared: str) -> None:
    head = f"<meta name=author content='{declared}'><meta property=og:site_name content='Deník Příklad'>"
    fields = read("<h1>Vláda jedná</h1><p>Autor: Jana Nováková</p><p>Text</p>", head)
    assert (fields.authors, fields.provenance.authors) == (("Jana Nováková",), "text")
    alone = read("<h1>Vláda jedná</h1><p>Text</p>", "<meta name=author content=npappas>")
    assert (alone.authors, alone.provenance.authors) == (("npappas",), "meta"), "the text names nobody"


@pytest.mark.parametrize(
    "byline",
    [
        "<div class=vcard><a class='url fn' href=/a/7>Jana Nováková</a></div>",
        "<p class=author>Jana Nováková</p>",
        "<p>Píše <a rel=author href=/a/7>Jana Nováková</a></p>",
        "<span class=autor-clanku>Jana Nováková</span>",
    ],
)
@pytest.mark.parametrize("declared", ["", "<meta name=author content=admin>"])
def test_an_author_named_below_the_text_is_read(byline: str, declared: str) -> None:
    text = "<p>Vláda ve středu rozhodla o stavbě mostu přes řeku, která potrvá dva roky.</p>" * 60
    foreign = "<div class=comments><p class=author>Petr Malý</p></div>"
    body = f"<h1>Vláda jedná</h1><p class=date>3. 2. 2024</p>{text}{byline}{foreign}"
    assert read(body, declared).authors == ("Jana Nováková",)
    assert read(body.replace(byline, ""), declared).authors == ()


def test_where_page_and_address_name_different_days_the_pages_stands_and_both_are_evidence() -> None:
    html = "<html lang=cs><body><h1>Vláda jedná</h1><p class=date>5. 2. 2024</p><p>Text</p></body></html>"
    page = Page.from_html(html, "https://www.denikpriklad.cz/2024/02/03/clanek", FETCHED)
    found = read_fields(lxml_html.document_fromstring(html), page)
    assert (found.fields.published, found.fields.provenance.published) == ("2024-02-05", "text")
    days = {(item.value, item.source) for item in found.evidence if item.field == "published"}
    assert days == {("2024-02-05", "text"), ("2024-02-03", "url")}


NIGHT = "2024-02-03T00:40:00+01:00"
CARD = (
    "<section><article class='post-card'><h3><a href='/x'>Jiný článek</a></h3><a class='author' href='/author/eva/'>"
    "Eva Malá</a><time datetime='2024-01-05T10:00:00+01:00'>5. 1. 2024</time></article></section>"
)
TWEET = (
    "<blockquote class='twitter-tweet'><p>Krátká zpráva</p>— Petr Malý (@maly) <a href='https://twitter.com/x'>"
    "January 3, 2024</a></blockquote>"
)
PARAGRAPH = f"<p>{'Zastupitelé se sešli a hlasovali o mostu. ' * 5}</p>"


@pytest.mark.parametrize(
    "line",
    [
        f"<time class='entry-date published updated' datetime='{NIGHT}'>3. 2. 2024</time>",
        f"<time class='published' datetime='{NIGHT}'>3. 2. 2024</time><time class='updated'>9. 2. 2024</time>",
        f"<footer class='entry-footer'><time datetime='{NIGHT}'>3. února</time></footer>",
        f"<abbr class='published' title='{NIGHT}'>Published: Sat 03 February 2024</abbr>",
    ],
)
def test_publication_in_the_markup_of_a_post(line: str) -> None:
    fields = read(
        f"<main><article class='hentry'><h1>Vláda jedná</h1>{line}{PARAGRAPH}{TWEET}</article>{CARD}</main>",
        fetched="2026-11-20T12:00:00+00:00",
    )
    assert fields.published == NIGHT


def test_the_state_of_a_post_makes_no_date_of_its_text() -> None:
    text = f"{PARAGRAPH}<p>Most je od včera zavřený a opraví se na jaře.</p><ul>{'<li>Oprava</li>' * 60}</ul>"
    footer = f"<footer class='entry-footer'><time class='published' datetime='{NIGHT}'>3. února</time></footer>"
    page = f"<article class='post status-publish hentry'><h1>Vláda jedná</h1><div>{text}</div>{footer}</article>"
    assert read(page, fetched="2026-11-20T12:00:00+00:00").published == NIGHT


def test_a_footer_of_the_article_names_date_and_authors() -> None:
    footer = (
        "<footer class='entry-footer'><p>Published: 3 February 2024</p><address>By <a href='/author/eva-mala.html'>"
        "Eva Malá</a> <a href='/author/jan-novak.html'>Jan Novák</a></address></footer>"
    )
    fields = read(f"<main><article><h1>Vláda jedná</h1>{PARAGRAPH * 40}{footer}</article></main>")
    assert (fields.published, fields.authors) == ("2024-02-03", ("Eva Malá", "Jan Novák"))


def test_a_headline_in_the_page_header_does_not_part_the_date_from_the_article() -> None:
    line = "<time>Published 3 February 2024</time>"
    fields = read(f"<header><h1>Vláda jedná</h1></header><article><h2>Dnes</h2>{line}{PARAGRAPH}</article>")
    assert fields.published == "2024-02-03"


def test_a_date_that_links_to_another_page_or_stands_in_its_teaser_is_that_pages() -> None:
    def more(href: str, *, is_linked: bool) -> str:
        shown = f"<a href={href}>3. 2. 2024</a>" if is_linked else "3. 2. 2024"
        teaser = f"<h3><a href={href}>Most se uzavřel</a></h3><time datetime='{NIGHT}'>{shown}</time>"
        return f"<main><h1>Vláda jedná</h1>{PARAGRAPH}<ul><li class=hentry>{teaser}</li></ul></main>"

    url = "https://a.cz/2023/07/13/vlada/"
    assert read(more("/2024/02/03/most/", is_linked=True), url=url).published == "2023-07-13"
    assert read(more("/2024/02/03/most/", is_linked=False), url=url).published == "2023-07-13"
    for own in ("/2024/02/03/", url):
        line = (
            f"<main><h1>Vláda jedná</h1><a href={own}><time datetime='{NIGHT}'>3. 2. 2024</time></a>{PARAGRAPH}</main>"
        )
        assert read(line, url=url).published == NIGHT


def test_dates_in_the_text_come_after_that_of_the_address() -> None:
    body = f"<article><h1>Vláda jedná</h1>{PARAGRAPH}<ul><li>5. 5. 2023: Most se uzavřel</li></ul></article>"
    assert read(body, url="https://a.cz/2024/02/03/vlada").published == "2024-02-03"
    line = f"<article><h1>Vláda jedná</h1><p>3. 2. 2024, Brno</p>{PARAGRAPH}<p>5. 5. 2023: Uzavřeli most</p></article>"
    assert read(line).published == "2024-02-03"


def test_a_sentence_with_a_day_is_no_line_of_the_date() -> None:
    text = "<p>Nejpozději do 30. dubna 2024 musí radnice vyhlásit datum, kdy začnou práce na novém mostě.</p>"
    footer = "<footer>Upraveno <time datetime='2024-02-03'>3. 2. 2024</time></footer>"
    assert (
        read(f"<article><h1>Vláda jedná</h1>{text}{footer}</article>", fetched="2026-11-20").published == "2024-02-03"
    )


def test_a_day_without_a_year_has_that_of_another_date_of_the_page() -> None:
    body = "<article><h1>Vláda jedná</h1><p class='date'>3. února</p></article>"
    assert (
        read(body, url="https://a.cz/2023/02/03/vlada", fetched="2026-11-20T12:00:00+00:00").published == "2023-02-03"
    )
    shown = "<article><h1>Vláda jedná</h1><time datetime='2023-02-03T14:05:00+01:00'>3. února</time></article>"
    assert read(shown, fetched="2026-11-20T12:00:00+00:00").published == "2023-02-03T14:05:00+01:00"


@pytest.mark.parametrize("icon", ["fa fa-calendar", "icon-clock", "glyphicon glyphicon-time"])
def test_an_icon_before_a_date_says_that_it_is_the_pages(icon: str) -> None:
    terms = "".join(
        f"<li><a href='/tag/{name}'>{name}</a></li>" for name in ("doprava", "radnice", "investice", "mosty")
    )
    line = f"<ul><li><i class='{icon}'></i> February 4, 2024</li><li><ul>{terms}</ul></li></ul>"
    fields = read(f"<h1>Vláda jedná</h1><div>{line}</div><p>Text</p>", url="https://a.cz/2024/02/03/vlada")
    assert (fields.published, fields.provenance.published) == ("2024-02-04", "text")


def test_portraits_do_not_hide_the_names_below_them() -> None:
    declared = '{"@type": "BlogPosting", "author": {"name": "Jana Nováková"}, "contributor": [{"name": "Petr Malý"}]}'
    people = (("jana", "Jana Nováková"), ("petr", "Petr Malý"))
    portrait = "<svg><g><path></path><path></path></g></svg>"
    portraits = "".join(f"<li><a href='/author/{slug}/' class=author-avatar>{portrait}</a></li>" for slug, _ in people)
    names = ", ".join(f"<a href='/author/{slug}/'>{name}</a>" for slug, name in people)
    byline = f"<div class=article-byline><ul class=author-list>{portraits}</ul><h4 class=author-name>{names}</h4></div>"
    fields = read(f"<h1>Vláda jedná</h1>{byline}<p>Text</p>", f'<script type="application/ld+json">{declared}</script>')
    assert fields.authors == ("Jana Nováková", "Petr Malý")


@pytest.mark.parametrize(("slug", "authors"), [("eszter-soos", ("Eszter Soós",)), ("anna-kis", ())])
def test_a_portrait_links_to_the_author_named_beside_it(slug: str, authors: tuple[str, ...]) -> None:
    portrait = f"<a href='/szerzo/{slug}'><img src='/p.jpg' alt=''></a>"
    person = "<div><div>Eszter Soós</div><div>Reporter</div></div>"
    assert read(f"<h1>Vláda jedná</h1><div class=sc-1x>{portrait}{person}</div><p>Text</p>").authors == authors


def test_a_line_that_names_all_authors_completes_those_declared() -> None:
    line = "<p class='byline'>By <a href='/author/eva/'>Eva Malá</a> <a href='/author/jan/'>Jan Novák</a></p>"
    body = f"<article><h1>Vláda jedná</h1>{line}{PARAGRAPH}</article>"
    assert read(body, "<meta name='author' content='Eva Malá'>").authors == ("Eva Malá", "Jan Novák")
    assert read(body, "<meta name='author' content='Petr Malý'>").authors == ("Petr Malý",)


def test_authors_beside_the_article_are_introduced_in_an_element_of_its_own() -> None:
    box = "".join(
        f"<div class='profile'><img alt='{name}'><span><strong>{name}</strong><br>Redaktor</span></div>"
        for name in ("Eva Malá", "Jan Novák")
    )
    side = f"<div class='sidebar'><div class='post__authors'>{box}</div></div>"
    body = f"<main>{side}<article><h1>Vláda jedná</h1>{PARAGRAPH}</article>{CARD}</main>"
    assert read(body).authors == ("Eva Malá", "Jan Novák")


def test_the_site_named_above_its_posts_is_neither_headline_nor_author() -> None:
    logo = "<h1><a href='https://a.cz' rel='home'>Krajské Noviny</a></h1><p class='author'>Krajské Noviny</p>"
    post = (
        f"<h1>Vláda jedná</h1>{PARAGRAPH}<div><time datetime='{NIGHT}'>3. 2. 2024</time><p class='post-author__name'>"
        "Eva Malá</p><h3>Leave a Reply <small><a href='/?p=4#respond'>Cancel reply</a></small></h3></div>"
    )
    head = "<title>Vláda jedná – Krajské Noviny</title>"
    fields = read(f"<header>{logo}</header><main>{post}</main>", head, "https://a.cz/?p=4")
    assert (fields.title, fields.published, fields.authors) == ("Vláda jedná", NIGHT, ("Eva Malá",))
    assert fields.site_name == "Krajské Noviny"


def test_an_element_called_a_title_stands_for_a_missing_heading() -> None:
    logo = "<header><a class='site-name' href='/'>Krajské Noviny</a></header>"
    dated = "<div class='post-title'>Vláda jedná o daních</div><span class='datetime'>2024-02-03 14:05</span>"
    other = "<div class='post-nav'><span class='title'>Jiný článek o něčem</span></div>"
    fields = read(f"{logo}{other}{dated}{PARAGRAPH}", "<title>Vláda jedná o daních | Krajské Noviny</title>")
    assert (fields.title, fields.provenance.title) == ("Vláda jedná o daních", "meta")
    assert (fields.published, fields.site_name) == ("2024-02-03T14:05:00", "Krajské Noviny")


def test_a_headline_before_the_date_is_no_label_of_it() -> None:
    fields = read(
        f"<main><h1>Vláda aktualizuje daně</h1>\n<time datetime='{NIGHT}'>3. 2. 2024</time>{PARAGRAPH}</main>"
    )
    assert (fields.published, fields.modified) == (NIGHT, "")


@pytest.mark.parametrize("head", ["", "<meta name=description content='Vláda jedná o daních'>"])
def test_an_element_called_a_posts_title_stands_for_a_title_that_names_the_site(head: str) -> None:
    logo = "<header><a class='logo' href='/'>Krajské Noviny</a><div class='blog-title'>Noviny z kraje</div></header>"
    other = "<a href='/b'><div class='post-title'>Jiný článek o něčem</div></a>"
    dated = "<div class='post-main-title'>Vláda jedná o daních</div><p>Vydáno: 3. 2. 2024</p>"
    fields = read(f"{logo}{other}{dated}{PARAGRAPH}", f"<title>Krajské Noviny</title>{head}")
    assert (fields.title, fields.provenance.title) == ("Vláda jedná o daních", "heading")
    assert (fields.published, fields.site_name) == ("2024-02-03", "Krajské Noviny")


def test_a_headline_stays_one_where_the_sites_declared_name_repeats_the_title() -> None:
    title = "Vláda jedná o daních - Moje poznámky"
    head = f"<title>{title}</title><meta property='og:site_name' content='{title}'>"
    body = (
        f"<h1><a href='/'>Moje poznámky</a></h1><div class='entry-top'><h3>Vláda jedná o daních</h3></div>{PARAGRAPH}"
    )
    assert read(body, head).title == "Vláda jedná o daních"


def test_the_name_of_the_site_hides_no_byline_below_the_text() -> None:
    logo = "<header><p class='site-title'><a href='https://a.cz/'>Krajské Noviny</a></p></header>"
    byline = "<span class='byline'>By <a rel='author' href='/?author=2'>Eva Malá</a></span>"
    footer = f"<footer class='entry-footer'>{byline}</footer>"
    body = (
        f"{logo}<main><article class='hentry tag-weather'><h1>Vláda jedná</h1>{PARAGRAPH * 30}{footer}</article></main>"
    )
    assert read(body, url="https://a.cz/?p=4").authors == ("Eva Malá",)


@pytest.mark.parametrize(
    ("name", "text", "authors"),
    [
        ("Eva Malá", "Vláda jedná.", ("Eva Malá",)),
        ("Kmenové Noviny", "Vydáváme noviny.", ()),
        ("EU Times", "Vláda jedná.", ()),
        ("Eva Malá", "", ()),
    ],
)
def test_a_site_named_after_a_person_names_its_author(name: str, text: str, authors: tuple[str, ...]) -> None:
    head = f"<meta property='og:site_name' content='{name}'><meta name='author' content='{name}'>"
    assert read(f"<h1>Vláda jedná</h1><p>{text}</p>", head).authors == authors
    byline = f"<h1>Vláda jedná</h1><p>Autor: Jan Novák</p><p>{text}</p>"
    assert read(byline, head).authors == ("Jan Novák",)


@pytest.mark.parametrize(("kind", "authors"), [("NewsMediaOrganization", ()), ("Person", ("Eva Malá",))])
def test_a_declared_organisation_is_no_person_after_whom_its_site_is_named(kind: str, authors: tuple[str, ...]) -> None:
    author = f'"author": {{"@type": "{kind}", "name": "Eva Malá"}}'
    declared = f'{{"@type": "NewsArticle", "headline": "Vláda jedná", {author}}}'
    head = f"<meta property='og:site_name' content='Eva Malá'><script type='application/ld+json'>{declared}</script>"
    assert read("<h1>Vláda jedná</h1><p>Vláda jedná.</p>", head).authors == authors


def test_who_reviewed_a_text_is_no_author_and_a_full_name_replaces_initials() -> None:
    names = "<a href='/author/eva/'>Eva Malá</a> <span>Reviewed by</span> <a href='/author/jan/'>Jan Novák</a>"
    body = (
        f"<article><h1>Vláda jedná</h1><div class='widget author'>{names}<br>Politics writer</div>{PARAGRAPH}</article>"
    )
    assert read(body).authors == ("Eva Malá",)
    assert read(body, "<meta name='author' content='EMa'>").authors == ("Eva Malá",)
    assert read(f"<h1>Vláda jedná</h1>{PARAGRAPH}", "<meta name='author' content='EMa'>").authors == ("EMa",)


OG = "<meta property='og:title' content='Vláda jedná o daních'><meta property='og:site_name' content='Krajské Noviny'>"
"""The metadata of a page with a headline as readers see it."""


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("<h1><span>Rozpočet:</span> <span>Vláda jedná o daních</span></h1>", "Vláda jedná o daních"),
        ("<h1><em>Rozpočet</em><br>Vláda jedná o daních</h1>", "Vláda jedná o daních"),
        ("<h1>Rozpočet: Vláda jedná o daních</h1>", "Rozpočet: Vláda jedná o daních"),
        ("<h1>Vláda jedná <em>o daních</em></h1>", "Vláda jedná o daních"),
        ("<h1>Vláda jedná o daních <span>Krajské Noviny</span></h1>", "Vláda jedná o daních"),
        ("<h1>Krajské Noviny</h1><h2>Vláda jedná o daních</h2>", "Vláda jedná o daních"),
        ("<h1>Ekonomika</h1><p>Text</p>", "Vláda jedná o daních"),
        ("<p>Text</p>", "Vláda jedná o daních"),
        (f"<h1>{'slovo ' * 400}</h1>", "Vláda jedná o daních"),
        ("".join(f"<h1>Jiný článek {number}</h1>" for number in range(20)), "Vláda jedná o daních"),
        (
            "".join(f"<h1>Jiný článek {n}</h1>" for n in range(20)) + "<h1>Vláda jedná o daních</h1>",
            "Vláda jedná o daních",
        ),
        ("<h1>Влада заседа о порезима</h1>", "Vláda jedná o daních"),
    ],
)
def test_the_shown_headline_stands_without_kicker_rubric_and_site(heading: str, title: str) -> None:
    assert read(f"{heading}{PARAGRAPH}", OG).title == title


def test_the_description_of_another_article_is_no_lead() -> None:
    other = "<meta name='description' content='Zcela jiný článek o fotbalovém zápase, který skončil remízou.'>"
    fields = read(f"<h1>Vláda jedná o daních</h1><p class='author'>Eva Malá</p>{PARAGRAPH}", OG + other)
    assert (fields.title, fields.lead, fields.authors) == ("Vláda jedná o daních", "", ("Eva Malá",))


@pytest.mark.parametrize("day", ["<time>3. února 2024</time>", "<div class='date'>3. 2. 2024</div>"])
def test_the_day_in_the_header_of_a_site_is_no_date_of_its_page(day: str) -> None:
    logo, text = "<a href='/'>Krajské Noviny</a>", f"<h1>Vláda jedná o daních</h1>{PARAGRAPH}"
    assert read(f"<header>{logo}{day}</header><main>{text}</main>").published == ""
    assert read(f"<article><header>{day}</header>{text}</article>").published[:10] == "2024-02-03"
    below = f"<h1>Vláda jedná o daních</h1><header>{logo}{day}</header>{PARAGRAPH}"
    assert read(f"<main>{below}</main>").published[:10] == "2024-02-03"


def test_a_day_right_above_the_headline_precedes_those_below_the_text() -> None:
    article = f"<div class='meta'>3. února 2024</div><h1>Vláda jedná o daních</h1>{PARAGRAPH}"
    assert read(f"{article}<div><b>Most</b> <span class='date'>9. ledna 2024</span></div>").published == "2024-02-03"


@pytest.mark.parametrize(
    ("line", "agencies"),
    [
        ("Izvor: Tanjug", ("Tanjug",)),
        ("Джерело: Укрінформ | 14:35", ("Укрінформ",)),
        ("Source: State University, San Francisco", ()),
    ],
)
def test_a_line_of_the_source_names_an_agency(line: str, agencies: tuple[str, ...]) -> None:
    fields = read(f"<h1>Vláda jedná o daních</h1><div class=x>{line}</div>{PARAGRAPH}")
    assert (fields.agencies, fields.authors) == (agencies, ())
