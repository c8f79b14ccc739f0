"""Is a text in a language that its portal is declared to write? By langdetect, the same answer every time.

langdetect knows no Serbian, Bosnian or Montenegrin: it calls them Croatian, or Macedonian (seldom Bulgarian) where they
are Cyrillic. So a declared language is checked against the set of answers that may stand for it, and gives the label.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
from langdetect.lang_detect_exception import LangDetectException

from newscorpus.config import LanguageConfig

DEFAULTS = LanguageConfig()

BOTH_SCRIPTS = frozenset({"hr", "sr", "mk", "bg"})
ANSWERS = {
    "bs": BOTH_SCRIPTS,
    "cnr": BOTH_SCRIPTS,
    "sh": BOTH_SCRIPTS,
    "sr": BOTH_SCRIPTS,
    "be": frozenset({"be", "uk"}),
    "nb": frozenset({"no", "da"}),
    "nn": frozenset({"no", "da"}),
    "zh": frozenset({"zh", "ko"}),
}
"""Answers that may stand for a language. hr, bs and sr are one group, of which Croatian is Latin only, so that "hr" is
its one answer. Chinese without simplified characters is often taken for Korean. Others stand for themselves."""

OWN_LETTERS = {"ћ": "sr", "ђ": "sr", "ў": "be"}
"""Letters of one language only, of those that langdetect has no profile of."""


@dataclass(frozen=True, slots=True)
class LanguageVerdict:
    """What a text was found to be."""

    language: str  # the declared language that fits; where none does, what the detector says, or ""
    score: float  # probability that the detector gives to it, 0..1; 0 where it could not tell
    ok: bool  # the text fits a declared language, or cannot be told


def detect(text: str, config: LanguageConfig = DEFAULTS) -> tuple[str, float]:
    """The most probable language of `text` and its probability; ("", 0.0) where nothing can be told."""
    return _best(_chances(text, config))


def judge_language(
    text: str, declared: tuple[str, ...], config: LanguageConfig = DEFAULTS, stated: str = ""
) -> LanguageVerdict:
    """Check `text` against the languages that its portal declares; with none declared, any will do.

    The label is then the language that the page states for itself where the text bears it out, else the detector's.

    Of declared languages that fit equally well, such as hr and sr, the one that the page states for itself is the
    label, else the first. A text too short to tell, and one of a declared language that the detector does not know,
    are taken on trust.
    """
    if not declared:
        found = judge_language(text, (stated,), config) if stated else LanguageVerdict(*detect(text, config), ok=True)
        return replace(found, ok=True)
    declared = tuple(sorted(declared, key=lambda name: name != stated))
    if sum(map(str.isalpha, text[: config.sample_characters])) < config.min_letters:
        return LanguageVerdict(declared[0], 0.0, ok=True)
    chances = _chances(text, config)
    language, score = _best({name: sum(chances.get(answer, 0.0) for answer in _answers(name)) for name in declared})
    if score >= config.min_score:
        return LanguageVerdict(language, min(score, 1.0), ok=True)
    untold = [name for name in declared if not _answers(name) & _known()]
    if untold:
        return LanguageVerdict(untold[0], 0.0, ok=True)
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
    detector = _factory().create()
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


def _own_letters(sample: str, min_share: float) -> str:
    """The language that betrays itself by letters of its own, or ""."""
    found = Counter(OWN_LETTERS[letter] for letter in sample.lower() if letter in OWN_LETTERS)
    if not found:
        return ""
    language, count = found.most_common(1)[0]
    return language if count >= min_share * sum(map(str.isalpha, sample)) else ""


def _answers(language: str) -> frozenset[str]:
    return ANSWERS.get(language, frozenset({language}))


def _known() -> set[str]:
    return {_tag(name) for name in _factory().get_lang_list()}


def _tag(name: str) -> str:
    """The primary tag: langdetect has "zh-cn" and "zh-tw"."""
    return name.partition("-")[0]


def _best(chances: dict[str, float]) -> tuple[str, float]:
    """The highest chance, the first of equals."""
    return max(chances.items(), key=lambda item: item[1], default=("", 0.0))
