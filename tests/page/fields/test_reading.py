import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from newscorpus.data import Evidence, Page
from newscorpus.page.fields.decide import decide_section, primary_tag
from newscorpus.page.fields.reading import PageFields, read_fields

ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "Vláda schválila rozpočet",
    "datePublished": "2024-02-03T14:05:00+01:00",
    "dateModified": "2024-02-03T18:00:00+01:00",
    "author": [{"@type": "Person", "name": "Jana Nováková"}, {"@type": "Organization", "name": "ČTK"}],
    "publisher": {"@type": "Organization", "name": "Deník Příklad"},
    "articleSection": "Domácí",
    "keywords": "vláda, rozpočet",
    "description": "Perex &amp; souhrn.",
    "inLanguage": "cs-CZ",
    "isAccessibleForFree": "False",
    "articleBody": "První odstavec.\n\nDruhý odstavec.",
    "image": {"@type": "ImageObject", "url": "/a.jpg", "caption": "Premiér"},
    "license": "https://creativecommons.org/licenses/by/4.0/",
}
URL = "https://www.denikpriklad.cz/domaci/clanek-1"


def read(html: str, url: str = URL, fetched: str = "", evidence: tuple[Evidence, ...] = ()) -> PageFields:
    return read_fields(lxml_html.document_fromstring(html), Page.from_html(html, url, fetched), evidence)


def script(value: object) -> str:
    return f'<script type="application/ld+json">{value if isinstance(value, str) else json.dumps(value)}</script>'


def test_json_ld_fills_the_fields() -> None:
    reading = read(f"<html lang=cs><head>{script(ARTICLE)}</head><body><p>Text</p></body></html>")
    fields = reading.fields
    assert (fields.title, fields.published) == (ARTICLE["headline"], ARTICLE["datePublished"])
    assert fields.modified == ARTICLE["dateModified"]
    assert (fields.authors, fields.agencies) == (("Jana Nováková",), ("ČTK",))
    assert (fields.section, fields.tags, fields.language) == ("Domácí", ("vláda", "rozpočet"), "cs")
    assert (fields.description, fields.site_name, fields.kind) == ("Perex & souhrn.", "Deník Příklad", "NewsArticle")
    assert fields.paywalled
    assert fields.license == "https://creativecommons.org/licenses/by/4.0/"
    assert [(image.url, image.caption) for image in fields.images] == [("https://www.denikpriklad.cz/a.jpg", "Premiér")]
    assert fields.provenance.title == fields.provenance.published == fields.provenance.authors == "json-ld"
    assert reading.article_body == "První odstavec.\nDruhý odstavec."


@pytest.mark.parametrize(
    ("author", "authors"),
    [
        ({"@type": "Person", "name": ["Jana Nováková", "Petr Malý"]}, ("Jana Nováková", "Petr Malý")),
        ({"@type": "Person", "givenName": "Jana", "familyName": "Nováková", "url": "/a"}, ("Jana Nováková",)),
        ({"@type": "Person", "name": "J. Nováková", "givenName": "Jana"}, ("J. Nováková",)),
    ],
)
def test_all_names_of_an_author_are_read(author: dict[str, object], authors: tuple[str, ...]) -> None:
    assert read(f"<head>{script({**ARTICLE, 'author': author})}</head><p>Text</p>").fields.authors == authors


def test_keywords_are_parted_by_commas_or_semicolons() -> None:
    tags = [
        read(f"<meta name=keywords content='{words}'><p>Text</p>").fields.tags
        for words in ("vláda, rozpočet", "vláda; rozpočet", "Praha, hlavní město; rozpočet")
    ]
    assert tags == [("vláda", "rozpočet"), ("vláda", "rozpočet"), ("Praha, hlavní město", "rozpočet")]


def test_the_tree_is_left_as_it_was() -> None:
    tree = lxml_html.document_fromstring(f"<html><head>{script(ARTICLE)}</head><body><h1>A</h1></body></html>")
    before = lxml_html.tostring(tree)
    read_fields(tree, Page(URL, b""))
    assert lxml_html.tostring(tree) == before


def test_a_template_decides_a_feed_fills_what_the_page_lacks_and_both_are_named() -> None:
    page = f"<html><head>{script(ARTICLE)}</head><body></body></html>"
    fields = read(page, evidence=(Evidence("title", "Titulek – Deník Příklad", "template"),)).fields
    assert (fields.title, fields.provenance.title) == ("Titulek – Deník Příklad", "template")
    fed = Page(URL, b"", evidence=(Evidence("published", "Sat, 03 Feb 2024 14:05:00 +0100", "feed"),))
    fields = read_fields(lxml_html.document_fromstring("<html><body><h1>A</h1></body></html>"), fed).fields
    assert (fields.published, fields.provenance.published) == ("2024-02-03T14:05:00+01:00", "feed")


def test_every_value_has_a_provenance_and_nothing_else_has() -> None:
    fields = read("<html><head><title>Zpráva</title></head><body></body></html>").fields
    assert (fields.title, fields.provenance.title) == ("Zpráva", "meta")
    assert {name for name in fields.provenance.__slots__ if getattr(fields.provenance, name)} == {"title"}


@pytest.mark.parametrize("nothing", ["None", "null", "undefined", "{{ title }}", "[object Object]", "<b></b>", " "])
def test_placeholders_are_no_values(nothing: str) -> None:
    article = {"@type": "NewsArticle", "headline": nothing, "author": nothing, "articleSection": nothing}
    fields = read(f"<html><head>{script(article)}<meta name=author content='{nothing}'></head></html>").fields
    assert (fields.title, fields.authors, fields.section) == ("", (), "")


def test_dates_after_the_fetch_and_canonical_addresses_of_the_front_page_are_refused() -> None:
    page = "<html><head><meta property='article:published_time' content='2031-01-01T00:00:00Z'></head></html>"
    assert read(page, fetched="2024-02-03T14:05:00+01:00").fields.published == ""
    page = "<html><head><link rel=canonical href='/'><meta property='og:url' content='/clanek'></head></html>"
    assert read(page).fields.canonical_url == "https://www.denikpriklad.cz/clanek"
    page = "<html><head><link rel=canonical href='/clanek/comment-page-1/#comments'></head></html>"
    assert read(page).fields.canonical_url == "https://www.denikpriklad.cz/clanek/"


HOSTILE = {
    "deep": '{"@type":"NewsArticle","author":' * 100_000 + '"A"' + "}" * 100_000,
    "deep graph": '{"@graph":' * 500 + "[]" + "}" * 500,
    "wide": json.dumps([{"@type": "NewsArticle", "headline": "A"}] * 30_000),
    "circle": json.dumps(
        {"@graph": [{"@id": "#a", "@type": "Article", "author": {"@id": "#b"}}, {"@id": "#b", "name": {"@id": "#a"}}]}
    ),
    "types": json.dumps(
        {
            "@type": ["NewsArticle", {}, 3, None],
            "headline": {"a": [1]},
            "author": [[["A"]], 7, None, True],
            "datePublished": ["x", {}],
            "image": [{}, 3, None, {"url": {}}],
            "keywords": {"a": 1},
            "isAccessibleForFree": {},
            "mainEntityOfPage": [3, {"@id": {}}],
            "inLanguage": [None, {"name": 3}],
            "articleBody": ["a", 3],
        }
    ),
    "escapes": '{"@type":"NewsArticle","headline":"\\ud800 A","author":"\\u0000"}',
    "quotes": '{"@type":"NewsArticle","headline":"' + '\\"' * 100_000,
    "spaces": '{"@type":"NewsArticle",' + " \n" * 200_000,
    "braces": "[{" * 100_000,
    "commas": "[" + "," * 200_000,
    "comments": "/*" * 200_000 + "//" * 200_000 + "<!--" * 50_000,
    "number": '{"@type":"NewsArticle","headline":' + "9" * 100_000 + "}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_ld_costs_little_and_never_raises(name: str) -> None:
    tree = lxml_html.document_fromstring(
        f"<html><head>{script(HOSTILE[name])}</head><body><h1>Titulek</h1></body></html>"
    )
    fields = read_fields(tree, Page(URL, b"")).fields
    assert fields.title


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["@type", "@id", "@graph", "name", "headline", "author", "image", "url", "datePublished", "hasPart"]
            )
            | st.text(max_size=5),
            inner | st.just("NewsArticle"),
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_no_json_ld_raises(value: object) -> None:
    read(f"<html><head>{script(value)}</head><body></body></html>")


@pytest.mark.parametrize(
    ("given", "section"),
    [
        ("3-Clanky - www.denik.cz", "Clanky"),
        ("Zprávy | https://www.denik.cz/", "Zprávy"),
        ("www.denik.cz", "Sport"),
        ("24 hodin", "24 hodin"),
        ("3-D", "3-D"),
        ("Politika - domácí", "Politika - domácí"),
        ("Jídlo, pití a cestování", "Jídlo, pití a cestování"),
        ("news,domaci,volby", "domaci"),
        ("Domácí; Volby", "Domácí"),
        ("Volby, Kandidáti, Praha", "Volby"),
        ("senát,volby", "Sport"),
        ('{"name":"Domácí"}', "Sport"),
    ],
)
def test_a_section_is_the_first_of_a_list_without_number_and_address_of_the_site(given: str, section: str) -> None:
    evidence = [Evidence("section", given, "json-ld"), Evidence("section", "Sport", "meta")]
    evidence.append(Evidence("tags", "volby, senát", "meta"))
    assert decide_section(evidence, "").value == section


@pytest.mark.parametrize(
    ("folder", "named", "section"),
    [
        ("blog", ["Zdraví"], "Zdraví"),
        ("zdravi", ["Sport", "Zdraví"], "Zdraví"),
        ("zdravi", ["Sport"], "zdravi"),
        ("zdravi", ["ZDRAVÍ"], "zdravi"),
        ("Zdraví", ["zdraví"], "Zdraví"),
        ("blog", [], ""),
    ],
)
def test_a_folder_is_a_section_as_the_page_names_it(folder: str, named: Sequence[str], section: str) -> None:
    links = "".join(f'<a href="/categories/{number}/">{name}</a> ' for number, name in enumerate(named))
    head = (
        f'<head><meta property="article:section" content="{folder}"><meta property="article:tag" content="one"></head>'
    )
    text = f"<p>In {links}</p><p>{'Long text of it. ' * 30}</p>"
    assert (
        read(f"{head}<body><article><h1>The old bridge stays open</h1>{text}</article></body>").fields.section
        == section
    )


def test_a_folder_in_another_alphabet_is_named_by_the_link_to_it() -> None:
    head = (
        '<head><meta property="article:section" content="politika"><meta property="article:tag" content="one"></head>'
    )
    body = '<body><nav><a href="/politika/">Политика</a></nav><h1>The old bridge stays open</h1>'
    assert read(f"{head}{body}", "https://example.org/politika/the-old-bridge/").fields.section == "Политика"
    head = head.replace("politika", "society")
    assert read(f"{head}{body}", "https://example.org/politika/the-old-bridge/").fields.section == "society"


@pytest.mark.parametrize(
    ("declared", "shown", "tags"),
    [
        (["Public Space", "Hockey"], ["public space", "hockey"], ("public space", "hockey")),
        (["Bill of Rights"], ["bill of rights"], ("bill of rights",)),
        (["public space", "Hockey"], ["Public space", "HOCKEY"], ("public space", "Hockey")),
        (["Hockey"], ["weather"], ("weather",)),
    ],
)
def test_capitals_of_a_generator_are_not_those_of_tags(
    declared: Sequence[str], shown: Sequence[str], tags: tuple[str, ...]
) -> None:
    metas = "".join(f'<meta property="article:tag" content="{tag}">' for tag in declared)
    links = " ".join(f'<a rel="tag" href="/tags/{tag}/">{tag}</a>' for tag in shown)
    page = (
        f"<head><meta property='article:section' content='News'>{metas}</head><body><h1>The bridge</h1><p>{links}</p>"
    )
    assert read(page).fields.tags == tags


@pytest.mark.parametrize(
    ("tag", "language"),
    [("utf-8", ""), ("sr-Latn-RS", "sr"), ("deu", "de"), ("German", "de"), ("cnr", "cnr"), ("all", ""), ("cz", "cs")],
)
def test_a_stated_language_is_one(tag: str, language: str) -> None:
    assert primary_tag(tag) == language


def test_a_shown_day_has_the_order_of_day_and_month_that_the_address_or_a_moment_states() -> None:
    shown = "<h1>The old bridge is closed</h1><p class=date>10/02/2026</p><p>Text."
    assert read(shown, "https://vesti.example/2026/10/02/old-bridge").fields.published == "2026-10-02"
    stated = f"{shown}<p><time datetime='2026-10-02T18:17:32+02:00'>10/02/2026</time>"
    assert read(stated).fields.published == "2026-10-02T18:17:32+02:00"
    assert read(shown).fields.published == "2026-02-10"


def test_tags_in_lower_case_are_spelled_as_the_text_does_within_sentences() -> None:
    declared = "angela merkel, nato, bridge, climate change, town, health"
    text = "A Bridge. Town News. All who saw Angela Merkel when she met NATO."
    text += " The Climate change, the climate change stays. Now the Ministry of Health agrees."
    page = f"<meta name=keywords content='{declared}'><h1>The Town Waits</h1><p>{text}</p>"
    assert read(page).fields.tags == ("Angela Merkel", "NATO", "bridge", "climate change", "town", "health")


def test_keywords_that_are_the_address_are_no_tags() -> None:
    head = "<meta name=keywords content='domaci,old-bridge'><h1>The old bridge is closed</h1>"
    assert read(head, "https://vesti.example/wiki/domaci/old-bridge").fields.tags == ()
    assert read(head, "https://vesti.example/domaci/old-bridge/2").fields.tags == ("domaci", "old-bridge")


def test_keywords_made_of_the_headline_are_no_tags() -> None:
    page = "<meta name=keywords content='the,old,bridge,closes,ferries'><h1>The Old Bridge "
    assert read(f"{page}Closes</h1>").fields.tags == ("ferries",)
    assert read(f"{page}Waits</h1>").fields.tags == ("the", "old", "bridge", "closes", "ferries")


def test_a_day_of_the_build_gives_way_to_one_in_the_month_of_the_address() -> None:
    built = "<meta name=Date content='2026-11-26 20:13:29'><h1>The old bridge is closed</h1>"
    shown = f"{built}<div><span class=date>2024-05-20</span> by <span class=author>Jana Malik</span></div><p>Text."
    assert read(shown, "https://vesti.example/2024/05/51-old-bridge/").fields.published == "2024-05-20"
    assert read(shown, "https://vesti.example/old-bridge/").fields.published.startswith("2026-11-26")
    assert read(built, "https://vesti.example/2024/05/51-old-bridge/").fields.published.startswith("2026-11-26")
    unread = shown.replace("2026-11-26 20:13:29", "a while ago")
    assert read(unread, "https://vesti.example/old-bridge/").fields.published == "2024-05-20"
