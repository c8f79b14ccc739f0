"""Training of the segment systems, the hybrids and node-svm, from pages to a model that finds the text."""

import filecmp
from pathlib import Path

import pytest

from newscorpus.artifacts import CARD, METADATA, Metadata
from newscorpus.data import Article, Page
from newscorpus.lab.gold.pages import GoldPage, read_pages
from newscorpus.lab.training.registry import TRAINERS
from newscorpus.lab.training.sources import SITES_ASIDE, TrainingError, first_of_each_set, fold_of, gold_source
from newscorpus.page.registry import load

NAMES = ("segment-svm", "hybrid-section", "hybrid-document", "node-svm")


def run(name: str, data: Path, output: Path, told: list[str]) -> Metadata:
    return TRAINERS[name].train(gold_source(data, told.append), told.append).save(output)


def unseen(folder: Path) -> GoldPage:
    return next(page for page in read_pages(folder / "fundus.jsonl.zst") if fold_of(page.domain, SITES_ASIDE) == 0)


@pytest.mark.parametrize("name", NAMES)
def test_training_writes_a_model_that_finds_the_text(
    name: str, gold_sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    metadata = run(name, gold_sets, tmp_path / "models" / name, told)
    monkeypatch.setattr("newscorpus.artifacts.data_folder", lambda _: tmp_path / "models")
    page = unseen(gold_sets)
    article = load(name)(Page.from_html(page.html))
    assert isinstance(article, Article)
    assert set(page.text.splitlines()) <= set(article.text.splitlines())
    assert len(told) == len(metadata.data)
    card = (tmp_path / "models" / name / CARD).read_text("utf-8")
    assert f"# {name}, version {metadata.version}" in card
    assert all(str(of["sha256"]) in card for of in metadata.data.values())


@pytest.mark.parametrize("name", ["segment-svm", "node-svm"])
def test_the_same_pages_give_the_same_files(name: str, gold_sets: Path, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        metadata = run(name, gold_sets, tmp_path / folder, [])
    same = [*metadata.files, METADATA, CARD]
    assert filecmp.cmpfiles(tmp_path / "first", tmp_path / "second", same, shallow=False)[0] == same


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_set_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"neither html/ and clean/ nor the sets wcxb, fundus, daniel, dragnet$"):
        run(name, tmp_path, tmp_path / "model", [])
    (tmp_path / "fundus.jsonl.zst").touch()
    with pytest.raises(TrainingError, match=r"wcxb.jsonl.zst is missing; the sets are wcxb, fundus, "):
        run(name, tmp_path, tmp_path / "model", [])


def test_the_first_of_each_set(gold_sets: Path) -> None:
    pages = [page for name in ("wcxb", "daniel") for page in read_pages(gold_sets / f"{name}.jsonl.zst")]
    assert [page.id for page in first_of_each_set(pages, 1)] == ["wcxb-0-article", "daniel-0-article"]
