"""The Slovene decision tree (Brezovnik 2021): verdicts on blocks, and the similarity of the texts to gold."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean

from benchmarks.reproduce.block_systems import (
    LARGE_SITES,
    NEWS,
    articles,
    counted_sites,
    fit_artifact,
    folds,
    large_sites,
    text_of,
)
from benchmarks.reproduce.tables import table
from newscorpus.artifacts import Artifact, Scorer
from newscorpus.lab.evaluation.scores import Confusion, character_similarity, confusion
from newscorpus.lab.gold.align import LABELLERS
from newscorpus.lab.gold.pages import LICENCES, GoldPage
from newscorpus.lab.systems.blocks import keep_good
from newscorpus.lab.systems.shallow_tree import make_system
from newscorpus.lab.training.block_learner import BlockLearner, LabelledPage, block_scores, labelled_pages
from newscorpus.lab.training.block_systems import SHALLOW_TREE, Criterion, fit_tree
from newscorpus.page.extractor import Extractor
from newscorpus.page.loading import load

PEER = "boilerpipe-article"

PUBLISHED = {"shallow-tree": (0.9395, 0.7724, 1.0), PEER: (0.8456, 0.2435, 0.9768)}
"""Similarity: mean, least and greatest."""

PUBLISHED_ZERO_R = 0.9589

FOLDS = 10
INNER_FOLDS = 3
"""Those of the choice of the pruning inside each of the ten."""

TREES: tuple[tuple[str, Criterion], ...] = (("exact", "gini"), ("aligned", "gini"), ("aligned", "entropy"))
"""The labels that each tree learns from, and the criterion of its splits."""

SAME = "same sites"
BLOCK_COLUMNS = ("pages of", "tree", "TP", "FP", "FN", "TN", "accuracy", "ZeroR", "P", "R", "F1", "MCC")
TEXT_COLUMNS = ("pages of", "system", "pages", "mean", "least", "greatest")


@dataclass(frozen=True, slots=True)
class Result:
    """What a system does on some pages."""

    where: str  # the pages
    system: str  # the name of the tree, or of the peer
    similar: list[float]  # of each text to gold, 0..1
    counted: Confusion | None = None  # verdicts of the tree alone; None for the peer


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree fitted to the gold pages."""

    name: str  # its labels and the criterion of its splits
    learner: BlockLearner  # trains such a tree in each fold of a cross-validation
    artifact: Artifact  # the tree
    how: str  # it was fitted


def reproduce(data: Path) -> str:
    """Trees by labels and by criterion, their blocks and texts: on sites they know, and on sites never seen."""
    same = large_sites(data)
    unseen = {dataset: list(articles(data, dataset)) for dataset in NEWS}
    gold = [page for dataset in LICENCES for page in articles(data, dataset, "train")]
    peer = load(PEER)
    results = [Result(where, PEER, _similar(peer, pages)) for where, pages in {SAME: same, **unseen}.items()]
    trees = []
    for labels, criterion in TREES:
        learner = replace(SHALLOW_TREE, label=LABELLERS[labels], fit=partial(fit_tree, criterion=criterion))
        artifact, how = fit_artifact(learner, labelled_pages(learner, gold))
        inner = replace(learner, fit=partial(fit_tree, criterion=criterion, folds=INNER_FOLDS))
        trees.append(Tree(f"{labels} labels, {criterion}", inner, artifact, how))
    for tree in trees:
        results.append(_cross_validated(tree, same))
        for dataset, pages in unseen.items():
            similar = _similar(keep_good(make_system(tree.artifact)), pages)
            verdicts = _judge(tree.artifact, labelled_pages(tree.learner, pages))
            results.append(Result(dataset, tree.name, similar, verdicts))
    order = (SAME, *unseen)
    results.sort(key=lambda result: order.index(result.where))
    described = "".join(f"- {tree.name}: {tree.how}\n" for tree in trees)
    block_rows = [
        (result.where, result.system, *astuple(result.counted), *list(block_scores(result.counted).values())[1:])
        for result in results
        if result.counted
    ]
    text_rows: list[tuple[object, ...]] = [("published", name, None, *figures) for name, figures in PUBLISHED.items()]
    for result in results:
        system = PEER if result.system == PEER else f"shallow-tree, {result.system}"
        similar = result.similar
        text_rows.append((result.where, system, len(similar), fmean(similar), min(similar), max(similar)))
    return (
        "# The Slovene decision tree (Brezovnik 2021)\n\n"
        f"Same sites: {len(same)} pages of {' and '.join(LARGE_SITES)}, {FOLDS}-fold cross-validation over pages, of "
        f"the sites {counted_sites(same)}. Sets: trees learned from the train split of {', '.join(LICENCES)}, tested "
        f"on the development split, whose sites they have not seen.\n\n{described}\n"
        f"## Blocks\n\nThe tree alone, without the rules. Published: ZeroR {PUBLISHED_ZERO_R}.\n\n"
        f"{table(BLOCK_COLUMNS, block_rows)}\n"
        "## Texts\n\nWith the rules. Similarity: 1 - Levenshtein distance in characters / length of the longer text."
        f"\n\n{table(TEXT_COLUMNS, text_rows)}"
    )


def _cross_validated(tree: Tree, pages: Sequence[GoldPage]) -> Result:
    cut = {page: list(labelled_pages(tree.learner, [page])) for page in pages}
    counted, similar = Confusion(), []
    for train, test in folds(pages, FOLDS):
        artifact, _ = fit_artifact(tree.learner, chain.from_iterable(cut[page] for page in train))
        counted += _judge(artifact, chain.from_iterable(cut[page] for page in test))
        similar += _similar(keep_good(make_system(artifact)), test)
    return Result(SAME, tree.name, similar, counted)


def _judge(tree: Artifact, pages: Iterable[LabelledPage]) -> Confusion:
    scorer = Scorer(tree)
    return sum((confusion(scorer(page.rows)[:, 1] > 0.5, page.good) for page in pages), Confusion())


def _similar(extractor: Extractor, pages: Iterable[GoldPage]) -> list[float]:
    return [character_similarity(text_of(extractor, page), page.text) for page in pages]
