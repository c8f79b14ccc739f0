"""Say how probable each language is for a text: by its script, by py3langid, by langdetect, or by a file of the user's.

py3langid decides. It knows 139 languages, Serbian, Bosnian and Belarusian among them, and takes a tenth of the time of
langdetect, which knows 53 and gives the second opinion.
"""

import re
from collections import Counter
from collections.abc import Mapping
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

from newscorpus.errors import CorpusError

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
            found[_primary_tag(label.removeprefix(FASTTEXT_LABEL))] += min(chance, 1.0)
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


def _primary_tag(label: str) -> str:
    """The shortest code of a language: "sr" of "srp_Cyrl"."""
    language = label.partition("_")[0]
    return str(get_global("language_aliases").get(language, language)).partition("_")[0]


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
