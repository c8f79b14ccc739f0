"""Every page ends as an article or as a rejection, and never as an exception: real pages, and damaged ones."""

import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Article, Page, Rejected
from newscorpus.extraction.extractor import Extractor
from newscorpus.gold.pages import read_pages
from newscorpus.published.registry import DEFAULT, load

SETS = ("cleaneval", "daniel", "dragnet", "fundus", "htmldate", "ir_research", "l3s_gn1", "wcxb")
EVERY = 1 if os.environ.get("NEWSCORPUS_ALL_PAGES") else 12
"""One page in so many is taken; NEWSCORPUS_ALL_PAGES=1 takes all, in some minutes."""

DEMO = Path(__file__).parents[2] / "newscorpus" / "demo" / "site" / "pages"
DEMO_PAGES = sorted(DEMO.glob("*.html"))
MOST_SECONDS = 2.0
"""CPU time of one damaged demo page; whole ones take some milliseconds."""


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
    start = time.process_time()
    result = extractor()(Page("https://demo.example/1", body))
    assert time.process_time() - start < MOST_SECONDS
    if isinstance(result, Article):
        assert result.text.strip()
    else:
        assert isinstance(result, Rejected)
        assert result.url == "https://demo.example/1"
        assert result.reason.replace("_", "").isalpha()


def cut(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body))]


def flip(body: bytes, chance: random.Random) -> bytes:
    damaged = bytearray(body)
    for _ in range(chance.choice((1, 20, 500))):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def drop_tags(body: bytes, chance: random.Random) -> bytes:
    pieces = body.split(b"<")
    return b"<".join(piece for piece in pieces if chance.random() < 0.9)


def double_tags(body: bytes, chance: random.Random) -> bytes:
    return b"<".join(b"<".join([piece] * chance.choice((1, 1, 1, 1, 2, 3))) for piece in body.split(b"<"))


def shuffle_tags(body: bytes, chance: random.Random) -> bytes:
    pieces = body.split(b"<")
    chance.shuffle(pieces)
    return b"<".join(pieces)


def lose_ends_of_tags(body: bytes, chance: random.Random) -> bytes:
    return b"".join(piece if chance.random() < 0.1 else piece + b">" for piece in body.split(b">"))


def insert_rubbish(body: bytes, chance: random.Random) -> bytes:
    rubbish = (b"\0", b"\xff\xfe", b"<![CDATA[", b"<?xml?>", b"&#xD800;", b"</html>", b"<plaintext>", b"<!--", b'"')
    at = chance.randrange(len(body))
    return body[:at] + chance.choice(rubbish) * chance.choice((1, 100)) + body[at:]


def repeat(body: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(body))
    part = body[start : start + chance.randrange(1, 3_000)]
    return body[:start] + part * (300_000 // len(part)) + body[start:]


DAMAGES = (cut, flip, drop_tags, double_tags, shuffle_tags, lose_ends_of_tags, insert_rubbish)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_damaged_pages(damage: Callable[[bytes, random.Random], bytes]) -> None:
    for seed, path in enumerate(DEMO_PAGES):
        check(damage(path.read_bytes(), random.Random(seed)))


@pytest.mark.parametrize("seed", range(4))
def test_pages_with_a_part_repeated_many_times(seed: int) -> None:
    chance = random.Random(seed)
    check(repeat(chance.choice(DEMO_PAGES).read_bytes(), chance))


@given(
    path=st.sampled_from(DEMO_PAGES),
    damages=st.lists(st.sampled_from(DAMAGES), min_size=2, max_size=4),
    seed=st.integers(0, 2**32),
)
def test_pages_damaged_in_several_ways(
    path: Path, damages: list[Callable[[bytes, random.Random], bytes]], seed: int
) -> None:
    chance, body = random.Random(seed), path.read_bytes()
    for damage in damages:
        body = damage(body, chance) or b"<"
    check(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty_body"),
        (b"<div>" * 100_000 + b"text", "nested_too_deep"),
        (b"x" * 50_000_000, "too_large"),
        (b"<p>" + b"<a href=x>link</a> " * 20_000, ""),
        (b"<p " + b" ".join(b"a%d=1" % i for i in range(1_000_000)) + b">text", ""),
    ],
    ids=["empty", "nested", "large", "links", "attributes"],
)
def test_hostile_pages(body: bytes, reason: str) -> None:
    start = time.process_time()
    result = extractor()(Page("https://demo.example/1", body))
    assert time.process_time() - start < 5
    assert isinstance(result, Article | Rejected)
    if reason:
        assert isinstance(result, Rejected)
        assert result.reason == reason
