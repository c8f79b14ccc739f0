import pytest
from lxml import html as lxml_html

from newscorpus.page.fields.structured import (
    MAX_NAMES,
    MAX_NESTED,
    MAX_TEXT,
    Node,
    choose,
    parse,
    read_json_ld,
    read_microdata,
)

BROKEN = [
    ('{"headline": "A",}', [{"headline": "A"}]),
    ('{"headline": "A"};', [{"headline": "A"}]),
    ('<!-- {"headline": "A"} -->', [{"headline": "A"}]),
    ('//<![CDATA[\n{"headline": "A"}\n//]]>', [{"headline": "A"}]),
    ('{"headline": "A\nB"}', [{"headline": "A\nB"}]),
    ('{"headline": "A"}{"headline": "B"}', [{"headline": "A"}, {"headline": "B"}]),
    ('{"headline": "A"}}', [{"headline": "A"}]),
    ('{"headline": "A"\n "name": "B"}', [{"headline": "A", "name": "B"}]),
    ('{"headline": "A\\\'s"}', [{"headline": "A\\'s"}]),
    ('{\n// a remark\n"headline": "A"}', [{"headline": "A"}]),
    (
        '{"@type": "NewsArticle", "headline": "A "quoted" word", "datePublished": "2024-02-03T14:05:00Z",',
        {"@type": "NewsArticle", "datePublished": "2024-02-03T14:05:00Z"},
    ),
]


@pytest.mark.parametrize(("text", "value"), BROKEN)
def test_broken_json_is_repaired(text: str, value: object) -> None:
    assert parse(text) == value


@pytest.mark.parametrize("text", ["", "no json", "{{ template }}", "[" * 100_000])
def test_what_holds_nothing_gives_nothing(text: str) -> None:
    assert read_json_ld([text]) == ()


def test_lists_graphs_and_main_entities_are_opened_in_order() -> None:
    text = '[{"@graph": [{"@id": "1", "mainEntity": {"@id": "2"}}, {"@id": "3"}]}, {"@id": "4"}]'
    assert [node.get("@id") for node in read_json_ld([text])] == [None, "1", "2", "3", "4"]


def read(body: str) -> tuple[Node, ...]:
    return read_microdata(lxml_html.document_fromstring(body), body.encode())


def test_items_nest_and_values_come_from_the_right_place() -> None:
    found = read(
        '<div itemscope itemtype="https://schema.org/NewsArticle"><h1 itemprop="headline">A  <b>B</b></h1>'
        '<time itemprop="datePublished" datetime="2024-02-03">3. 2.</time><meta itemprop="inLanguage" content="cs">'
        '<span itemprop="author" itemscope itemtype="Person"><a itemprop="name" href="/j">Jana</a></span>'
        '<img itemprop="image" src="/a.jpg"><i itemprop="keywords">x</i><i itemprop="keywords">y</i></div>'
    )
    assert found == (
        {
            "@type": ["https://schema.org/NewsArticle"],
            "headline": "A B",
            "datePublished": "2024-02-03",
            "inLanguage": "cs",
            "author": {"@type": ["Person"], "name": "Jana"},
            "image": "/a.jpg",
            "keywords": ["x", "y"],
        },
    )


@pytest.mark.parametrize(("named", "kinds"), [("", []), ('<h2 itemprop="name">Regatta</h2>', ["ImageGallery"])])
def test_a_gallery_without_a_name_is_a_part_of_the_document(named: str, kinds: list[str]) -> None:
    """Jetpack, a plugin of WordPress, marks the pictures inside an article so."""
    picture = '<div itemprop="associatedMedia" itemscope itemtype="http://schema.org/ImageObject"></div>'
    nodes = read(f'<div itemscope itemtype="http://schema.org/ImageGallery">{named}{picture}</div>')
    assert choose(nodes, frozenset()).main.get("@type", []) == [f"http://schema.org/{kind}" for kind in kinds]


@pytest.mark.parametrize(
    ("body", "items"),
    [
        (
            '<div typeof="schema:Article"><b property="schema:headline">A</b></div>',
            ({"@type": ["schema:Article"], "headline": "A"},),
        ),
        ('<p itemprop="headline">A</p>', ({"@type": "Article", "headline": "A"},)),
        ('<a href="/town/" itemprop="articleSection">Town</a>', ({"@type": "Article", "articleSection": "Town"},)),
        (
            "<p itemscope itemtype=Article><b itemprop=author itemscope itemtype=Person><a itemprop=url href=/j>J</a>",
            ({"@type": ["Article"], "author": {"@type": ["Person"], "url": "/j", "name": "J"}},),
        ),
        (
            '<div itemscope itemtype="Article"><div itemprop="comment" itemscope itemtype="Comment"></div></div>',
            ({"@type": ["Article"]},),
        ),
        ("<p>A</p>", ()),
    ],
)
def test_rdfa_stray_properties_and_comments(body: str, items: tuple[Node, ...]) -> None:
    assert read(body) == items


def length_of_texts(nodes: tuple[Node, ...]) -> int:
    return sum(len(text) for node in nodes for text in node.values() if isinstance(text, str))


def test_no_text_of_a_property_is_longer_than_looked_at() -> None:
    found = read(f"<p itemprop=headline>{'long ' * MAX_TEXT}</p>")
    assert length_of_texts(found) <= MAX_TEXT + len("Article")


def test_one_element_does_not_multiply_its_text() -> None:
    names = " ".join(f"name{number}" for number in range(1_000))
    shown, declared = f"<p itemprop='{names}'>{'long ' * 1_000}", f"<p itemprop='{names}' content='{'x' * MAX_TEXT}'>A"
    for body in (shown, declared):
        assert length_of_texts(read(body)) <= MAX_NAMES * MAX_TEXT + len("Article")


def test_a_text_inside_many_properties_is_read_a_few_times() -> None:
    (found,) = read("".join(f"<b itemprop=name{number}>" for number in range(2 * MAX_NESTED)) + "A long text")
    assert list(found.values()).count("A long text") == MAX_NESTED
    assert found["name0"] == "A long text"
