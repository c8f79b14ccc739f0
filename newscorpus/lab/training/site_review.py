"""Train the model that judges blocks again by the profile of their site, on sites with several pages."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from newscorpus.arrays import Floats
from newscorpus.lab.evaluation.scores import ngram_scores
from newscorpus.lab.gold.pages import ARCHIVE_DOMAINS, PLATFORMS, GoldPage, has_article
from newscorpus.lab.training.boosting import Example
from newscorpus.lab.training.main_text import FOLDS as MODEL_FOLDS
from newscorpus.lab.training.main_text import LearnedTrees, learn_trees, read_examples
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.sources import Progress, TrainingPages, fold_of
from newscorpus.lab.training.verdicts import unscaled
from newscorpus.model_folders import REVIEW_MODEL
from newscorpus.page.extractor import good_paragraphs
from newscorpus.page.profiles.learn import LEAST_PAGES, SeenPage, learn
from newscorpus.page.profiles.review import (
    EVIDENCE,
    LEAST_PATH,
    LOGISTIC,
    PageEvidence,
    SiteEvidence,
    log_odds,
    weigh_evidence,
)
from newscorpus.page.text.classify import Classifier, label_by
from newscorpus.page.text.main_text import MODEL as MAIN_TEXT
from newscorpus.page.text.post_analysis import revise
from newscorpus.page.text.verdict import Logistic, logistic_parameters
from newscorpus.urls import host_of, site_key

MODEL_VERSION = "2"
PACKAGES = ("lightgbm", "numpy", "scikit-learn")
FOLDS = 4
MOST_WORDS = 60
"""Maximum weight of a block in words: longer blocks are certain by themselves."""
LEAST_WORDS = 100
"""Minimum total weight of a page in words, so that blocks of short pages weigh less."""
CLEAR_OWN, CLEAR_PATH = -3.5, 0.15
"""Log odds of a block and share of main text at its path; blocks below both are clear and not used for training."""

ABOUT = (
    "Judges the blocks of a page again where a profile of its site was learned from the site's other pages: a logistic "
    "model of the verdict on the block, of the share of main text at its path on the other pages, and of how texts "
    "repeat from page to page."
)
SOURCE = "The train split of these sets, of sites with five pages and more; `main-text` had not seen the site."
MEASURE = (
    "Mean page F1 over word 4-grams without and with the profile, no second opinion asked: mean over the sites, none "
    "of which the model had seen."
)
HOW = "- A logistic model; sites count by the square root of their pages, blocks by their words."
USE = "`newscorpus extract PAGES.jsonl --profile learn`."
LIMITS = "Most sites in the sets are of 2011 and 2012. On other sites the gain may be another."


@dataclass(frozen=True, slots=True)
class SitePage:
    """A gold page of a site with several pages."""

    site: str
    example: Example
    probability: Floats  # of each block, by a main-text model that was not trained on the site

    @property
    def words(self) -> Floats:
        """The number of words of each block."""
        return self.example.features.words.astype(np.float64)

    @property
    def seen(self) -> SeenPage:
        """The page as input for a profile."""
        example = self.example
        labelled = label_by(self.probability, example.features, example.blocks)
        return SeenPage(f"{example.page.dataset}/{example.page.id}", labelled, example.fields.title)

    def f1(self, probability: Floats) -> float:
        """Return the F1 of the text that these block probabilities make."""
        example = self.example
        labelled = revise(label_by(probability, example.features, example.blocks), example.fields.title)
        return ngram_scores("\n".join(good_paragraphs(labelled)), example.page.text).f1


def train_site_review(source: TrainingPages, progress: Progress) -> TrainedModel:
    """Train on the pages of `source`, as `newscorpus.lab.training.main_text.train_main_text`."""
    examples = read_examples(source.pages)
    pages = site_pages(examples, judge_unseen(examples, learn_trees(examples, progress)))
    measured = measure_sites(pages)
    progress("profiles learned")
    without = np.array([page.f1(page.probability) for page in pages])
    gain = out_of_fold_f1(pages, measured) - without
    sites = np.array([page.site for page in pages])
    names = np.unique(sites)
    means = [[float(values[sites == name].mean()) for name in names] for values in (without, without + gain)]
    before, after = (float(np.mean(values)) for values in means)
    return TrainedModel(
        name=REVIEW_MODEL,
        version=MODEL_VERSION,
        features=tuple(EVIDENCE),
        parameters=logistic_parameters(LOGISTIC, learn_review(pages, measured)),
        weights={},
        packages=PACKAGES,
        data=source.describe(Counter(page.example.page.dataset for page in pages)),
        scores={"sites": {"sites": len(names), "pages": len(pages), "page_f1_without": before, "page_f1": after}},
        about=ABOUT,
        source=SOURCE,
        how=HOW,
        measure=MEASURE,
        use=USE,
        limits=LIMITS,
    )


def site_of(page: GoldPage) -> str:
    """Return the site of a page: its registered domain, or its host on a blog platform; "" if it has none."""
    site = site_key(page.url) or page.domain
    site = host_of(page.url) if site in PLATFORMS else site
    return "" if site in ARCHIVE_DOMAINS else site


def judge_unseen(examples: Sequence[Example], trees: LearnedTrees) -> list[Floats]:
    """Predict the blocks of each page by the model that was trained without its site."""
    classifiers = [Classifier(trees.model_without(fold)) for fold in range(MODEL_FOLDS)]
    return [classifiers[fold_of(example.page.site, MODEL_FOLDS)](example.features) for example in examples]


def site_pages(examples: Sequence[Example], probabilities: Sequence[Floats]) -> list[SitePage]:
    """Return the articles of sites that have enough of them to learn a profile."""
    pages = [
        SitePage(site_of(example.page), example, probability)
        for example, probability in zip(examples, probabilities, strict=True)
        if has_article(example.page.page_type)
    ]
    count = Counter(page.site for page in pages)
    return [page for page in pages if page.site and count[page.site] >= LEAST_PAGES]


def measure_sites(pages: Sequence[SitePage]) -> list[PageEvidence]:
    """Return the evidence on each of `pages` from the profile of its site, learned from all pages of the site."""
    by_site: defaultdict[str, list[SitePage]] = defaultdict(list)
    for page in pages:
        by_site[page.site].append(page)
    of_site = {
        site: SiteEvidence(learn((page.seen for page in held), site, MAIN_TEXT)) for site, held in by_site.items()
    }
    return [
        of_site[page.site].measure(page.seen.id, page.example.blocks, page.probability, page.words) for page in pages
    ]


def learn_review(pages: Sequence[SitePage], measured: Sequence[PageEvidence]) -> Logistic:
    """Fit the probability that a block is main text, by the evidence on it."""
    count = Counter(page.site for page in pages)
    rows, good, weights = [], [], []
    for page, found in zip(pages, measured, strict=True):
        evidence = found.rows
        kept = (evidence[:, 0] > CLEAR_OWN) | (evidence[:, 1] > log_odds(np.array(CLEAR_PATH), LEAST_PATH))
        words = np.minimum(page.words, MOST_WORDS)
        weight = words / max(words.sum(), LEAST_WORDS) * page.example.weight / count[page.site] ** 0.5
        rows.append(evidence[kept])
        good.append(page.example.good[kept])
        weights.append(weight[kept])
    # Labels are shares: each row counts as good by its share, and as bad by the rest.
    share, weight = np.concatenate(good), np.concatenate(weights)
    weight = weight / weight.mean()
    both = np.concatenate((weight * share, weight * (1 - share)))
    evidence = np.concatenate(rows)
    scaler, regression = StandardScaler(), LogisticRegression(max_iter=1000)
    scaled = scaler.fit_transform(evidence)
    regression.fit(np.concatenate((scaled, scaled)), np.repeat((1, 0), len(evidence)), sample_weight=both)
    return unscaled(scaler, regression, digits=4)


def out_of_fold_f1(pages: Sequence[SitePage], measured: Sequence[PageEvidence], draw: int = 0) -> Floats:
    """Return the F1 of each page with a profile, out of fold by site; `draw` selects the folds."""
    f1 = np.zeros(len(pages))
    fold = np.array([fold_of(f"{draw}{page.site}", FOLDS) for page in pages])
    for held_out in range(FOLDS):
        rest = np.flatnonzero(fold != held_out).tolist()
        logistic = learn_review([pages[at] for at in rest], [measured[at] for at in rest])
        for at in np.flatnonzero(fold == held_out).tolist():
            f1[at] = pages[at].f1(weigh_evidence(logistic, measured[at]))
    return f1
