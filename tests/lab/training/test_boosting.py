from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from newscorpus.lab.gold.pages import SET_WEIGHTS, GoldPage
from newscorpus.lab.training.boosting import Boosting, Example, block_weights, fit, make_example, out_of_fold
from newscorpus.lab.training.sources import fold_of

MakePage = Callable[..., GoldPage]

SMALL = Boosting(rounds=12, learning_rate=0.3, leaves=4, min_leaf=3, column_share=0.5, l2=0.1, seed=1, threads=1)


def example_of(page: GoldPage) -> Example:
    example = make_example(page)
    assert example is not None
    return example


@pytest.fixture
def examples(make_page: MakePage) -> list[Example]:
    return [example_of(make_page(number)) for number in range(12)]


def matrices(examples: Sequence[Example]) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    return [example.features.matrix for example in examples]


def test_a_pages_weight_depends_on_its_set_and_on_the_pages_of_its_site(make_page: MakePage) -> None:
    page = make_page(1)
    alone = block_weights([example_of(page)])[0]
    fundus = block_weights([example_of(replace(page, dataset="fundus"))])[0]
    four = block_weights([example_of(page)] * 4)[0]
    listing = block_weights([example_of(replace(page, page_type="listing"))])[0]

    assert (alone > 0).all()
    assert fundus == pytest.approx(alone * SET_WEIGHTS["fundus"] / SET_WEIGHTS["wcxb"])
    assert four == pytest.approx(alone / 2)
    assert listing == pytest.approx(alone / 2)


def test_long_blocks_weigh_more_and_untrusted_ones_nothing(make_page: MakePage) -> None:
    example = example_of(make_page(1))
    untrusted = replace(example, weight=np.zeros(len(example.blocks)))
    words = example.features.matrix[:, 0]
    (weights,) = block_weights([example])

    assert weights[words.argmax()] == weights.max() > weights.min() == weights[words.argmin()]
    assert not block_weights([untrusted])[0].any()


def test_the_pages_of_a_site_fall_into_one_fold(make_page: MakePage) -> None:
    pages = [replace(make_page(number), domain="news.example") for number in range(5)]
    nameless = [replace(make_page(number), domain="") for number in range(12)]

    assert len({fold_of(page.site, 4) for page in pages}) == 1
    assert {fold_of(page.site, 3) for page in nameless} == {0, 1, 2}


def test_trees_learn_what_is_good_and_the_same_ones_every_time(examples: list[Example]) -> None:
    booster = fit(examples, matrices(examples), SMALL)
    again = fit(examples, matrices(examples), SMALL)
    predicted = np.concatenate([np.asarray(booster.predict(matrix)) for matrix in matrices(examples)])
    good = np.concatenate([example.good for example in examples]) > 0.5

    assert booster.model_to_string() == again.model_to_string()
    assert predicted[good].min() > predicted[~good].mean()
    assert predicted[good].mean() > 0.8
    assert predicted[~good].mean() < 0.2


def test_another_seed_grows_other_trees(examples: list[Example]) -> None:
    first, second = (fit(examples, matrices(examples), replace(SMALL, seed=seed)) for seed in (1, 2))

    assert first.model_to_string() != second.model_to_string()


def test_probabilities_out_of_fold(examples: list[Example]) -> None:
    told: list[int] = []
    boosters, found = out_of_fold(examples, matrices(examples), SMALL, 3, lambda: told.append(1))

    assert len(told) == len(boosters) == 3
    at = fold_of(examples[0].page.site, 3)
    assert (np.asarray(boosters[at].predict(matrices(examples)[0])) == found[0]).all()
    assert [len(probability) for probability in found] == [len(example.blocks) for example in examples]
    assert all((probability >= 0).all() and (probability <= 1).all() for probability in found)


def test_what_a_page_teaches_is_not_seen_in_its_own_fold(examples: list[Example]) -> None:
    _, before = out_of_fold(examples, matrices(examples), SMALL, 3, lambda: None)
    inverted = [replace(examples[0], good=1 - examples[0].good), *examples[1:]]
    _, after = out_of_fold(inverted, matrices(examples), SMALL, 3, lambda: None)

    assert (before[0] == after[0]).all()
    assert any((old != new).any() for old, new in zip(before[1:], after[1:], strict=True))
