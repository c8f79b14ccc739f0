"""Real pages of several sites, served here and crawled end to end: each ends as a row or as a rejection."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.newspapers import started

pytestmark = pytest.mark.slow

SERVER = Path(__file__).parents[1] / "mockserver" / "replay.py"

SETS = {
    "fundus": ["de", "en", "ko", "sw", "tr", "es", "fr", "it", "no", "pt"],
    "daniel": ["en", "ru", "pl", "el", "zh"],
    "wcxb": ["en"],
}
COUNT = 75

PORTAL = """
name = "{name}"
languages = {languages}
domains = ["127.0.0.1"]
start = ["{base}/"]
articles = ['^/story-\\d{{6}}\\.html$']
sections = ['^/$']
delay_seconds = 0
"""


@pytest.fixture(scope="module")
def sites(gold_data: Path) -> Iterator[dict[str, str]]:
    files = [gold_data / f"{name}.jsonl.zst" for name in SETS]
    with started(SERVER, COUNT, *files) as line:
        yield json.loads(line)


@pytest.fixture(scope="module")
def done(crawl: Callable[..., Any], sites: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("replay")
    (folder / "portals").mkdir()
    for name, base in sites.items():
        text = PORTAL.format(name=name, languages=json.dumps(SETS[name]), base=base)
        (folder / "portals" / f"{name}.toml").write_text(text)
    return crawl(folder, "-a", f"portal={','.join(sites)}")


@pytest.mark.data
def test_every_page_ends_as_a_row_or_a_rejection(done: Any, sites: dict[str, str]) -> None:
    pages = {f"{base}/story-{number:06}.html" for base in sites.values() for number in range(COUNT)}
    rows = [record["url"] for record in done.records]  # of some, a canonical address that the page gives
    rejections = [line["url"] for line in done.rejected if line["url"] in pages]
    assert len(pages) >= 200
    assert len(rows) + len(rejections) == len(pages)
    assert max(Counter(rows + rejections).values()) == 1
    assert len(rows) > len(pages) / 2


@pytest.mark.data
def test_no_page_causes_a_failure_of_ours(done: Any) -> None:
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    assert not [line for line in done.rejected if line["reason"] in {"worker_failed", "timeout", "download_failed"}]
    assert not [name for name in done.stats if name.startswith("spider_exceptions/")]


@pytest.mark.data
def test_the_sites_are_told_apart(done: Any, sites: dict[str, str]) -> None:
    of_source = {name: {record["url"] for record in done.records if record["source"] == name} for name in sites}
    assert all(urls and all(url.startswith(sites[name]) for url in urls) for name, urls in of_source.items())
    assert done.report["build"]["documents"] == len(done.records)
