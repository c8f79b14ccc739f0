"""Check the language codes of portal files against ISO 639, as the CLDR of Babel lists them."""

from functools import cache

from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages

NO_LANGUAGE = frozenset({"mul", "root", "und", "zxx"})
"""Codes that say that a text has no language, or several."""
WITHDRAWN = frozenset({"in", "iw", "ji", "jw", "mo"})
"""Codes of two letters that ISO 639 has replaced."""
UNLISTED = frozenset({"abq", "sjo"})
"""Languages with a press of their own that CLDR leaves out: Abaza, Xibe."""


def check_language(code: str) -> None:
    """Check that `code` is a language: of two letters (ISO 639-1), or of three (639-3) where two do not exist.

    A country's code that is a language's, too (si: Sinhala, se: Northern Sami), passes, since nothing shows the slip.

    Raises:
        ValueError: it is none; the message suggests the code that was probably meant.
    """
    if code not in _codes():
        meant = _suggestion(code)
        hint = f"did you mean {meant!r}?" if meant else "expected two or three letters, such as 'cs' or 'hsb'"
        raise ValueError(f"{code!r} is no language of ISO 639; {hint}")


@cache
def _codes() -> frozenset[str]:
    likely = (tag.partition("_")[0] for tag in get_global("likely_subtags"))
    members = (code for code, whole in get_global("language_aliases").items() if len(code) == 3 and len(whole) != 2)
    listed = {*Locale("en").languages, *likely, *members}
    return frozenset(code for code in listed if len(code) in {2, 3}) - NO_LANGUAGE - WITHDRAWN | UNLISTED


def _suggestion(code: str) -> str:
    """The language meant by a country, an older or longer code, a code with a region, or an English name."""
    tag = code.strip().lower().replace("_", "-").partition("-")[0]
    names = {name.lower(): known for known, name in Locale("en").languages.items()}
    official = get_official_languages(tag.upper(), de_facto=True)
    guesses = (tag, get_global("language_aliases").get(tag, ""), *official[:1], names.get(tag, ""))
    return next((guess for one in guesses if (guess := one.partition("_")[0]) in _codes()), "")
