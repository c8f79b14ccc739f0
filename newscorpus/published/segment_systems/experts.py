"""Experts: the extractors whose output a hybrid system weighs (Bakić 2012, hybrids)."""

from collections.abc import Callable, Mapping, Sequence

from rapidfuzz.distance import LCSseq

from newscorpus.data import Article
from newscorpus.extraction.extractor import Extractor, Reading
from newscorpus.published.bte import body_text
from newscorpus.published.peers import load_peer

Expert = Callable[[Reading], str]
"""What a page's main text is to one extractor, or ""."""

EXPERTS = ("bte", "readability", "boilerpipe-default", "boilerpipe-article")
"""The four of the thesis, in its order."""


def load_experts() -> dict[str, Expert]:
    """The four experts of the thesis by name.

    Raises:
        MissingPeerError: the package of one is not installed; one line that says how to get it.
    """
    return {"bte": _bte, **{name: by_extractor(load_peer(name)) for name in EXPERTS[1:]}}


def by_extractor(extractor: Extractor) -> Expert:
    """The expert that an extractor makes."""

    def text(reading: Reading) -> str:
        article = extractor(reading.page)
        return article.text if isinstance(article, Article) else ""

    return text


def ask(experts: Mapping[str, Expert], reading: Reading) -> dict[str, str]:
    """What each of `experts` holds to be the main text."""
    return {name: expert(reading) for name, expert in experts.items()}


def share_found(part: Sequence[str], whole: Sequence[str]) -> float:
    """The share of the words of `part` that stand in `whole` in the same order (longest common subsequence)."""
    return LCSseq.similarity(part, whole) / len(part) if part else 0.0


def _bte(reading: Reading) -> str:
    return body_text(reading.html)
