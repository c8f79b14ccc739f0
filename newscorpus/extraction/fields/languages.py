"""The language that a page declares, as a BCP 47 primary tag."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

TAG = re.compile(r"^([a-z]{2,3})(?:[-_][a-z0-9_-]*)?$", re.IGNORECASE)
NAMES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "spanish": "es",
    "español": "es", "italian": "it", "italiano": "it", "portuguese": "pt", "português": "pt", "russian": "ru",
    "русский": "ru", "ukrainian": "uk", "українська": "uk", "polish": "pl", "polski": "pl", "czech": "cs",
    "čeština": "cs", "slovak": "sk", "slovenčina": "sk", "slovenian": "sl", "slovene": "sl", "slovenščina": "sl",
    "croatian": "hr", "hrvatski": "hr", "serbian": "sr", "srpski": "sr", "српски": "sr", "bosnian": "bs",
    "bulgarian": "bg", "greek": "el", "turkish": "tr",
}  # fmt: skip
SLIPS = {
    "cz": "cs",
    "gr": "el",
    "ua": "uk",
    "jp": "ja",
    "kr": "ko",
    "cn": "zh",
    "sp": "es",
    "ger": "de",
    "deu": "de",
    "eng": "en",
}
"""Country codes and older codes that pages write for the language."""
NO_LANGUAGE = frozenset({"und", "mul", "zxx", "all", "xx"})


@lru_cache(1_024)  # of languages there are few
def primary_tag(value: str) -> str:
    """The primary tag of a declared language: "sr" of "sr-Latn-RS", "de" of "German"; "" where it is none."""
    text = value.strip().lower()
    if text in NAMES:
        return NAMES[text]
    match = TAG.match(text)
    code = match[1] if match else ""
    return "" if code in NO_LANGUAGE else SLIPS.get(code, code)


def decide_language(declared: Sequence[str]) -> str:
    """The tag that most declarations name; of equals the one named first; "" where none is usable."""
    counts = Counter(tag for value in declared if (tag := primary_tag(value)))
    return max(counts, key=counts.__getitem__, default="")
