"""Load annotators by name. To add one: a function that loads it, and its entry in `ANNOTATORS`.

No annotator downloads a model: the error for a missing one names the command that does. Annotations are msgspec structs
because a text has thousands of words.
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

SIMPLEMMA_CODES = {"hr": "hbs", "sr": "hbs", "bs": "hbs", "cnr": "hbs", "no": "nb"}
"""Language codes that differ in simplemma."""


class Word(msgspec.Struct, frozen=True, gc=False):
    """A syntactic word; attributes that the annotator does not provide are ""."""

    form: str  # as written, or as it would be alone: "abych" is "aby" and "bych"
    lemma: str = ""
    upos: str = ""  # universal part of speech, such as "NOUN"
    xpos: str = ""  # tag of the language's own tagset
    feats: str = ""  # features, such as "Case=Nom|Number=Sing"
    head: int = 0  # number of its head in the sentence, from 1; 0: root, or not provided
    deprel: str = ""  # dependency relation, such as "nsubj"


class Token(msgspec.Struct, frozen=True, gc=False):
    """An orthographic token."""

    form: str  # as written
    words: tuple[Word, ...]  # one, or several that are written together
    space_after: bool = True


Sentence = Sequence[Token]


class Annotator(Protocol):
    """Anything that splits text into sentences and tokens and annotates them."""

    def __call__(self, paragraph: str, language: str) -> Sequence[Sentence]:
        """Annotate a paragraph with collapsed white space in a language (primary tag; "" if unknown)."""
        ...


@dataclass(frozen=True, slots=True)
class AnnotatorKind:
    """An entry of `ANNOTATORS`."""

    load: Callable[[Path | None], Annotator]  # takes the user's model, if any
    package: str  # required distribution, and its module
    model: str  # description of `--model`; "" if it takes none
    needs_model: bool = False


def check_annotator(name: str, model: Path | None) -> str:
    """Check that an annotator can be loaded, and return its name with version and model.

    Raises:
        CorpusError: the name is unknown, or its model is missing.
        ImportError: its package is not installed.
    """
    kind = ANNOTATORS.get(name)
    if kind is None:
        raise CorpusError(f"no annotator {name!r}; known: {', '.join(ANNOTATORS)}")
    if find_spec(kind.package.partition(".")[0]) is None:
        raise ImportError(f"{name}: {kind.package} is not installed; install it by: pip install {kind.package}")
    if kind.needs_model and model is None:
        raise CorpusError(f"{name}: name {kind.model} by --model")
    if model is not None and (not kind.model or not model.exists()):
        raise CorpusError(f"{name}: " + (f"{model} is not there" if kind.model else "it takes no --model"))
    version = f"{name} {metadata.version(kind.package)}"
    if model is None:
        return version
    if model.is_file():
        hashed = file_hash(model)
    else:  # a folder: hash names and sizes of its files
        files = [path for path in sorted(model.rglob("*")) if path.is_file()]
        listing = "\n".join(f"{path.relative_to(model)} {path.stat().st_size}" for path in files)
        hashed = hashlib.sha256(listing.encode()).hexdigest()
    return f"{version}, {model.name} {hashed[:10]}"


@cache
def load_annotator(name: str, model: Path | None) -> Annotator:
    """Load an annotator, once per process; arguments and errors as for `check_annotator`."""
    check_annotator(name, model)
    return ANNOTATORS[name].load(model)


def _simplemma(_: Path | None) -> Annotator:
    simplemma = import_module("simplemma")

    @cache
    def known(language: str) -> str:
        """Return simplemma's code of a language; "" if it is not supported."""
        code = SIMPLEMMA_CODES.get(language, language)
        try:
            simplemma.lemmatize("a", lang=code)
        except ValueError:
            return ""
        return code

    def annotate(paragraph: str, language: str) -> list[Sentence]:
        code = known(language)
        sentences: list[Sentence] = []
        for sentence in simplemma.split_sentences(paragraph):
            found = glued_tokens(sentence)
            tokens: list[Token] = []
            for (form, _), (_, next_is_glued) in zip(found, [*found[1:], ("", False)], strict=True):
                lemma = simplemma.lemmatize(form, lang=code) if code else ""
                tokens.append(Token(form, (Word(form, lemma),), space_after=not next_is_glued))
            sentences.append(tokens)
        return sentences

    return annotate


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
            loaded.parse(sentence, loaded.DEFAULT)  # returns False if the model has no parser
            found.append(list(_udpipe_tokens(sentence)))
            sentence = udpipe.Sentence()
        return found

    return annotate


def _udpipe_tokens(sentence: Any) -> Iterator[Token]:
    several = {one.idFirst: one for one in sentence.multiwordTokens}
    words = [
        Word(one.form, one.lemma, one.upostag, one.xpostag, one.feats, max(one.head, 0), one.deprel)
        for one in list(sentence.words)[1:]  # the first is the artificial root
    ]
    at = 0
    while at < len(words):
        token = several.get(at + 1)
        end = token.idLast if token else at + 1
        written = token or sentence.words[at + 1]
        yield Token(written.form, tuple(words[at:end]), space_after=written.getSpaceAfter())
        at = end


def _neural(module: str) -> Callable[[Path | None], Annotator]:
    """Make the loader of Stanza or its fork CLASSLA: a pipeline per language, with models on this machine."""

    def load(model: Path | None) -> Annotator:
        package = import_module(module)
        import_module("torch").set_num_threads(1)  # processes that each use all cores slow each other down

        @cache
        def pipeline(language: str) -> Any:
            options: dict[str, Any] = {"dir": str(model)} if model else {}
            options |= {"download_method": None} if module == "stanza" else {}
            try:  # Stanza adds the processor for multi-word tokens ("mwt") to languages that have them
                return package.Pipeline(language, processors="tokenize,pos,lemma", verbose=False, **options)
            except Exception as error:  # CLASSLA raises nothing more specific
                get = f'python -c "import {module}; {module}.download({language!r})"'
                raise CorpusError(
                    f"{module}: no models for language {language!r} ({error}); to get them: {get}"
                ) from error

        def annotate(paragraph: str, language: str) -> list[Sentence]:
            return [list(neural_tokens(one)) for one in pipeline(language)(paragraph).sentences]

        return annotate

    return load


def neural_tokens(sentence: Any) -> Iterator[Token]:
    """Convert the tokens of a sentence of Stanza or CLASSLA."""
    for token, following in zip(sentence.tokens, [*sentence.tokens[1:], None], strict=True):
        if token.end_char is None:  # from a tokenizer of CLASSLA
            is_glued = "SpaceAfter=No" in (token.misc or "")
        else:
            is_glued = following is not None and following.start_char == token.end_char
        words = (
            Word(one.text, one.lemma or "", one.upos or "", one.xpos or "", one.feats or "") for one in token.words
        )
        yield Token(token.text, tuple(words), space_after=not is_glued)


ANNOTATORS: Mapping[str, AnnotatorKind] = {
    "simplemma": AnnotatorKind(_simplemma, "simplemma", ""),
    "udpipe": AnnotatorKind(_udpipe, "ufal.udpipe", "a model of UDPipe 1", needs_model=True),
    "stanza": AnnotatorKind(_neural("stanza"), "stanza", "a folder of Stanza's models"),
    "classla": AnnotatorKind(_neural("classla"), "classla", "a folder of CLASSLA's models"),
}
