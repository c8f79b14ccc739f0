"""Write annotated documents as CoNLL-U, and as a vertical with the columns lemma, tag and features.

CoNLL-U is such as the validator of Universal Dependencies takes at level 2, whatever an annotator gives: tags and
relations that are not universal are "X" and "dep", features that are none are left out, and where there is no tree all
words of a sentence depend on the first one by "dep".
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

from newscorpus.corpus.annotate.annotators import Sentence, Token, Word
from newscorpus.corpus.export.vertical import opening
from newscorpus.data import Record
from newscorpus.tokens import collapse, printable

Document = Sequence[Sequence[Sentence]]
"""The sentences of each paragraph."""

POSITIONS = ("lemma", "tag", "features")
"""Columns of the vertical behind the word."""

UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
DEPREL = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed"
    " flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative"
    " xcomp".split()
)
RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
FEATURE = re.compile(r"([A-Z0-9][A-Z0-9a-z]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Z0-9a-z]*(?:,[A-Z0-9][A-Z0-9a-z]*)*)")
NO_ID = re.compile(r"[\s/]+")
"""What no id of a sentence may hold."""


def conllu(record: Record, document: Document) -> Iterator[str]:
    """The lines of a document; nothing for one without a sentence."""
    name = NO_ID.sub("_", collapse(printable(record.id))) or "_"
    head = [f"# newdoc id = {name}"]
    for number, sentences in enumerate(document, 1):
        head += ["# newpar"] if sentences else []
        for position, sentence in enumerate(sentences, 1):
            yield from head
            yield f"# sent_id = {name}-{number}-{position}"
            yield f"# text = {_text(sentence)}"
            yield from _words(sentence, is_last=position == len(sentences))
            yield ""
            head = []


def vertical(record: Record, document: Document) -> Iterator[str]:
    """The lines of a document, a token a line."""
    yield opening(record, "")
    for sentences in document:
        yield "<p>"
        for sentence in sentences:
            yield "<s>"
            for at, token in enumerate(sentence):
                if at and not sentence[at - 1].space_after:
                    yield "<g/>"
                yield "\t".join(map(escape, _columns(token)))
            yield "</s>"
        yield "</p>"
    yield "</doc>"


def _columns(token: Token) -> tuple[str, ...]:
    """Word, lemma, tag and features of a token; those of its words are joined by "+"."""
    lemmas, tags = (_clean(word.lemma) for word in token.words), (_best_tag(word) for word in token.words)
    features = _features(token.words[0].feats) if len(token.words) == 1 else "_"
    return _clean(token.form), "+".join(lemmas), "+".join(tags), features


def _best_tag(word: Word) -> str:
    """The tag of the language's own tagset, else the universal one; "_" for neither."""
    return _tag(word.xpos or word.upos)


def _text(sentence: Sentence) -> str:
    return "".join(_clean(token.form) + " " * token.space_after for token in sentence).rstrip()


def _words(sentence: Sentence, *, is_last: bool) -> Iterator[str]:
    """The lines of a sentence, the last one of its paragraph or not; a space follows whatever ends a paragraph."""
    words = [word for token in sentence for word in token.words]
    relations = _tree(words)
    number = 1
    for left, token in zip(range(len(sentence), 0, -1), sentence, strict=True):
        misc = "_" if token.space_after or (is_last and left == 1) else "SpaceAfter=No"
        is_one = len(token.words) == 1
        if not is_one:
            yield f"{number}-{number + len(token.words) - 1}\t{_clean(token.form)}" + "\t_" * 7 + f"\t{misc}"
        for word in token.words:
            head, relation = relations[number - 1]
            form = _clean(token.form if is_one else word.form)
            tags = f"{_upos(word.upos)}\t{_tag(word.xpos)}\t{_features(word.feats)}"
            yield f"{number}\t{form}\t{_clean(word.lemma)}\t{tags}\t{head}\t{relation}\t_\t{misc if is_one else '_'}"
            number += 1


def _tree(words: Sequence[Word]) -> list[tuple[int, str]]:
    """Head and relation of each word: those given where they make a tree with one root, else a flat one."""
    heads = [word.head for word in words]
    if heads.count(0) != 1 or max(heads) > len(words) or not _reach_root(heads):
        return [(0, "root") if at == 0 else (1, "dep") for at in range(len(words))]
    return [(word.head, "root" if word.head == 0 else _relation(word.deprel)) for word in words]


def _reach_root(heads: Sequence[int]) -> bool:
    """Whether every word leads to the root."""
    good = {0}
    for start in range(1, len(heads) + 1):
        way, here = set[int](), start
        while here not in good:
            if here in way:
                return False
            way.add(here)
            here = heads[here - 1]
        good |= way
    return True


def _upos(tag: str) -> str:
    return tag if tag in UPOS else "X"


@lru_cache(10_000)
def _tag(tag: str) -> str:
    return "_".join(tag.split()) or "_"


@lru_cache(1_000)
def _relation(relation: str) -> str:
    known = RELATION.fullmatch(relation) and relation.partition(":")[0] in DEPREL - {"root"}
    return relation if known else "dep"


@lru_cache(10_000)
def _features(features: str) -> str:
    """Features in the order that the format asks for, each once; "_" where there is none."""
    found = {match[1]: match[2] for one in features.split("|") if (match := FEATURE.fullmatch(one))}
    several = ((name, sorted(set(value.split(",")), key=str.lower)) for name, value in found.items())
    return "|".join(sorted((f"{name}={','.join(values)}" for name, values in several), key=str.lower)) or "_"


@lru_cache(200_000)
def _clean(text: str) -> str:
    """A form or lemma as the format takes it: composed (NFC), without control characters, never empty."""
    return unicodedata.normalize("NFC", collapse(printable(text))) or "_"
