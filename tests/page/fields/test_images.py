import pytest

from newscorpus.data import Article, Image, Page
from newscorpus.page.fields.images import image_key, is_picture
from newscorpus.page.loading import extractor_of
from newscorpus.page.recipe import Recipe
from tests.mockserver.kinds import expect

PROSE = "The bridge over the river opened on Monday, after ten years of work and two floods that tore its pillars away."
HEAD = '<meta property="og:image" content="https://cdn.example/bridge-1200x630.jpg"><title>The bridge opens</title>'


def images_of(body: str, head: str = HEAD) -> tuple[Image, ...]:
    """Find the images of a page; `|` in its body stands for a line of text."""
    parts = f"{body}||".split("|")
    shown = "".join(f"{part}<p>{PROSE} Part {number}.</p>" for number, part in enumerate(parts))
    html = f"<html><head>{head}</head><article class=story><h1>The bridge opens</h1>{shown}</article></html>"
    article = expect(Article, extractor_of(Recipe())(Page.from_html(html, "https://news.example/2/bridge")))
    return article.fields.images


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", ["https://cdn.example/bridge-1200x630.jpg"]),  # the one declared
        (
            '|||<img src="/a/river.jpg">',
            ["https://cdn.example/bridge-1200x630.jpg", "https://news.example/a/river.jpg"],
        ),
        ('<img src="/a/opening.jpg">|', ["https://news.example/a/opening.jpg"]),  # the lead image, declared otherwise
        (
            '|<img src="/a/river.jpg">|<img src="https://cdn.example/bridge-640x360.jpg">',
            ["https://cdn.example/bridge-1200x630.jpg", "https://news.example/a/river.jpg"],
        ),
        ('<img src="/x.gif" data-src="/a/lazy.jpg">|', ["https://news.example/a/lazy.jpg"]),
        ('<img src="data:,R0" srcset="/s.jpg 320w, /l,1.jpg 1280w,/m.jpg 640w">|', ["https://news.example/l,1.jpg"]),
        ('<picture><source srcset="/a/large.webp"><img></picture>|', ["https://news.example/a/large.webp"]),
        ('<img><noscript><img src="/a/without.jpg"></noscript>|', ["https://news.example/a/without.jpg"]),
        ('<a href="/a/full.jpg"><img src="/a/zoomed.jpg"></a>|', ["https://news.example/a/zoomed.jpg"]),
    ],
)
def test_images_in_and_before_the_text(body: str, expected: list[str]) -> None:
    assert [image.url for image in images_of(body)] == expected


@pytest.mark.parametrize(
    "body",
    [
        '|<img src="/a/tiny.jpg" width=48 height=48>',
        '|<img src="/static/facebook-icon.png">',
        '|<aside><img src="/a/other.jpg"></aside>',
        '|<div class="related-stories"><img src="/a/other.jpg"></div>',
        '|<div class="ad-slot"><img src="/a/other.jpg"></div>',
        '|<div class="author-box"><img src="/a/ann.jpg"></div>',
        '|<a href="/3/another-article"><img src="/a/other.jpg"></a>',
        '|<noscript><img src="https://count.example/1"></noscript>',
    ],
)
def test_icons_portraits_adverts_and_teasers_are_left_out(body: str) -> None:
    assert [image.url for image in images_of(body)] == ["https://cdn.example/bridge-1200x630.jpg"]


@pytest.mark.parametrize("address", ["https://news.example/img/logo.png", "https://news.example/2/bridge#primaryimage"])
def test_a_declared_image_that_shows_nothing_is_left_out(address: str) -> None:
    assert images_of("", f'<meta property="og:image" content="{address}"><title>The bridge opens</title>') == ()


@pytest.mark.timeout(60)
def test_the_sources_of_a_picture_with_many_images_are_read_once() -> None:
    picture = f"<picture>{'<source></source>' * 20_000}{'<img>' * 2_000}</picture>"
    assert [image.url for image in images_of(picture)] == ["https://cdn.example/bridge-1200x630.jpg"]


def test_alternative_text_and_caption() -> None:
    figure = '<figure><img src="/a/one.jpg" alt="A crane"><figcaption>The crane.<br>Photo: Ann</figcaption></figure>'
    captioned = '<div class="wp-caption"><img src="/a/two.jpg" alt=""><p class="wp-caption-text">The river</p></div>'
    assert images_of(f"{figure}|{captioned}") == (
        Image("https://news.example/a/one.jpg", "A crane", "The crane. Photo: Ann"),
        Image("https://news.example/a/two.jpg", "", "The river"),
    )


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("https://a.example/img/bridge-300x200.jpg", "https://cdn.example/2026/bridge.webp?w=800", True),
        ("https://a.example/7/wide__1280x720", "https://a.example/8/wide__1280x720", False),
        ("https://a.example/bridge-1-of-2.jpg", "https://a.example/bridge-2-of-2.jpg", False),
        ("https://a.example/crop/bridge-group-1/wide__98x55", "https://a.example/bridge-group-1/square__96x96", True),
    ],
)
def test_renditions_of_an_image_have_one_key(one: str, other: str, *, are_same: bool) -> None:
    assert (image_key(one) == image_key(other)) is are_same
    assert is_picture(one)
