"""Count letter bigrams in the words of many languages, for the filter of unreadable texts.

The words are names of languages, countries, scripts, currencies, months and cities from CLDR (through Babel), in some
280 languages: at least a few thousand letters each, under a permissive licence.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version

import numpy as np
from babel import Locale
from babel.localedata import locale_identifiers

from newscorpus.artifacts import array_bytes, save_artifact
from newscorpus.model_folders import LETTERS_MODEL, Metadata
from newscorpus.page.quality.letters import ALPHABETS, FEATURES, Counts, count_pairs, weights_file

MODEL_VERSION = "1"
MIN_LETTERS = 1_000
"""Minimum number of letters of a counted language: with fewer, most bigrams are unknown."""
NAMES = ("languages", "territories", "scripts", "currencies", "variants", "months", "days", "time_zones", "meta_zones")
"""Attributes of `babel.Locale` that are read for each language."""
LICENCE = "Unicode-3.0"

_CARD = """# {name}, version {version}

Says how often a letter follows another in each of {total} languages, for the filter `quality/unreadable`
(`docs/quality.md`): a text whose letters follow each other as in none of them was shifted, shuffled or encoded.

## Made from

Names of languages, countries, scripts, currencies, months, days and time zones in each language, each word once: the
Common Locale Data Repository (CLDR) of the Unicode Consortium, licence {licence}, as Babel {babel} carries it. No gold
text was used. Accents are left out. Languages with at least {least:,} letters, by script:

{languages}

Made by `newscorpus train {name}` with {versions}; the same Babel gives the same model.

## How well it does

`benchmarks/quality.py` and `benchmarks/unreadable.py` measure it; results in `benchmarks/results/`.
"""


def train_letters(output: Path, languages: Sequence[str] = ()) -> Metadata:
    """Count the letters of `languages`, by default all of CLDR, and write the model to the folder `output`."""
    # Regional varieties (`de_AT`) are left out; a language of several scripts is counted once for each (`sr_Latn`).
    known = [name for name in sorted(locale_identifiers()) if len(name.partition("_")[2]) in {0, len("Latn")}]
    words = {name: sorted(_words(name)) for name in languages or known}
    counted = {script: dict(_count(words, script)) for script in ALPHABETS}
    weights = {weights_file(script): array_bytes(np.stack([*found.values()])) for script, found in counted.items()}
    versions = {"python": python_version(), "babel": version("babel"), "numpy": version("numpy")}
    data: dict[str, dict[str, str | int]] = {
        script.lower(): {"licence": LICENCE, "languages": len(found)} for script, found in counted.items()
    }
    metadata = Metadata(LETTERS_MODEL, MODEL_VERSION, FEATURES, {}, {}, versions, data, {})
    card = _CARD.format(
        name=LETTERS_MODEL,
        version=MODEL_VERSION,
        total=len({name.partition("_")[0] for found in counted.values() for name in found}),
        licence=LICENCE,
        babel=versions["babel"],
        least=MIN_LETTERS,
        languages="\n".join(f"- {script.capitalize()}: {', '.join(found)}" for script, found in counted.items()),
        versions=", ".join(f"{name} {number}" for name, number in versions.items()),
    )
    save_artifact(output, metadata, weights, card)
    return metadata


def _count(words: Mapping[str, Sequence[str]], script: str) -> Iterator[tuple[str, Counts]]:
    """Count the letter pairs of each language with enough letters; languages with the same counts are counted once."""
    seen: set[bytes] = set()
    for name, of_language in words.items():
        counts = count_pairs(of_language, script)
        if counts[:, 1:].sum() >= MIN_LETTERS and counts.tobytes() not in seen:
            seen.add(counts.tobytes())
            yield name, counts


def _words(name: str) -> set[str]:
    """Return the lower-case words of the names that CLDR has in a language."""
    locale = Locale.parse(name)
    texts = " ".join(text for kind in NAMES for text in _strings(getattr(locale, kind)))
    kept = (char if unicodedata.category(char)[0] in "LM" else " " for char in texts.lower())
    return set("".join(kept).split())


def _strings(value: object) -> Iterator[str]:
    """Yield all strings nested in a value of Babel."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one)
