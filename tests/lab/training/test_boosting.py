from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from newscorpus.lab.gold.pages import LICENCES, SET_WEIGHTS, TEXT_LICENCES, GoldPage
from newscorpus.lab.training.boosting import (
    SHORT_WEIGHT,
    SHORT_WORDS,
    Boosting,
    Example,
    block_weights,
    fit,
    make_example,
    out_of_fold,
)
from newscorpus.lab.training.sources import fold_of

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
    long = " ".join(f"word{number}" for number in range(70))
    example = example_of(make_page(1), f"<div class=photo-caption>{long}</div>", more_gold=long)
    assert labels(example)[long][0] == 1
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


SMALL = Boosting(rounds=12, learning_rate=0.3, leaves=4, min_leaf=3, column_share=0.5, l2=0.1, seed=1, threads=1)


@pytest.fixture
def examples(make_page: MakePage) -> list[Example]:
    return [example_of(make_page(number)) for number in range(12)]


def matrices(examples: Sequence[Example]) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return [example.features.matrix for example in examples]


def test_weights_depend_on_set_site_length_and_trust(make_page: MakePage) -> None:
    page = make_page(1)
    alone = block_weights([example_of(page)])[0]
    fundus = block_weights([example_of(replace(page, dataset="fundus"))])[0]
    four = block_weights([example_of(page)] * 4)[0]
    short, long = (replace(page, text="word " * number) for number in (SHORT_WORDS - 1, SHORT_WORDS))
    long_one, short_one = (block_weights([replace(example_of(page), page=each)])[0] for each in (long, short))
    listing = block_weights([example_of(replace(page, page_type="listing"))])[0]
    assert (alone > 0).all()
    assert fundus == pytest.approx(alone * SET_WEIGHTS["fundus"] / SET_WEIGHTS["wcxb"])
    assert four == pytest.approx(alone / 2)
    assert short_one == pytest.approx(long_one * SHORT_WEIGHT)
    assert listing == pytest.approx(long_one / 2)

    example = example_of(make_page(1))
    untrusted = replace(example, weight=np.zeros(len(example.blocks)))
    words = example.features.matrix[:, 0]
    (weights,) = block_weights([example])
    assert weights[words.argmax()] == weights.max() > weights.min() == weights[words.argmin()]
    assert not block_weights([untrusted])[0].any()


def test_trees_learn_what_is_good_and_the_same_ones_every_time(examples: list[Example]) -> None:
    booster = fit(examples, matrices(examples), SMALL)
    again = fit(examples, matrices(examples), SMALL)
    predicted = np.concatenate([np.asarray(booster.predict(matrix)) for matrix in matrices(examples)])
    good = np.concatenate([example.good for example in examples]) > 0.5
    other = fit(examples, matrices(examples), replace(SMALL, seed=2))
    assert booster.model_to_string() == again.model_to_string() != other.model_to_string()
    assert predicted[good].min() > predicted[~good].mean()
    assert predicted[good].mean() > 0.8
    assert predicted[~good].mean() < 0.2


def test_probabilities_out_of_fold(examples: list[Example]) -> None:
    told: list[int] = []
    boosters, found = out_of_fold(examples, matrices(examples), SMALL, 3, lambda: told.append(1))
    assert len(told) == len(boosters) == 3
    at = fold_of(examples[0].page.site, 3)
    assert (np.asarray(boosters[at].predict(matrices(examples)[0])) == found[0]).all()
    assert [len(probability) for probability in found] == [len(example.blocks) for example in examples]
    assert all((probability >= 0).all() and (probability <= 1).all() for probability in found)
    inverted = [replace(examples[0], good=1 - examples[0].good), *examples[1:]]
    _, after = out_of_fold(inverted, matrices(examples), SMALL, 3, lambda: None)
    assert (found[0] == after[0]).all()  # what a page teaches is not seen in its own fold
    assert any((old != new).any() for old, new in zip(found[1:], after[1:], strict=True))
