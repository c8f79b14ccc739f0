import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Block, Element
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.features import FEATURES, Hints, measure
from newscorpus.page.text.features.measure import NEIGHBOURS, OF_NEIGHBOURS, OWN, PLACE
from newscorpus.page.text.features.wording import LONGEST, PHRASES
from newscorpus.tokens import words

PROSE = "The old bridge over the river was opened again on Monday after ten years."  # 14 words
NAVIGATION = "<nav><a href=/>Home</a></nav>"


def columns(html: str, hints: Hints = Hints()) -> dict[str, list[float]]:
    """The features of the page's blocks, by name."""
    tree = parse(f"<body>{html}</body>")
    matrix = measure(segment(tree), hints).matrix
    return dict(zip(FEATURES, matrix.T.tolist(), strict=True))


def own(html: str) -> dict[str, float]:
    """The features of the page's only block."""
    return {name: value for name, (value,) in columns(html).items()}


def texts(*lines: str) -> str:
    return "".join(f"<p>{line}</p>" for line in lines)


# What is said between the paragraphs


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Read more: A bridge for the valley", "more"),
        ("ČTĚTE TAKÉ: Nový most", "more"),
        ("Читайте также: Новый мост", "more"),
        ("Preberite tudi", "more"),
        ("Sign up for our newsletter", "subscribe"),
        ("Podpořte nás", "donate"),
        ("Souhlasím s tím, že se obsah zobrazí", "consent"),
        ("Ich bin damit einverstanden, dass Inhalte gezeigt werden", "consent"),
        ("Story continues below", "continues"),
        ("Foto: ČTK", "credit"),
        ("All rights reserved.", "rights"),
    ],
)
def test_a_phrase_that_opens_a_block(text: str, kind: str) -> None:
    assert own(f"<p>{text}</p>")[f"says_{kind}"] == 2


def test_a_phrase_inside_a_block_and_none() -> None:
    assert own("<p>The rest is here: read more.</p>")["says_more"] == 1
    assert {value for name, value in own(f"<p>{PROSE}</p>").items() if name.startswith("says_")} == {0}
    assert columns(texts("You can read", "more of it."))["says_more"] == [0, 0], "it does not run on"


def test_every_phrase_can_be_found() -> None:
    listed = "|".join(PHRASES.values()).replace("\n", " ").split("|")
    phrases = [phrase for phrase in map(str.strip, listed) if phrase]
    for phrase in phrases:
        assert 1 <= len(words(phrase)) <= LONGEST, phrase
        assert words(phrase) == words(phrase.lower()), phrase
    found = columns(texts(*phrases))
    said = zip(phrases, *(found[f"says_{kind}"] for kind in PHRASES), strict=True)
    assert [phrase for phrase, *kinds in said if not any(kinds)] == []


# What the attributes say


@pytest.mark.parametrize(
    ("box", "is_named"),
    [
        ("<div data-component=related-stories>{}</div>", 1),
        ("<section aria-label='Related articles'>{}</section>", 1),
        ("<related-list>{}</related-list>", 1),
        ("<div data-type=related><div>{}</div></div>", 1),
        (f"<div data-state='{'related ' * 20}'>{{}}</div>", 0),
    ],
)
def test_data_attributes_and_custom_elements_name_their_box(box: str, is_named: int) -> None:
    assert own(box.format("<p>One</p>"))["data_related"] == is_named


# A block alone


def test_characters_and_words() -> None:
    found = own("<p>Hello, NASA World! 42 | a@b ©</p>")
    counts = {"words": 6, "letters": 16, "characters": 29, "sentences": 1, "commas": 1, "bars": 1, "has_copyright": 1}
    marks = {"has_at": 1, "has_angle": 0, "has_quote": 0, "question_or_exclamation": 1}
    shares = {
        "capitalised_share": 3 / 6,
        "all_caps_share": 1 / 6,
        "long_word_share": 3 / 6,
        "short_word_share": 3 / 6,
        "mean_word": 18 / 6,
        "mean_sentence": 6,
        "digit_share": 2 / 29,
        "space_share": 6 / 29,
        "upper_share": 6 / 16,
        "mark_share": 5 / 29,
        "unspaced_share": 0,
        "text_density": 6,
    }
    expected = counts | marks | shares
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It ends.", {"ends_sentence": 1, "ends_open": 0, "starts_upper": 1, "starts_lower": 0}),
        ("„It ends.“", {"ends_sentence": 1, "has_quote": 1, "starts_upper": 0}),
        ("it does (so it is said)", {"ends_sentence": 0, "starts_lower": 1}),
        ("Look:", {"ends_sentence": 0, "ends_colon": 1}),
        ("And so on…", {"ends_sentence": 1, "ends_open": 1}),
        ("And so on...", {"ends_sentence": 1, "ends_open": 1}),
        ("Next »", {"ends_sentence": 0, "ends_open": 1}),
        ("Wait.. »", {"ends_sentence": 1, "ends_open": 1}),
        ("7 things &lt;here&gt;", {"starts_digit": 1, "has_angle": 1, "ends_open": 1}),
    ],
)
def test_the_ends_of_a_text(text: str, expected: dict[str, float]) -> None:
    found = own(f"<p>{text}</p>")
    assert {name: found[name] for name in expected} == expected


def test_links_and_lines() -> None:
    found = own("<p>See <a href=/>the map</a></p>")
    assert (found["links"], found["link_tail"]) == (1, 1)
    assert found["link_density"] == pytest.approx(7 / 11)
    assert own(f"<p>{'word ' * 40}</p>")["text_density"] == pytest.approx(40 / 3)  # 199 characters, 3 lines


def test_a_page_of_nothing_but_links() -> None:
    found = columns("".join(f"<li><a href=/>Item {number}</a></li>" for number in range(3)))
    assert found["link_density"] == [1, 1, 1]
    assert found["link_tail"] == [0, 0, 0]
    assert found["page_prose"] == [0, 0, 0]
    assert found["parent_link_below"] == [1, 1, 1]


def test_inline_elements() -> None:
    found = own("<p><img> <b>Bold</b> <em>so</em> <code>x</code> <sup>2</sup> <label>y</label> <time>now</time></p>")
    expected = {"images": 1, "emphasis": 2, "positive_inline": 2, "controls": 1, "has_time": 1, "inline": 7}
    assert {name: found[name] for name in expected} == expected
    assert found["all_bold"] == 0
    assert columns("<p><b>x</b></p><p><strong>x</strong></p><p><i>x</i></p><p>x</p>")["all_bold"] == [1, 1, 0, 0]


def test_element_wholeness_tags_before_and_repeats() -> None:
    found = columns("<div>Loose<h1>Head</h1><ul><li>Item</li></ul><address>Street</address></div>")
    assert found["tag"] == [2, 4, 3, 0]
    assert found["whole"] == [0, 1, 1, 1]
    found = columns(texts("Same", "Other", "Same"))
    assert found["tags_before"][1:] == [2, 2]  # </p><p>
    assert found["repeated"] == [2, 1, 2]


# A block on its page


def test_place_in_the_running_order() -> None:
    found = columns(texts("One two", PROSE, "Three", PROSE))
    assert found["position"] == pytest.approx([0, 0.25, 0.5, 0.75])
    assert found["words_before_share"] == pytest.approx([0, 2 / 31, 16 / 31, 17 / 31])
    assert (found["blocks"], found["page_words"], found["page_prose"]) == ([4] * 4, [31] * 4, [28] * 4)
    assert found["prose_before"] == pytest.approx([0, 0, 0.5, 0.5])
    assert found["prose_near"] == [28] * 4
    assert found["since_prose"] == [4, 5, 1, 2]  # where there is none before, the page's length and more
    assert found["until_prose"] == [1, 2, 1, 4]
    assert columns(texts(*["word"] * 60))["since_prose"] == [50] * 60


def test_prose_must_be_long_end_a_sentence_and_hold_few_links() -> None:
    open_end, linked = PROSE.rstrip("."), f"<a href=/>{PROSE}</a>"
    assert columns(texts(PROSE, open_end, linked, "Short one."))["page_prose"] == [14] * 4
    assert columns(f"{texts(PROSE)}<div>{PROSE}</div>")["page_p_share"] == [0.5, 0.5]


def test_blocks_of_the_same_parent_and_path() -> None:
    found = columns(f"<div><p>{PROSE}</p><p class=x>One</p></div><ul><li><a href=/>Two</a></li><li>Three</li></ul>")
    assert found["parent_blocks"] == [2, 2, 2, 2]
    assert found["parent_words"] == [15, 15, 2, 2]
    assert found["parent_link_density"] == pytest.approx([0, 0, 3 / 8, 3 / 8])
    assert found["parent_prose_share"] == [1, 1, 0, 0]
    assert found["path_blocks"] == [1, 1, 2, 2]
    assert found["path_words"] == [14, 1, 1, 1]
    assert found["same_parent_before"] == [0, 1, 0, 1]
    assert found["same_parent_after"] == [1, 0, 1, 0]
    assert found["same_path_before"] == [0, 0, 0, 1]


def test_what_lies_below_the_elements_above() -> None:
    found = columns(f"<main><article><p>{PROSE}</p></article><p>One</p></main>{NAVIGATION}")
    assert found["parent_prose_below"] == [1, 1, 1]
    assert found["element_words_share"] == pytest.approx([1, 1 / 15, 1 / 16])
    assert found["grandparent_blocks_below"] == [2, 3, 3]
    assert found["parent_link_below"] == pytest.approx([0, 0, 4 / (73 + 3 + 4)])
    assert found["depth"] == [4, 3, 2]


def test_the_box_that_holds_the_prose() -> None:
    found = columns(f"<main><article>{texts(PROSE, PROSE, PROSE)}</article><p>One</p></main>{NAVIGATION}")
    assert found["in_core"] == [1, 1, 1, 0, 0]
    assert found["container_gap"] == [0, 0, 0, 1, 2]  # the article; it has main, or body, in common with them
    assert found["container_below"] == [1, 1, 1, 1, 1]


def test_elements_like_the_parent() -> None:
    found = columns("".join(f"<section><div><p>{name}</p></div></section>" for name in "abc"))
    assert found["parent_twins"] == found["grandparent_twins"] == [3, 3, 3]
    assert found["great_twins"] == [1, 1, 1]


def test_the_headline_and_what_follows_it() -> None:
    html = f"<p>News</p><h1>Bridge opens</h1><div>{texts(PROSE)}</div><h1>Other</h1>"
    found = columns(html, Hints(title="Bridge opens again"))
    assert found["has_headline"] == [1] * 4
    assert found["after_headline"] == [-1, 0, 1, 2]
    assert found["words_since_headline"] == [-1, 0, 2, 16]
    assert found["headings_before"] == [0, 1, 1, 2]
    assert found["headlines_since"] == [0, 0, 0, 1]
    assert found["headline_gap"] == [1, 0, 1, 1]
    assert found["headline_below"] == [1, 0, 2, 1]


def test_overlap_with_the_title() -> None:
    found = columns(texts("Bridge opens", "The bridge", "None"), Hints(title="BRIDGE opens again"))
    assert found["title_overlap"] == pytest.approx([1, 0.5, 0])
    assert found["title_cover"] == pytest.approx([2 / 3, 1 / 3, 0])
    found = columns(texts("One", "Two"))
    assert {tuple(found[name]) for name in PLACE if "headline" in name} == {(0, 0)}, "without title and headings"


def test_words_that_stand_on_the_page_before_and_after() -> None:
    found = columns(texts("one two three four", "alone", "one two three"))
    assert found["repeated_before"] == pytest.approx([0, 0, 1 / 3])
    assert found["repeated_after"] == pytest.approx([1 / 4, 0, 0])


def test_the_interval_of_most_words_and_fewest_tags() -> None:
    found = columns(f"{NAVIGATION}<div>{texts(PROSE, PROSE)}</div>{NAVIGATION}")
    assert found["in_interval"] == [0, 1, 1, 0]
    assert found["interval_distance"] == pytest.approx([1 / 4, 0, 0, 1 / 4])
    assert columns(texts("—", "***"))["in_interval"] == [0, 0]


def test_overlap_with_description_and_article_body() -> None:
    hints = Hints(description="the old bridge", article_body="the old bridge over the river")
    found = columns(texts("The old bridge stands", "Something else"), hints)
    assert found["description_overlap"] == pytest.approx([2 / 4, 0])
    assert found["body_overlap"] == pytest.approx([1 / 4, 0])
    assert found["has_body"] == [6, 6]
    assert columns("<p>One two three</p>")["body_overlap"] == [-1]
    assert columns("<p>One two three</p>", Hints(article_body="four five six"))["body_overlap"] == [0]


def test_names_of_the_elements_around() -> None:
    found = columns("<article class=comments><div class=share><div><p class=caption>x</p></div></div></article>")
    assert (found["own_class_caption"], found["own_class_share"]) == ([1], [0])
    assert (found["near_class_share"], found["near_class_comment"]) == ([1], [0])
    assert (found["any_class_comment"], found["any_class_share"]) == ([1], [1])
    assert (found["in_article"], found["in_nav"]) == ([1], [0])


def test_parents_and_paths_of_the_blocks() -> None:
    tree = parse("<body><div><p>a</p><p class=x>b</p></div><div><p>c</p></div></body>")
    features = measure(segment(tree))
    first, second, third = features.parents.tolist()
    assert first == second != third
    plain, classed, plain_again = features.paths.tolist()
    assert plain == plain_again != classed


# Any page

TAGS = ("p", "div", "li", "h1", "h2", "td", "article", "nav", "custom-tag")
INLINE = ("a", "b", "img", "time", "code", "button", "span")
TEXT = st.text(st.characters(categories=["L", "N", "P", "S", "Zs", "Cs", "M"]), min_size=1, max_size=40)
SHARES = [name for name in FEATURES if name.endswith(("_share", "link_density", "_cover", "_below"))
          and not name.endswith(("headline_below", "container_below", "blocks_below"))]  # fmt: skip


@st.composite
def pages(draw: st.DrawFn) -> list[Block]:
    """Blocks in document order: each opens elements below one that is open."""
    open_elements = [Element("html")]
    blocks = []
    for position in range(draw(st.integers(1, 8))):
        if draw(st.booleans()):
            del open_elements[draw(st.integers(1, len(open_elements))) :]
        for tag in draw(st.lists(st.sampled_from(TAGS), max_size=3)):
            above = open_elements[-1]
            name, role = draw(st.sampled_from([("", ""), ("article-body", "main"), ("Ad", "navigation")]))
            open_elements.append(Element(tag, "", name, role, draw(st.booleans()), above, above.depth + 1))
        text = draw(TEXT)
        link = text[draw(st.integers(0, len(text))) :]
        inline = tuple(draw(st.lists(st.sampled_from(INLINE), max_size=4)))
        blocks.append(
            Block(position, text, link, open_elements[-1], draw(st.booleans()), inline, draw(st.integers(0, 9)))
        )
    return blocks


HINTS = st.builds(
    Hints, title=TEXT, description=st.one_of(st.just(""), TEXT), article_body=st.one_of(st.just(""), TEXT)
)


@given(pages(), HINTS)
def test_any_page_has_finite_features_of_the_right_shape(blocks: list[Block], hints: Hints) -> None:
    features = measure(blocks, hints)
    assert features.matrix.dtype == np.float32
    assert features.matrix.flags.c_contiguous
    assert features.matrix.shape == (len(blocks), len(FEATURES))
    assert np.isfinite(features.matrix).all()
    assert len(features.parents) == len(features.paths) == len(blocks)


@given(pages(), HINTS)
def test_shares_lie_between_0_and_1(blocks: list[Block], hints: Hints) -> None:
    matrix = measure(blocks, hints).matrix
    shares = matrix[:, [tuple(FEATURES).index(name) for name in SHARES]]
    assert len(SHARES) > 20
    assert shares.min() >= 0
    assert shares.max() <= 1 + 1e-6


@given(pages())
def test_the_own_features_of_a_block_do_not_depend_on_the_others(blocks: list[Block]) -> None:
    alone = np.concatenate([measure([block]).matrix for block in blocks])
    together = measure(blocks).matrix
    columns_alone = [at for at, name in enumerate(OWN) if name != "repeated"]
    assert (alone[:, columns_alone] == together[:, columns_alone]).all()


@given(pages())
def test_neighbours_repeat_the_features_of_the_blocks_they_stand_for(blocks: list[Block]) -> None:
    found = dict(zip(FEATURES, measure(blocks).matrix.T.tolist(), strict=True))
    for name in OF_NEIGHBOURS:
        padded = [-1] * 3 + found[name] + [-1] * 3
        for offset in NEIGHBOURS:
            assert found[f"{name}@{offset:+d}"] == padded[3 + offset :][: len(blocks)]
