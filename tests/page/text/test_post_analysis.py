from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from newscorpus.config import RULE_SETS, PostAnalysisConfig, RuleName
from newscorpus.data import Block, Element, Label, LabelledBlock
from newscorpus.page.text.post_analysis import (
    PHRASES,
    RULES,
    Labelled,
    opens_with_phrase,
    revise,
)

LABELS = {"G": Label.GOOD, "A": Label.ALMOST, "B": Label.BAD}
BODY = Element("body")
TITLE = "Bridge opens after ten years of work | The Daily Example"
PROSE = "Ten years after the first stone was laid the bridge carries its first carts across."  # 15 words
LONG = "Read more about the bridge, the carts, the stones and the years that they took them"  # 16 words
EIGHT = "eight words are not yet counted as text"


def block(position: int, tag: str, text: str, parent: Element, link_text: str = "") -> Block:
    return Block(position, text, link_text, Element(tag, parent=parent, depth=parent.depth + 1))


def page(*lines: str, parent: Element = BODY) -> Labelled:
    """Labelled blocks of lines such as "G h1 Bridge opens": verdict, tag, text."""
    parts = [line.split(" ", 2) for line in lines]
    return tuple(
        LabelledBlock(block(at, tag, text, parent), 0.5, LABELS[verdict])
        for at, (verdict, tag, text) in enumerate(parts)
    )


def paragraphs(verdicts: str) -> Labelled:
    return page(*(f"{verdict} p text" for verdict in verdicts))


def verdicts(labelled: Labelled) -> str:
    return "".join(item.label[0].upper() for item in labelled)


def after(labelled: Labelled, rule: str, title: str = TITLE) -> str:
    return verdicts(revise(labelled, title, (rule,)))


# Mrózek 2014


def test_start_is_good_with_full_score_and_ends_what_stands_three_before() -> None:
    before = page(
        "G p menu", "A p menu", "G p date", "G p kicker", "B h1 Bridge opens after ten years of work", "G p x"
    )
    revised = revise(before, TITLE, ("start",))
    assert verdicts(revised) == "BBGGGG"
    assert [item.score for item in revised] == [0, 0, 0.5, 0.5, 1.0, 0.5]
    assert [item.given for item in revised] == [0.5, 0.5, None, None, 0.5, None]
    assert [item.reasons for item in revised] == [("start",), ("start",), (), (), ("start",), ()]


def test_three_good_blocks_below_one_path_draw_the_others_in() -> None:
    article, twin, menu = (Element("div", classes=name, parent=BODY, depth=1) for name in ("text", "text", "menu"))
    inner = Element("div", classes="text", parent=menu, depth=2)  # the same element below another one
    below = [(article, "G"), (article, "G"), (article, "B"), (twin, "G"), (twin, "A"), (menu, "B"), (inner, "B")]
    labelled = tuple(
        LabelledBlock(block(at, "p", "text", parent), 0.5, LABELS[verdict])
        for at, (parent, verdict) in enumerate(below)
    )
    assert after(labelled, "common_parent") == "GGGGGBB"
    assert after(labelled[:3], "common_parent") == "GGB"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("GGBBBBBGB", "GGBBBBBBB"),  # five bad blocks part the last good one from the text
        ("GGBBBBGBA", "GGBBBBGBA"),  # four do not; what follows within five is left to the other rules
        ("GBGBBBBBBAG", "GBGBBBBBBBB"),
        ("BBGBB", "BBBBB"),  # a good block alone on the page is lonely too
        ("", ""),
    ],
)
def test_lonely_blocks_at_the_end_are_bad(before: str, expected: str) -> None:
    assert after(paragraphs(before), "lonely_ends") == expected


@pytest.mark.parametrize(
    ("tag", "before", "expected"),
    [
        ("h2", "BBBABBG", "G"),  # a good one within three below
        ("h2", "BBBABBBG", "B"),
        ("h2", "ABBAABB", "G"),  # almost good ones on both sides
        ("h2", "GBBABBB", "B"),  # nothing below
        ("p", "GBBABBG", "G"),  # good ones within three on both sides
        ("p", "BGBBABBBBG", "B"),  # too far below
        ("p", "GBBABBABB", "B"),  # almost good ones do not count
        ("p", "BBAGBBB", "G"),  # near the start, the next one good
        ("p", "BBABGBB", "B"),
        ("p", "BBBAGBBB", "B"),  # no longer near the start
        ("p", "BBBBGAB", "G"),  # near the end, the one before good
        ("p", "BBBGABBB", "B"),
    ],
)
def test_almost_good_blocks_follow_their_surroundings(tag: str, before: str, expected: str) -> None:
    at = 2 if before.startswith("BBA") else before.index("A", 3)
    labelled = page(*(f"{verdict} {tag if i == at else 'p'} text" for i, verdict in enumerate(before)))
    assert after(labelled, "neighbours")[at] == expected
    assert after(paragraphs("GAAAAAG"), "neighbours") == "GBBGBBG", "surroundings count as they came"


# Boilerpipe and Brezovnik 2021


def test_phrases_at_the_beginning_of_a_block_end_an_article() -> None:
    ending = (
        "Read also: Bridge opens|12 Comments|Comments (1,204)|Related|Sorodni članki:|Komentarji:|Preberite tudi"
        "|PŘEČTĚTE SI TAKÉ|Čítajte tiež Most otvorili|Pročitajte i: Most|Прочитајте још|Czytaj też|Читайте также: мост"
        "|ΣΧΟΛΙΑ (3)|İLGİLİ HABERLER"
    )
    assert [text for text in ending.split("|") if not opens_with_phrase(text)] == []
    alone = ("Comments by the mayor were not heard", "Related to this is the price")  # one word ends it only alone
    others = ("", "12", ":", "He had read more than others", "Readers also came", "Komentarjih", *alone)
    assert not any(map(opens_with_phrase, others))


def test_every_language_has_its_phrases() -> None:
    languages = "cs sk pl hr sr bs sl mk bg ru uk el de en fr es it pt nl sv hu ro tr".split()
    assert sorted(PHRASES) == sorted(languages)
    assert all(opens_with_phrase(phrase.upper()) for phrases in PHRASES.values() for phrase in phrases)


def test_phrases_of_ones_own_end_an_article_too() -> None:
    labelled = page("G p Text", "G p Še več zgodb: Mostovi", "G p Berite dalje", "G p Read also: Carts")
    own = PostAnalysisConfig(end_phrases=("še več zgodb", "!"))
    for config, expected in ((own, "GBGB"), (PostAnalysisConfig(), "GGGB")):
        assert verdicts(revise(labelled, TITLE, ("terminating_phrases",), config)) == expected


HEADLINE = "h1 Bridge opens after ten years of work"


@pytest.mark.parametrize(
    ("rule", "lines", "expected"),
    [
        ("terminating_phrases", ["G p Text", "G p Read also: Carts", f"G p {LONG}", "G p Text"], "GBGG"),
        ("start", ["B h1 The Daily Example", f"B {HEADLINE}"], "BG"),  # the longer one
        ("start", ["B h2 bridge opens", "B h1 Bridge opens!"], "GB"),  # the first of equals; without case and marks
        ("start", ["B h1 Bridge after years", "B h1 idge opens"], "BB"),  # not as a run of words
        ("start", ["B h3 Bridge opens", "B p Bridge opens", "B h1 –"], "BBB"),  # only h1 and h2, and with words
        ("ignore_after_content", [f"G p {PROSE}"] * 4 + ["B h3 Comments", "G p Nice.", f"A p {PROSE}"], "GGGGBBB"),
        ("ignore_after_content", [f"G p {PROSE}"] * 3 + ["B h3 Comments", "G p No."], "GGGBG"),  # 45 words: no article
        ("ignore_after_content", [f"G p {PROSE}"] * 3 + [f"G p {EIGHT}"] * 2 + ["G p Comments"], "GGGGGG"),
        ("ignore_after_content", [f"B p {PROSE}"] * 4 + ["G p Comments"], "BBBBG"),  # bad blocks are no article
        ("heading_to_content", ["B h2 First", "B h3 Second", "G p Text"], "GGG"),  # the upper one, too
        ("heading_to_content", ["B h2 First", "B p Text", "G p Text"], "BBG"),
        ("heading_to_content", ["B h2 First", "A p Text"], "BA"),
        ("heading_to_content", [f"B {HEADLINE}", "G p Text"], "BG"),
        ("trailing_headlines", ["G h2 A", "G p Text", "G h2 B", "B p Menu", "A h2 C", "G h4 D", "B p Menu"], "GGBBABB"),
        ("trailing_headlines", ["G h2 Alone"], "B"),
        (
            "expand_title_to_content",
            ["A p before", f"B {HEADLINE}", "B p By Ann", "A p Lead", f"B p {PROSE}", "G p Text"],
            "ABBGGG",
        ),
        ("expand_title_to_content", ["B p Bridge", f"B p {PROSE}", "G p Text"], "BBG"),  # no headline
        ("expand_title_to_content", ["G p Text", f"B {HEADLINE}", f"B p {PROSE}", "G p Text"], "GBBG"),  # it comes late
        ("expand_title_to_content", [f"B {HEADLINE}", "A p Lead"], "BA"),  # nothing good
    ],
)
def test_rules_by_example(rule: str, lines: list[str], expected: str) -> None:
    assert after(page(*lines), rule) == expected


def test_links_between_headline_and_text_do_not_join_it() -> None:
    links = block(1, "p", PROSE, BODY, link_text="the first stone was laid the bridge")  # 7 of 15 words
    labelled = page("B h1 Bridge opens after ten years of work", "B p x", "G p Text")
    labelled = (labelled[0], LabelledBlock(links, 0.5, Label.BAD), labelled[2])
    assert after(labelled, "expand_title_to_content") == "BBG"


@pytest.mark.parametrize(
    ("title", "text", "is_dropped"),
    [
        (TITLE, "BRIDGE opens after ten years of work", True),
        (TITLE, TITLE, True),
        (TITLE, "The Daily Example", False),
        ("Example: Bridge opens after ten years – Region", "Bridge opens after ten years", True),
        ("State-owned bridge opens", "State", False),  # a hyphen parts no titles
        ("", "Bridge", False),
    ],
)
def test_title_match_finds_the_title_and_its_longest_part(title: str, text: str, is_dropped: bool) -> None:
    assert after(page("G p Text", f"G p {text}"), "title_match", title) == ("GB" if is_dropped else "GG")


# The headline


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["G h1 Bridge opens after 10 years of work", "G p Text"], "BG"),  # six of seven words
        (["G h1 Bridge opens", "G p Text"], "GG"),
        (["G p Bridge opens after ten years of work", "A div Bridge opens after ten years of work", "G p x"], "BBG"),
        (["G p Kicker", "G h2 Bridge opens after ten years of work"], "GB"),  # a heading anywhere
        (["G p Text", "G p Bridge opens after ten years of work"], "GG"),  # other blocks only before the text
    ],
)
def test_the_headline_leaves_as_title(lines: list[str], expected: str) -> None:
    assert after(page(*lines), "drop_headline", "Bridge opens after ten years of work") == expected
    assert after(page("G h1 –", "G p Text"), "drop_headline", "") == "GG"


# The doubtful tail


@pytest.mark.parametrize(
    ("scores", "tag", "expected"),
    [
        ((0.9, 0.6, 0.1, 0.1, 0.1, 0.1, 0.7, 0.6), "li", "GGBBBBBB"),  # four blocks below the text, none is sure
        ((0.9, 0.6, 0.1, 0.1, 0.1, 0.1, 0.7, 0.6), "p", "GGBBBBGG"),  # like the text
        ((0.9, 0.6, 0.1, 0.1, 0.1, 0.7, 0.6), "li", "GGBBBGG"),  # a smaller gap
        ((0.9, 0.6, 0.1, 0.1, 0.1, 0.1, 0.7, 0.8), "li", "GGBBBBGG"),  # one is sure
        ((0.7, 0.6, 0.1, 0.1, 0.1, 0.1, 0.7, 0.6), "li", "GGBBBBGG"),  # nothing is
        ((0.7, 0.1, 0.1, 0.1, 0.1, 0.9, 0.6), "li", "GBBBBGG"),  # a doubtful beginning
    ],
)
def test_doubtful_blocks_below_a_gap_leave(scores: tuple[float, ...], tag: str, expected: str) -> None:
    lines = page(*(f"{'G' if s > 0.5 else 'B'} {'p' if at < 2 else tag} text" for at, s in enumerate(scores)))
    labelled = tuple(replace(item, score=score) for item, score in zip(lines, scores, strict=True))
    assert after(labelled, "doubtful_tail") == expected


# Rules in a row


def test_sets_stand_for_their_rules_in_order() -> None:
    labelled = page("B p Menu", "G h1 Bridge opens after ten years of work", "A p Lead", "A p x", *["G p Text"] * 3)
    for name, rules in RULE_SETS.items():
        assert revise(labelled, TITLE, (name, "drop_headline")) == revise(labelled, TITLE, (*rules, "drop_headline"))


def test_reasons_are_kept_in_order() -> None:
    labelled = page("G h1 Bridge opens after ten years of work", *["G p Text"] * 3)
    revised = revise(labelled, TITLE, ("title_match", "common_parent", "start", "title_match"))
    assert revised[0].reasons == ("title_match", "common_parent", "start", "title_match")
    assert revised[0].label is Label.BAD
    assert revised[1:] == labelled[1:]


def test_brezovniks_rules_together() -> None:
    lines = (
        "B p Menu|G h1 Bridge opens after ten years of work|A p Lead|B h2 Stones|{prose}|{prose}|{prose}|{prose}"
        "|G h2 More|G h3 Komentarji:|{prose}"
    )
    labelled = page(*lines.format(prose=f"G p {PROSE}").split("|"))
    assert verdicts(revise(labelled, TITLE, ("brezovnik",))) == "BBGGGGGGBBB"


def test_every_rule_has_a_name_that_is_checked() -> None:
    assert tuple(RULES) == get_args(RuleName)


def test_an_unknown_rule_is_named_beside_the_known_ones() -> None:
    with pytest.raises(
        ValueError,
        match=r"^unknown rule 'begin'; known are: none, mrozek, brezovnik, start, common_parent, .*doubtful_tail$",
    ):
        revise((), TITLE, ("start", "begin"))


TEXTS = st.sampled_from(
    ["", "text", PROSE, "Bridge opens", "Bridge opens after ten years of work", "Comments", "Read also"]
)
PARENTS = st.sampled_from([BODY, *(Element("div", classes=name, parent=BODY, depth=1) for name in "ab")])
PAGES = st.lists(
    st.tuples(st.sampled_from(["h1", "h2", "h3", "p", "li"]), TEXTS, PARENTS, st.sampled_from(list(Label))), max_size=30
).map(
    lambda rows: tuple(
        LabelledBlock(block(at, tag, text, parent), 0.5, label) for at, (tag, text, parent, label) in enumerate(rows)
    )
)
TITLES = st.sampled_from([TITLE, "Bridge opens", ""])


@given(PAGES, TITLES, st.lists(st.sampled_from(list(RULES)), max_size=4))
def test_rules_keep_blocks_and_order_and_give_reasons_for_what_they_change(
    labelled: Labelled, title: str, rules: list[str]
) -> None:
    revised = revise(labelled, title, rules)
    assert [item.block for item in revised] == [item.block for item in labelled]
    assert revised == revise(labelled, title, rules)
    for before, now in zip(labelled, revised, strict=True):
        assert set(now.reasons) <= set(rules)
        assert now.reasons or now == before


@given(PAGES, TITLES, st.sampled_from(list(RULES)))
def test_reasons_only_grow(labelled: Labelled, title: str, rule: str) -> None:
    once = revise(labelled, title, tuple(RULES))
    for before, now in zip(once, revise(once, title, (rule,)), strict=True):
        changed = (before.label, before.score) != (now.label, now.score)
        assert now.reasons == (*before.reasons, *([rule] if changed else []))


@given(PAGES, TITLES, st.sampled_from([name for name in RULES if name != "lonely_ends"]))
def test_a_rule_has_nothing_to_add_to_itself(labelled: Labelled, title: str, rule: str) -> None:
    once = revise(labelled, title, (rule,))
    assert revise(once, title, (rule,)) == once


@given(PAGES, TITLES)
def test_after_mrozeks_rules_nothing_is_almost_good(labelled: Labelled, title: str) -> None:
    assert "A" not in verdicts(revise(labelled, title, ("mrozek",)))
