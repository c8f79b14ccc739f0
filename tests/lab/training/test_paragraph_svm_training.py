import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from newscorpus.artifacts import Artifact, Metadata, Scorer
from newscorpus.lab.systems.paragraph_svm import FEATURES
from newscorpus.lab.training.block_learner import LabelledPage
from newscorpus.lab.training.block_systems import fit_machine
from newscorpus.lab.training.sources import TrainingError

METADATA = Metadata("toy", "1", (), {}, {}, {}, {}, {})


def make(number: int) -> list[LabelledPage]:
    generator = np.random.default_rng(0)
    rows = generator.random((number, 20, len(FEATURES))).astype(np.float32)
    return [LabelledPage("toy", str(at), page, page[:, 1] > 0.5) for at, page in enumerate(rows)]


@pytest.mark.parametrize(
    ("held", "how"), [(10_000, "at once"), (100, "stochastic gradient descent"), (0, "stochastic")]
)
def test_it_is_fitted_at_once_where_memory_holds_it_and_streamed_else(held: int, how: str) -> None:
    pages = make(100)
    fitted = fit_machine(iter(pages), held_blocks=held, batch_pages=10)
    assert how in fitted.how
    right = np.mean([np.mean(fitted.predict(page.rows) == page.good) for page in pages])
    assert right > 0.95
    scorer = Scorer(Artifact(METADATA, fitted.weights))
    assert ((scorer(pages[0].rows)[:, 1] > 0) == fitted.predict(pages[0].rows)).all()


@pytest.mark.parametrize("pages", [300, 1_200])
def test_streaming_holds_a_batch_however_many_pages_come(pages: int) -> None:
    alive: set[int] = set()
    most = 0
    generator = np.random.default_rng(0)

    def coming() -> Iterator[LabelledPage]:
        nonlocal most
        for number in range(pages):
            rows = generator.random((20, len(FEATURES))).astype(np.float32)
            alive.add(number)
            weakref.finalize(rows, alive.discard, number)
            most = max(most, len(alive))
            yield LabelledPage("toy", str(number), rows, rows[:, 1] > 0.5)

    assert "one pass" in fit_machine(coming(), held_blocks=200, batch_pages=20).how
    assert most <= 10 + 1 + 2 * 20  # those held at first, the one after them, and a batch beside the next one


def test_streaming_too_sees_that_nothing_can_be_learned() -> None:
    pages = [LabelledPage("toy", "a", page.rows, np.zeros(20, bool)) for page in make(5)]
    with pytest.raises(TrainingError, match="of 100 blocks, 0 are main text"):
        fit_machine(iter(pages), held_blocks=10)
