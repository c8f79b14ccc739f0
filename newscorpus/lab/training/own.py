"""Train on the user's own pages: read them, cross-validate, and write a model with a name of its own.

At least `FEWEST` pages are needed. The card compares the scores on held-out pages with those of the shipped model. The
default model learns trees from these pages alone, or adds trees to the shipped ones; its verdict on pages stays that of
the shipped model, since the articles of one source say nothing of pages that are no articles.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import lightgbm
import numpy as np

from newscorpus.arrays import Matrix
from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.data import Article, Label, LabelledBlock, Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.scores import Estimate, estimate, ngram_scores
from newscorpus.lab.gold.align import label_by_alignment
from newscorpus.lab.gold.pages import ANY_POSITION, FEWEST, MEASURE, TEACH, GoldPage, has_article, is_marked, read_pages
from newscorpus.lab.training.boosting import Boosting, Example, fit, make_example
from newscorpus.lab.training.main_text import ABOUT, LEAST_FIT, MODEL_VERSION, PACKAGES, fits
from newscorpus.lab.training.model import Train, TrainedModel
from newscorpus.lab.training.onnx import add_trees, trees_to_onnx
from newscorpus.lab.training.sources import Described, Progress, TrainingPages, group_kfold
from newscorpus.model_folders import Metadata, own_models
from newscorpus.page.extractor import WHOLE, Extractor, good_paragraphs, read
from newscorpus.page.loading import load_whole
from newscorpus.page.registry import systems
from newscorpus.page.text.classify import COLUMNS, FIRST, SECOND, Trees, add_context, probability_of
from newscorpus.page.text.features import FEATURES
from newscorpus.page.text.main_text import INPUTS, MODEL
from newscorpus.tokens import number_of
from newscorpus.urls import site_key

FEWEST_SITES = 3
"""Minimum number of sites for folds by site: with one held out, a system can still choose its parameters by site."""

CARD_MEASURE = (
    "Mean page F1 over word 4-grams on pages that the model did not learn from, in a cross-validation of "
    "{folds} folds by {unit}; `shipped` is that of the shipped model on the same pages, `gain` what the own one has "
    "more, page by page, with the 95 % interval of a bootstrap."
)

OWN_TREES = Boosting(rounds=100, learning_rate=0.1, leaves=16, min_leaf=10)
"""Parameters of trees from own pages alone, with smaller leaves than the shipped ones: there are fewer blocks."""
ADDED_TREES = Boosting(rounds=40, learning_rate=0.05, leaves=8, min_leaf=10)
"""Parameters of trees that are added to the shipped ones. Rounds times rate is the weight of the own pages;
`benchmarks/own_pages.py` measures the gain."""


def is_own(path: Path) -> bool:
    """Tell whether a path names own pages (a file, or a folder with texts or marks) and not a folder of sets."""
    return not path.is_dir() or is_marked(path)


def default_folder(name: str) -> Path:
    """Return the default folder for a trained model, which is never that of a shipped one."""
    return own_models() / f"{name}-own"


def own_source(paths: Sequence[Path]) -> TrainingPages:
    """Return the training pages of files and folders; those reserved for measuring are left out.

    Raises:
        LabError: a file cannot be read.
    """
    found = [page for path in paths for page in read_pages(path) if page.split != "dev" and page.list != MEASURE]
    hashes = {}
    for path in paths:
        digest = hashlib.sha256()
        for file in sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
        hashes[path.name.split(".")[0]] = digest.hexdigest()

    def describe(pages: Mapping[str, int]) -> Described:
        return {name: {"licence": "own", "pages": n, "sha256": hashes[name]} for name, n in pages.items()}

    return TrainingPages(list(map(with_marks, found)), describe, learns_all=True)


def with_marks(page: GoldPage) -> GoldPage:
    """Return the page as a training page; marks on its blocks, if any, decide on its text."""
    page = replace(page, list=TEACH)
    prepared = read(Page.from_html(page.html, page.url), options=WHOLE) if page.marks else None
    if prepared is None or isinstance(prepared, Rejected):
        return page
    marks = {(mark.block, mark.position): Label(mark.label) for mark in page.marks}
    labelled = []
    for block, is_good in zip(prepared.blocks, label_by_alignment(prepared.blocks, page).tolist(), strict=True):
        path = block.element.path
        marked = marks.get((path, block.position)) or marks.get((path, ANY_POSITION))
        labelled.append(LabelledBlock(block, 1.0, marked or (Label.GOOD if is_good else Label.BAD)))
    return replace(page, text="\n".join(good_paragraphs(labelled)))


def apart(pages: Iterable[GoldPage]) -> list[GoldPage]:
    """Prepare `pages` for folds by domain, or by page where there are fewer than `FEWEST_SITES`."""
    known = [replace(page, domain=page.domain or (site_key(page.url) if page.url else "")) for page in pages]
    if len({page.site for page in known}) >= FEWEST_SITES:
        return known
    return [replace(page, domain="") for page in known]


def train_own(name: str, train: Train, source: TrainingPages, output: Path, progress: Progress) -> Metadata:
    """Train the model `name` on the user's own pages and write it to `output`, with cross-validated scores.

    If only the cross-validation fails, the card says why.

    Raises:
        LabError: there are too few pages, or nothing can be learned from them.
    """
    pages = apart(page for page in source.pages if name not in systems() or (page.text and has_article(page.page_type)))
    if len(pages) < FEWEST:
        raise LabError(f"{number_of(len(pages), 'page')} to learn from; {FEWEST} at least are needed")
    own = replace(source, pages=pages, learns_all=True)
    model = named(train(own, progress), name, output)
    metadata = model.save(output)
    if name not in systems():
        return metadata
    unit = "domain" if pages[0].domain else f"page (fewer than {FEWEST_SITES} domains are known)"
    measure = CARD_MEASURE.format(folds=len(list(group_kfold([page.site for page in pages]))), unit=unit)
    try:
        scores = {"own pages": cross_validate(name, train, own, pages, progress)}
    except ValueError as error:
        scores, measure = {}, f"Not measured: in the cross-validation by {unit}, {error}."
        progress(measure)
    return replace(model, scores=scores, measure=measure).save(output)


def named(model: TrainedModel, name: str, output: Path) -> TrainedModel:
    """Rename the model after its folder, unless the folder has the name of the shipped model.

    Its version becomes a hash of its content, so that rows tell models of one folder apart.
    """
    if output.name == name:
        return model
    option = "--extractor" if name in systems() else "--fields-model"
    content = repr((sorted(model.parameters.items()), sorted(model.weights.items()))).encode()
    version, use = hashlib.sha256(content).hexdigest()[:8], f"`newscorpus extract PAGE {option} {output}`"
    return replace(model, name=output.name, version=version, system=name, use=use)


def cross_validate(
    name: str, train: Train, source: TrainingPages, pages: Sequence[GoldPage], progress: Progress
) -> dict[str, float]:
    """Score pages out of fold by site, and by the shipped model."""
    held_out: list[GoldPage] = []
    own: list[float] = []
    for number, (learned, held) in enumerate(group_kfold([page.site for page in pages]), 1):
        model = train(replace(source, pages=[pages[at] for at in learned]), lambda _: None)
        with TemporaryDirectory() as folder:
            named(model, name, Path(folder, "fold")).save(Path(folder, "fold"))
            extractor = load_whole(str(Path(folder, "fold")))
        tested = [pages[at] for at in held]
        own += score_pages(extractor, tested)
        held_out += tested
        progress(f"cross-validation, fold {number}")
    shipped = score_pages(load_whole(name), held_out)
    gain = estimate_gain(shipped, own, [page.site for page in held_out])
    means = {"page_f1": float(np.mean(own)), "shipped": float(np.mean(shipped))}
    return {"pages": float(len(own)), **means, "gain": gain.value, "low": gain.low, "high": gain.high}


def estimate_gain(before: Sequence[float], after: Sequence[float], groups: Sequence[str]) -> Estimate:
    """Estimate the mean gain in the scores of pages, with an interval over groups of pages, such as sites."""
    gained = np.array([(1.0, new - old) for old, new in zip(before, after, strict=True)])
    return estimate(gained, lambda drawn: drawn[:, 1] / drawn[:, 0], groups)


def advice(scores: Mapping[str, float]) -> str:
    """Summarise a cross-validation in one sentence; "" for scores without a gain."""
    if "gain" not in scores:
        return ""
    gain = f"{scores['gain']:+.3f} of F1 (95 % interval {scores['low']:+.3f} to {scores['high']:+.3f})"
    verdict = "better" if scores["low"] > 0 else "not shown to be better"
    return f"It is {verdict} than the shipped model on pages that it did not learn from: {gain}."


def score_pages(extractor: Extractor, pages: Iterable[GoldPage]) -> list[float]:
    """Return the F1 over word 4-grams of an extractor on each of `pages`."""
    scores = []
    for page in pages:
        found = extractor(Page.from_html(page.html, page.url))
        scores.append(ngram_scores(found.text if isinstance(found, Article) else "", page.text).f1)
    return scores


def train_own_trees(
    source: TrainingPages, progress: Progress, *, start: bool, base: Artifact | None = None
) -> TrainedModel:
    """Train on the articles of `source`, from these alone or (`start`) by adding trees to those of `base`.

    `base` defaults to the shipped model.

    Raises:
        LabError: no page has blocks that make up its text.
    """
    base = base or load_artifact(MODEL, INPUTS)
    examples = [example for example in filter(None, map(make_example, source.articles)) if fits(example)]
    if not examples:
        raise LabError(f"nothing can be learned: on no page blocks make up the text (F1 {LEAST_FIT} at least)")
    boosting = ADDED_TREES if start else OWN_TREES
    matrices = [example.features.matrix for example in examples]
    below = Trees(base, FIRST, len(FEATURES)) if start else None
    first = _grow(examples, matrices, below, boosting)
    probabilities = [np.zeros(0)] * len(examples)
    for learned, held in group_kfold([example.page.site for example in examples]):
        rest = learned or held
        trees = _grow([examples[at] for at in rest], [matrices[at] for at in rest], below, boosting)
        for at in held:
            below_margin = below.margin(matrices[at]) if below else 0.0
            margin = np.asarray(trees.predict(matrices[at], raw_score=True)) + below_margin
            probabilities[at] = probability_of(margin)
    progress("first pass")
    joined = [add_context(example.features, seen) for example, seen in zip(examples, probabilities, strict=True)]
    second = _grow(examples, joined, Trees(base, SECOND, len(COLUMNS)) if start else None, boosting)
    progress("second pass")
    grown = {FIRST: first, SECOND: second}
    own = {
        file: add_trees(base.weights[file], trees) if start else trees_to_onnx(trees) for file, trees in grown.items()
    }
    how = f"{boosting.rounds} trees a pass of {boosting.leaves} leaves, learning rate {boosting.learning_rate}"
    return TrainedModel(
        name=MODEL,
        version=MODEL_VERSION,
        features=INPUTS,
        parameters=base.metadata.parameters,
        weights={**base.weights, **own},
        packages=PACKAGES,
        data=source.describe(Counter(example.page.dataset for example in examples)),
        scores={},
        about=ABOUT,
        source=f"Pages whose blocks make up their text (F1 {LEAST_FIT} at least).",
        how=f"{how}, {'added to those of the shipped model' if start else 'from these pages alone'}; its verdict.",
        measure="",
    )


def _grow(
    examples: Sequence[Example], matrices: Sequence[Matrix], below: Trees | None, boosting: Boosting
) -> lightgbm.Booster:
    start = [below.margin(matrix) for matrix in matrices] if below else None
    return fit(examples, matrices, boosting, start)
