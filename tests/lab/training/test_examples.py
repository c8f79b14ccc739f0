from collections.abc import Callable
from dataclasses import replace

import pytest

from newscorpus.lab.gold.pages import LICENCES, SET_WEIGHTS, TEXT_LICENCES, GoldPage
from newscorpus.lab.training.boosting import Example, make_example

MakePage = Callable[..., GoldPage]


def example_of(page: GoldPage, html: str = "", more_gold: str = "") -> Example:
    """The example that `page` makes with `html` at the end of its article, and `more_gold` at the end of its text."""
    longer = page.html.replace("</article>", f"{html}</article>")
    example = make_example(replace(page, html=longer, text=f"{page.text}\n{more_gold}"))
    assert example is not None
    return example


def labels(example: Example) -> dict[str, tuple[float, float]]:
    found = zip(example.blocks, example.good.tolist(), example.weight.tolist(), strict=True)
    return {block.text: (good, weight) for block, good, weight in found}


def test_an_article(make_page: MakePage) -> None:
    page = make_page(1)
    example = example_of(page)
    found = labels(example)

    assert all(found[line] == (1, 1) for line in page.text.splitlines())
    assert [found[page.title], found["Terms of use"]] == [(0, 1), (0, 1)]
    assert len(example.features.matrix) == len(example.blocks) == len(example.good) == len(example.weight)


def test_a_page_without_blocks_makes_no_example(make_page: MakePage) -> None:
    assert make_example(replace(make_page(1), html="")) is None
    assert make_example(replace(make_page(1), html="<html><body></body></html>")) is None


@pytest.mark.parametrize("html", ["<figure><figcaption>{}</figcaption></figure>", "<div class=photo-caption>{}</div>"])
def test_captions_are_not_main_text_whatever_the_gold_holds(make_page: MakePage, html: str) -> None:
    page = make_page(1)
    caption = "the mayor looks at the new bridge from the bank"
    example = example_of(page, html.format(caption), more_gold=caption)

    assert labels(example)[caption][0] == 0


def test_a_long_text_in_a_box_for_pictures_stays_text(make_page: MakePage) -> None:
    page = make_page(1)
    long = " ".join(f"word{number}" for number in range(70))
    example = example_of(page, f"<div class=photo-caption>{long}</div>", more_gold=long)

    assert labels(example)[long][0] == 1


def test_an_article_of_short_paragraphs_in_a_box_named_by_its_picture_stays_text(make_page: MakePage) -> None:
    parts = [" ".join(f"word{at}x{number}" for number in range(20)) for at in range(4)]
    example = example_of(
        make_page(1), f"<div class=media-body>{'<br><br>'.join(parts)}</div>", more_gold="\n".join(parts)
    )

    assert [labels(example)[part][0] for part in parts] == [1, 1, 1, 1]


@pytest.mark.parametrize(("dataset", "weight"), [("fundus", 0), ("wcxb", 1)])
def test_items_amid_the_text_say_nothing_where_a_sets_gold_lacks_lists(
    make_page: MakePage, dataset: str, weight: float
) -> None:
    page = make_page(1, dataset)
    item, last = "an item that the gold leaves out", "And this is how the long story of the bridge ends."
    example = example_of(page, f"<ul><li>{item}</li></ul><p>{last}</p>", more_gold=last)
    found = labels(example)

    assert found[item] == (0, weight)
    assert all(found[block.text][1] == 1 for block in example.blocks[:3])  # items of the menu, before the text


def test_every_set_that_trains_has_a_licence_and_a_weight() -> None:
    assert set(LICENCES) < set(TEXT_LICENCES) == set(SET_WEIGHTS)
    assert not {"l3s_gn1", "ir_research", "cleaneval"} & set(TEXT_LICENCES)
