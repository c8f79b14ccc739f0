"""Find what other texts quote of those that are taken out, and hide it in pages."""

import re
from collections.abc import Collection, Iterator
from html import unescape
from itertools import chain

from newscorpus.tokens import folded_words, word_spans

QUOTED_WORDS = 8
"""Words in a row that make a quotation; fewer are found in texts that have nothing to do with each other."""

TAG = re.compile(r"<[^>]*>")
MARKUP = re.compile(rf"{TAG.pattern}|&#?\w{{1,32}};")
"""A tag, or a reference to a character."""

Span = tuple[int, int]


class Quotes:
    """Finds what is quoted of some texts: so many of their words in a row. None without a text."""

    def __init__(self, texts: Collection[str]) -> None:
        self._runs = frozenset(chain.from_iterable(map(_runs, map(folded_words, texts))))

    def __bool__(self) -> bool:
        return bool(self._runs)

    def are_in(self, text: str) -> bool:
        """Whether a text holds one of the quotations."""
        return any(run in self._runs for run in _runs(folded_words(text)))

    def share_in(self, text: str) -> float:
        """How much of what can be quoted a text holds, from 0 to 1."""
        return len(self._runs.intersection(_runs(folded_words(text)))) / len(self._runs) if self._runs else 0.0

    def hide_in(self, markup: str) -> str:
        """Put spaces for the words of quotations: in what a page shows, in attributes and in scripts."""
        shown, places = _shown(markup)
        hidden = chain(self._spans(markup), ((places[a], places[b]) for a, b in self._spans(shown)))
        characters = list(markup)
        for first, last in hidden:
            characters[first:last] = " " * (last - first)
        return "".join(characters)

    def _spans(self, text: str) -> Iterator[Span]:
        """Where the words of quotations stand in a text."""
        words = [(word, span) for span in word_spans(text) for word in folded_words(text[slice(*span)])]
        for at, run in enumerate(_runs([word for word, _ in words])):
            if run in self._runs:
                yield from (span for _, span in words[at : at + QUOTED_WORDS])


def shown_text(markup: str) -> str:
    """The text of a page or feed, which may hold markup as text, without its markup."""
    return TAG.sub(" ", unescape(TAG.sub(" ", markup)))


def _shown(markup: str) -> tuple[str, list[int]]:
    """The text of a page, and the place in the page of each character and of its end."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    for found in chain(MARKUP.finditer(markup), [None]):
        start, end = found.span() if found else (len(markup), len(markup))
        shown = (" " if found[0][0] == "<" else unescape(found[0])) if found else ""
        parts += markup[at:start], shown
        places += *range(at, start), *([start] * len(shown))
        at = end
    return "".join(parts), [*places, len(markup)]


def _runs(words: list[str]) -> Iterator[str]:
    return (" ".join(words[at : at + QUOTED_WORDS]) for at in range(len(words) - QUOTED_WORDS + 1))
