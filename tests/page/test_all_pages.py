"""Every page ends as an article or as a rejection, and never as an exception: real pages, and damaged ones."""

import os
import random
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.attacking.damage import DAMAGES, Damage, damage_at_random
from benchmarks.attacking.pages import BEYOND, WITHIN, Count, hostile_page
from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.extractor import Extractor
from newscorpus.page.loading import load
from newscorpus.page.registry import DEFAULT
from tests.mockserver.kinds import expect

pytestmark = pytest.mark.slow

SETS = ("cleaneval", "daniel", "dragnet", "fundus", "htmldate", "ir_research", "l3s_gn1", "wcxb")
EVERY = 1 if os.environ.get("NEWSCORPUS_ALL_PAGES") else 12
"""One page in so many is taken; NEWSCORPUS_ALL_PAGES=1 takes all, in some minutes."""

DEMO = Path(__file__).parents[2] / "newscorpus" / "views" / "demo" / "site" / "pages"
DEMO_PAGES = sorted(DEMO.glob("*.html"))


@cache
def extractor() -> Extractor:
    return load(DEFAULT)


@pytest.mark.data
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("name", SETS)
def test_real_pages(gold_data: Path, name: str) -> None:
    ends: Counter[str] = Counter()
    for number, page in enumerate(read_pages(gold_data / f"{name}.jsonl.zst")):
        if number % EVERY == 0:
            result = extractor()(Page.from_html(page.html, page.url))
            assert isinstance(result, Article | Rejected), page.id
            ends["article" if isinstance(result, Article) else f"{result.stage}/{result.reason}"] += 1
    assert ends["article"] > 0.5 * ends.total(), ends


def check(body: bytes) -> None:
    """Run the line on a damaged page."""
    result = extractor()(Page("https://demo.example/1", body))
    if isinstance(result, Article):
        assert result.text.strip()
    else:
        assert isinstance(result, Rejected)
        assert result.url == "https://demo.example/1"
        assert result.reason.replace("_", "").isalpha()


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_pages(damage: Damage) -> None:
    for seed, path in enumerate(DEMO_PAGES):
        check(damage(path.read_bytes(), random.Random(seed)))


@settings(deadline=None, max_examples=50)
@given(path=st.sampled_from(DEMO_PAGES), seed=st.integers(0, 2**32))
def test_pages_damaged_in_several_ways(path: Path, seed: int) -> None:
    check(damage_at_random(path.read_bytes(), random.Random(seed)))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", BEYOND.values(), ids=BEYOND)
def test_pages_beyond_the_bounds_are_refused(make: Callable[[], str]) -> None:
    body = hostile_page(make())
    result = expect(Rejected, extractor()(Page("https://demo.example/story/1", body)))
    assert result.reason.startswith(("too_", "nested_too_"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", WITHIN.values(), ids=WITHIN)
def test_pages_within_the_bounds_take_linear_time(make: Callable[[Count], str]) -> None:
    """Half of what may be there; a stage that is quadratic would take minutes."""
    body = hostile_page(make(lambda count: count // 2))
    result = extractor()(Page("https://demo.example/story/1", body))
    assert isinstance(result, Article | Rejected)
