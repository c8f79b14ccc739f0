"""Crawl news portals and build clean, deduplicated text corpora for language modelling.

The names in `__all__` are the public interface (docs/python.md); everything else is private and may change. They are
imported when they are first used, so that the command and the spiders start quickly.
"""

import os
import sys

# ONNX Runtime reports its use to its maker unless this is set before it is imported; child processes inherit it.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
if "onnxruntime" in sys.modules:  # its import has been reported; later use is not
    sys.modules["onnxruntime"].disable_telemetry_events()

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newscorpus.data import Article, Page, Record, Rejected
    from newscorpus.page.extractor import Extractor
    from newscorpus.page.judge import process_page
    from newscorpus.page.recipe import Recipe
    from newscorpus.page.rows import Row
    from newscorpus.page.signature import sign

__version__ = "0.1.0"
__all__ = [
    "Article",
    "Page",
    "Recipe",
    "Record",
    "Rejected",
    "Row",
    "extract",
    "load_extractor",
    "process_page",
    "read_corpus",
    "sign",
]

_HOMES = {
    "Article": "newscorpus.data",
    "Page": "newscorpus.data",
    "Recipe": "newscorpus.page.recipe",
    "Record": "newscorpus.data",
    "Rejected": "newscorpus.data",
    "Row": "newscorpus.page.rows",
    "process_page": "newscorpus.page.judge",
    "sign": "newscorpus.page.signature",
}
"""The modules that define the public names which are not defined here."""


def extract(page: "Page | str | bytes", url: str = "", extractor: str = "main-text") -> "Article | Rejected":
    """Find the main text of a page, its title, dates, authors and other fields.

    Args:
        page: HTML as bytes or as text, or a `Page`, which can also hold HTTP headers and the time of the fetch.
        url: address of the HTML.
        extractor: name of the extractor; it is loaded once.

    Raises:
        TypeError: `page` is something else, such as a path.
        ValueError: there is no such extractor.
        ImportError: the extractor needs a package that is not installed.
    """
    from newscorpus.data import Page

    if isinstance(page, str):
        page = Page.from_html(page, url)
    elif isinstance(page, bytes):
        page = Page(url, page)
    elif not isinstance(page, Page):
        raise TypeError(f"a page is HTML (str or bytes) or a Page, not {type(page).__name__}")
    return load_extractor(extractor)(page)


def load_extractor(name: str = "main-text") -> "Extractor":
    """Load an extractor, a function from a `Page` to an `Article` or a `Rejected`; once a process.

    Raises:
        ValueError: there is no such extractor; the message names all.
        ImportError: the extractor needs a package that is not installed.
    """
    from newscorpus.page.loading import extractor_of
    from newscorpus.page.recipe import Recipe

    return extractor_of(Recipe(name))


def read_corpus(folder: Path | str) -> "Iterator[Record]":
    """Read the records of a published corpus in order: of a crawl's folder, or of the folder with the manifest.

    Raises:
        CorpusError: a `ValueError`; there is no corpus, or a file is not what the manifest says.
    """
    from newscorpus.corpus.published import open_corpus

    return open_corpus(Path(folder)).records()


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
