"""Bytes become text; text that was read in a wrong charset before is mended, and text that is right stays."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.unreadable import MISREAD, own_texts
from newscorpus.config import Limits
from newscorpus.data import Article, Fields, Image, Page, Rejected
from newscorpus.page.loading import load
from newscorpus.page.parsing.decode import decode, repair, repair_fields
from tests.mockserver.kinds import expect

CZECH = (
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Vláda ve středu schválila návrh rozpočtu na příští rok, který počítá se "
    "schodkem téměř tří set miliard korun. Opozice kritizuje, že škrty dopadnou na důchodce i na školy."
)
POLISH = (
    "Zażółć gęślą jaźń. Rząd przyjął w środę projekt budżetu na przyszły rok, który przewiduje deficyt prawie trzystu "
    "miliardów złotych. Opozycja twierdzi, że cięcia dotkną emerytów i szkoły, a oszczędności są za późne."
)
CROATIAN = (
    "Vlada je u srijedu prihvatila prijedlog proračuna za sljedeću godinu, koji predviđa manjak od gotovo tri stotine "
    "milijuna eura. Oporba kaže da će rezovi pogoditi umirovljenike i škole, žene i đake."
)
RUSSIAN = (
    "Правительство в среду одобрило проект бюджета на следующий год, который предусматривает дефицит почти в триста "
    "миллиардов рублей. Оппозиция заявляет, что сокращения затронут пенсионеров и школы."
)
WRITTEN = [
    (CZECH, "windows-1250"),
    (CZECH, "iso-8859-2"),
    (POLISH, "windows-1250"),
    (POLISH, "iso-8859-2"),
    (CROATIAN, "windows-1250"),
    (CROATIAN, "iso-8859-2"),
    (RUSSIAN, "windows-1251"),
    (RUSSIAN, "koi8-r"),
    (RUSSIAN, "iso-8859-5"),
    (CZECH, "utf-8"),
]
WRONG = ("iso-8859-1", "windows-1250", "koi8-r", "shift_jis")


def page(body: bytes, charset: str = "") -> Page:
    return Page("https://a.example/1", body, {"content-type": f"text/html; charset={charset}"} if charset else {})


def html(text: str, charset: str = "") -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(("text", "charset"), WRITTEN)
@pytest.mark.parametrize("declared_by", ["http", "meta", "nothing"])
def test_charsets_of_the_portals(text: str, charset: str, declared_by: str) -> None:
    source = html(text, charset if declared_by == "meta" else "")
    assert decode(page(source.encode(charset), charset if declared_by == "http" else "")) == source


@pytest.mark.parametrize(
    ("bom", "charset"),
    [(codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_byte_order_mark_is_believed_before_all_else(bom: bytes, charset: str) -> None:
    source = html(CZECH, "windows-1250")
    assert decode(page(bom + source.encode(charset), "koi8-r")) == source


@pytest.mark.parametrize(
    ("text", "charset", "http", "meta"),
    [
        (RUSSIAN, "koi8-r", "koi8-r", "windows-1251"),  # HTTP before meta
        (RUSSIAN, "koi8-r", "utf-8", "koi8-r"),  # unless it is wrong
        *((CZECH, "utf-8", declared, "") for declared in WRONG),
        *((CZECH, "utf-8", "", declared) for declared in WRONG),
        *(("A plain page of plain words.", "utf-8", name, name) for name in ("utf-16", "utf-32", "punycode")),
        *((CZECH, name, name, "") for name in ("utf-16-le", "utf-16-be")),
        ("日本語の文章です。", "iso-2022-jp", "iso-2022-jp", ""),
    ],
)
def test_the_declaration_that_fits_is_believed(text: str, charset: str, http: str, meta: str) -> None:
    source = html(text, meta)
    assert decode(page(source.encode(charset), http)) == source


@pytest.mark.parametrize(("text", "charset"), [(CZECH, "windows-1250"), (POLISH, "iso-8859-2"), (RUSSIAN, "koi8-r")])
def test_what_is_not_utf8_is_detected_whatever_is_declared(text: str, charset: str) -> None:
    markup = "<div class='column'></div>" * 2_000  # the letters are a hundredth of the page
    source = html(text + markup, "utf-8")
    assert decode(page(source.encode(charset), "utf-8")) == source


@pytest.mark.parametrize(
    "name",
    "idna punycode undefined hex rot13 bz2 zlib base64 unicode_escape raw_unicode_escape utf-7 no-such-charset".split(),
)
def test_dangerous_and_unknown_names_are_passed_over(name: str) -> None:
    source = html(CZECH, name)
    assert decode(page(source.encode("windows-1250"), name)) == source
    assert decode(page(source.encode(), name)) == source


def test_a_character_cut_at_the_end_is_left_out_and_a_single_accented_letter_kept() -> None:
    body = html(CZECH + "ž").encode()
    cut = body.index("ž</p>".encode()) + 1
    assert decode(page(body[:cut])) == body[: cut - 1].decode()
    menu = "<p>This is the menu of our café"
    assert decode(page(menu.encode("cp1252"), "cp1252")) == menu


def test_few_broken_bytes_do_not_change_the_charset() -> None:
    body = html(CZECH).encode().replace(b"rozpo\xc4\x8dtu", b"rozpo\xff\xfetu")
    text = expect(str, decode(page(body, "utf-8")))
    assert "Příliš žluťoučký kůň" in text
    assert text.count("\ufffd") == 2


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        (b"", "empty_body", ""),
        (b" \r\n\t ", "empty_body", ""),
        ("ž".encode() * 501, "too_large", "1002 bytes, at most 1000"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0" * 30, "not_text", "full of NUL characters"),
        (b"%PDF-1.7\n", "not_text", "a PDF"),
    ],
)
def test_what_is_no_text_or_too_much_is_refused(body: bytes, reason: str, detail: str) -> None:
    for one in (page(body), Page.from_html(body.decode("utf-8", "replace"), page(body).url)):
        assert decode(one, Limits(max_bytes=1_000)) == Rejected("decode", reason, detail, one.url)
    assert decode(page(b"a" * 1_000), Limits(max_bytes=1_000)) == "a" * 1_000
    assert decode(page(b"<p>" + b"word " * 50 + b"\0</p>")) == "<p>" + "word " * 50 + "</p>", "a stray NUL is dropped"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["<script>", "<", "&", "<script x", "</style", "x < y ' ", f"<p>{CZECH}</p>"])
def test_detection_takes_bounded_time(piece: str) -> None:
    body = (piece * (10_000_000 // len(piece)) + CZECH).encode("windows-1250")
    decode(page(body))


@given(
    body=st.binary(max_size=300), charset=st.sampled_from(["", "utf-8", "gb18030", "utf-16", "iso-2022-jp", "koi8-r"])
)
def test_any_bytes_give_text_or_a_reason(body: bytes, charset: str) -> None:
    result = decode(page(body, charset))
    assert isinstance(result, str | Rejected)
    if isinstance(result, str):
        assert "\0" not in result


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0\x1b\ufeff"), min_size=1))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    assert decode(page(f"<p>{text}ž".encode())) == f"<p>{text}ž"


def test_text_that_came_decoded_is_taken_as_it_is() -> None:
    html = '<meta charset="windows-1250"><p>příští'
    assert decode(Page.from_html(html)) == html
    assert decode(Page.from_html("\ufeff" + html)) == html
    assert decode(Page.from_html(html + "\ud800")) == html + "?"


PARAGRAPHS = [paragraph for of_language in own_texts().values() for paragraph in of_language]
BY_BROWSERS = MISREAD["UTF-8 read as Windows-1252, as browsers have it"]


@pytest.mark.parametrize(
    "how", ["UTF-8 read as Windows-1252, as browsers have it", "the same twice", "UTF-8 read as ISO-8859-1"]
)
def test_what_can_be_undone_is_undone(how: str) -> None:
    assert [text for text in PARAGRAPHS if repair(MISREAD[how](text)) != text] == []


@pytest.mark.parametrize("charset", ["sloppy-windows-1250", "sloppy-windows-1251", "sloppy-windows-1253", "koi8_r"])
@pytest.mark.parametrize("language", own_texts())
def test_a_text_is_mended_in_the_charset_of_its_clearest_line(language: str, charset: str) -> None:
    text = "\n".join(own_texts()[language])
    misread = "\n".join(" ".join(line.split()) for line in text.encode().decode(charset).split("\n"))
    assert repair(misread) == text


def test_right_text_stays_as_it_is_beside_a_broken_line_too() -> None:
    hard = [
        "CAFÉ» ou « CAFÉ »",
        "Ârgint, Ã e Õ",
        "§ 5 odst. 2 písm. ©",
        "Її п’ять",
        "ΆΛΦΑ·ΒΗΤΑ",
        "№ 5°",
        "Đà Nẵng",
        "a – b",
    ]
    assert [text for text in [*PARAGRAPHS, *hard] if repair(text) != text] == []
    right = "Příliš žluťoučký kůň"
    assert repair(f"{right}\n{BY_BROWSERS(right)}") == f"{right}\n{right}"


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
    article = expect(Article, load("bte")(Page.from_html(html)))
    assert article.fields.title == title
