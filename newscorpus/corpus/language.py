"""Judge whether a text is in a language that its portal is declared to write, by langdetect, reproducibly.

langdetect knows no Serbian, Bosnian or Montenegrin: it calls them Croatian, or Macedonian (seldom Bulgarian) where they
are Cyrillic. So a declared language is checked against the set of answers that may stand for it, and gives the label.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, repeat
from pathlib import Path

import numpy as np
from langdetect.detector import Detector
from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
from langdetect.lang_detect_exception import ErrorCode, LangDetectException
from langdetect.utils.ngram import NGram
from numpy.typing import NDArray

from newscorpus.config import LanguageConfig

DEFAULTS = LanguageConfig()

BOTH_SCRIPTS = frozenset({"hr", "sr", "mk", "bg"})
ANSWERS = {
    "bs": BOTH_SCRIPTS,
    "cnr": BOTH_SCRIPTS,
    "sh": BOTH_SCRIPTS,
    "sr": BOTH_SCRIPTS,
    "be": frozenset({"be", "uk"}),
    **dict.fromkeys(("no", "nb", "nn"), frozenset({"no", "da"})),
    "zh": frozenset({"zh", "ko"}),
}
"""Answers that may stand for a language. hr, bs and sr are one group, of which Croatian is Latin only, so that "hr" is
its one answer. Chinese without simplified characters is often taken for Korean. Others stand for themselves."""

NORWEGIAN = frozenset({"nb", "nn"})
"""The written forms of "no", which the detector cannot tell apart: the page's own statement does."""

OWN_LETTERS = {"ћ": "sr", "ђ": "sr", "ў": "be"}
"""Letters of one language only, of those that langdetect has no profile of."""


@dataclass(frozen=True, slots=True)
class LanguageVerdict:
    """What a text was found to be."""

    language: str  # the declared language that fits; where none does, what the detector says, or ""
    score: float  # probability that the detector gives to it, 0..1; 0 where it could not tell
    ok: bool  # the text fits a declared language, or cannot be told


def detect(text: str, config: LanguageConfig = DEFAULTS) -> tuple[str, float]:
    """Find the most probable language of `text` and its probability; ("", 0.0) where it cannot be detected."""
    return _best(_chances(text, config))


def judge_language(
    text: str, declared: tuple[str, ...], config: LanguageConfig = DEFAULTS, stated: str = ""
) -> LanguageVerdict:
    """Check `text` against the languages that its portal declares; with none declared, any will do.

    The label is then the language that the page states for itself where the text bears it out, else the detector's.

    Of declared languages that fit equally well, such as hr and sr, the one that the page states for itself is the
    label, else the first. A text too short to tell, and one of a declared language that the detector does not know,
    are taken on trust. "no" takes in Bokmål (nb) and Nynorsk (nn), and the label is the form that the page states;
    where one form is declared, a page that states the other one does not fit.
    """
    if not declared:
        found = judge_language(text, (stated,), config) if stated else LanguageVerdict(*detect(text, config), ok=True)
        return replace(found, ok=True)
    if stated in NORWEGIAN and stated not in declared:
        declared = (*(name for name in declared if name not in NORWEGIAN), *({stated} if "no" in declared else ()))
        if not declared:
            return replace(judge_language(text, (stated,), config), ok=False)
    declared = tuple(sorted(declared, key=lambda name: name != stated))
    if sum(map(str.isalpha, text[: config.sample_characters])) < config.min_letters:
        return LanguageVerdict(declared[0], 0.0, ok=True)
    chances = _chances(text, config)
    language, score = _best({name: sum(chances.get(answer, 0.0) for answer in _answers(name)) for name in declared})
    if score >= config.min_score:
        return LanguageVerdict(language, min(score, 1.0), ok=True)
    known = {_tag(name) for name in _factory().get_lang_list()}
    unknown = [name for name in declared if not _answers(name) & known]
    if unknown:
        return LanguageVerdict(unknown[0], 0.0, ok=True)
    return LanguageVerdict(*_best(chances), ok=False)


@cache
def _factory() -> DetectorFactory:
    """The detector's profiles, loaded once a process, in an order that no file system decides."""
    factory = DetectorFactory()
    factory.load_json_profile([path.read_text("utf-8") for path in sorted(Path(PROFILES_DIRECTORY).iterdir())])
    return factory


def _chances(text: str, config: LanguageConfig) -> dict[str, float]:
    """Probability of each language tag that reaches a tenth; empty where the text shows nothing the detector knows."""
    sample = text[: config.sample_characters]
    if own := _own_letters(sample, config.min_own_letters):
        return {own: 1.0}
    detector = _Detector(_factory())
    # Set on this one detector: a seed on `DetectorFactory` would be shared with whoever else uses langdetect.
    detector.seed = config.seed
    detector.append(sample)
    try:
        answers = detector.get_probabilities()
    except LangDetectException:  # raised where no character belongs to any profile
        return {}
    chances: Counter[str] = Counter()
    for answer in answers:
        chances[_tag(answer.lang)] += answer.prob
    return dict(chances)


class _Detector(Detector):  # type: ignore[misc] # has no types
    """langdetect's detector in a third of the time, with the same answers to the last bit.

    The probabilities of all languages are an array, and the draws between two looks at them are taken at once; the
    order of the draws and of every multiplication is langdetect's own. A test compares the two.
    """

    def _extract_ngrams(self) -> list[int]:
        """The rows of the profiles that belong to the n-grams of the text, as often as they occur."""
        rows = _profiles()[0]
        found: list[int | None] = []
        grams, is_capital_word = " ", False
        for character in map(_normalized, self.text):
            last = grams[-1]
            if last == " ":
                grams, is_capital_word = " ", False
                if character == " ":
                    continue
            grams = grams[-2:] + character
            is_capital_word = character.isupper() and (is_capital_word or last.isupper())
            if not is_capital_word:
                found += [rows.get(character) if character != " " else None, rows.get(grams[-2:])]
                found += [rows.get(grams)] if len(grams) == 3 else []
        return [row for row in found if row is not None]

    def _detect_block(self) -> None:
        self.cleaning_text()
        ngrams, chances = self._extract_ngrams(), _profiles()[1]
        if not ngrams:
            raise LangDetectException(ErrorCode.CantDetectError, "No features in text.")
        total = np.zeros(len(self.langlist))
        self.random.seed(self.seed)
        for _ in range(self.n_trial):
            probabilities = np.full(len(self.langlist), 1.0 / len(self.langlist))
            weight = (self.alpha + self.random.gauss(0.0, 1.0) * self.ALPHA_WIDTH) / self.BASE_FREQ
            for drawn in chain((1,), repeat(5, self.ITERATION_LIMIT // 5)):
                rows = [self.random.choice(ngrams) for _ in range(drawn)]
                for factors in weight + chances[rows]:
                    probabilities *= factors
                values = probabilities.tolist()
                whole = sum(values)  # in their order, as langdetect adds
                probabilities /= whole
                if max(values) / whole > self.CONV_THRESHOLD:
                    break
            total += probabilities / self.n_trial
        self.langprob = total.tolist()


_normalized = cache(NGram.normalize)  # characters as langdetect takes them for its profiles


@cache
def _profiles() -> tuple[dict[str, int], NDArray[np.float64]]:
    """The row of each n-gram, and its probability in each language, shape (n-grams, languages)."""
    chances = _factory().word_lang_prob_map
    return {ngram: row for row, ngram in enumerate(chances)}, np.array(list(chances.values()))


def _own_letters(sample: str, min_share: float) -> str:
    """Find the language that letters of its own give away, or ""."""
    found = Counter(OWN_LETTERS[letter] for letter in sample.lower() if letter in OWN_LETTERS)
    if not found:
        return ""
    language, count = found.most_common(1)[0]
    return language if count >= min_share * sum(map(str.isalpha, sample)) else ""


def _answers(language: str) -> frozenset[str]:
    return ANSWERS.get(language, frozenset({language}))


def _tag(name: str) -> str:
    """The primary tag: langdetect has "zh-cn" and "zh-tw"."""
    return name.partition("-")[0]


def _best(chances: dict[str, float]) -> tuple[str, float]:
    """The highest chance, the first of equals."""
    return max(chances.items(), key=lambda item: item[1], default=("", 0.0))
