"""Sections and tags as publishing systems and themes write them; the pages are made up."""

import pytest
from lxml import html as lxml_html

from newscorpus.data import Evidence, Fields, Page
from newscorpus.page.fields.reading import read_fields

SITE = "https://www.herald.example"
MENU = "".join(f'<li><a href="/category/{name.lower()}/">{name}</a></li>' for name in ("World", "Sport", "Art", "Town"))
NAVIGATION = f"<nav><ul>{MENU}</ul></nav>"
TEXT = f"<p>{'The council met and voted on the bridge. ' * 6}</p>"
HEADLINE = "<h1>Council votes on the bridge</h1>"


def read(body: str, path: str = "/council-votes", evidence: tuple[Evidence, ...] = (), head: str = "") -> Fields:
    html = f"<html><head><title>Council votes on the bridge</title>{head}</head><body>{body}</body></html>"
    page = Page.from_html(html, SITE + path, "2026-11-20T12:00:00+00:00")
    page = Page(page.url, page.body, page.headers, page.fetched, evidence)
    return read_fields(lxml_html.document_fromstring(html), page).fields


@pytest.mark.parametrize(
    ("article", "section", "tags"),
    [
        pytest.param(
            f'<article class="post-7 post hentry"><header>{HEADLINE}</header>{TEXT}<footer class="entry-footer">'
            '<span class="cat-links"><span class="screen-reader-text">Categories </span>'
            '<a href="/category/town/" rel="category tag">Town</a></span><span class="tags-links">Tagged '
            '<a href="/tag/bridge/" rel="tag">bridge</a>, <a href="/tag/river/" rel="tag">river</a></span>'
            "</footer></article>",
            "Town",
            ("bridge", "river"),
            id="rel",
        ),
        pytest.param(
            f'<main>{HEADLINE}<div class="taxonomy-category wp-block-post-terms">'
            '<a href="/category/town/" rel="tag">Town</a>'
            f'</div>{TEXT}<div class="taxonomy-post_tag wp-block-post-terms">'
            '<a href="/tag/bridge/" rel="tag">bridge</a></div>'
            "</main>",
            "Town",
            ("bridge",),
            id="rel tag for both",
        ),
        pytest.param(
            f'<article>{HEADLINE}<p>In <a href="/category/town.html">Town</a>.</p>'
            f'<p>tags: <a href="/tag/bridge.html">bridge</a> <a href="/tag/river.html">river</a></p>{TEXT}</article>',
            "Town",
            ("bridge", "river"),
            id="labels",
        ),
        pytest.param(
            f'<article>{HEADLINE}{TEXT}<p>In <a href="/category/town/">Town (12)</a>.</p><p>'
            '<a href="/tag/bridge/">bridge<sup>3</sup></a><a href="/tag/r/"><b>river<i class="tagCount">14</i></b></a>'
            '<a href="/tag/m/">m<sup>x</sup></a></p></article>',
            "Town",
            ("bridge", "river", "mx"),
            id="numbers of articles",
        ),
        pytest.param(
            f'<article>{HEADLINE}<dl class="article-info"><dd class="category-name">Rubrika: <a href="/index.php/town">'
            f'Town</a></dd></dl>{TEXT}<ul class="tags inline"><li class="tag-2" itemprop="keywords">'
            '<a href="/component/tags/tag/bridge" class="btn">bridge</a></li><li class="tag-3" itemprop="keywords">'
            '<a href="/component/tags/tag/river" class="btn">river</a></li></ul></article>',
            "Town",
            ("bridge", "river"),
            id="definition list",
        ),
        pytest.param(
            f'{HEADLINE}<p>Section: <a href="/news/town/">Town</a> | in <a href="/news/x/">Holm</a></p>{TEXT}',
            "Town",
            (),
            id="label of an unknown address",
        ),
        pytest.param(
            f'<article>{HEADLINE}{TEXT}<div class="field field--name-field-rubric">'
            '<div class="field__label">Section</div>'
            '<a href="/taxonomy/term/3">Town</a></div><div class="field field--name-field-tags">'
            '<div class="field__label">Tags</div><div class="field__items"><div class="field__item">'
            '<a href="/taxonomy/term/9">bridge</a></div><div class="field__item"><a href="/taxonomy/term/12">river</a>'
            "</div></div></div></article>",
            "Town",
            ("bridge", "river"),
            id="fields",
        ),
        pytest.param(
            f'<main><article itemscope itemtype="http://schema.org/Article">{HEADLINE}{TEXT}<aside><nav>'
            '<ul itemprop="keywords" class="tags"><li>'
            '<a class="tag p-category" href="/categories/bridge/" rel="tag">bridge'
            '</a></li><li><a class="tag p-category" href="/categories/river/" rel="tag">river</a></li></ul>'
            "</nav></aside>"
            "</article></main>",
            "",
            ("bridge", "river"),
            id="keywords in a list",
        ),
        pytest.param(
            f'<main><div class="sidebar"><ul><li><a href="/category/town/">in</a> in '
            '<a href="/category/town/">Town</a></li>'
            f'</ul></div><article><nav class="md-tags"><span class="md-tag">bridge</span>'
            '<span class="md-tag">river</span>'
            f"</nav>{HEADLINE}{TEXT}</article></main>",
            "Town",
            ("bridge", "river"),
            id="no links",
        ),
        pytest.param(
            f'<main>{HEADLINE}<aside><p>published on 2026-05-04 · tagged with <a href="/tag/bridge/">#bridge</a>, '
            f'<a href="/tag/town/">#town</a> and <a href="/tag/river/">#river</a></p></aside>{TEXT}</main>',
            "",
            ("bridge", "town", "river"),
            id="aside below the headline",
        ),
        pytest.param(
            f'<article>{HEADLINE}<p>On <time>May 4, 2026</time> in <a href="/topics/town/">Town</a></p>{TEXT}'
            '<p>Topics: <a href="/topics/bridge/">bridge</a>, <a href="/topics/river/">river</a></p></article>',
            "Town",
            ("bridge", "river"),
            id="topics",
        ),
        pytest.param(
            f"<article>{HEADLINE}{TEXT}<p>Štítky: most, řeka</p><p>Kategorie: Město</p></article>",
            "Město",
            ("most", "řeka"),
            id="plain text",
        ),
        pytest.param(
            f'<div class="breadcrumbs"><a href="/">Home</a> » <a href="/news/">News</a> » '
            '<a href="/news/town/">Town</a>'
            f"</div><article>{HEADLINE}{TEXT}</article>",
            "Town",
            (),
            id="breadcrumbs",
        ),
        pytest.param(
            f'<p class="arbo"><a href="/">Accueil</a> &gt; <a href="?rubrique16">Town</a> &gt; <b>Council</b></p>'
            f"<div>{HEADLINE}{TEXT}</div>",
            "Town",
            (),
            id="a trail without a name",
        ),
        pytest.param(
            f'<p><a href="/">Home</a> | <a href="/subscribe-now">Subscribe</a></p><div>{HEADLINE}{TEXT}</div>',
            "",
            (),
            id="a menu in a line",
        ),
        pytest.param(
            f'<body class="single single-post">'
            f'<article class="post-7 post hentry category-town tag-bridge">{HEADLINE}{TEXT}'
            "</article>",
            "Town",
            (),
            id="classes",
        ),
        pytest.param(
            f'<header>{HEADLINE}</header><article>{TEXT}<footer><a href="/categories/Town/">Town</a>'
            '<ul class="tags"><li><a href="/tags/river/">river</a></li></ul></footer></article>'
            '<article><h3><a href="/owls">Owls return</a></h3><a href="/categories/Art/">Art</a></article>',
            "Town",
            ("river",),
            id="headline above the article",
        ),
    ],
)
def test_section_and_tags_that_readers_see(article: str, section: str, tags: tuple[str, ...]) -> None:
    fields = read(f"{NAVIGATION}{article}")
    assert (fields.section, fields.tags) == (section, tags)


def test_menus_clouds_cards_and_links_in_the_text_are_not_the_articles() -> None:
    cloud = '<aside class="widget"><h2>Tags</h2><a href="/tag/river/">river</a><a href="/tag/owls/">owls</a></aside>'
    card = (
        '<section><h2>Read next</h2><article class="post-card"><a href="/tag/owls/" rel="tag">owls</a>'
        '<h3><a href="/owls">Owls return</a></h3><a rel="category tag" href="/category/art/">Art</a></article>'
        "</section>"
    )
    text = f"<p>{'The council met and voted. ' * 9} Read more in <a href='/category/sport/'>Sport</a>.</p>"
    fields = read(f"{NAVIGATION}<main><article>{HEADLINE}{text}</article>{card}</main>{cloud}")
    assert (fields.section, fields.tags) == ("", ())


def test_the_current_item_of_a_menu_is_the_section() -> None:
    menu = NAVIGATION.replace('<li><a href="/category/town/">', '<li class="active"><a href="/category/town/">')
    assert read(f"{menu}<article>{HEADLINE}{TEXT}</article>").section == "Town"


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/town/council-votes", "Town life"),
        ("/town/2026/11/20/council-votes", "Town life"),
        ("/village/2026/11/20/council-votes", "village"),
        ("/blog/2026/11/20/council-votes", ""),
        ("/news/council-votes", ""),
        ("/village/council-votes", ""),
    ],
)
def test_the_section_of_the_address_is_one_of_the_portal(path: str, section: str) -> None:
    town = '<a href="/town/">&lt; Back</a><a href="/town/">Town life</a>'
    menu = f'<nav><a href="/">Home</a><a href="/news/">News</a>{town}</nav>'
    fields = read(f"{menu}<article>{HEADLINE}{TEXT}</article>", path)
    assert (fields.section, fields.provenance.section) == (section, "url" if section else "")


def test_the_section_is_that_of_the_canonical_address() -> None:
    menu = '<nav><a href="/sport/">Sport</a><a href="/town/">Town life</a></nav>'
    head = '<link rel="canonical" href="/town/council-votes">'
    assert read(f"{menu}<article>{HEADLINE}{TEXT}</article>", "/sport/council-votes", head=head).section == "Town life"


TOWN, RIVER = '<a class="top" href="/tag/town/">Town</a>', '<a href="/tag/river/">river</a>'


@pytest.mark.parametrize(
    ("above", "section"),
    [
        pytest.param(TOWN, "Town", id="link"),
        pytest.param(f"<div><span>{TOWN}</span> <span><svg></svg> Featured</span></div>", "Town", id="held"),
        pytest.param('<p><a rel="tag" href="/town/">Town</a></p>', "Town", id="relation"),
        pytest.param(f"<div>{TOWN} {RIVER}</div>", "", id="row"),
        pytest.param(f"<ul><li>{TOWN}</li><li>{RIVER}</li></ul>", "", id="list"),
        pytest.param(f'{TOWN}<a href="/about/">About</a>', "", id="other link between"),
        pytest.param(f"{TOWN}<p>{'A paragraph of the text. ' * 4}</p>", "", id="text between"),
    ],
)
def test_a_single_tag_above_the_headline_is_the_section(above: str, section: str) -> None:
    head = "".join(f'<meta property="article:tag" content="{name}">' for name in ("Town", "river"))
    fields = read(f"<article><header>{above}{HEADLINE}</header>{TEXT}</article>", head=head)
    assert (fields.section, fields.tags) == (section, ("Town", "river"))


def test_a_single_tag_above_the_headline_precedes_the_folder_of_the_address() -> None:
    page = f"<article><header>{TOWN}{HEADLINE}</header>{TEXT}</article>"
    assert read(page, "/daily/2024/05/council-votes").section == "Town"


def test_a_tag_above_the_headline_is_no_section_in_a_menu_in_a_row_or_where_the_page_states_one() -> None:
    head = '<meta property="article:section" content="Local">'
    assert read(f"<article>{TOWN}{HEADLINE}{TEXT}</article>", head=head).section == "Local"
    category = '<a href="/category/local/" rel="category">Local</a>'
    assert read(f"<article>{TOWN}{HEADLINE}{category}{TEXT}</article>").section == "Local"
    assert read(f'<article>{TOWN}<meta property="articleSection" content="Local">{TEXT}</article>').section == "Local"
    assert read(f"<nav>{TOWN}</nav><article>{HEADLINE}{TEXT}</article>").section == ""
    fields = read(f"<article><div>{TOWN} {RIVER}</div>{HEADLINE}{TEXT}</article>")
    assert (fields.section, fields.tags) == ("", ("Town", "river"))


def test_categories_of_a_feed_are_parted_by_the_links_of_the_page() -> None:
    given = tuple(Evidence("tags", name, "feed") for name in ("Town", "bridge", "river"))
    fields = read(f"{NAVIGATION}<article>{HEADLINE}{TEXT}</article>", evidence=given)
    assert (fields.section, fields.tags) == ("Town", ("bridge", "river"))
    assert (fields.provenance.section, fields.provenance.tags) == ("feed", "feed")
    shown = f'<article>{HEADLINE}{TEXT}<a href="/tag/bridge/" rel="tag">bridge</a></article>'
    assert read(NAVIGATION + shown, evidence=given).tags == ("bridge",)


def test_what_the_page_states_to_machines_comes_first() -> None:
    head = '<meta property="article:section" content="Local"><meta property="article:tag" content="bridges">'
    shown = '<a href="/category/town/" rel="category tag">Town</a><a href="/tag/bridge/" rel="tag">bridge</a>'
    fields = read(f"<article>{HEADLINE}{TEXT}{shown}</article>", head=head)
    assert (fields.section, fields.tags) == ("Local", ("bridges",))


def test_keywords_of_the_whole_site_give_way_to_the_tags_of_the_article() -> None:
    body = f'<article>{HEADLINE}{TEXT}<p>Tags: <a href="/tag/bridge/">bridge</a></p></article>'
    assert read(body, head='<meta name="keywords" content="news, herald">').tags == ("bridge",)
    assert read(body, head='<meta name="keywords" content="Bridge, river">').tags == ("Bridge", "river")
    head = '<meta name="keywords" content="herald"><meta property="article:tag" content="bridge">'
    assert read(f"<article>{HEADLINE}{TEXT}</article>", head=head).tags == ("bridge",)


@pytest.mark.parametrize("n_paragraphs", [42, 60])
def test_links_in_a_post_without_a_name_are_its_own_however_long_its_text(n_paragraphs: int) -> None:
    """The end of the text may be far from the headline."""
    tags = "".join(
        f"<span> <a href='/tags/{name}/'>{name}</a></span>" for name in ("bridge", "river", "weather", "boats")
    )
    meta = f"<div><i>{tags}<span>In <a href='/categories/Town/'>Town</a></span></i></div>"
    cloud = "<div><a href='/tags/sport/'>sport</a><a href='/tags/art/'>art</a></div>"
    fields = read(f"{NAVIGATION}<div><div>{HEADLINE}<div>{TEXT * n_paragraphs}</div>{meta}</div>{cloud}</div>")
    assert (fields.section, fields.tags) == ("Town", ("bridge", "river", "weather", "boats"))


@pytest.mark.parametrize(
    ("host", "shown", "tags"),
    [
        ("herald.example", "#bridge", ("bridge",)),
        ("sport.herald.example", "#bridge", ("bridge",)),
        ("herald.example", "bridge", ()),
        ("example", "#bridge", ()),
        ("otherherald.example", "#bridge", ()),
    ],
)
def test_hashtags_may_lie_on_another_host_of_the_domain(host: str, shown: str, tags: tuple[str, ...]) -> None:
    page = f"<article>{HEADLINE}<a href='https://{host}/tag/bridge'>{shown}</a>{TEXT}</article>"
    assert read(page).tags == tags
