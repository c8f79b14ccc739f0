"""The Slovene decision tree (Brezovnik 2021): verdicts on blocks, and the similarity of the texts to gold."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from benchmarks.reproduce.block_systems import NEWS, articles, fit_artifact, text_of
from benchmarks.reproduce.tables import table
from newscorpus.artifacts import Artifact, Scorer
from newscorpus.evaluation.scores import Confusion, character_similarity, confusion
from newscorpus.extraction.extractor import Extractor
from newscorpus.extractors.line import keep_good
from newscorpus.extractors.registry import load
from newscorpus.extractors.shallow_tree import ShallowTree
from newscorpus.learning.block_labels import LABELS
from newscorpus.learning.block_learner import BlockLearner, LabelledPage, block_scores, labelled_pages
from newscorpus.learning.examples import LICENCES
from newscorpus.learning.pages import GoldPage
from newscorpus.learning.shallow_tree import SHALLOW_TREE

PEER = "boilerpipe-article"

PUBLISHED_SIMILARITY = {"shallow-tree": (0.9395, 0.7724, 1.0), PEER: (0.8456, 0.2435, 0.9768)}
"""Mean, least and greatest."""

PUBLISHED_ACCURACY = 0.9589


def reproduce(data: Path) -> str:
    """Trees with strict and with soft labels, by block and by text."""
    gold = [page for dataset in LICENCES for page in articles(data, dataset, "train")]
    unseen = {dataset: list(articles(data, dataset)) for dataset in NEWS}
    trees = {name: _learn(replace(SHALLOW_TREE, label=label), gold) for name, label in LABELS.items()}
    sections = [_blocks(name, tree, how, unseen) for name, (tree, how) in trees.items()]
    extractors = {f"shallow-tree, {name} labels": keep_good(ShallowTree(tree)) for name, (tree, _) in trees.items()}
    peer = {PEER: load(PEER)}
    return (
        "# The Slovene decision tree (Brezovnik 2021)\n\n"
        "Trees learned from the train split of wcxb, fundus, daniel and dragnet, tested on the development split.\n\n"
        f"{''.join(sections)}{_texts(extractors | peer, unseen)}"
    )


def _learn(learner: BlockLearner, gold: Sequence[GoldPage]) -> tuple[Artifact, str]:
    return fit_artifact(learner, labelled_pages(learner, gold))


def _blocks(labels: str, tree: Artifact, how: str, unseen: Mapping[str, Sequence[GoldPage]]) -> str:
    learner, scorer = replace(SHALLOW_TREE, label=LABELS[labels]), Scorer(tree)
    rows = []
    for dataset, pages in unseen.items():
        counted = sum((_judge(scorer, page) for page in labelled_pages(learner, pages)), Confusion())
        of_set = block_scores(counted)
        counts = (counted.true_positive, counted.false_positive, counted.false_negative, counted.true_negative)
        rows.append((dataset, *counts, *(of_set[name] for name in list(of_set)[1:])))
    columns = ("set", "TP", "FP", "FN", "TN", "accuracy", "ZeroR", "P", "R", "F1", "MCC")
    return (
        f"## Blocks, {labels} labels\n\n{how} The tree alone, without the rules; published accuracy "
        f"{PUBLISHED_ACCURACY}.\n\n{table(columns, rows)}\n"
    )


def _judge(scorer: Scorer, page: LabelledPage) -> Confusion:
    return confusion(scorer(page.rows)[:, 1] > 0.5, page.good)


def _texts(extractors: Mapping[str, Extractor], unseen: Mapping[str, Sequence[GoldPage]]) -> str:
    rows: list[Sequence[object]] = []
    for dataset, pages in unseen.items():
        for name, extractor in extractors.items():
            similar = [character_similarity(text_of(extractor, page), page.text) for page in pages]
            rows.append((dataset, name, len(pages), fmean(similar), min(similar), max(similar)))
    rows += [("published", name, None, *figures) for name, figures in PUBLISHED_SIMILARITY.items()]
    return (
        "## Texts\n\nSimilarity: 1 - Levenshtein distance in characters / length of the longer text.\n\n"
        f"{table(('set', 'system', 'pages', 'mean', 'least', 'greatest'), rows)}"
    )
