"""The pages of the demo site say of themselves what the gold, the routes and the feeds say of them."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import etree, html

from newscorpus.portal.schema import load_portal
from newscorpus.tokens import count_words, words
from newscorpus.views.demo.run import read_gold
from newscorpus.views.demo.server import PLACEHOLDER, SITE, read_routes

GOLD = read_gold()
ROUTES = read_routes()
PAGES = sorted(SITE.glob("pages/*.html"))
FURTHER = {"en-walls": "2/en-walls"}
"""Of a page whose article has a second one, that one's file."""
NAMES = [page.stem for page in PAGES]
ENCODINGS = {
    "cs-most": "windows-1250",
    "pl-latarnia": "iso-8859-2",
    "ru-parom": "koi8-r",
    "sl-arhiv": "iso-8859-2",
    "sr-reka": "windows-1251",
}
LISTED = sorted([*SITE.glob("feeds/*.xml"), *SITE.glob("sitemaps/*.xml")])


def source(name: str) -> str:
    return (SITE / "pages" / f"{name}.html").read_bytes().decode(ENCODINGS.get(name, "utf-8"))


def tree(name: str) -> Any:
    text = source(name)
    return html.document_fromstring(re.sub(r"<META HTTP-EQUIV[^>]*>", "", text))


def visible(name: str) -> str:
    roots = [tree(page) for page in (name, FURTHER.get(name)) if page]
    for hidden in (found for root in roots for found in root.xpath("//script | //style | //head")):
        hidden.drop_tree()
    return " ".join(text for root in roots for text in root.itertext())


def path(url: str) -> str:
    assert url.startswith(PLACEHOLDER)
    return url.removeprefix(PLACEHOLDER)


def test_every_page_has_gold_and_is_served_at_its_address() -> None:
    assert GOLD.keys() - set(NAMES) == {"calendar", "en-gone"}
    assert set(NAMES) <= GOLD.keys()
    for name in NAMES:
        assert ROUTES[path(GOLD[name].url)].file == f"pages/{name}.html"


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_its_gold_says(name: str) -> None:
    gold, text, page = GOLD[name], visible(name), tree(name)
    seen, lines = " ".join(words(text)), gold.text.split("\n")
    assert all(" ".join(words(line)) in seen for line in (*lines, gold.title))
    captions = {caption.text_content() for caption in page.xpath("//figcaption | //div[@class='popis']")}
    assert not {gold.title, *captions, *gold.authors} & {*lines}
    assert name == "en-print" or count_words(text) > count_words(gold.text) + 100
    assert gold.expect != "kept" or 150 <= count_words(gold.text) <= 600
    for script in page.xpath("//script[@type='application/ld+json']"):
        data = json.loads(script.text)
        entity: dict[str, Any] = next((each for each in data.get("@graph", [data]) if "headline" in each), {})
        assert (entity["headline"], entity["datePublished"]) == (gold.title, gold.published)
    assert page.xpath("string(//link[@rel='canonical']/@href)") in {"", gold.url}
    for link in page.xpath("//a/@href"):
        target = urlsplit(urljoin("/", link))
        assert not target.netloc
        assert target.path in {"", "/", "/calendar/"} or {link, target.path} & ROUTES.keys(), link
    loaded = page.xpath("//*/@src | //link/@href | //source/@srcset")
    assert all(link.startswith(("/", PLACEHOLDER)) for link in loaded), "nothing is loaded from elsewhere"


@pytest.mark.parametrize("name", sorted(ENCODINGS))
def test_charsets_are_real_and_declared_in_the_page_or_in_the_header(name: str) -> None:
    body = (SITE / "pages" / f"{name}.html").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")
    assert GOLD[name].title in body.decode(ENCODINGS[name])
    in_header = ENCODINGS[name] in ROUTES[path(GOLD[name].url)].content_type
    assert in_header != (f"charset={ENCODINGS[name]}" in source(name))


@pytest.mark.parametrize("file", LISTED, ids=lambda file: file.name)
def test_feeds_and_sitemaps_parse_and_lead_to_pages(file: Path) -> None:
    root: Any = etree.fromstring(file.read_bytes())
    links = [*root.xpath("//*[local-name()='loc' or local-name()='link']/text()")]
    links += root.xpath("//*[local-name()='link']/@href")
    assert len(links) >= 3
    for link in links:
        assert path(link) in ROUTES or path(link).partition("?")[0] in ROUTES


def test_every_page_can_be_found() -> None:
    roots: list[Any] = [html.fromstring(file.read_bytes()) for file in SITE.glob("listings/*.html")]
    listings = [root.xpath("//a/@href") for root in roots]
    listed = [re.findall(rf"{re.escape(PLACEHOLDER)}([^<\"]+)", file.read_text("utf-8")) for file in LISTED]
    found = {link.replace("&amp;", "&").partition("?utm")[0] for links in (*listings, *listed) for link in links}
    assert {path(GOLD[name].url) for name in GOLD} <= found


def test_the_portal_file_knows_articles_from_listings() -> None:
    portal = load_portal("demo")
    articles = {path(page.url) for name, page in GOLD.items() if name != "calendar"}
    others = {route.path for route in ROUTES.values() if not route.redirect} - articles
    assert all(portal.is_article(portal.start[0] + article[1:]) for article in articles)
    assert not [other for other in others if portal.is_article(portal.start[0] + other[1:])]
    assert {urlsplit(url).path for url in (*portal.feeds, *portal.sitemaps, *portal.start)} <= ROUTES.keys()
