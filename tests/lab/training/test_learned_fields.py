import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.data import Fields
from newscorpus.lab.evaluation.scores import Overlap
from newscorpus.lab.gold.pages import GoldPage
from newscorpus.lab.training.learned_fields import (
    FieldPage,
    count_picks,
    fit_fields,
    make_field_pages,
    matches_field,
    score_picks,
)
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.fields.dates import Setting
from newscorpus.page.fields.learned import FIELDS
from newscorpus.page.fields.nodes import LinearModel, load_linear

NAMES = ("Jane Smith", "Peter Brown", "Mary Jones", "Adam Black", "Eve White", "Carl Green")


def make_page(number: int) -> GoldPage:
    name, day = NAMES[number % len(NAMES)], 1 + number % 28
    title = f"The council of town number {number} met"
    data = {
        "@type": "NewsArticle",
        "headline": title,
        "datePublished": f"2024-02-{day:02}T10:00:00+01:00",
        "author": {"@type": "Person", "name": name},
    }
    html = (
        f'<html lang=en><head><script type="application/ld+json">{json.dumps(data)}</script></head><body>'
        "<ul><li class=menu><a href=/>Home page</a></li><li class=teaser>5 May 2023: Peter Parker of the club</li></ul>"
        f"<h1 class=headline>{title}</h1><div class=byline><span class=writer>{name}</span> "
        f"<span class=when>{day} February 2024</span></div>"
        f"<p>{'They spoke of the bridge for hours. ' * 20}</p><p class=more>Read what else happened here</p>"
    )
    url = f"https://site{number}.example/news"
    return GoldPage(str(number), "wcxb", url, f"site{number}.example", "en", "", "", (), html, "", "article", "train")


@pytest.fixture(scope="module")
def pages() -> list[FieldPage]:
    return list(make_field_pages(map(make_page, range(12))))


def held(page: FieldPage, field: str) -> Iterator[str]:
    for element in np.array(page.nodes.elements, object)[page.holds[:, FIELDS.index(field)]]:
        yield element.get("class") or element.tag


def test_labels_come_from_the_structured_data(pages: list[FieldPage]) -> None:
    assert len(pages) == 12
    assert list(held(pages[0], "title")) == ["headline"]
    assert list(held(pages[0], "published")) == ["byline", "when"]
    assert list(held(pages[0], "authors")) == ["writer"]
    assert not list(make_field_pages([replace(make_page(1), html="<p>Some text here</p>")]))  # declares nothing


def test_machines_pick_on_pages_they_have_not_seen(pages: list[FieldPage]) -> None:
    model = fit_fields(pages[:8])
    assert score_picks(pages[8:], model) == {"title": 1.0, "published": 1.0, "authors": 1.0}
    assert score_picks(pages[8:], LinearModel("", -model.weights, -model.bias))["title"] == 0.0
    assert np.array_equal(model.weights, fit_fields(pages[:8]).weights)


def test_a_pick_is_wrong_on_a_page_that_has_no_right_element(pages: list[FieldPage]) -> None:
    model = fit_fields(pages[:8])
    moved = replace(pages[8].truth, title="A headline that stands nowhere", authors=())
    elsewhere = replace(pages[8], truth=moved, holds=np.zeros_like(pages[8].holds))
    counted = count_picks([*pages[9:], elsewhere], model)
    # The title: one pick more than right ones. The date is right all the same; of unknown authors nothing is counted.
    assert counted == {"title": Overlap(3, 4, 3), "published": Overlap(4, 4, 4), "authors": Overlap(3, 3, 3)}
    assert score_picks([elsewhere], model) == {"title": 0.0, "published": 1.0, "authors": 0.0}


@pytest.mark.parametrize(
    ("field", "text", "answer"),
    [
        ("title", "The bridge  will be CLOSED", (True, True)),
        ("title", "The bridge", (True, False)),
        ("published", "3 February 2024, 14:05", (True, True)),
        ("published", "4 February 2024", (True, False)),
        ("published", "Yesterday's news", (False, False)),
        ("authors", "By Jane Smith, correspondent", (True, True)),
        ("authors", "Jane Smith told us about the bridge and what comes after it in the years ahead", (True, False)),
    ],
)
def test_whether_a_text_says_the_field(field: str, text: str, answer: tuple[bool, bool]) -> None:
    truth = Fields(title="The bridge will be closed", published="2024-02-03", authors=("Jane Smith",))
    assert matches_field(field, text, truth, Setting(None, "en")) == answer


TITLE = "Bridge {0} of the town is open"
ODD = (
    "<title>Site</title><meta property=article:published_time content=2020-01-02>"
    "<div class=hl>Bridge {0} of the town is open</div><div class=d>{1}. 5. 2026</div><div class=by>By Ann Lee</div>"
    "<div class=body><p>{2}</p></div><div class=x>2 June 2025</div>"
)


def odd_page(number: int) -> GoldPage:
    """A page that names its author as the shipped model does not know it, and declares another date than it shows."""
    text = f"The council met on day {number} and spoke about bridge {number} for some hours. " * 9
    title, date, html = TITLE.format(number), f"2026-05-{number + 1:02}", ODD.format(number, number + 1, text)
    return GoldPage(str(number), "own", "", "", "", title, date, ("Ann Lee",), html, text, list="teach")


def test_learning_goes_on_from_the_shipped_model() -> None:
    own, base = list(make_field_pages(map(odd_page, range(12)))), load_linear(FIELDS_MODEL)
    started = fit_fields(own[:9], keeps_shipped=True, base=base)
    assert score_picks(own[9:], base)["authors"] == 0
    assert score_picks(own[9:], started) == dict.fromkeys(FIELDS, 1.0)


def test_one_sample_gives_one_folder_for_three_fields(tmp_path: Path) -> None:
    lines = [{key: getattr(odd_page(at), key) for key in ("id", "html", "text", "title", "date")} for at in range(12)]
    (tmp_path / "marked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "page.html").write_text(odd_page(20).html)
    declared = {}
    for use in ("missing", "always"):
        command = ["train", "node-svm", "--data", str(tmp_path / "marked.jsonl"), "--fields", use, "--output"]
        done = CliRunner().invoke(app, [*command, str(tmp_path / use)])
        assert done.exit_code == 0, done.output
        command = ["extract", str(tmp_path / "page.html"), "--extractor", str(tmp_path / use), "--format", "json"]
        declared[use] = json.loads(CliRunner().invoke(app, [*command, "--no-filters"]).stdout)
    assert [row["published"] for row in declared.values()] == ["2020-01-02", "2026-05-21"]
    always = declared["always"]
    assert (always["title"], always["provenance"]["title"]) == (TITLE.format(20), "learned")
    assert always["text"].split() == odd_page(20).text.split()


def test_fields_that_cannot_be_learned_leave_nothing_half_written(tmp_path: Path) -> None:
    lines = [{"id": str(at), "html": odd_page(at).html, "text": odd_page(at).text} for at in range(12)]
    lines = [{**line, "html": str(line["html"]).replace("meta", "p")} for line in lines]
    (tmp_path / "marked.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["train", "node-svm", "--data", str(tmp_path / "marked.jsonl"), "--fields", "missing", "--output"]
    done = CliRunner().invoke(app, [*command, str(tmp_path / "model")])
    assert "nothing can be learned" in str(done.exception)
    assert not (tmp_path / "model").exists()
