"""Ask trafilatura for a second opinion where the model is unsure, and choose between the two texts.

Two logistic models, trained out of fold, give for each text the probability that it is right. They see the signs of
the page, both lengths, the agreement of the texts, and the model's scores of the blocks in the other text.
"""

import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module, metadata
from types import ModuleType
from typing import Final

import numpy as np
from lxml.html import HtmlElement

from newscorpus.arrays import Floats
from newscorpus.artifacts import Artifact
from newscorpus.data import Label, LabelledBlock
from newscorpus.page.extractor import FoundText, PreparedPage
from newscorpus.page.registry import SECOND_OPINION
from newscorpus.page.text.clean import CELL_MARK, is_off_topic
from newscorpus.page.text.features.characters import count_characters
from newscorpus.page.text.features.wording import grams, is_among
from newscorpus.page.text.post_analysis import lower_words, possible_headlines
from newscorpus.page.text.verdict import SIGNS, Logistic, read_logistic
from newscorpus.tokens import paragraphs

ASK_BELOW = 0.6
"""Confidence below which the other extractor is asked: out of fold the mean F1 of eight sets (2026-11) is 0.9571 with
0.6 and 0.7, 0.9570 with 0.5, and 0.9523 if it is never asked; more pages cost more time."""
LEAST_GAIN = 0.15
"""By how much the other text must be more probably right: of 2,223 articles out of fold 39 become better and 27 worse,
of 56 and 49 without it (2026-11)."""
MOST_BLOCKS = 5_000
"""Trafilatura is not run on longer pages, where it takes over a second, and more than linear time."""
MOST_STEPS = 150_000
"""Nor on pages where the depths of all elements sum to more: it walks and copies the content of each element, and 1,500
nested tables, a million steps, take 24 s. The maximum of 206 real pages is 68,000 (2026-11)."""
DISAGREE = "extractors_disagree"
"""Flag of a text that shares less than half with the other extractor's."""
LEAST_AGREEMENT = 0.5
BAR = re.compile(r"(?<!\\)\|")
"""Separator of cells in a row; in text it is escaped with a backslash."""
COMPARED = 60
"""Characters on either side of a line end that are searched for in the page."""
SPACES = (" ", "")
"""Possible separators at a line end."""

PAIR_SIGNS: Final[Mapping[str, str]] = {
    "own_confidence": "log odds of the confidence in our own text alone",
    "log_own": "logarithm of the number of 4-grams of our own text",
    "log_other": "logarithm of the number of 4-grams of the other text",
    "log_ratio": "difference of the two logarithms",
    "other_shared": "share of the other text's 4-grams in our own text",
    "own_shared": "share of our own text's 4-grams in the other text",
    "agreement": "harmonic mean of the two shares",
    "no_other": "the other extractor found no text",
    "expected_precision": "mean probability of the words in the blocks of the other text",
    "expected_recall": "share of all expected good words in these blocks",
    "expected_f1": "harmonic mean of the two",
}
"""Signs of the pair of texts, used beside those of the page, in order, with their meanings."""

_AGREEMENT, _NO_OTHER = (len(SIGNS) + tuple(PAIR_SIGNS).index(name) for name in ("agreement", "no_other"))
GRAM = 4
"""Words of an n-gram, as in the evaluation score."""
LEAST_ODDS = 1e-4
"""Confidences are clipped to this distance from 0 and 1."""

logger = logging.getLogger(__name__)


@cache
def _trafilatura() -> ModuleType:
    """Import trafilatura on first use, and mute its log, which is about single pages."""
    logging.getLogger(SECOND_OPINION).setLevel(logging.CRITICAL + 1)
    return import_module(SECOND_OPINION)


def other_text(prepared: PreparedPage) -> list[str]:
    """Return the paragraphs that trafilatura finds, without the headline; none where it fails.

    Raises:
        ImportError: trafilatura cannot be imported.
    """
    extract = _trafilatura().extract
    try:
        text = extract(prepared.tree, fast=True, include_comments=False) or ""
    except Exception as error:  # noqa: BLE001  (any exception is possible; our own text is then used)
        logger.info("%s failed on %s: %s", SECOND_OPINION, prepared.page.url, error)
        return []
    # Join lines into paragraphs where links or emphasis break them in the middle of a block
    page = "\n".join(block.text for block in prepared.blocks)
    joined = [""]
    for line in filter(None, map(_plain, paragraphs(text))):
        end, start = joined[-1][-COMPARED:], line[:COMPARED]
        space = next((each for each in SPACES if end and f"{end}{each}{start}" in page), None)
        if space is not None:
            joined[-1] += space + line
        else:
            joined.append(line)
    found = joined[1:]
    headlines = possible_headlines(prepared.fields.title)
    first = lower_words(found[0]) if found else ()
    return found[1:] if first in headlines else found


def _plain(line: str) -> str:
    """Strip the marks of list items and table rows from a line; "" for the rule below a table's head."""
    if not line.startswith("|"):
        return line.removeprefix("- ")
    cells = (cell.replace("\\|", "|").strip() for cell in BAR.split(line))
    return CELL_MARK.join(cell for cell in cells if cell.strip("-: "))


def read_pair(
    signs: Floats, confidence: float, labelled: Sequence[LabelledBlock], own: Sequence[str], other: Sequence[str]
) -> Floats:
    """Return the signs of a page (of `read_signs`) and of its two texts, shape (signs + pair signs,).

    `confidence` is the probability that our own text is right, 0..1; `labelled` has at least one block.
    """
    words = count_characters([item.block.text for item in labelled], ("\n".join(own), "\n".join(other))).words
    own_grams, other_grams = (grams(found, GRAM) for found in words.others)
    # Count the n-grams common to both texts, with multiplicity
    values, times = np.unique(own_grams, return_counts=True)
    other_values, other_times = np.unique(other_grams, return_counts=True)
    _, at, other_at = np.intersect1d(values, other_values, assume_unique=True, return_indices=True)
    common = int(np.minimum(times[at], other_times[other_at]).sum())
    other_shared, own_shared = common / max(len(other_grams), 1), common / max(len(own_grams), 1)
    certain = min(max(confidence, LEAST_ODDS), 1 - LEAST_ODDS)
    log_own, log_other = math.log1p(len(own_grams)), math.log1p(len(other_grams))
    # Expected precision and recall of the other text, by the probabilities of its blocks
    score = np.array([item.score for item in labelled])
    inside = words.text[: max(len(words.text) - GRAM + 1, 0)] == words.text[GRAM - 1 :]
    is_found = is_among(grams(words.hash, GRAM), np.unique(other_grams)) & inside
    n_blocks = len(words.count)
    n_grams = np.bincount(words.text[: len(inside)][inside], minlength=n_blocks)
    covered = (
        np.bincount(words.text[: len(is_found)][is_found], minlength=n_blocks) / np.maximum(n_grams, 1) * words.count
    )
    good = float(covered @ score)
    expected = good / max(float(covered.sum()), 1.0), good / max(float(words.count @ score), 1e-9)
    pair = {
        "own_confidence": math.log(certain / (1 - certain)),
        "log_own": log_own,
        "log_other": log_other,
        "log_ratio": log_other - log_own,
        "other_shared": other_shared,
        "own_shared": own_shared,
        "agreement": _harmonic(other_shared, own_shared),
        "no_other": not len(other_grams),
        "expected_precision": expected[0],
        "expected_recall": expected[1],
        "expected_f1": _harmonic(*expected),
    }
    return np.concatenate((signs, [pair[name] for name in PAIR_SIGNS]))


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-9)


def _is_costly(tree: HtmlElement) -> bool:
    """Tell whether elements are nested so deeply that the other extractor would take long."""
    n_around: dict[HtmlElement | None, int] = {None: -1}
    steps = 0
    for element in tree.iter():
        n_around[element] = n_around[element.getparent()] + 1
        steps += n_around[element]
    return steps > MOST_STEPS


@dataclass(frozen=True, slots=True)
class Arbiter:
    """Decides between our own text and that of another extractor; both models see the signs of `read_pair`."""

    own: Logistic  # probability that our own text is right
    other: Logistic  # probability that the other text is
    ask: Callable[[PreparedPage], Sequence[str]] = other_text  # returns the paragraphs that the other extractor finds

    def __call__(self, pair: Floats) -> tuple[float, bool]:
        """Return the confidence in the better text, and whether it is the other one."""
        own, other = self.own(pair), self.other(pair)
        takes_other = other > own + LEAST_GAIN and not pair[_NO_OTHER]
        return (other if takes_other else own), takes_other

    @classmethod
    def of(cls, artifact: Artifact) -> "Arbiter":
        """Read the arbiter of a model.

        Raises:
            ArtifactError: a parameter is missing, or was made for another number of signs.
        """
        n_signs = len(SIGNS) + len(PAIR_SIGNS)
        return cls(read_logistic(artifact, "own", n_signs), read_logistic(artifact, "other", n_signs))

    def decide(
        self, prepared: PreparedPage, labelled: Sequence[LabelledBlock], signs: Floats, found: FoundText
    ) -> FoundText:
        """Choose our own text `found` or, if its confidence is low, the other one if that is more likely right.

        Arguments as for `read_pair`.
        """
        if found.confidence >= ASK_BELOW or len(labelled) > MOST_BLOCKS or _is_costly(prepared.tree):
            return found
        # The other text's paragraphs, except those that a rule or the portal's profile labels bad wherever they stand
        bad = {lower_words(item.block.text) for item in labelled if item.label is Label.BAD and item.reasons}
        good = {lower_words(item.block.text) for item in labelled if item.is_good}
        other = [each for each in self.ask(prepared) if lower_words(each) not in bad - good]
        pair = read_pair(signs, found.confidence, labelled, found.paragraphs, other)
        confidence, takes_other = self(pair)
        if takes_other and is_off_topic(other, prepared.fields) and not is_off_topic(found.paragraphs, prepared.fields):
            confidence, takes_other = self.own(pair), False
        flags = (DISAGREE,) if pair[_AGREEMENT] < LEAST_AGREEMENT and not pair[_NO_OTHER] else ()
        if takes_other:
            return FoundText(
                other, f"second-opinion:{SECOND_OPINION}@{metadata.version(SECOND_OPINION)}", confidence, flags
            )
        return replace(found, confidence=confidence, flags=flags)
