"""What the tests share."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from random import Random

import hypothesis
import pytest
import zstandard

from newscorpus.data import Article, Fields, Image, Record, Rights
from newscorpus.lab.gold.pages import LICENCES, GoldPage
from newscorpus.page.records import make_record
from newscorpus.store.ledger import Ledger

# No test asserts a time, on a busy machine least of all. `make test` tries few examples, `make test-all` many.
for name, n_examples in {"few": 25, "many": 100}.items():
    too_slow = [hypothesis.HealthCheck.too_slow]
    hypothesis.settings.register_profile(name, max_examples=n_examples, deadline=None, suppress_health_check=too_slow)
hypothesis.settings.load_profile("few")

COSTLY = {"browser", "slurm", "stanza_models", "udpipe_model"}
"""Fixtures that start programs of others or train models; the tests that use them are slow."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a costly fixture."""
    for item in items:
        if COSTLY & set(getattr(item, "fixturenames", ())):
            item.add_marker("slow")


DATA_VARIABLE = "NEWSCORPUS_DATA"
BESIDE_CHECKOUT = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def gold_data() -> Path:
    """The folder of the pages with gold text; the test is skipped where it is missing."""
    folder = Path(os.environ.get(DATA_VARIABLE, BESIDE_CHECKOUT))
    if not folder.is_dir():
        pytest.skip(f"the pages with gold text are not here ({folder}); set {DATA_VARIABLE} to their folder")
    return folder


WORDS = (
    "bridge river council water school winter market train doctor garden letter window north south early people "
    "works found called reached opened showed began street valley morning evening report family border"
).split()
SECTIONS = ("Home", "Sport", "Culture", "Opinion", "Weather", "Video", "Local", "World", "Contact us")

MakePage = Callable[..., GoldPage]


def _sentence(random: Random) -> str:
    return f"Yesterday {' '.join(random.choices(WORDS, k=random.randint(12, 25)))}."


@pytest.fixture
def make_page() -> MakePage:
    """Makes page `number` of a set: an article with menus around it, or a listing of teasers."""

    def make(number: int, dataset: str = "wcxb", page_type: str = "article", split: str = "train") -> GoldPage:
        random = Random(f"{dataset} {number} {page_type}")
        paragraphs = [_sentence(random) for _ in range(random.randint(5, 8))]
        menu = "".join(f"<li><a href=/{at}>{name}</a></li>" for at, name in enumerate(SECTIONS))
        body = "".join(f"<p>{text}</p>" for text in paragraphs)
        if page_type != "article":
            body = "".join(f"<div><a href=/{at}>{text}</a></div>" for at, text in enumerate(paragraphs))
            paragraphs = [paragraphs[0]]
        title = " ".join(random.sample(WORDS, 5)).capitalize()
        html = (
            f"<html><head><title>{title}</title></head><body><nav><ul>{menu}</ul></nav><article><h1>{title}</h1>{body}"
            f"</article><footer><p>Terms of use</p><p>Contact</p></footer></body></html>"
        )
        site = f"site{number}.example"
        return GoldPage(
            id=f"{dataset}-{number}-{page_type}",
            dataset=dataset,
            url=f"https://{site}/news/{'-'.join(title.lower().split())}"
            if page_type == "article"
            else f"https://{site}/",
            domain=site,
            language="en",
            title=title,
            date="",
            authors=(),
            html=html,
            text="\n".join(paragraphs),
            page_type=page_type if dataset == "wcxb" else "",
            split=split,
        )

    return make


@pytest.fixture
def gold_sets(tmp_path: Path, make_page: MakePage) -> Path:
    """A folder of the sets that models are trained on, ten articles each."""
    folder = tmp_path / "sets"
    folder.mkdir()
    for dataset in LICENCES:
        lines = "".join(json.dumps(asdict(make_page(number, dataset))) + "\n" for number in range(10))
        (folder / f"{dataset}.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    return folder


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """The open ledger of a corpus in `tmp_path`."""
    with Ledger.open(tmp_path) as ledger:
        yield ledger


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
