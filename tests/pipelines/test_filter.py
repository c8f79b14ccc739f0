"""What NEWSCORPUS_QUALITY says comes to the filters, and into the report."""

from pathlib import Path

import pytest
from newscorpus.pipelines import filter as step
from newscorpus.pipelines.workers import Workers
from scrapy.utils.test import get_crawler

from newscorpus.config import QualityConfig
from newscorpus.errors import CrawlError


@pytest.fixture(autouse=True)
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "of", lambda _: None)


def settings(quality: object) -> dict[str, object]:
    return {"NEWSCORPUS_RIGHTS": "record", "NEWSCORPUS_QUALITY": quality}


def test_a_file_of_settings_is_read_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "quality.toml"
    path.write_text('min_words = 40\nmask = ["email"]\nmin_odds = 10\n')
    crawler = get_crawler(settings_dict=settings(path))
    made = step.FilterPipeline.from_crawler(crawler)
    assert made._quality == QualityConfig(min_words=40, mask=("email",))
    assert crawler.stats.get_value(step.QUALITY_STAT) == {"min_words": 40, "mask": ("email",)}


def test_without_a_file_nothing_is_reported() -> None:
    crawler = get_crawler(settings_dict=settings(""))
    assert step.FilterPipeline.from_crawler(crawler)._quality == QualityConfig()
    assert crawler.stats.get_value(step.QUALITY_STAT) is None


def test_a_wrong_file_ends_the_crawl_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "quality.toml"
    path.write_text("min_word = 40\n")
    with pytest.raises(
        CrawlError, match=r"^setting NEWSCORPUS_QUALITY: .*quality\.toml: unknown key min_word; known: "
    ):
        step.FilterPipeline.from_crawler(get_crawler(settings_dict=settings(path)))
