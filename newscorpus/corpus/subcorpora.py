"""Save the documents that a search finds under a name, for `newscorpus export --subcorpus NAME`.

A subcorpus is a file of JSON lines in `CORPUS/subcorpora/`: the query, then the id of each document.
"""

import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from newscorpus.corpus.published import corpus_of, open_corpus
from newscorpus.corpus.search import Query
from newscorpus.errors import ArgumentError, CorpusError
from newscorpus.files import replacing
from newscorpus.layout import SUBCORPORA
from newscorpus.lines import decoded_lines, encode_line

NAME = re.compile(r"\w[\w.-]*")


def save_subcorpus(corpus: Path, name: str, query: Query, ids: Iterable[str]) -> Path:
    """Save the ids of documents under a name, in place of earlier ones of the same query; return the file.

    Raises:
        ArgumentError: as for `check_name`.
        CorpusError: no document was found.
    """
    path, lines = check_name(corpus, name, query), [encode_line({"id": one}) for one in ids]
    if not lines:
        raise CorpusError(f"no document was found: the subcorpus {name!r} is not saved")
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.writelines([_first_line(query), *lines])
    return path


def check_name(corpus: Path, name: str, query: Query) -> Path:
    """Return the file for a subcorpus of this name.

    Raises:
        ArgumentError: the name is no name of a file, or that of the documents of another query.
    """
    path = _path(corpus, name)
    if path.is_file() and not path.read_bytes().startswith(_first_line(query)):
        raise ArgumentError(f"{path}: holds another search; choose another name, or delete the file")
    return path


def _first_line(query: Query) -> bytes:
    return encode_line({"query": {field: value for field, value in asdict(query).items() if value}})


def read_subcorpus(corpus: Path, name: str) -> frozenset[str]:
    """Read the ids of the documents of a subcorpus.

    Raises:
        ArgumentError: the name is no name of a file.
        CorpusError: there is none of this name, or its file is damaged.
    """
    path = _path(corpus, name)
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in path.parent.glob("*.jsonl"))) or "none"
        raise CorpusError(f"{path}: no such subcorpus; there are: {known}; `search --save NAME` saves one")
    lines = decoded_lines(path, msgspec.json.Decoder(dict[str, Any]))
    return frozenset(str(line["id"]) for line in lines if "id" in line)


def _path(corpus: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise ArgumentError(f"{name!r}: a subcorpus is named with letters, digits, `-`, `_` and `.`")
    return corpus_of(open_corpus(corpus).folder) / SUBCORPORA / f"{name}.jsonl"
