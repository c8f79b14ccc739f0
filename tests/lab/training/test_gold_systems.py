"""Training of the published systems, from sets of pages to a model that finds the text."""

import filecmp
from pathlib import Path

import pytest

from newscorpus.data import Article, Page
from newscorpus.errors import LabError
from newscorpus.lab.gold.pages import read_pages
from newscorpus.lab.training.registry import TRAINERS
from newscorpus.lab.training.sources import SITES_ASIDE, first_of_each_set, fold_of, gold_source
from newscorpus.model_folders import CARD, METADATA, Metadata
from newscorpus.page.loading import load_whole
from newscorpus.page.registry import systems

NAMES = sorted(set(TRAINERS) & set(systems()) - {"main-text"})


def run(name: str, data: Path, output: Path) -> tuple[Metadata, list[str]]:
    told: list[str] = []
    return TRAINERS[name].train(gold_source(data, told.append), told.append).save(output), told


@pytest.mark.parametrize("name", NAMES)
def test_training_writes_a_model_that_finds_the_text_and_always_the_same(
    name: str, gold_sets: Path, tmp_path: Path
) -> None:
    metadata, told = run(name, gold_sets, tmp_path / name)
    pages = read_pages(gold_sets / "fundus.jsonl.zst")
    unseen = next(page for page in pages if fold_of(page.domain, SITES_ASIDE) == 0)
    article = load_whole(str(tmp_path / name))(Page.from_html(unseen.html))
    assert isinstance(article, Article)
    assert set(unseen.text.splitlines()) <= set(article.text.splitlines())
    assert article.extractor.endswith(f"{name}@{metadata.version}")
    assert len(told) == len(metadata.data)
    card = (tmp_path / name / CARD).read_text("utf-8")
    assert f"# {name}, version {metadata.version}" in card
    assert all(f"| {of['pages']} | {of['licence']} | `{of['sha256']}` |" in card for of in metadata.data.values())
    run(name, gold_sets, tmp_path / "again")
    same = [*metadata.files, METADATA, CARD]
    assert filecmp.cmpfiles(tmp_path / name, tmp_path / "again", same, shallow=False)[0] == same


@pytest.mark.parametrize("name", ["segment-svm", "node-svm", "texttractor"])
def test_a_missing_set_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"neither html/ and clean/ nor the sets wcxb, fundus, daniel, dragnet$"):
        run(name, tmp_path, tmp_path / "model")
    (tmp_path / "fundus.jsonl.zst").touch()
    with pytest.raises(LabError, match=r"wcxb.jsonl.zst is missing; the sets are wcxb, fundus, "):
        run(name, tmp_path, tmp_path / "model")


def test_the_first_of_each_set(gold_sets: Path) -> None:
    pages = [page for name in ("wcxb", "daniel") for page in read_pages(gold_sets / f"{name}.jsonl.zst")]
    assert [page.id for page in first_of_each_set(pages, 1)] == ["wcxb-0-article", "daniel-0-article"]
