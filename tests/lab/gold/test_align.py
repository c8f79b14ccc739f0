import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import HtmlElement

from newscorpus.data import Block, Element
from newscorpus.lab.gold.align import LABELLERS, TWIN_WEIGHT, align, label_by_alignment, label_exactly
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment

FIRST = "the old bridge over the river was opened again on monday"
SECOND = "ten years of slow and costly work lay behind the engineers"
BODY = Element("body")


def labels(texts: list[str], gold: str, title: str = "") -> tuple[list[float], list[float]]:
    blocks = [Block(at, text, "", Element("p", parent=BODY, depth=1)) for at, text in enumerate(texts)]
    found = align(blocks, gold, title)
    return found.good.tolist(), found.weight.tolist()


def test_blocks_that_the_gold_holds_are_good() -> None:
    good, weight = labels(["Home", FIRST, "read our newsletter every morning", SECOND], f"{FIRST}\n{SECOND}")
    assert good == [0, 1, 0, 1]
    assert weight == [1, 1, 1, 1]
    assert labels([f"„{FIRST.upper()}!“"], FIRST)[0] == [1]  # case and punctuation do not matter


def test_a_block_that_is_partly_gold_is_partly_good() -> None:
    good, _ = labels([f"{SECOND} {FIRST}"], FIRST)
    assert good == pytest.approx([11 / 22])


def test_the_gold_may_be_cut_otherwise_than_the_page() -> None:
    assert labels([FIRST, SECOND], f"{FIRST} {SECOND}")[0] == [1, 1]
    assert labels([f"{FIRST} {SECOND}"], f"{FIRST}\n\n{SECOND}")[0] == [1]


def test_a_menu_item_does_not_take_the_first_words_of_a_paragraph() -> None:
    good, _ = labels(["The old bridge", "Weather today", FIRST], FIRST)
    assert good[:2] == [0, 0]
    assert good[2] > 0.5


def test_of_two_copies_one_is_good_and_the_other_a_guess_unless_the_gold_has_two() -> None:
    good, weight = labels([FIRST, FIRST, SECOND], f"{FIRST}\n{SECOND}")
    assert sorted(good) == [0, 1, 1]
    assert good[2] == 1
    assert weight[good.index(0)] == TWIN_WEIGHT
    assert weight[good.index(1)] == weight[2] == 1
    assert labels([FIRST, SECOND, FIRST], f"{FIRST}\n{SECOND}\n{FIRST}") == ([1, 1, 1], [1, 1, 1])


def test_the_headline_is_never_main_text() -> None:
    title = "Bridge opens after ten years"
    good, weight = labels([title, FIRST], f"{title}\n{FIRST}", title)
    assert good == [0, 1]
    assert weight == [1, 1]
    assert labels([title, FIRST], f"{title}\n{FIRST}")[0] == [1, 1]
    assert labels([FIRST], FIRST, "the old bridge")[0] == [1]  # holds the headline and more


def test_a_short_block_must_be_matched_in_one_piece() -> None:
    assert labels([FIRST, "Cold winter", SECOND], f"{FIRST}\nCold winter\n{SECOND}")[0] == [1, 1, 1]
    assert labels([FIRST, "Cold summer", SECOND], f"{FIRST}\nCold winter\n{SECOND}")[0] == [1, 0, 1]
    broken = FIRST.replace("over the river", "over the")
    assert labels([f"{broken}", "river"], FIRST)[0][1] == 0


def test_the_items_of_a_list_and_scripts_without_spaces() -> None:
    items = ["Bread", "Two pounds of cold butter", "Salt"]
    assert labels([FIRST, *items, "Subscribe"], "\n".join([FIRST, *items]))[0] == [1, 1, 1, 1, 0]
    assert labels(["首页", "我们昨天去了学校。", "版权所有"], "我们昨天去了学校。")[0] == [0, 1, 0]


def test_blocks_without_words_and_pages_without_gold() -> None:
    assert labels(["—", FIRST], FIRST)[0] == [0, 1]
    assert labels(["Home", FIRST], "")[0] == [0, 0]
    assert labels(["Home", FIRST], "", "—")[0] == [0, 0]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=4, max_size=8).map(" ".join), min_size=1, max_size=5))
def test_a_page_that_is_all_gold_is_all_good(texts: list[str]) -> None:
    good, weight = labels(texts, "\n".join(texts))
    assert np.array(good).min() == np.array(weight).min() == 1


HTML = "<h1>New bridge</h1><p>The bridge opened today at noon.</p><p>It cost twelve million. Read more here.</p><p>Home"
TEXT = "The bridge  opened today at noon.\nIt cost twelve million."
PAGE = GoldPage("1", "toy", "", "", "en", "New bridge", "", (), HTML, TEXT, "", "train")


def test_exact_labels_ask_for_the_same_paragraph_and_soft_ones_for_half_of_it() -> None:
    tree = parse(HTML)
    assert isinstance(tree, HtmlElement)
    blocks = segment(tree)
    assert label_exactly(blocks, PAGE).tolist() == [False, True, False, False]
    assert label_by_alignment(blocks, PAGE).tolist() == [False, True, True, False]
    assert set(LABELLERS.values()) == {label_exactly, label_by_alignment}
