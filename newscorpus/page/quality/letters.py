"""Refuse texts that are no text: letters shifted, shuffled or encoded until a script of the page restores them.

In every language a letter says much about the next one. Where the letters before foretell a letter worse than its
frequency does, in every language at hand, there is no language. The languages at hand are those that CLDR names things
in, so that hardly one is unknown; and an unknown one is foretold by its neighbours.
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
from newscorpus.page.quality.filters import Measured
from newscorpus.tokens import categories

MODEL = "letters"
ALPHABETS: Final = {
    "LATIN": "abcdefghijklmnopqrstuvwxyz",
    "CYRILLIC": "абвгдежзийклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґ",
    "GREEK": "αβγδεζηθικλμνξοπρσςτυφχψω",
}
"""Letters without accents, by the first word of their names in Unicode; all others of a script count as one more."""
FEATURES = tuple(f"{script}: {letters}" for script, letters in ALPHABETS.items())

GAP = 0
"""The place of what is no letter, in front of the alphabet."""
PRIOR = 5.0
"""So many letters' worth do the frequencies of the letters alone weigh where a letter foretells the next."""
INTRUDER = 3.0
"""What a symbol or a letter of another script beside a letter costs, in nats, or a capital inside a word: what is lost
by a letter that one in twenty is. With twice as many a gold text goes whose words run together."""
MAX_PARTS = 16
"""Parts of a long text are so long that there are no more of them, since each takes time."""
WORST = 2.0
"""Most that a letter can cost after another, in nats, so that a language is not refused for letters that those like it
do not have: Rusyn beside Ukrainian."""
N_POINTS = 0x10000

Counts = NDArray[np.uint16]
"""How often letters follow each other in the words of each language: (languages, letters, letters), gap first, other
letters of the script last."""


@dataclass(frozen=True, slots=True)
class _Points:
    """What is asked of each code point of the Basic Multilingual Plane; arrays of `N_POINTS`."""

    scripts: NDArray[np.uint8]  # 1 + the place of its script in `ALPHABETS`; 0 for none of them
    places: NDArray[np.uint8]  # its place in the alphabet of its script; `GAP` for none
    is_hidden: Flags  # combining marks and characters that do not show
    is_strange: Flags  # symbols, fractions and control characters, which do not touch letters in words


LOST = "\ufffd"
"""What stands for a character that was lost when bytes were read in a wrong charset."""


def unreadable(measured: Measured, config: QualityConfig) -> str:
    """Too many characters were lost, or in too large a part of a text letters follow each other as in no language.

    The latter is asked of texts in Latin, Cyrillic or Greek.
    """
    lost = measured.article.text.count(LOST)
    if lost > config.max_lost_a_word * measured.n_words:
        return f"{lost} lost characters among {measured.n_words} words"
    gains = letter_gains(measured.article.text, config.letters_a_part)
    strange = int((gains < config.min_letter_gain).sum())
    many = strange > config.max_unreadable * len(gains)
    return f"letters follow each other as in no language in {strange} of {len(gains)} parts" if many else ""


def letter_gains(text: str, size: int) -> Floats:
    """Measure how much better the letters before foretell a letter than its frequency, in nats, by part of the text.

    Each part, of `size` letters or somewhat more, is compared with the language that makes it most likely. A text of
    fewer letters, or mostly in other scripts, has no part.
    """
    points = np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), N_POINTS - 1)
    points = points[~_points().is_hidden[points]]
    scripts, is_letter = _points().scripts[points], (table().kinds[points] & LETTER) > 0
    number = int(np.bincount(scripts, minlength=len(ALPHABETS) + 1)[1:].argmax()) + 1
    is_own = scripts == number
    n_letters = int(is_own.sum())
    if n_letters < size or 2 * n_letters < int(is_letter.sum()):
        return np.zeros(0)
    size = max(size, n_letters // MAX_PARTS)
    parts = np.minimum(is_own.cumsum() // size, n_letters // size - 1)[:-1]
    places = np.where(is_own, _points().places[points], GAP)
    is_odd = _is_odd(points, is_own)
    script = list(ALPHABETS)[number - 1]
    after, alone = _likelihoods(script)
    n_parts, n_letters = int(parts[-1]) + 1, len(ALPHABETS[script]) + 2
    first, second = places[:-1].astype(np.int64), places[1:].astype(np.int64)
    is_pair = (first + second > 0) & ~is_odd
    pairs = ((parts * n_letters + first) * n_letters + second)[is_pair]
    counts = np.bincount(pairs, minlength=n_parts * n_letters**2).reshape(n_parts, -1).astype(np.float32)
    n_odd = np.bincount(parts[is_odd], minlength=n_parts)
    likely = np.einsum("pk,kl->pl", counts, after)  # faster than matrix products in threads of their own
    best = likely.argmax(axis=1)
    better = likely[np.arange(n_parts), best] - (counts * alone.T[best]).sum(axis=1) - INTRUDER * n_odd
    found: Floats = better / (counts.sum(axis=1) + n_odd)
    return found


def _is_odd(points: NDArray[np.uint32], is_own: Flags) -> Flags:
    """Whether each two neighbours are a letter and what does not stand beside one in a word; one fewer than points."""
    kinds = table().kinds[points]
    is_strange = _points().is_strange[points] | (((kinds & LETTER) > 0) & ~is_own)
    is_capital_inside = is_own[:-1] & is_own[1:] & ((kinds[:-1] & LOWER) > 0) & ((kinds[1:] & UPPER) > 0)
    return (is_own[:-1] & is_strange[1:]) | (is_strange[:-1] & is_own[1:]) | is_capital_inside


@cache
def _likelihoods(script: str) -> tuple[Matrix, Matrix]:
    """The logarithms of the probability of a letter after another, and by itself; shape (pairs, languages)."""
    counts = load_artifact(MODEL, FEATURES).array(weights_file(script)).astype(np.float64)
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
    """Count which letter follows which in words, of which those are left out that have a letter of another script."""
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
        script, place = _letter(chr(point))
        scripts[point], places[point] = script, place
    is_space = np.strings.isspace(np.arange(N_POINTS, dtype=np.uint32).view("<U1"))
    hidden, strange = (
        np.any([np.strings.startswith(kinds, kind) for kind in wanted], axis=0)
        for wanted in (("M", "Cf"), ("S", "No", "C"))
    )
    return _Points(scripts, places, hidden, strange & ~hidden & ~is_space)


def _letter(letter: str) -> tuple[int, int]:
    """Find the script of a letter, 0 for none of ours, and its place in the alphabet."""
    plain = unicodedata.normalize("NFKD", letter.lower())[0]
    name = unicodedata.name(plain, "").partition(" ")[0]
    if name not in ALPHABETS:
        return 0, GAP
    alphabet = ALPHABETS[name]
    return list(ALPHABETS).index(name) + 1, (alphabet.find(plain) if plain in alphabet else len(alphabet)) + 1
