"""Tell Bosnian, Croatian, Montenegrin and Serbian in Latin script apart by words and by the reflex of yat.

Detectors by n-grams of letters prefer Croatian. Here each word that not all of them use, counted once, makes the others
less likely. `variants.toml` and `yat.toml` hold the beginnings of such words.
"""

import math
import re
from collections.abc import Mapping
from functools import cache

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
MIN_CHANCE = 1e-6
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
    """Return the probability of each language for a text in one of them; `chances` are a detector's."""
    known = _entries()
    found = {entry for word in set(WORD.findall(text.lower())) if (entry := _longest(word, known))}
    rows = [known[entry] for entry in sorted(found)]
    rows += [(frozenset(names.split()), "words") for names, phrase in PHRASES.items() if phrase.search(text)]
    score = {name: math.log(weight * chances.get(base, 0.0) + MIN_CHANCE) for name, (base, weight) in PRIORS.items()}
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
