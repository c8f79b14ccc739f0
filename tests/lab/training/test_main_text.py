import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import zstandard

from newscorpus.artifacts import load_artifact
from newscorpus.data import Label
from newscorpus.lab.gold.pages import TEXT_LICENCES, GoldPage
from newscorpus.lab.training.boosting import Boosting
from newscorpus.lab.training.main_text import train_main_text
from newscorpus.lab.training.sources import gold_source
from newscorpus.model_folders import CARD, METADATA, Metadata
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.classify import FIRST, SECOND, Classifier, label_by
from newscorpus.page.text.features import Hints, measure
from newscorpus.page.text.main_text import INPUTS
from newscorpus.page.text.second_opinion import PAIR_SIGNS, Arbiter
from newscorpus.page.text.verdict import ARTICLE_TREES, SIGNS, STRUCTURE_TREES, PageJudge

MakePage = Callable[..., GoldPage]

SMALL = Boosting(rounds=8, learning_rate=0.4, leaves=4, min_leaf=3, column_share=0.5, l2=0.1, seed=1, threads=1)


def write(path: Path, pages: list[GoldPage]) -> None:
    lines = "".join(json.dumps(asdict(page)) + "\n" for page in pages)
    path.write_bytes(zstandard.compress(lines.encode()))


def harder(page: GoldPage) -> GoldPage:
    """Every second page has gold that lacks two paragraphs: nobody can know which."""
    return replace(page, text="\n".join(page.text.splitlines()[2:])) if int(page.id.split("-")[1]) % 2 else page


@pytest.fixture
def data(tmp_path: Path, make_page: MakePage) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for dataset in TEXT_LICENCES:
        pages = [harder(make_page(number, dataset)) for number in range(6)]
        listings = [make_page(number, page_type="listing") for number in range(6)] if dataset == "wcxb" else []
        unseen = make_page(6, dataset, split="dev")
        write(folder / f"{dataset}.jsonl.zst", [*pages, *listings, unseen])
    return folder


def run(data: Path, output: Path) -> tuple[Metadata, list[str]]:
    told: list[str] = []
    source = gold_source(data, told.append, TEXT_LICENCES)
    return train_main_text(source, told.append, (SMALL, SMALL)).save(output), told


def test_training_writes_a_model_that_finds_the_text_and_always_the_same(
    data: Path, tmp_path: Path, make_page: MakePage
) -> None:
    metadata, told = run(data, tmp_path / "main-text")
    artifact = load_artifact(str(tmp_path / "main-text"), INPUTS)
    page = make_page(99)
    blocks = segment(parse(page.html))
    features = measure(blocks, Hints(page.title))
    labelled = label_by(Classifier(artifact)(features), features, blocks)
    assert [item.block.text for item in labelled if item.label is Label.GOOD] == page.text.splitlines()
    assert len(PageJudge.of(artifact).confidence.weights) == len(SIGNS)
    assert len(Arbiter.of(artifact).own.weights) == len(SIGNS) + len(PAIR_SIGNS)
    assert metadata.features == artifact.metadata.features == INPUTS
    assert len(told) > len(TEXT_LICENCES)
    assert {name: row["pages"] for name, row in metadata.data.items()} == {
        **dict.fromkeys(TEXT_LICENCES, 6),
        "wcxb": 12,
    }
    assert all(0.5 < metadata.scores[name]["page_f1"] <= 1 for name in TEXT_LICENCES)
    card = (tmp_path / "main-text" / CARD).read_text()
    assert f"| verdict | {metadata.scores['verdict']['share_sure']:g} |" in card
    assert ("rounds 8" in card, "threads" in card) == (True, False)
    run(data, tmp_path / "again")
    for name in (FIRST, SECOND, ARTICLE_TREES, STRUCTURE_TREES, METADATA, CARD):
        assert (tmp_path / "main-text" / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name
