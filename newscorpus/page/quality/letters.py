"""Reject unreadable texts: letters shifted, shuffled or encoded until a script of the page restores them.

In every language a letter predicts much of the next one. If bigrams predict letters worse than single-letter
frequencies do, in every known language, the text is not language. Known are the languages of CLDR; related languages
cover the few others.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from newscorpus.arrays import Flags, Floats, Matrix
from newscorpus.artifacts import load_artifact
from newscorpus.code_points import LETTER, LOWER, UPPER, table
from newscorpus.config import QualityConfig
from newscorpus.model_folders import LETTERS_MODEL
from newscorpus.page.quality.filters import Measured
from newscorpus.tokens import categories

ALPHABETS: Final = {
    "LATIN": "abcdefghijklmnopqrstuvwxyz",
    "CYRILLIC": "абвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ",
    "GREEK": "αβγδεζηθικλμνξοπρσςτυφχψω",
}
"""Letters without accents, by the first word of their Unicode names; all others of a script count as one letter."""
FEATURES = tuple(f"{script}: {letters}" for script, letters in ALPHABETS.items())

GAP = 0
"""Index of non-letters, before the alphabet."""
PRIOR = 5.0
"""Weight, in letters, of the single-letter frequencies in the bigram model."""
INTRUDER = 3.0
"""Cost in nats of a symbol or foreign letter beside a letter, or a capital inside a word: that of a letter of frequency
1/20. At twice this, a gold text with words run together is rejected."""
MAX_PARTS = 16
"""Maximum number of parts of a text, since each takes time; long texts have longer parts."""
WORST = 2.0
"""Maximum cost of a bigram, in nats, so that no language is rejected for letters that related ones lack: Rusyn beside
Ukrainian."""
N_POINTS = 0x10000

Counts = NDArray[np.uint16]
"""Bigram counts in the words of each language: (languages, letters, letters), gap first, other letters of the script
last."""


@dataclass(frozen=True, slots=True)
class _Points:
    """Properties of the code points of the Basic Multilingual Plane; arrays of `N_POINTS`."""

    scripts: NDArray[np.uint8]  # 1 + the place of its script in `ALPHABETS`; 0 for none of them
    places: NDArray[np.uint8]  # its place in the alphabet of its script; `GAP` for none
    is_hidden: Flags  # combining marks and characters that do not show
    is_strange: Flags  # symbols, fractions and control characters, which do not touch letters in words


LOST = "\ufffd"
"""The replacement for a character lost by decoding in a wrong charset."""


def unreadable(measured: Measured, config: QualityConfig) -> str:
    """Reject texts with too many lost characters, or with too large a part whose bigrams fit no language.

    The latter applies to Latin, Cyrillic and Greek.
    """
    lost = measured.article.text.count(LOST)
    if lost > config.max_lost_a_word * measured.n_words:
        return f"{lost} lost characters among {measured.n_words} words"
    gains = letter_gains(measured.article.text, config.letters_a_part)
    strange = int((gains < config.min_letter_gain).sum())
    many = strange > config.max_unreadable * len(gains)
    return f"letters follow each other as in no language in {strange} of {len(gains)} parts" if many else ""


def letter_gains(text: str, size: int) -> Floats:
    """Measure the gain of the bigram model over single letters, in nats per letter, for each part of the text.

    Each part has `size` letters or somewhat more, and is compared with its most likely language. A text of fewer
    letters, or mostly in other scripts, has no parts.
    """
    points = np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), N_POINTS - 1)
    points = points[~_points().is_hidden[points]]
    kinds = table().kinds[points]
    scripts, is_letter = _points().scripts[points], (kinds & LETTER) > 0
    number = int(np.bincount(scripts, minlength=len(ALPHABETS) + 1)[1:].argmax()) + 1
    is_own = scripts == number
    n_letters = int(is_own.sum())
    if n_letters < size or 2 * n_letters < int(is_letter.sum()):
        return np.zeros(0)
    size = max(size, n_letters // MAX_PARTS)
    parts = np.minimum(is_own.cumsum() // size, n_letters // size - 1)[:-1]
    places = np.where(is_own, _points().places[points], GAP)
    # Pairs of neighbours of which one is a letter, and the other never adjoins one in a word.
    is_strange = _points().is_strange[points] | (is_letter & ~is_own)
    is_capital_inside = is_own[:-1] & is_own[1:] & ((kinds[:-1] & LOWER) > 0) & ((kinds[1:] & UPPER) > 0)
    is_odd = (is_own[:-1] & is_strange[1:]) | (is_strange[:-1] & is_own[1:]) | is_capital_inside
    script = list(ALPHABETS)[number - 1]
    after, alone = _likelihoods(script)
    n_parts, n_letters = int(parts[-1]) + 1, len(ALPHABETS[script]) + 2
    first, second = places[:-1].astype(np.int64), places[1:].astype(np.int64)
    is_pair = (first + second > 0) & ~is_odd
    pairs = ((parts * n_letters + first) * n_letters + second)[is_pair]
    counts = np.bincount(pairs, minlength=n_parts * n_letters**2).reshape(n_parts, -1).astype(np.float32)
    used = np.flatnonzero(counts.any(axis=0))  # a text has a third of all pairs
    counts, after, alone = counts[:, used], after[used], alone[used]
    n_odd = np.bincount(parts[is_odd], minlength=n_parts)
    likely = np.einsum("pk,kl->pl", counts, after)  # faster than matrix products in threads of their own
    best = likely.argmax(axis=1)
    better = likely[np.arange(n_parts), best] - (counts * alone.T[best]).sum(axis=1) - INTRUDER * n_odd
    found: Floats = better / (counts.sum(axis=1) + n_odd)
    return found


@cache
def _likelihoods(script: str) -> tuple[Matrix, Matrix]:
    """Return the log-probabilities of a letter after another, and by itself; shape (pairs, languages)."""
    counts = load_artifact(LETTERS_MODEL, FEATURES).array(weights_file(script)).astype(np.float64)
    letters = counts.sum(axis=1, keepdims=True) + 0.5
    alone = letters / letters.sum(axis=2, keepdims=True)
    after = (counts + PRIOR * alone) / (counts.sum(axis=2, keepdims=True) + PRIOR)
    after = np.maximum(after, alone * np.exp(-WORST))
    both = (np.log(chances + np.zeros_like(counts)).reshape(len(counts), -1).T for chances in (after, alone))
    first, second = (np.ascontiguousarray(logs, np.float32) for logs in both)
    return first, second


def weights_file(script: str) -> str:
    """Name the file of the counts of a script."""
    return f"{script.lower()}.npy"


def count_pairs(words: Iterable[str], script: str) -> Counts:
    """Count the bigrams of words, without those that have a letter of another script."""
    n_letters, number = len(ALPHABETS[script]) + 2, list(ALPHABETS).index(script) + 1
    counts = np.zeros((n_letters, n_letters), np.uint16)
    for word in words:
        points = np.frombuffer(word.encode("utf-32-le"), np.uint32)
        points = points[points < N_POINTS]
        points = points[~_points().is_hidden[points]]
        if (_points().scripts[points] == number).all():
            for pair in pairwise((GAP, *_points().places[points].tolist(), GAP)):
                counts[pair] += 1
    return counts


@cache
def _points() -> _Points:
    """Make the table of the code points."""
    kinds = np.array(categories()[:N_POINTS])
    scripts, places = np.zeros(N_POINTS, np.uint8), np.zeros(N_POINTS, np.uint8)
    for point in np.flatnonzero(np.strings.startswith(kinds, "L")).tolist():
        plain = unicodedata.normalize("NFKD", chr(point).lower())[0]
        script = unicodedata.name(plain, "").partition(" ")[0]
        if alphabet := ALPHABETS.get(script):
            scripts[point] = list(ALPHABETS).index(script) + 1
            places[point] = (alphabet.find(plain) if plain in alphabet else len(alphabet)) + 1
    is_space = np.strings.isspace(np.arange(N_POINTS, dtype=np.uint32).view("<U1"))
    hidden, strange = (
        np.any([np.strings.startswith(kinds, kind) for kind in wanted], axis=0)
        for wanted in (("M", "Cf"), ("S", "No", "C"))
    )
    return _Points(scripts, places, hidden, strange & ~hidden & ~is_space)
