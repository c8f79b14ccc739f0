"""Judge whether a text is in a language that its portal is declared to write.

Croatian, Bosnian, Serbian and Montenegrin are one group here: no text of one is refused for another. A text is refused
only where two detectors agree that it is in none of the declared languages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from newscorpus.config import LanguageConfig
from newscorpus.page.quality.detectors import (
    LanguageDetector,
    by_langdetect,
    by_langid,
    known_to_langdetect,
    known_to_langid,
)

DEFAULTS = LanguageConfig()

SERBO_CROATIAN = frozenset({"bs", "cnr", "hr", "sh", "sr"})
ANSWERS = {
    **dict.fromkeys(SERBO_CROATIAN, SERBO_CROATIAN),
    **dict.fromkeys(("nb", "nn", "no"), frozenset({"nb", "nn", "no"})),
    **dict.fromkeys(("id", "ms"), frozenset({"id", "ms"})),
    "ar": frozenset({"ar", "ary", "arz"}),
    "zh": frozenset({"zh", "wuu", "yue"}),
}
"""Answers that may stand for a language; others stand for themselves."""
CYRILLIC = re.compile("[\u0400-\u052f]")
LATIN_ONLY = frozenset({"hr"})
"""Languages of the group that are not written in Cyrillic."""

NORWEGIAN = frozenset({"nb", "nn"})
"""The written forms of "no"; which one it is the page's own statement says."""


@dataclass(frozen=True, slots=True)
class LanguageVerdict:
    """What a text was found to be."""

    language: str  # the declared language that fits; where none does, what the detector says, or ""
    score: float  # probability that the detector gives to it, 0..1; 0 where it could not tell
    ok: bool  # the text fits a declared language, or cannot be told


def detect(text: str, config: LanguageConfig = DEFAULTS, detector: LanguageDetector = by_langid) -> tuple[str, float]:
    """Find the most probable language of `text` and its probability; ("", 0.0) where it cannot be detected.

    Where `detector` finds none more likely than all others together, langdetect is asked as well.
    """
    sample = text[: config.sample_characters]
    first = _best(detector(sample))
    return first if first[1] >= config.min_score else max(first, _best(by_langdetect(sample)), key=lambda best: best[1])


def judge_language(
    text: str,
    declared: tuple[str, ...],
    config: LanguageConfig = DEFAULTS,
    stated: str = "",
    detector: LanguageDetector = by_langid,
) -> LanguageVerdict:
    """Check `text` against the languages that its portal declares; with none declared, any will do.

    The label is then the language that the page states for itself where the text bears it out, else the detector's.

    Of declared languages of one group, such as hr and sr, the one that the page states for itself is the label, else
    the likelier one. A text too short to tell, and one of a declared language that the detector does not know, are
    taken on trust. "no" takes in Bokmål (nb) and Nynorsk (nn), and the label is the form that the page states; where
    one form is declared, a page that states the other one does not fit.
    """
    if not declared:
        if not stated:
            return LanguageVerdict(*detect(text, config, detector), ok=True)
        return replace(judge_language(text, (stated,), config, detector=detector), ok=True)
    if stated in NORWEGIAN and stated not in declared:
        declared = (*(name for name in declared if name not in NORWEGIAN), *({stated} if "no" in declared else ()))
        if not declared:
            return replace(judge_language(text, (stated,), config, detector=detector), ok=False)
    sample = text[: config.sample_characters]
    declared = tuple(sorted(declared, key=lambda name: name != stated))
    if sum(map(str.isalpha, sample)) < config.min_letters:
        return LanguageVerdict(declared[0], 0.0, ok=True)
    return _judge(sample, declared, config, stated, detector)


def _judge(
    sample: str, declared: tuple[str, ...], config: LanguageConfig, stated: str, detector: LanguageDetector
) -> LanguageVerdict:
    """Ask the detector, and langdetect where that finds none of the declared languages likely."""
    first = detector(sample)
    language, score = _fit(first, declared, stated, sample)
    if score < config.min_score:
        language, score = _fit(_second(sample, first, config), declared, stated, sample)
    if score >= config.min_score:
        return LanguageVerdict(language, min(score, 1.0), ok=True)
    unknown = [name for name in declared if not _answers(name, sample) & known_to_langid()]
    return LanguageVerdict(unknown[0], 0.0, ok=True) if unknown else LanguageVerdict(*_best(first), ok=False)


def _second(sample: str, first: Mapping[str, float], config: LanguageConfig) -> Mapping[str, float]:
    """Ask langdetect; not where the first opinion is sure of a language that it would mistake for another one."""
    language, score = _best(first)
    return by_langdetect(sample) if score < config.min_score or language in known_to_langdetect() else {}


def _fit(chances: Mapping[str, float], declared: tuple[str, ...], stated: str, sample: str) -> tuple[str, float]:
    """Find the declared language that fits best, with the chance of all answers that may stand for it."""
    fits = {name: sum(chances.get(answer, 0.0) for answer in _answers(name, sample)) for name in declared}
    language = max(declared, key=lambda name: (fits[name], name == stated, chances.get(name, 0.0)))
    return language, fits[language]


def _answers(language: str, sample: str) -> frozenset[str]:
    if language in LATIN_ONLY and _is_cyrillic(sample):
        return frozenset({language})
    return ANSWERS.get(language, frozenset({language}))


def _is_cyrillic(sample: str) -> bool:
    """Whether most letters are Cyrillic."""
    return 2 * len(CYRILLIC.findall(sample)) > sum(map(str.isalpha, sample))


def _best(chances: Mapping[str, float]) -> tuple[str, float]:
    """The highest chance, the first of equals."""
    return max(chances.items(), key=lambda item: item[1], default=("", 0.0))
