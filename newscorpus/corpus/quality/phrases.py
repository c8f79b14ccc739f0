"""Phrases of many languages, read from `phrases.toml`, as patterns. Which language a text is in need not be known."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain


def any_of(kind: str) -> re.Pattern[str]:
    """Matches a phrase of one kind, in any language, at the start of a word."""
    return _pattern(kind)


def by_language(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The phrases of one kind, lower case, by language."""
    return {language: tuple(phrases) for language, phrases in _phrases()[kind].items()}


@cache
def _phrases() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((files(__package__) / "phrases.toml").read_text("utf-8"))


@cache
def _pattern(kind: str) -> re.Pattern[str]:
    phrases: Iterable[str] = dict.fromkeys(chain.from_iterable(_phrases()[kind].values()))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})", re.IGNORECASE)
