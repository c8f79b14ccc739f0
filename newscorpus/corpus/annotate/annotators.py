"""Load annotators by name. To add one: a function that loads it and its entry in `ANNOTATORS`.

None fetches a model: what is not on this machine is named, with what brings it there. A text has thousands of words, so
what an annotator gives are structs.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import msgspec

from newscorpus.corpus.shards import file_hash
from newscorpus.errors import CorpusError
from newscorpus.tokens import glued_tokens

SIMPLEMMA_CODES = {"hr": "hbs", "sr": "hbs", "bs": "hbs", "no": "nb"}
"""Languages that simplemma knows by other codes."""


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


@dataclass(frozen=True, slots=True)
class AnnotatorKind:
    """An annotator that can be named."""

    load: Callable[[Path | None], Annotator]  # with the user's model, if there is one
    package: str  # that it needs, as it is installed
    module: str  # by which it is imported
    model: str  # what `--model` names; "" where there is none to name
    needs_model: bool = False  # it does nothing without


def check_annotator(name: str, model: Path | None) -> str:
    """See that an annotator can be loaded; gives its name with version and model, for the report.

    Raises:
        CorpusError: there is none of that name, or its model is missing.
        ImportError: its package is not installed.
    """
    kind = ANNOTATORS.get(name)
    if kind is None:
        raise CorpusError(f"no annotator {name!r}; known: {', '.join(ANNOTATORS)}")
    if find_spec(kind.module.partition(".")[0]) is None:
        raise ImportError(f"{name}: {kind.package} is not installed; install it by: pip install {kind.package}")
    if kind.needs_model and model is None:
        raise CorpusError(f"{name}: name {kind.model} by --model")
    if model is not None and (not kind.model or not model.exists()):
        raise CorpusError(f"{name}: " + (f"{model} is not there" if kind.model else "it takes no --model"))
    version = f"{name} {metadata.version(kind.package)}"
    return f"{version}, {model.name} {_hash(model)[:10]}" if model else version


@cache
def load_annotator(name: str, model: Path | None) -> Annotator:
    """Load an annotator, once a process; arguments and errors as for `check_annotator`."""
    check_annotator(name, model)
    return ANNOTATORS[name].load(model)


def _hash(model: Path) -> str:
    """Hash of a file, or of the names and sizes of the files in a folder."""
    if model.is_file():
        return file_hash(model)
    files = (f"{path.relative_to(model)} {path.stat().st_size}" for path in sorted(model.rglob("*")) if path.is_file())
    return hashlib.sha256("\n".join(files).encode()).hexdigest()


def _simplemma(_: Path | None) -> Annotator:
    simplemma = import_module("simplemma")

    @cache
    def known(language: str) -> str:
        """The code of a language that it has lemmas of; "" for others."""
        code = SIMPLEMMA_CODES.get(language, language)
        try:
            simplemma.lemmatize("a", lang=code)
        except ValueError:
            return ""
        return code

    def annotate(paragraph: str, language: str) -> list[Sentence]:
        code = known(language)
        return [
            tuple(
                Token(form, (Word(form, simplemma.lemmatize(form, lang=code) if code else ""),), space_after=spaced)
                for form, spaced in _spaced(sentence)
            )
            for sentence in simplemma.split_sentences(paragraph)
        ]

    return annotate


def _spaced(sentence: str) -> Iterator[tuple[str, bool]]:
    """The tokens of a sentence, each with whether a space follows."""
    found = glued_tokens(sentence)
    for (form, _), (_, glued) in zip(found, [*found[1:], ("", False)], strict=True):
        yield form, not glued


def _udpipe(model: Path | None) -> Annotator:
    udpipe = import_module("ufal.udpipe")
    loaded = udpipe.Model.load(str(model))
    if loaded is None:
        raise CorpusError(f"udpipe: {model} is no model of UDPipe 1")

    def annotate(paragraph: str, language: str) -> list[Sentence]:  # noqa: ARG001 -- the protocol's name
        tokenizer = loaded.newTokenizer(loaded.DEFAULT)
        if tokenizer is None:
            raise CorpusError(f"udpipe: {model} has no tokenizer")
        tokenizer.setText(paragraph)
        found: list[Sentence] = []
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        while tokenizer.nextSentence(sentence, error):
            loaded.tag(sentence, loaded.DEFAULT)
            loaded.parse(sentence, loaded.DEFAULT)  # gives False where the model has no parser
            found.append(tuple(_udpipe_tokens(sentence)))
            sentence = udpipe.Sentence()
        return found

    return annotate


def _udpipe_tokens(sentence: Any) -> Iterator[Token]:
    several = {one.idFirst: one for one in sentence.multiwordTokens}
    words = [
        Word(one.form, one.lemma, one.upostag, one.xpostag, one.feats, max(one.head, 0), one.deprel)
        for one in list(sentence.words)[1:]  # the first stands for the root
    ]
    at = 0
    while at < len(words):
        token = several.get(at + 1)
        end = token.idLast if token else at + 1
        written = token or sentence.words[at + 1]
        yield Token(written.form, tuple(words[at:end]), space_after=written.getSpaceAfter())
        at = end


def _neural(module: str) -> Callable[[Path | None], Annotator]:
    """Stanza, or CLASSLA, which was made of it: a pipeline for each language, of models that are on this machine."""

    def load(model: Path | None) -> Annotator:
        package = import_module(module)
        import_module("torch").set_num_threads(1)  # processes that take all cores each hold each other up

        @cache
        def pipeline(language: str) -> Any:
            options: dict[str, Any] = {"dir": str(model)} if model else {}
            options |= {"download_method": None} if module == "stanza" else {}
            try:  # what splits words written together ("mwt") is added by Stanza where a language has it
                return package.Pipeline(language, processors="tokenize,pos,lemma", verbose=False, **options)
            except Exception as error:  # CLASSLA raises nothing more special
                get = f'python -c "import {module}; {module}.download({language!r})"'
                raise CorpusError(
                    f"{module}: no models for language {language!r} ({error}); to get them: {get}"
                ) from error

        def annotate(paragraph: str, language: str) -> list[Sentence]:
            return [tuple(_neural_tokens(one)) for one in pipeline(language)(paragraph).sentences]

        return annotate

    return load


def _neural_tokens(sentence: Any) -> Iterator[Token]:
    for token, following in zip(sentence.tokens, [*sentence.tokens[1:], None], strict=True):
        if token.end_char is None:  # of CLASSLA's tokenizers, which say it in another way
            is_glued = "SpaceAfter=No" in (token.misc or "")
        else:
            is_glued = following is not None and following.start_char == token.end_char
        words = (
            Word(one.text, one.lemma or "", one.upos or "", one.xpos or "", one.feats or "") for one in token.words
        )
        yield Token(token.text, tuple(words), space_after=not is_glued)


ANNOTATORS: Mapping[str, AnnotatorKind] = {
    "simplemma": AnnotatorKind(_simplemma, "simplemma", "simplemma", ""),
    "udpipe": AnnotatorKind(_udpipe, "ufal.udpipe", "ufal.udpipe", "a model of UDPipe 1", needs_model=True),
    "stanza": AnnotatorKind(_neural("stanza"), "stanza", "stanza", "a folder of Stanza's models"),
    "classla": AnnotatorKind(_neural("classla"), "classla", "classla", "a folder of CLASSLA's models"),
}
