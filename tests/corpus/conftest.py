"""Articles and records for the tests of the corpus."""

import pytest

from newscorpus.data import Article, Fields, Image, Record, Rights
from newscorpus.page.records import make_record


@pytest.fixture
def article() -> Article:
    """An article with every field filled."""
    fields = Fields(
        title="Vláda schválila rozpočet",
        authors=("Jana Nová", "Петр Иванов"),
        agencies=("ČTK",),
        published="2026-03-01T08:00:00+01:00",
        tags=("vláda",),
        images=(Image("https://www.a.cz/i.jpg", "popis", "Foto: X"),),
        canonical_url="https://www.a.cz/clanek-1",
        rights=Rights(robots="index"),
    )
    return Article(
        url="https://www.a.cz/clanek-1?utm_source=rss",
        text="První odstavec.\nDruhý odstavec o rozpočtu.",
        fields=fields,
        extractor="template:a",
        confidence=0.5,
        flags=("short",),
        fetched="2026-03-01T09:00:00+00:00",
    )


@pytest.fixture
def record(article: Article) -> Record:
    """A record with lists that are not empty."""
    return make_record(article, "a", "cs", 0.99)


@pytest.fixture
def bare_record() -> Record:
    """A record whose lists are all empty."""
    return make_record(Article("https://b.cz/1", "Text.", Fields(), "bte"), "b", "", 0.0)
