import numpy as np
import pytest
from lxml import html as lxml_html

from newscorpus.data import Evidence, Page
from newscorpus.page.fields.dates import Setting
from newscorpus.page.fields.learned import FOREIGN, describe_candidates, pick, read_learned, read_value, text_without
from newscorpus.page.fields.reading import read_fields

BYLINE = "<div class=meta>Jana Nováková <span class=role>redaktorka</span> <b>Petr Malý</b></div>"
TEXT = "<p>Rada města včera rozhodla o opravě mostu, který spojuje obě části města.</p>" * 4
SETTING = Setting(None, "cs")


def parse(html: str) -> lxml_html.HtmlElement:
    return lxml_html.document_fromstring(html)


def scores_of(nodes: object, by_class: dict[str, float]) -> np.ndarray:
    return np.array([by_class.get(each.get("class") or each.tag, -0.5) for each in nodes.elements])  # type: ignore[attr-defined]


def picked_text(html: str, field: str, by_class: dict[str, float]) -> str:
    nodes = describe_candidates(parse(html))
    picked = pick(nodes, scores_of(nodes, by_class), field, SETTING)
    return picked[1] if picked else ""


def test_the_element_of_the_highest_score_is_taken_without_its_foreign_parts() -> None:
    assert picked_text(BYLINE + TEXT, "authors", {"meta": 2.0, "p": 1.0, "role": FOREIGN}) == "Jana Nováková Petr Malý"
    assert "redaktorka" in picked_text(BYLINE + TEXT, "title", {"meta": 2.0, "role": FOREIGN / 2})


def test_nothing_is_picked_at_or_below_zero_of_long_texts_or_as_foreign_alone() -> None:
    assert not picked_text(BYLINE, "authors", {"meta": 0.0, "b": -1.0})
    assert not picked_text(f"<div class=all>{'Jana Nováková ' * 20}</div>", "authors", {"all": 3.0})
    assert not describe_candidates(parse(f"<p>{'slovo ' * 100}</p>")).elements
    element = parse("<div><b>Jana Nováková</b></div>").find(".//div")
    assert text_without(element, [element[0]]) == "Jana Nováková"


def test_what_cannot_be_read_as_the_field_gives_way_to_the_next() -> None:
    html = (
        "<div><span class=a>Foto archiv, všechna práva vyhrazena</span><span class=b>3. února 2024 v 14:05</span></div>"
    )
    assert picked_text(html, "published", {"a": 2.0, "b": 1.0}) == "3. února 2024 v 14:05"


def test_names_on_lines_of_their_own_are_several() -> None:
    element = parse("<div><b>Jana <i>Nováková</i></b><ul><li>Petr Svoboda</li><li>Eva Malá</li></ul></div>").find(
        ".//div"
    )
    assert text_without(element, ()) == "Jana Nováková, Petr Svoboda, Eva Malá"
    assert text_without(element, [element[0], element[1][1]]) == "Petr Svoboda"
    element[0].text = "Fotografie z\xa0roku"
    assert "," not in text_without(element, ())


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("published", "Zveřejněno 3. února 2024", "2024-02-03"),
        ("published", "Zveřejněno včera", ""),
        ("authors", "Autor: Jana Nováková, ČTK", "Jana Nováková, ČTK"),
        ("authors", "Přečtěte si také", ""),
        ("title", "Most bude uzavřen", "Most bude uzavřen"),
    ],
)
def test_the_value_of_a_field(field: str, text: str, value: str) -> None:
    assert read_value(field, text, SETTING) == value


def test_a_page_without_structured_data_gives_evidence_that_says_so() -> None:
    html = (
        "<html lang=en><body><div class=top><a href=/>Home</a> <a href=/news>News</a></div><div class=post>"
        "<h1 class=entry-title>The bridge will be closed</h1><div class=entry-meta><span class=posted-on>"
        "3 February 2024</span> <span class=author-name>Jane Smith</span></div>"
        f"<div class=entry-content>{'<p>The council met on Monday and decided to close it for a year.</p>' * 5}</div>"
    )
    tree = parse(html)
    found = {item.field: item for item in read_learned(tree, tree.find(".//h1"), Setting(None, "en"))}
    assert {item.source for item in found.values()} == {"learned"}
    assert found["authors"].value == "Jane Smith"
    assert found["published"].value.startswith("2024-02-03")
    fields = read_fields(tree, Page.from_html(html, "https://a.example/bridge")).fields
    assert (fields.title, fields.authors, fields.published) == (
        "The bridge will be closed",
        ("Jane Smith",),
        "2024-02-03",
    )


def test_the_name_of_the_site_is_no_author(monkeypatch: pytest.MonkeyPatch) -> None:
    def picked(*_: object) -> list[Evidence]:
        return [Evidence("authors", "The Loopback Herald, Jane Smith", "learned")]

    monkeypatch.setattr("newscorpus.page.fields.reading.read_learned", picked)
    html = (
        "<html><head><title>Council votes on the bridge | The Loopback Herald</title></head><body>"
        '<h1><a href="/blog/">The Loopback Herald</a></h1><h2>Council votes on the bridge</h2>' + TEXT
    )
    assert read_fields(parse(html), Page.from_html(html, "https://a.example/blog/bridge/")).fields.authors == (
        "Jane Smith",
    )


def test_a_label_with_section_and_tags_is_no_author() -> None:
    line = (
        "<div class=post-meta><a class=post-meta-original href=/>Original</a> "
        "<a href=/categories/Kultura/>Kultura</a> <a href=/tags/Most/>Most</a></div>"
    )

    def read(line: str) -> tuple[str, ...]:
        shown = f"<body><div>{line}<h1>Vláda jedná</h1></div>{TEXT}</body>"
        return read_fields(parse(shown), Page.from_html(shown, "https://n.example/a/b-1.html")).fields.authors

    assert read(line) == ()
    assert read(line.replace("Original", "Eva Malá").replace("post-meta-original", "author")) == ("Eva Malá",)
    named = "<div><span class=post-meta><b>Martin Malý</b></span> <a href=/tags/Martin/>Martin</a></div>"
    assert read(named) == ("Martin Malý",), "a tag may be a first name"


def test_a_page_named_in_the_menu_is_no_author() -> None:
    menu = "<nav class=wp-block-navigation><ul><li><a href=/?page_id=2>Sample Page</a></li></ul></nav>"
    header = f"<header><div class=wp-block-group><p><a href=/>The Loopback Herald</a></p>{menu}</div></header>"
    time = "<time datetime=2024-02-03T14:05:00Z>February 3, 2024</time>"
    by = f"<div>{time}<div class=wp-block-post-author><p class=wp-block-post-author__name>Jane Smith</p></div></div>"
    html = f"<html lang=en><body>{header}<main><h1>The bridge</h1>{TEXT * 60}{by}</main></body></html>"
    assert read_fields(parse(html), Page.from_html(html, "https://a.example/?p=4")).fields.authors == ("Jane Smith",)


def test_pages_that_declare_their_date_or_have_no_candidates_give_nothing() -> None:
    head = '<meta property="article:published_time" content="2024-02-03T14:05:00+01:00">'
    html = f"<html><head>{head}</head><body><h1>The bridge</h1><span class=author-name>Jane Smith</span></body></html>"
    reading = read_fields(parse(html), Page.from_html(html, "https://a.example/bridge"))
    assert not [item for item in reading.evidence if item.source == "learned"]
    assert not list(read_learned(parse("<body></body>"), None, SETTING))
