"""Judge whether a text is in a language that its portal is declared to write.

Croatian, Bosnian, Serbian and Montenegrin are one group here: no text of one is refused for another. A text is refused
only where two detectors agree that it is in none of the declared languages. py3langid decides: it knows 139 languages,
Serbian, Bosnian and Belarusian among them, and takes a tenth of the time of langdetect, which knows 53 and gives the
second opinion. The script goes first, and a file of the user's in place of both.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from babel.core import get_global
from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
from langdetect.lang_detect_exception import LangDetectException
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from newscorpus.config import LanguageConfig
from newscorpus.errors import CorpusError

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

SCRIPTS = {
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "hy": "\u0530-\u058f",
    "gu": "\u0a80-\u0aff",
    "or": "\u0b00-\u0b7f",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "kn": "\u0c80-\u0cff",
    "ml": "\u0d00-\u0d7f",
    "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f",
    "lo": "\u0e80-\u0eff",
    "ka": "\u10a0-\u10ff",
    "km": "\u1780-\u17ff",
    "ko": "\u1100-\u11ff\uac00-\ud7a3",
}
"""The languages whose script no other press writes, with its code points as a class of a regular expression."""

MIN_CHANCE = 0.01
"""Least probability of a language that a detector names."""
NO_LANGUAGE = "zxx"
"""What py3langid calls text without a language; a number of names in an article can be enough for it."""
SEED = 0
"""Of the draws that langdetect makes."""
FASTTEXT_MAGIC = (793_712_314).to_bytes(4, "little")
"""The first bytes of a fastText model."""
FASTTEXT_LABEL = "__label__"
FASTTEXT_ANSWERS = 5
"""Most languages that a fastText model is asked for."""


class LanguageDetector(Protocol):
    """Gives the probability of languages for a text, by primary tag; nothing where it cannot tell."""

    def __call__(self, text: str) -> Mapping[str, float]:
        """Detect the language of `text`."""


def by_script(text: str) -> Mapping[str, float]:
    """Find the language that most letters of a text give away, since no other one is written in their script."""
    if len(_any_script().findall(text)) * 2 <= sum(map(str.isalpha, text)):
        return {}
    scripts = {language: len(pattern.findall(text)) for language, pattern in _each_script().items()}
    return {max(scripts, key=lambda name: scripts[name]): 1.0}


def by_langid(text: str) -> Mapping[str, float]:
    """Ask py3langid, after the script."""
    if settled := by_script(text):
        return settled
    if not any(map(str.isalpha, text)):
        return {}
    chances = dict(_langid().rank(text))
    language = 1.0 - chances.pop(NO_LANGUAGE)
    return {name: chance / language for name, chance in chances.items() if chance >= MIN_CHANCE * language}


def by_langdetect(text: str) -> Mapping[str, float]:
    """Ask langdetect, always with the same draws."""
    detector = _langdetect().create()
    # Set on this one detector: a seed on `DetectorFactory` would be shared with whoever else uses langdetect.
    detector.seed = SEED
    detector.append(text)
    try:
        answers = detector.get_probabilities()
    except LangDetectException:  # raised where no character belongs to any profile
        return {}
    chances: Counter[str] = Counter()
    for answer in answers:
        chances[answer.lang.partition("-")[0]] += answer.prob  # it has "zh-cn" and "zh-tw"
    return chances


@cache
def by_fasttext(path: Path) -> LanguageDetector:
    """Make a detector of a fastText model, such as lid.176.bin or GlotLID; loaded once a process.

    Raises:
        CorpusError: there is no such file, it is no fastText model, or the extra `fasttext` is not installed.
    """
    check_fasttext(path)
    try:
        model = import_module("fasttext").load_model(str(path))
    except (ValueError, RuntimeError, MemoryError) as error:
        raise CorpusError(f"{path}: not a fastText model that can be read: {error}") from error

    def detect(text: str) -> Mapping[str, float]:
        labels, chances = model.predict(" ".join(text.split()), FASTTEXT_ANSWERS, MIN_CHANCE, "replace")
        found: Counter[str] = Counter()
        for label, chance in zip(labels, chances, strict=True):
            language = label.removeprefix(FASTTEXT_LABEL).partition("_")[0]
            found[str(get_global("language_aliases").get(language, language)).partition("_")[0]] += min(chance, 1.0)
        return found

    return detect


def check_fasttext(path: Path) -> None:
    """Check that a file can be used, without loading it.

    Raises:
        CorpusError: there is no such file, it is no fastText model, or the extra `fasttext` is not installed.
    """
    try:
        with path.open("rb") as file:
            magic = file.read(len(FASTTEXT_MAGIC))
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror}") from error
    if magic != FASTTEXT_MAGIC:
        raise CorpusError(f"{path}: not a fastText model")
    if not find_spec("fasttext"):
        raise CorpusError(f"{path}: reading it takes the extra: pip install 'newscorpus[fasttext]'")


def known_to_langid() -> frozenset[str]:
    """The languages that py3langid can name."""
    return frozenset(_langid().labels)


def known_to_langdetect() -> frozenset[str]:
    """The languages that langdetect can name."""
    return frozenset(name.partition("-")[0] for name in _langdetect().get_lang_list())


@cache
def _langid() -> LanguageIdentifier:
    """Load the model, once a process."""
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@cache
def _langdetect() -> DetectorFactory:
    """Load langdetect's profiles, once a process, in an order that no file system decides."""
    factory = DetectorFactory()
    factory.load_json_profile([path.read_text("utf-8") for path in sorted(Path(PROFILES_DIRECTORY).iterdir())])
    return factory


@cache
def _each_script() -> Mapping[str, re.Pattern[str]]:
    return MappingProxyType({language: re.compile(f"[{points}]") for language, points in SCRIPTS.items()})


@cache
def _any_script() -> re.Pattern[str]:
    return re.compile(f"[{''.join(SCRIPTS.values())}]")


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
    if language in LATIN_ONLY and 2 * len(CYRILLIC.findall(sample)) > sum(map(str.isalpha, sample)):
        return frozenset({language})
    return ANSWERS.get(language, frozenset({language}))


def _best(chances: Mapping[str, float]) -> tuple[str, float]:
    """The highest chance, the first of equals."""
    return max(chances.items(), key=lambda item: item[1], default=("", 0.0))
