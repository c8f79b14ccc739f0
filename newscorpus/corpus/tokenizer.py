"""Count the tokens of a `tokenizer.json` in a published corpus. Needs the extra `annotate`."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from newscorpus.corpus.manifest import Manifest, card
from newscorpus.corpus.published import corpus_of, open_corpus
from newscorpus.corpus.shards import file_hash
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.files import exclusive, replace_file
from newscorpus.layout import BUILD_LOCK, CARD, MANIFEST
from newscorpus.lines import encode_indented

BATCH = 2_000
"""Documents encoded at a time."""


def note_tokens(corpus: Path, path: Path, watch: Callable[[Iterable[Record]], Iterator[Record]] = iter) -> Manifest:
    """Count the tokens of a published corpus by portal and language, and note them in its manifest and card.

    Special tokens do not count. The next build writes both without the tokens.

    Raises:
        CorpusError: the corpus or the tokenizer cannot be read, or a build is running.
        ImportError: the package of tokenizers is not installed.
    """
    try:
        from tokenizers import Tokenizer  # noqa: PLC0415 -- an extra
    except ImportError as error:
        raise ImportError(f"{path}: tokenizers is not installed; install it by: pip install tokenizers") from error
    if not path.is_file():
        raise CorpusError(f"{path}: no such file")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # its only kind
        raise CorpusError(f"{path}: no file of a tokenizer ({error})") from error
    with exclusive(corpus_of(open_corpus(corpus).folder) / BUILD_LOCK):
        published = open_corpus(corpus)
        counts: Counter[tuple[str, str]] = Counter()
        records = watch(published.records())
        while batch := list(islice(records, BATCH)):
            encoded = tokenizer.encode_batch([one.text for one in batch], add_special_tokens=False)
            for record, tokens in zip(batch, encoded, strict=True):
                counts[record.source, record.language] += len(tokens.ids)
        shares = tuple(replace(one, tokens=counts[one.source, one.language]) for one in published.manifest.shares)
        name = f"{path.name} {file_hash(path)[:10]}"
        manifest = replace(published.manifest, tokenizer=name, shares=shares)
        for file_name, content in ((CARD, card(manifest).encode()), (MANIFEST, encode_indented(manifest))):
            replace_file(published.folder / file_name, content)
    return manifest
