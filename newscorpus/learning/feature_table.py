"""Features and labels of blocks as a file for other programs: CSV, or ARFF for Weka."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from newscorpus.learning.block_learner import LabelledPage

CLASSES = ("bad", "good")


class TableError(ValueError):
    """A table cannot be written; the message is one line."""


def table_lines(suffix: str, features: Sequence[str], pages: Iterable[LabelledPage]) -> Iterator[bytes]:
    """The lines of the table: what the form asks for, then one for each block of `pages`, its features and its class.

    Numbers are written so that single precision reads them back as they were.

    Raises:
        TableError: `suffix` of a file's name stands for no form.
    """
    if suffix not in _HEADS:
        raise TableError(f"a table is written to a file whose name ends in {' or '.join(_HEADS)}, not in {suffix!r}")
    return (f"{line}\n".encode() for line in chain(_HEADS[suffix](features), _rows(pages)))


def _rows(pages: Iterable[LabelledPage]) -> Iterator[str]:
    for page in pages:
        for row, good in zip(page.rows, page.good.tolist(), strict=True):
            yield ",".join([*map(str, row), CLASSES[good]])


def _csv_head(features: Sequence[str]) -> list[str]:
    return [",".join([*features, "class"])]


def _arff_head(features: Sequence[str]) -> list[str]:
    attributes = [f"@attribute '{name}' numeric" for name in features]
    return ["@relation blocks", *attributes, f"@attribute class {{{','.join(CLASSES)}}}", "@data"]


_HEADS: Mapping[str, Callable[[Sequence[str]], list[str]]] = {".csv": _csv_head, ".arff": _arff_head}
"""The first lines of a file by its suffix; the lines of the blocks are alike."""
