"""Define what an annotator gets and gives; a text has thousands of words, so these are structs."""

from collections.abc import Sequence
from typing import Protocol

import msgspec


class Word(msgspec.Struct, frozen=True, gc=False):
    """A syntactic word; "" stands for what the annotator does not say."""

    form: str  # as it is written, or would be by itself: "abych" is "aby" and "bych"
    lemma: str = ""
    upos: str = ""  # universal part of speech, such as "NOUN"
    xpos: str = ""  # tag of the language's own tagset
    feats: str = ""  # features, such as "Case=Nom|Number=Sing"
    head: int = 0  # number of the word it depends on in its sentence, from 1; 0: none, or nobody says
    deprel: str = ""  # how it does, such as "nsubj"


class Token(msgspec.Struct, frozen=True, gc=False):
    """What stands between spaces and marks."""

    form: str  # as it is written
    words: tuple[Word, ...]  # one, or several that are written together
    space_after: bool = True  # a space follows


Sentence = Sequence[Token]


class Annotator(Protocol):
    """Anything that cuts text into sentences and tokens, and says of each what it knows."""

    def __call__(self, paragraph: str, language: str) -> Sequence[Sentence]:
        """The sentences of a paragraph, white space collapsed, in a language (primary tag; "" where unknown)."""
        ...
