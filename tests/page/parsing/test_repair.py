"""Text that was read in a wrong charset before it came to the page is mended; text that is right stays as it is."""

import pytest

from benchmarks.unreadable import MISREAD, own_texts
from newscorpus.data import Article, Fields, Image, Page
from newscorpus.page.parsing.decode import repair, repair_fields
from newscorpus.page.registry import load

PARAGRAPHS = [paragraph for of_language in own_texts().values() for paragraph in of_language]
BY_BROWSERS = MISREAD["UTF-8 read as Windows-1252, as browsers have it"]


@pytest.mark.parametrize(
    "how",
    [
        "UTF-8 read as Windows-1252, as browsers have it",
        "the same twice",
        "UTF-8 read as ISO-8859-1",
    ],
)
def test_what_can_be_undone_is_undone(how: str) -> None:
    assert [text for text in PARAGRAPHS if repair(MISREAD[how](text)) != text] == []


@pytest.mark.parametrize("charset", ["sloppy-windows-1250", "sloppy-windows-1251", "sloppy-windows-1253", "koi8_r"])
@pytest.mark.parametrize("language", own_texts())
def test_a_text_is_mended_in_the_charset_of_its_clearest_line(language: str, charset: str) -> None:
    text = "\n".join(own_texts()[language])
    misread = "\n".join(" ".join(line.split()) for line in text.encode().decode(charset).split("\n"))
    assert repair(misread) == text


def test_a_broken_line_is_mended_beside_a_right_one() -> None:
    right = "Příliš žluťoučký kůň"
    assert repair(f"{right}\n{BY_BROWSERS(right)}") == f"{right}\n{right}"


def test_right_text_stays_as_it_is() -> None:
    hard = [
        "CAFÉ» ou « CAFÉ »",
        "Ârgint, Ã e Õ",
        "§ 5 odst. 2 písm. ©",
        "Її п’ять",
        "ΆΛΦΑ·ΒΗΤΑ",
        "№ 5°",
        "Đà Nẵng",
        "a – b – c – d",
    ]
    assert [text for text in [*PARAGRAPHS, *hard] if repair(text) != text] == []


def test_fields_are_mended_too() -> None:
    right = Fields(title="Řeka", authors=("Jiří Dvořák",), images=(Image("https://a.example/ä.png", "Kůň", "Říp"),))
    broken = Fields(
        title=BY_BROWSERS("Řeka"),
        authors=(BY_BROWSERS("Jiří Dvořák"),),
        images=(Image("https://a.example/ä.png", BY_BROWSERS("Kůň"), BY_BROWSERS("Říp")),),
    )
    assert repair_fields(broken) == right


def test_a_page_gives_a_mended_article_that_says_so() -> None:
    paragraphs = "".join(f"<p>{line}</p>" for line in PARAGRAPHS[:6])
    html = f"<title>Most přes řeku</title><article><h1>Most přes řeku</h1>{paragraphs}</article>"
    extract = load("bte")
    plain, mended = (extract(Page.from_html(page)) for page in (html, BY_BROWSERS(html)))
    assert isinstance(plain, Article)
    assert isinstance(mended, Article)
    assert (mended.text, mended.fields.title) == (plain.text, plain.fields.title)
    assert mended.flags == (*plain.flags, "encoding_repaired")


@pytest.mark.parametrize("charset", ["latin-1", "sloppy-windows-1252", "sloppy-windows-1250", "sloppy-windows-1251"])
def test_a_title_is_mended_though_half_of_a_letter_looks_like_a_soft_hyphen(charset: str) -> None:
    title = "Příští týden bude v pondělí líp"
    paragraphs = "".join(f"<p>{line}</p>" for line in PARAGRAPHS[:6])
    html = f"<title>{title}</title><article><h1>{title}</h1>{paragraphs}</article>".encode().decode(charset)
    article = load("bte")(Page.from_html(html))
    assert isinstance(article, Article)
    assert article.fields.title == title
