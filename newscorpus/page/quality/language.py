"""Check that a text is in a language declared for its portal.

Croatian, Bosnian, Serbian and Montenegrin form a group: no text of one is rejected for another, and `tell_apart` tells
which it is. A text is rejected only if two detectors agree that it is in none of the declared languages. py3langid
decides, on three places of the text: it knows 139 languages, including Serbian, Bosnian and Belarusian, and takes a
tenth of the time of langdetect, which knows 53 and gives the second opinion. The script is checked first; a user's
fastText model replaces both.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from babel.core import get_global
from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
from langdetect.lang_detect_exception import LangDetectException
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from newscorpus.arrays import Floats, Integers
from newscorpus.config import LanguageConfig
from newscorpus.errors import CorpusError
from newscorpus.resources import read_toml

HBS = "hbs"
"""The code of ISO 639-3 for all of them, where none is certain."""
PRIORS: Mapping[str, tuple[str, float]] = {"bs": ("bs", 1.0), "cnr": ("bs", 0.15), "hr": ("hr", 1.0), "sr": ("sr", 4.0)}
"""The language of py3langid whose probability a language starts from, and its weight: py3langid knows no Montenegrin,
and learnt Serbian mostly in Cyrillic."""
FACTORS: Mapping[str, float] = {"certain": 0.01, "yat": 0.05, "words": 0.1, "places": 0.5}
"""How much less likely a word is in a language that its entry does not name, by table."""
MIN_CERTAINTY = 0.7
"""Minimum probability of a language to be named. Of 95 short texts (docs/quality.md) 0.6, 0.7 and 0.8 name 81, 80 and
72, of them 2, 1 and none wrongly."""
MIN_CANDIDATE = 0.05
"""Minimum probability of a candidate where none is named."""
MAX_IJEKAVIAN = 2
"""Ijekavian words that count against Serbian, which has an ijekavian standard too, in Bosnia and Montenegro."""
SMOOTHING = 1e-6
WORD = re.compile(r"[^\W\d_]+")
PHRASES: Mapping[str, re.Pattern[str]] = {
    "hr bs": re.compile(r"\w[aiu]t (?:ću|ćeš|će|ćemo|ćete)\b"),
    "sr cnr": re.compile(
        r"\b(?:mogu|može|mogao|mogla|mogli|mogle|treba|trebalo|mora|moraju|morali|želi|žele|počeo|počeli|nastavi\w*)"
        r"(?: se| bi| brzo)? da\b"
    ),
}
"""The infinitive before its auxiliary keeps its "t"; "da" with a verb stands for an infinitive."""


def tell_apart(text: str, chances: Mapping[str, float]) -> Mapping[str, float]:
    """Return the probability of each language for a text in one of them; `chances` are a detector's.

    Detectors by n-grams of letters prefer Croatian. Here each word that not all of them use, counted once, makes the
    others less likely. `variants.toml` and `yat.toml` hold the beginnings of such words.
    """
    known = _entries()
    found = {entry for word in set(WORD.findall(text.lower())) if (entry := _longest(word, known))}
    rows = [known[entry] for entry in sorted(found)]
    rows += [(frozenset(names.split()), "words") for names, phrase in PHRASES.items() if phrase.search(text)]
    score = {name: math.log(weight * chances.get(base, 0.0) + SMOOTHING) for name, (base, weight) in PRIORS.items()}
    ijekavian = 0
    for names, table in rows:
        is_ijekavian = table == "yat" and "sr" not in names
        ijekavian += is_ijekavian
        if not is_ijekavian or ijekavian <= MAX_IJEKAVIAN:
            for name in PRIORS.keys() - names:
                score[name] += math.log(FACTORS[table])
    weights = {name: math.exp(one - max(score.values())) for name, one in score.items()}
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def _longest(word: str, known: Mapping[str, object]) -> str:
    """Return the longest entry for a word, "" if it has none."""
    beginnings = (word[:end] for end in range(len(word), 1, -1))
    return next((entry for entry in (f"{word}.", *beginnings) if entry in known), "")


@cache
def _entries() -> Mapping[str, tuple[frozenset[str], str]]:
    """Read the entries: the languages that use a word, and its table."""
    tables = [read_toml(__package__, name) for name in ("yat.toml", "variants.toml")]
    rows = [(table, names, words) for file in tables for table, lists in file.items() for names, words in lists.items()]
    return {word: (frozenset(names.split()), table) for table, names, words in rows for word in words.split()}


DEFAULTS = LanguageConfig()

SERBO_CROATIAN = frozenset({"bs", "cnr", "hbs", "hr", "sh", "sr"})
ANSWERS = {
    **dict.fromkeys(SERBO_CROATIAN, SERBO_CROATIAN),
    **dict.fromkeys(("nb", "nn", "no"), frozenset({"nb", "nn", "no"})),
    **dict.fromkeys(("id", "ms"), frozenset({"id", "ms"})),
    "ar": frozenset({"ar", "ary", "arz"}),
    "zh": frozenset({"zh", "wuu", "yue"}),
}
"""Detected languages accepted for a declared one; any other declared language accepts only itself."""
CYRILLIC = re.compile("[\u0400-\u052f]")
LATIN_ONLY = frozenset({"hr"})
"""Languages of the group that are not written in Cyrillic."""

NORWEGIAN = frozenset({"nb", "nn"})
"""The written forms of "no", distinguished by the page's own declaration."""

SCRIPTS = {
    "el": "\u0370-\u03ff\u1f00-\u1fff", "hy": "\u0530-\u058f", "gu": "\u0a80-\u0aff", "or": "\u0b00-\u0b7f",
    "ta": "\u0b80-\u0bff", "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f",
    "si": "\u0d80-\u0dff", "th": "\u0e00-\u0e7f", "lo": "\u0e80-\u0eff", "ka": "\u10a0-\u10ff",
    "km": "\u1780-\u17ff", "ko": "\u1100-\u11ff\uac00-\ud7a3",
}  # fmt: skip
"""Languages that alone use their script in the press, with its code points as a regex character class."""
EACH_SCRIPT = {language: re.compile(f"[{points}]") for language, points in SCRIPTS.items()}
ANY_SCRIPT = re.compile(f"[{''.join(SCRIPTS.values())}]")

MIN_CHANCE = 0.01
"""Minimum probability of a detected language."""
NO_LANGUAGE = "zxx"
"""py3langid's code for text without a language; several names in an article can be enough for it."""
LONGEST = 6
"""Bytes of the longest feature of py3langid's model."""
SEED = 0
"""Random seed of langdetect."""
MIXED = "mixed_language"
"""Flag of a text of which another language has a share of at least `LanguageConfig.min_mixed`."""
CANDIDATES = "language_candidates"
"""Flag that lists the languages that "hbs" may stand for: `language_candidates:hr,sr`."""
FASTTEXT_MAGIC = (793_712_314).to_bytes(4, "little")
"""The first bytes of a fastText model."""
FASTTEXT_LABEL = "__label__"
FASTTEXT_ANSWERS = 5
"""Maximum number of languages requested of a fastText model."""

LanguageDetector = Callable[[str], Mapping[str, float]]
"""Returns the probability of languages for a text, by primary tag; empty if undetected."""


def by_script(text: str) -> Mapping[str, float]:
    """Detect a language by the script of most letters, if only that language uses it."""
    n_letters = len(ANY_SCRIPT.findall(text))
    if not n_letters or n_letters * 2 <= sum(map(str.isalpha, text)):
        return {}
    scripts = {language: len(pattern.findall(text)) for language, pattern in EACH_SCRIPT.items()}
    return {max(scripts, key=lambda name: scripts[name]): 1.0}


def by_langid(text: str) -> Mapping[str, float]:
    """Detect a language by its script, else by py3langid."""
    if found := by_script(text):
        return found
    if not any(map(str.isalpha, text)):
        return {}
    chances = dict(_langid().rank(text))
    any_language = 1.0 - chances.pop(NO_LANGUAGE)
    return {name: chance / any_language for name, chance in chances.items() if chance >= MIN_CHANCE * any_language}


def by_langdetect(text: str) -> Mapping[str, float]:
    """Detect a language by langdetect, with a fixed seed."""
    detector = _langdetect().create()
    # Set on this detector only: a seed on `DetectorFactory` would affect other users of langdetect.
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
    """Make a detector of a fastText model, such as lid.176.bin or GlotLID; loaded once per process.

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


class _Langid(LanguageIdentifier):  # type: ignore[misc]
    """py3langid's identifier, whose automaton reads all positions of a text at once, each from `LONGEST` bytes back."""

    def _raw_score(self, text: bytes) -> Floats:
        moves, rows, outputs = _automaton()
        states = np.zeros(len(text), np.intp)
        codes = np.frombuffer(text, np.uint8)
        for back in reversed(range(min(LONGEST, len(text)))):
            states[back:] = moves[rows[states[back:]] + codes[: len(text) - back]]
        found = outputs[states]
        features, first, counts = np.unique(found[found >= 0], return_index=True, return_counts=True)
        order = first.argsort()  # sums depend on it
        visits = dict(zip(features[order].tolist(), counts[order].tolist(), strict=True))
        scores: Floats = self._sparse_score(visits, self.nb_ptc) if visits else super()._raw_score(text)
        return scores


@cache
def _langid() -> _Langid:
    """Load the model of py3langid, once per process."""
    model: _Langid = _Langid.from_model_file(MODEL_FILE, norm_probs=True)
    return model


@cache
def _automaton() -> tuple[Integers, Integers, Integers]:
    """Return the automaton of `_langid` as arrays: states by row and byte, rows and features of states."""
    model = _langid()
    return np.asarray(model.tk_nextmove), np.array(model.tk_row, np.intp) * 256, np.array(model.tk_output)


@cache
def _langdetect() -> DetectorFactory:
    """Load langdetect's profiles, once per process, in an order independent of the file system."""
    factory = DetectorFactory()
    factory.load_json_profile([path.read_text("utf-8") for path in sorted(Path(PROFILES_DIRECTORY).iterdir())])
    return factory


@dataclass(frozen=True, slots=True)
class LanguageVerdict:
    """The language of a text, and whether it is accepted."""

    language: str  # the declared language that fits; else the detected one, or ""
    score: float  # its probability by the detector, 0..1; 0 where undetected
    ok: bool  # the text fits a declared language, or is undetected
    flags: tuple[str, ...] = ()  # of the article


@dataclass(frozen=True, slots=True)
class _Sample:
    """Three places of a text, and the mean probability of languages there by a detector."""

    text: str
    chances: Mapping[str, float]
    is_mixed: bool

    @classmethod
    def of(cls, text: str, config: LanguageConfig, detector: LanguageDetector) -> "_Sample":
        """Detect the language of the beginning, the middle and the end; of a short text as a whole."""
        size = config.sample_characters // 3
        starts = (0, (len(text) - size) // 2, len(text) - size)
        is_long = len(text) > config.sample_characters
        places = [text[start : start + size] for start in starts] if is_long else [text]
        found = [chances for place in places if (chances := detector(place))] or [{}]
        names = sorted({name for chances in found for name in chances})
        chances = {name: sum(one.get(name, 0.0) for one in found) / len(found) for name in names}
        sample = " ".join(places)
        if (group := SERBO_CROATIAN & set(chances)) and not _is_cyrillic(sample):
            total = sum(chances[name] for name in sorted(group))
            divided = tell_apart(text[: config.variant_characters], chances)
            chances = {name: chance for name, chance in chances.items() if name not in group}
            chances |= {name: share * total for name, share in divided.items()}
        sure = {name for one in found for name, chance in _families(one).items() if chance >= config.min_certain}
        return cls(sample, chances, len(sure) > 1 and _is_mixed(text, config, detector))


def detect(text: str, config: LanguageConfig = DEFAULTS, detector: LanguageDetector = by_langid) -> LanguageVerdict:
    """Find the most probable language of `text` and its probability; ("", 0.0) where it cannot be detected.

    Where `detector` finds none more likely than all others together, langdetect is asked as well.
    """
    sample = _Sample.of(text, config, detector)
    first = _name(sample.chances)
    if first.score < config.min_score:
        first = max(first, _name(by_langdetect(sample.text)), key=lambda verdict: verdict.score)
    return replace(first, flags=(*first.flags, MIXED)) if sample.is_mixed else first


def paragraph_languages(
    text: str, config: LanguageConfig = DEFAULTS, detector: LanguageDetector = by_langid
) -> Iterator[tuple[int, int, str, float]]:
    """Yield start, end, language and its probability of each paragraph that is long enough for a verdict."""
    start = 0
    for line in text.split("\n"):
        if sum(map(str.isalpha, line)) >= config.min_letters:
            chances = detector(line[: config.sample_characters])
            language = _best(chances)[0]
            yield start, start + len(line), language, _families(chances).get(family(language), 0.0)
        start += len(line) + 1


def family(language: str) -> str:
    """Return the same name for all languages of a group."""
    return min(ANSWERS.get(language, (language,)))


def _families(chances: Mapping[str, float]) -> Mapping[str, float]:
    """Add up the probability of each group of languages."""
    found: defaultdict[str, float] = defaultdict(float)
    for name, chance in chances.items():
        found[family(name)] += chance
    return found


def _is_mixed(text: str, config: LanguageConfig, detector: LanguageDetector) -> bool:
    """Whether the paragraphs in other languages than most have a share of at least `min_mixed`."""
    lengths: Counter[str] = Counter()
    for start, end, language, score in paragraph_languages(text, config, detector):
        if score >= config.min_certain:
            lengths[family(language)] += end - start
    others = sum(length for _, length in lengths.most_common()[1:])
    return others > config.min_mixed * lengths.total()


def judge_language(
    text: str,
    declared: tuple[str, ...],
    config: LanguageConfig = DEFAULTS,
    stated: str = "",
    detector: LanguageDetector = by_langid,
) -> LanguageVerdict:
    """Check `text` against the languages declared for its portal.

    Without declared languages any is accepted; the label is the page's own language if the text confirms it, else the
    detected one. Among declared languages of a group, such as hr and sr, the label is the page's own, else the likelier
    one. Texts that are too short, or whose declared language the detector does not know, are accepted. "no" includes
    Bokmål (nb) and Nynorsk (nn), and the label is the page's own form; if one form is declared, pages that state the
    other are rejected.
    """
    if not declared and not stated:
        return detect(text, config, detector)
    if not declared:
        return replace(judge_language(text, (stated,), config, detector=detector), ok=True)
    if stated in NORWEGIAN and stated not in declared:
        declared = (*(name for name in declared if name not in NORWEGIAN), *({stated} if "no" in declared else ()))
        if not declared:
            return replace(judge_language(text, (stated,), config, detector=detector), ok=False)
    declared = tuple(sorted(declared, key=lambda name: name != stated))
    if sum(map(str.isalpha, text[: config.sample_characters])) < config.min_letters:
        return LanguageVerdict(declared[0], 0.0, ok=True)
    found = _Sample.of(text, config, detector)
    sample, first, flags = found.text, found.chances, (MIXED,) * found.is_mixed
    language, score = _fit(first, declared, stated, sample)
    if score < config.min_score:  # langdetect is asked unless the first detector is sure of a language unknown to it
        best, chance = _best(first)
        known = {name.partition("-")[0] for name in _langdetect().get_lang_list()}
        second = by_langdetect(sample) if chance < config.min_score or best in known else {}
        language, score = _fit(second, declared, stated, sample)
    verdict = replace(_name(first), ok=False)
    if score >= config.min_score:
        group = {name: first.get(name, 0.0) for name in declared if family(name) == family(language)}
        is_told = len(group) > 1 and stated not in group and any(group.values())
        verdict = replace(_name(group if is_told else {language: score}), score=min(score, 1.0))
    elif unknown := [name for name in declared if _accepted(name, sample).isdisjoint(_langid().labels)]:
        verdict = LanguageVerdict(unknown[0], 0.0, ok=True)
    return replace(verdict, flags=(*flags, *verdict.flags))


def _fit(chances: Mapping[str, float], declared: tuple[str, ...], stated: str, sample: str) -> tuple[str, float]:
    """Find the best declared language, with the total probability of the detected languages accepted for it."""
    # Unlike sum, fsum gives the same in every order, and that of a set changes from run to run
    fits = {name: math.fsum(chances.get(answer, 0.0) for answer in _accepted(name, sample)) for name in declared}
    language = max(declared, key=lambda name: (fits[name], name == stated, chances.get(name, 0.0)))
    return language, fits[language]


def _accepted(language: str, sample: str) -> frozenset[str]:
    if language in LATIN_ONLY and _is_cyrillic(sample):
        return frozenset({language})
    return ANSWERS.get(language, frozenset({language}))


def _is_cyrillic(text: str) -> bool:
    return 2 * len(CYRILLIC.findall(text)) > sum(map(str.isalpha, text))


def _name(chances: Mapping[str, float]) -> LanguageVerdict:
    """Name the most probable language; "hbs" if it is of the group, and too uncertain beside the others of it."""
    language, score = _best(chances)
    group = {name: chances[name] for name in sorted(SERBO_CROATIAN & set(chances))}
    if language not in group:
        return LanguageVerdict(language, score, ok=True)
    total = sum(group.values())
    if score >= MIN_CERTAINTY * total:
        return LanguageVerdict(language, total, ok=True)
    candidates = ",".join(name for name, chance in group.items() if chance >= MIN_CANDIDATE * total)
    return LanguageVerdict(HBS, total, ok=True, flags=(f"{CANDIDATES}:{candidates}",))


def _best(chances: Mapping[str, float]) -> tuple[str, float]:
    """Return the language of highest probability; ties go to the first."""
    return max(chances.items(), key=lambda item: item[1], default=("", 0.0))
