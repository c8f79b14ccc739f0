"""Find the main text by boosted trees over block features in two passes, post-analysis and a verdict on the page."""

import re
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from msgspec import structs

from newscorpus.artifacts import Artifact, load_artifact
from newscorpus.config import Revision
from newscorpus.data import LOW_CONFIDENCE, Element, Label, LabelledBlock, Rejected
from newscorpus.page.extractor import NO_MAIN_TEXT, PROFILE, FoundText, PreparedPage
from newscorpus.page.text.classify import ALMOST, COLUMNS, GOOD, Classifier, label_by
from newscorpus.page.text.clean import DESCRIBED, clean, lines_of
from newscorpus.page.text.features import Hints, PageFeatures, measure
from newscorpus.page.text.features.structure import NAMES, kinds_of
from newscorpus.page.text.hidden import pick_best_candidate
from newscorpus.page.text.post_analysis import (
    DEFAULT_RULES,
    DEFAULTS,
    Labelled,
    likeness,
    lower_words,
    possible_headlines,
    revise,
)
from newscorpus.page.text.second_opinion import PAIR_SIGNS, Arbiter
from newscorpus.page.text.verdict import (
    DOUBTFUL_PAGE,
    LEAST_CONFIDENCE,
    LEAST_DOUBTFUL,
    LIKELY_ARTICLE,
    SIGNS,
    PageJudge,
    looks_like_list,
    read_signs,
)
from newscorpus.tokens import count_words

MODEL = "main-text"
INPUTS = (*COLUMNS, *(f"page: {name}" for name in SIGNS), *(f"pair: {name}" for name in PAIR_SIGNS))
"""All inputs on which the model was trained."""
MOST_ROUNDS = 3
"""Maximum number of times a page is judged again without the articles appended to it."""

DESCRIBED_CONFIDENCE = 0.5
"""Least confidence in a text that the page's description chose: on 13 of 21 pages its F1 is above 0.9, on five more
above 0.25 (2026-11), and the models of confidence never saw one."""
OTHER_ARTICLE = "other_article"
"""Reason of the blocks of another article."""
HEADINGS = ("h1", "h2")
"""Tags of headings with which articles begin."""
MAX_HEADINGS = 50
"""Maximum number of headings examined: each is compared with the blocks around it."""

_ARTICLE: Final = 1 << NAMES.index("article")
_META: Final = 1 << NAMES.index("meta")
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"\W*\d{1,2}[:.h]\d\d\b.{0,6}")
"""A time of day alone: entries of live blogs have one, articles a date."""


class MainTextSystem:
    """The default system, `main-text`: classify blocks, revise labels, judge the page, ask a second opinion if unsure.

    Args:
        artifact: the trained model; by default the shipped one.
        asks: whether to ask another extractor where the model is unsure.
        revision: how blocks are labelled; the headline is always left out.

    Raises:
        ArtifactError: the model is missing, damaged or made for other features.
    """

    def __init__(self, artifact: Artifact | None = None, *, asks: bool = True, revision: Revision = Revision()) -> None:
        artifact = artifact or load_artifact(MODEL, INPUTS)
        self.classify = Classifier(artifact)
        self.judge = PageJudge.of(artifact)
        self.arbiter = Arbiter.of(artifact) if asks else None
        self.name = artifact.metadata.extractor
        self.config = revision.config
        self.rules = (*revision.rules, *DEFAULT_RULES)
        self.good = GOOD if revision.upper is None else revision.upper
        self.almost = ALMOST if revision.lower is None else revision.lower

    def label(self, prepared: PreparedPage) -> tuple[LabelledBlock, ...]:
        """Return the blocks of a parsed page with their final labels."""
        if not prepared.blocks:
            return ()
        labelled, _, others = self._label(prepared)
        return tuple(sorted((*labelled, *others), key=lambda item: item.block.position))

    def find(self, prepared: PreparedPage) -> FoundText | Rejected:
        """Return the main text, visible or hidden; reject a page without text or article.

        Another extractor is asked about the visible text, unless the page is declared paywalled: it ignores paywalls.
        """
        shown = self._find(prepared, None if prepared.is_closed else self.arbiter)
        return pick_best_candidate(shown, prepared, self._find)

    def _find(self, prepared: PreparedPage, arbiter: Arbiter | None = None) -> FoundText | Rejected:
        """Return the good blocks, or the text that `arbiter` prefers; reject a page without text or article."""
        url = prepared.page.url
        if not prepared.blocks:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        labelled, features, others = self._label(prepared)
        signs = read_signs(labelled, features, prepared.fields, url)
        verdict = self.judge(signs)
        if verdict.is_rejected:
            return Rejected("extract", "no_article", f"probability of an article {verdict.article:.2f}", url)
        found = FoundText(lines_of(labelled), self.name, verdict.confidence)
        reasons = {reason for item in labelled for reason in item.reasons}
        if DESCRIBED in reasons:
            found = replace(found, confidence=max(found.confidence, DESCRIBED_CONFIDENCE))
        elif arbiter and found.paragraphs and not others and reasons.isdisjoint(prepared.leave_out):  # it keeps them
            found = arbiter.decide(prepared, labelled, signs, found)
        if not found.paragraphs:
            return Rejected("extract", NO_MAIN_TEXT, url=url)
        confidence, flags, least = found.confidence, found.flags, LEAST_CONFIDENCE
        if verdict.article < LIKELY_ARTICLE:
            confidence, least = confidence * verdict.article, LEAST_DOUBTFUL
            flags += (DOUBTFUL_PAGE,)
        confidence = max(round(confidence, 3), 0.001)  # 0 means: not stated
        if confidence < least:
            flags += (LOW_CONFIDENCE,)
        return replace(
            found, confidence=confidence, flags=flags, is_article=verdict.article, is_list=looks_like_list(signs)
        )

    def _label(self, prepared: PreparedPage) -> tuple[Labelled, PageFeatures, Labelled]:
        """Return the labelled blocks of the article, at least one, their features, and the blocks of other articles.

        If a page appends other articles, it is judged again without them, which may reveal further ones.
        """
        labelled, features = self._judged(prepared)
        dropped: Labelled = ()
        for _ in range(MOST_ROUNDS):
            others = find_others(labelled, prepared.fields.title)
            if not others:
                break
            dropped += tuple(structs.replace(labelled[at], label=Label.BAD, reasons=(OTHER_ARTICLE,)) for at in others)
            left = tuple(item.block for at, item in enumerate(labelled) if at not in others)
            labelled, features = self._judged(replace(prepared, blocks=left))
        return labelled, features, dropped

    def _judged(self, prepared: PreparedPage) -> tuple[Labelled, PageFeatures]:
        fields, blocks = prepared.fields, prepared.blocks
        features = measure(blocks, Hints(fields.title, fields.description, prepared.article_body))
        label = partial(label_by, features=features, blocks=blocks, good_above=self.good, almost_above=self.almost)
        probability = self.classify(features)
        labelled = label(probability)
        if prepared.review:
            reviewed = label(prepared.review(prepared, probability, features.words.astype(np.float64)))
            labelled = tuple(
                item if item.label is alone.label else structs.replace(item, reasons=(PROFILE,), given=alone.score)
                for alone, item in zip(labelled, reviewed, strict=True)
            )
        revised = revise(labelled, fields.title, self.rules, self.config)
        return clean(revised, features, fields, prepared.leave_out), features


def find_others(labelled: Labelled, title: str) -> frozenset[int]:
    """Return the indices of blocks of articles other than the one of the title.

    Such an article extends over its box or, where articles have no boxes, from its heading to the end.
    """
    headings = [at for at, item in enumerate(labelled) if item.block.element.tag in HEADINGS][:MAX_HEADINGS]
    if len(headings) < 2:
        return frozenset()
    words = {at: lower_words(labelled[at].block.text) for at in headings}
    headlines, whole = possible_headlines(title), lower_words(title)
    said = [
        at for at, said in words.items() if said in headlines or likeness(said, whole) >= DEFAULTS.min_headline_likeness
    ]
    own = min(said, key=lambda at: (labelled[at].block.tag, at), default=None)
    if own is None:
        return frozenset()
    others = [at for at in headings if likeness(words[at], words[own]) < DEFAULTS.min_headline_likeness]
    return frozenset(at for other in others for at in _article_at(labelled, other, own))


def _article_at(labelled: Labelled, other: int, own: int) -> range:
    """Return the range of the article that begins with the heading at `other`; empty if none does."""
    mine, its = labelled[own].block, labelled[other].block
    my_box, its_box = _box(mine.element, its.element), _box(its.element, mine.element)
    are_first = mine.tag == its.tag == "h1"
    is_boxed = my_box is not mine.element and its_box is not its.element
    if is_boxed:
        shared = set(_NUMBER.sub("", my_box.classes).split()) & set(_NUMBER.sub("", its_box.classes).split())
        is_article = my_box.tag == "article"
        are_alike = my_box.tag == its_box.tag and (is_article or kinds_of(" ".join(sorted(shared))) & _ARTICLE)
        are_articles = are_alike and is_article
        is_signed = _is_signed(labelled, other)
        begins = (are_alike and mine.tag == its.tag) or ((are_first or are_articles) and is_signed)
    else:
        begins = own < other and are_first and _is_signed(labelled, own) and _is_signed(labelled, other)
    if not begins:
        return range(0)
    spans = range(own, other), range(other, len(labelled))
    if is_boxed:
        spans = _inside(labelled, own, my_box), _inside(labelled, other, its_box)
    words = (sum(count_words(labelled[at].block.text) for at in span if labelled[at].is_good) for span in spans)
    return spans[1] if min(words) >= DEFAULTS.min_article_words else range(0)


def _box(element: Element, other: Element) -> Element:
    """Return the outermost `<article>`, else element, around `element` but not around `other`, or `element` itself."""
    around = frozenset(other.ancestry)
    apart = [each for each in element.ancestry if each not in around]
    return next((each for each in apart if each.tag == "article"), apart[0] if apart else element)


def _inside(labelled: Labelled, at: int, box: Element) -> range:
    """Return the range of blocks in `box`, which contains the block at `at`."""
    first, last = at, at + 1
    while first > 0 and box in labelled[first - 1].block.element.ancestry:
        first -= 1
    while last < len(labelled) and box in labelled[last].block.element.ancestry:
        last += 1
    return range(first, last)


def _is_signed(labelled: Labelled, heading: int) -> bool:
    """Tell whether a date or an author, not only a time of day, follows closely below a heading."""
    for item in labelled[heading + 1 : heading + 1 + DEFAULTS.near_blocks]:
        block = item.block
        if block.tag in HEADINGS:
            return False
        names = " ".join(f"{each.classes} {each.id} {each.role}" for each in (block.element, block.parent))
        if (kinds_of(names) & _META or "time" in block.inline) and not _CLOCK.fullmatch(block.text):
            return True
    return False
