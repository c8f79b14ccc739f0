"""Train the systems that decide block by block: from gold pages to rows and labels, a fitted model and its scores.

A fifth of the sites is held out: the model is trained on the other sites and scored on these.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from newscorpus.arrays import Flags, Matrix
from newscorpus.data import Block, Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Confusion, confusion
from newscorpus.lab.gold.align import Labeller, label_by_alignment
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.sources import Progress, TrainingPages
from newscorpus.page.extractor import PreparedPage, read

PACKAGES = ("numpy", "scikit-learn", "skl2onnx")

MOST_ASIDE = 2_000
"""Maximum number of held-out pages that are scored, to bound memory."""

CARD_SOURCE = "Four fifths of the sites of these sets (where sites are not told apart: of the pages)."
CARD_MEASURE = (
    "Verdicts on the blocks of the other fifth, which the training did not see. "
    "`zero_r` is the accuracy of one verdict for all blocks."
)


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """The blocks of a page for a learner: features, shape (blocks, features), and whether each is main text."""

    dataset: str
    site: str
    rows: Matrix
    good: Flags


@dataclass(frozen=True, slots=True)
class FittedModel:
    """A fitted model."""

    weights: Mapping[str, bytes]  # content of each weights file, by name
    predict: Callable[[Matrix], Flags]  # whether each row is main text, as the weights say
    parameters: Mapping[str, float]
    how: str  # one sentence for the card on how it was fitted


@dataclass(frozen=True, slots=True)
class BlockLearner:
    """How one system is trained; the first four fields are those of `TrainedModel`."""

    name: str
    version: str
    features: tuple[str, ...]
    about: str
    cut: Callable[[PreparedPage], tuple[Block, ...]]  # the blocks of a page
    measure: Callable[[Sequence[Block]], Matrix]  # the features of a page's blocks (at least one)
    fit: Callable[[Iterable[LabelledPage]], FittedModel]  # reads the pages once, since they may not fit into memory
    label: Labeller = label_by_alignment  # which of a page's blocks are main text


def train(learner: BlockLearner, source: TrainingPages, _progress: Progress) -> TrainedModel:
    """Train on the articles of `source`. The same pages give the same model.

    Raises:
        LabError: no page can be learned from, or the source has none.
    """
    learned: Counter[str] = Counter()
    aside: list[LabelledPage] = []

    def training_pages() -> Iterator[LabelledPage]:
        for page in labelled_pages(learner, source.articles):
            if not source.is_held_out(page.site):
                learned[page.dataset] += 1
                yield page
            elif len(aside) < MOST_ASIDE:
                aside.append(page)

    fitted = learner.fit(training_pages())
    return TrainedModel(
        name=learner.name,
        version=learner.version,
        features=learner.features,
        parameters=fitted.parameters,
        weights=fitted.weights,
        packages=PACKAGES,
        data=source.describe(learned),
        scores=score(fitted.predict, aside),
        about=learner.about,
        source=CARD_SOURCE,
        how=fitted.how,
        measure=CARD_MEASURE,
    )


def labelled_pages(learner: BlockLearner, pages: Iterable[GoldPage]) -> Iterator[LabelledPage]:
    """Yield a training example for each of the `pages` that can be parsed and has blocks."""
    for page in pages:
        prepared = read(Page.from_html(page.html, page.url))
        blocks = () if isinstance(prepared, Rejected) else learner.cut(prepared)
        if blocks:
            yield LabelledPage(page.dataset, page.site, learner.measure(blocks), learner.label(blocks, page))


def stack(pages: Sequence[LabelledPage]) -> tuple[Matrix, Flags]:
    """Return the rows of all `pages` and their labels.

    Raises:
        LabError: there are none, or all have the same label.
    """
    good = np.concatenate([page.good for page in pages]) if pages else np.zeros(0, bool)
    check_labels(int(good.sum()), len(good))
    return np.concatenate([page.rows for page in pages]), good


def check_labels(good: int, blocks: int) -> None:
    """Refuse blocks that are all of one class.

    Raises:
        LabError: no block is main text, or all are.
    """
    if good in (0, blocks):
        raise LabError(f"nothing can be learned: of {blocks} blocks, {good} are main text")


def score(predict: Callable[[Matrix], Flags], pages: Iterable[LabelledPage]) -> dict[str, dict[str, float]]:
    """Return the scores of block verdicts by set; `zero_r` is the accuracy of the more frequent class."""
    counts: dict[str, Confusion] = {}
    for page in pages:
        counts[page.dataset] = counts.get(page.dataset, Confusion()) + confusion(predict(page.rows), page.good)
    return {dataset: block_scores(counted) for dataset, counted in sorted(counts.items())}


def block_scores(counted: Confusion) -> dict[str, float]:
    """Return the scores of a confusion."""
    measures, share_good = counted.measures, (counted.true_positive + counted.false_negative) / max(counted.total, 1)
    zero_r = max(share_good, 1 - share_good)
    return {"blocks": float(counted.total), "accuracy": measures.pop("accuracy"), "zero_r": zero_r, **measures}


def table_lines(suffix: str, features: Sequence[str], pages: Iterable[LabelledPage]) -> Iterator[bytes]:
    """Write the features and classes of blocks as CSV or as ARFF (Weka): header, then one line per block.

    Numbers round-trip in single precision.

    Raises:
        LabError: `suffix` is neither ".csv" nor ".arff".
    """
    heads = {
        ".csv": [",".join([*features, "class"])],
        ".arff": [
            "@relation blocks",
            *(f"@attribute '{name}' numeric" for name in features),
            "@attribute class {bad,good}",
            "@data",
        ],
    }
    if suffix not in heads:
        raise LabError(f"a table is written to a file whose name ends in {' or '.join(heads)}, not in {suffix!r}")
    rows = (
        ",".join([*map(str, row), "good" if good else "bad"])
        for page in pages
        for row, good in zip(page.rows, page.good.tolist(), strict=True)
    )
    return (f"{line}\n".encode() for line in chain(heads[suffix], rows))
