"""Count the tokens of a `tokenizer.json`, in texts and in a published corpus. Needs the extra `annotate`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from newscorpus.corpus.manifest import Manifest, card
from newscorpus.corpus.published import corpus_of, open_corpus
from newscorpus.corpus.shards import file_hash
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replace_file
from newscorpus.layout import BUILD_LOCK, CARD, MANIFEST
from newscorpus.lines import encode_indented

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BATCH = 2_000
"""Documents encoded at a time."""


def load_tokenizer(path: Path) -> "Tokenizer":
    """Load the tokenizer in a file.

    Raises:
        CorpusError: the file is missing, or is no tokenizer.
        ImportError: the package is not installed.
    """
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise ImportError(f"{path}: tokenizers is not installed; install it by: pip install tokenizers") from error
    if not path.is_file():
        raise CorpusError(f"{path}: no such file")
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # its only kind
        raise CorpusError(f"{path}: no file of a tokenizer ({error})") from error


def tokenizer_name(path: Path) -> str:
    """Name the tokenizer in a file by file and hash."""
    return f"{path.name} {file_hash(path)[:10]}"


def count_tokens(tokenizer: "Tokenizer", texts: Sequence[str]) -> list[int]:
    """Count the tokens of each text, special tokens excluded."""
    return [len(one.ids) for one in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def note_tokens(corpus: Path, path: Path, watch: Callable[[Iterable[Record]], Iterator[Record]] = iter) -> Manifest:
    """Count the tokens of a published corpus by portal and language, and note them in its manifest and card.

    The next build writes both without them.

    Raises:
        CorpusError: the corpus or the tokenizer cannot be read, or a build is running.
        ImportError: the package of tokenizers is not installed.
    """
    tokenizer = load_tokenizer(path)
    with exclusive(corpus_of(open_corpus(corpus).folder) / BUILD_LOCK):
        published = open_corpus(corpus)
        counts: Counter[tuple[str, str]] = Counter()
        records = watch(published.records())
        while batch := list(islice(records, BATCH)):
            for record, tokens in zip(batch, count_tokens(tokenizer, [one.text for one in batch]), strict=True):
                counts[record.source, record.language] += tokens
        shares = tuple(replace(one, tokens=counts[one.source, one.language]) for one in published.manifest.shares)
        manifest = replace(published.manifest, tokenizer=tokenizer_name(path), shares=shares)
        for file_name, content in ((CARD, card(manifest).encode()), (MANIFEST, encode_indented(manifest))):
            replace_file(published.folder / file_name, content)
    return manifest
