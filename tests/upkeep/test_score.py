"""Scores on marked pages: who is best, and how many more pages would settle it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import pytest
from prose import paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.gold.pages import PagesError
from newscorpus.portals.portal import Portal, TemplateVersion
from newscorpus.recipe import Recipe
from newscorpus.upkeep.score import Lead, PortalScore, score

PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",))
SHORT = TemplateVersion(text=("article > p:first-of-type",))
WHOLE = TemplateVersion(text=("article > p",))


def marked(folder: Path, urls: Sequence[str], fetched: str = "") -> Path:
    path = folder / "news.jsonl"
    lines = []
    for number, url in enumerate(urls):
        text = paragraphs(f"story {number}")
        html = f"<html><body><article>{''.join(f'<p>{one}</p>' for one in text)}</article></body></html>"
        lines.append({"id": str(number), "url": url, "html": html, "text": "\n".join(text), "fetched": fetched})
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return marked(tmp_path, [f"https://news.example/story-{n}" for n in range(6)])


def scored(gold: Path, template: TemplateVersion | None) -> PortalScore:
    return score(replace(PORTAL, template=template), gold, Recipe("bte"))


def test_the_template_is_scored_beside_the_model_and_the_better_one_named(gold: Path) -> None:
    found = scored(gold, SHORT)
    assert {one.name: round(one.f1.value, 1) for one in found.readers} == {"model": 1.0, "template": 0.3}
    (lead,) = found.leads
    assert (found.pages, lead.best, lead.other, lead.more_pages) == (6, "model", "template", 0)
    assert lead.by.low > 0


def test_the_version_of_the_day_counts(tmp_path: Path) -> None:
    day = date(2026, 11, 5)
    template = replace(WHOLE, until=day), replace(SHORT, since=day)
    gold = marked(tmp_path, [f"https://news.example/story-{n}" for n in range(3)], "2026-11-04T08:00:00+00:00")
    found = score(replace(PORTAL, template=template), gold, Recipe("bte"))
    assert {one.name: one.f1.value for one in found.readers} == {"model": 1.0, "template": 1.0}


def test_what_is_equal_is_never_settled(gold: Path) -> None:
    (lead,) = scored(gold, WHOLE).leads
    assert (lead.by.value, lead.more_pages) == (0.0, None)


def test_without_template_and_profile_the_model_is_scored_alone(gold: Path) -> None:
    found = scored(gold, None)
    assert ([one.name for one in found.readers], found.leads) == (["model"], ())


def test_pages_of_other_sites_do_not_count(tmp_path: Path) -> None:
    urls = [*(f"https://news.example/story-{n}" for n in range(3)), "https://other.example/story"]
    assert scored(marked(tmp_path, urls), None).pages == 3
    with pytest.raises(PagesError, match="0 marked pages of news; 2 are the least"):
        scored(marked(tmp_path, urls[3:]), None)


def test_more_pages_are_told_from_mean_and_spread(gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f1s = iter([0.9, 0.8, 0.5, 0.9, 0.9, 0.7, 0.8, 0.9, 0.9, 0.6, 0.6, 0.9])
    monkeypatch.setattr("newscorpus.upkeep.score._f1", lambda recipe, reader: next(f1s))
    (lead,) = scored(gold, WHOLE).leads
    differences = [0.1, -0.4, 0.2, -0.1, 0.3, -0.3]
    mean = -sum(differences) / 6
    spread = (sum((one + mean) ** 2 for one in differences) / 5) ** 0.5
    wanted = (1.96 * spread / mean) ** 2
    assert lead == Lead("template", "model", lead.by, lead.more_pages)
    assert lead.more_pages is not None
    assert wanted - 6 <= lead.more_pages < wanted - 5


def test_the_command_prints_scores_and_leads(gold: Path, tmp_path: Path) -> None:
    path = tmp_path / "news.toml"
    head = 'name = "news"\nlanguages = ["en"]\ndomains = ["news.example"]\nstart = ["https://news.example/"]\n'
    path.write_text(head + "[template]\ntext = ['article > p:first-of-type']\n")
    done = CliRunner().invoke(app, ["portal", "score", str(path), "--gold", str(gold)])
    assert done.exit_code == 0
    assert "pages: 6" in done.stdout
    assert "model is better than template by 0." in done.stdout
