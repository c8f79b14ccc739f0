"""Write annotated documents as CoNLL-U, and as a vertical with the columns lemma, tag and features.

The CoNLL-U always passes the validator of Universal Dependencies at level 2: unknown tags and relations become "X" and
"dep", malformed features are dropped, and without a valid tree all words of a sentence depend on the first by "dep".
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

from newscorpus.corpus.annotate.annotators import Sentence
from newscorpus.corpus.export.vertical import opening
from newscorpus.data import Record
from newscorpus.tokens import collapse, printable

Document = Sequence[Sequence[Sentence]]
"""The sentences of each paragraph."""

POSITIONS = ("lemma", "tag", "features")
"""Columns of the vertical after the word."""

UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
DEPREL = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed"
    " flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative"
    " xcomp".split()
)
RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
FEATURE = re.compile(r"([A-Z0-9][A-Z0-9a-z]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Z0-9a-z]*(?:,[A-Z0-9][A-Z0-9a-z]*)*)")
NO_ID = re.compile(r"[\s/]+")
"""Characters that the id of a sentence must not contain."""


def conllu(record: Record, document: Document) -> Iterator[str]:
    """Yield the lines of a document; none if it has no sentence."""
    name = NO_ID.sub("_", collapse(printable(record.id))) or "_"
    head = [f"# newdoc id = {name}"]
    for number, sentences in enumerate(document, 1):
        head += ["# newpar"] if sentences else []
        for position, sentence in enumerate(sentences, 1):
            yield from head
            yield f"# sent_id = {name}-{number}-{position}"
            text = "".join(_clean(token.form) + " " * token.space_after for token in sentence).rstrip()
            yield f"# text = {text}"
            yield from _words(sentence, is_last=position == len(sentences))
            yield ""
            head = []


def vertical(record: Record, document: Document) -> Iterator[str]:
    """Yield the lines of a document, one token per line; lemmas and tags of several words are joined by "+"."""
    yield opening(record, "")
    for sentences in document:
        yield "<p>"
        for sentence in sentences:
            yield "<s>"
            for at, token in enumerate(sentence):
                if at and not sentence[at - 1].space_after:
                    yield "<g/>"
                lemma = "+".join(_clean(word.lemma) for word in token.words)
                tag = "+".join(_tag(word.xpos or word.upos) for word in token.words)
                features = _features(token.words[0].feats) if len(token.words) == 1 else "_"
                yield "\t".join(map(escape, (_clean(token.form), lemma, tag, features)))
            yield "</s>"
        yield "</p>"
    yield "</doc>"


def _words(sentence: Sentence, *, is_last: bool) -> Iterator[str]:
    """Yield the lines of a sentence; the last sentence of a paragraph ends in a space by convention."""
    words = [word for token in sentence for word in token.words]
    heads = [word.head for word in words]
    if heads.count(0) == 1 and max(heads) <= len(words) and _reach_root(heads):
        relations = [(word.head, "root" if word.head == 0 else _relation(word.deprel)) for word in words]
    else:
        relations = [(0, "root") if at == 0 else (1, "dep") for at in range(len(words))]
    number = 1
    for left, token in zip(range(len(sentence), 0, -1), sentence, strict=True):
        misc = "_" if token.space_after or (is_last and left == 1) else "SpaceAfter=No"
        is_one = len(token.words) == 1
        if not is_one:
            yield f"{number}-{number + len(token.words) - 1}\t{_clean(token.form)}" + "\t_" * 7 + f"\t{misc}"
        for word in token.words:
            head, relation = relations[number - 1]
            form = _clean(token.form if is_one else word.form)
            tags = f"{word.upos if word.upos in UPOS else 'X'}\t{_tag(word.xpos)}\t{_features(word.feats)}"
            yield f"{number}\t{form}\t{_clean(word.lemma)}\t{tags}\t{head}\t{relation}\t_\t{misc if is_one else '_'}"
            number += 1


def _reach_root(heads: Sequence[int]) -> bool:
    """Check whether every word depends on the root, directly or through others."""
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


@lru_cache(10_000)
def _tag(tag: str) -> str:
    return "_".join(tag.split()) or "_"


@lru_cache(1_000)
def _relation(relation: str) -> str:
    known = RELATION.fullmatch(relation) and relation.partition(":")[0] in DEPREL - {"root"}
    return relation if known else "dep"


@lru_cache(10_000)
def _features(features: str) -> str:
    """Normalize features: sorted as the format requires, each once; "_" if there are none."""
    found = {match[1]: match[2] for one in features.split("|") if (match := FEATURE.fullmatch(one))}
    several = ((name, sorted(set(value.split(",")), key=str.lower)) for name, value in found.items())
    return "|".join(sorted((f"{name}={','.join(values)}" for name, values in several), key=str.lower)) or "_"


@lru_cache(200_000)
def _clean(text: str) -> str:
    """Normalize a form or lemma: NFC, without control characters, "_" if empty."""
    return unicodedata.normalize("NFC", collapse(printable(text))) or "_"
