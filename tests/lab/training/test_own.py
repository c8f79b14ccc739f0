import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from types import MethodType
from typing import cast

import msgspec
import pytest

from newscorpus.data import Article, Page
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.fields import evaluate_fields
from newscorpus.lab.gold.pages import GoldPage, Mark, read_pages
from newscorpus.lab.training.model import TrainedModel
from newscorpus.lab.training.own import advice, apart, estimate_gain, is_own, named, own_source, train_own, with_marks
from newscorpus.lab.training.registry import TRAINERS
from newscorpus.lab.training.sources import group_kfold
from newscorpus.model_folders import METADATA, Metadata, model_folder
from newscorpus.page.extractor import WHOLE, Options, SystemExtractor
from newscorpus.page.fields.nodes import load_linear
from newscorpus.page.judge import process_page
from newscorpus.page.loading import extractor_of, load, load_whole
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.main_text import MainTextSystem

MakePage = Callable[..., GoldPage]
KEYS = ("id", "html", "text", "url", "title", "split", "list")


def write(path: Path, pages: list[GoldPage]) -> Path:
    path.write_text("".join(json.dumps({key: getattr(page, key) for key in KEYS}) + "\n" for page in pages))
    return path


def silent(step: str) -> None:
    """Nobody is told."""


@pytest.fixture
def pages(make_page: MakePage) -> list[GoldPage]:
    """Twelve pages of one site, without a split."""
    return [
        replace(make_page(number), url=f"https://www.example.org/{number}", domain="", split="") for number in range(12)
    ]


LEARNERS = {name for name, trainer in TRAINERS.items() if trainer.learns_own}


@pytest.mark.parametrize(
    ("name", "n_sites"),
    [
        *((name, 1) for name in sorted(LEARNERS - {"learned-fields", "hybrid-document"})),
        *((name, n_sites) for name in ("shallow-tree", "segment-svm") for n_sites in (2, 3)),
    ],
)
def test_every_system_learns_from_twelve_pages_of_few_sites(
    name: str, n_sites: int, pages: list[GoldPage], make_page: MakePage, tmp_path: Path
) -> None:
    trainer = TRAINERS[name]
    pages = [replace(page, url=f"https://site{at % n_sites}.example/{at}") for at, page in enumerate(pages)]
    source = own_source([write(tmp_path / "vesti.jsonl", pages)])
    metadata = train_own(name, trainer.train_own or trainer.train, source, tmp_path / "my-vesti", silent)
    assert (metadata.name, metadata.system) == ("my-vesti", name)
    assert metadata.data["vesti"]["licence"] == "own"
    scores = metadata.scores["own pages"]
    assert scores["pages"] == 12
    assert scores["low"] <= scores["gain"] <= scores["high"]
    assert scores["gain"] == pytest.approx(scores["page_f1"] - scores["shipped"], abs=2e-4)
    assert scores["page_f1"] > 0.8
    page = make_page(99)
    found = load_whole(str(tmp_path / "my-vesti"))(Page.from_html(page.html, page.url))
    assert isinstance(found, Article)
    assert set(page.text.splitlines()) <= set(found.text.splitlines())
    assert found.extractor == f"model:my-vesti@{metadata.version}"
    unit = "domain;" if n_sites == 3 else "page (fewer than 3 domains are known);"
    assert f" folds by {unit}" in (tmp_path / "my-vesti" / "card.md").read_text()


def test_a_model_whose_evaluation_fails_is_kept(pages: list[GoldPage], tmp_path: Path) -> None:
    """Without the pages of one of three sites nothing can be learned."""
    bare = [replace(page, html=page.html.replace("<p", "<div").replace("</p", "</div")) for page in pages]
    mixed = [
        replace(page, url=f"https://site{at % 3}.example/{at}")
        for at, page in enumerate(pages[at] if at % 3 == 0 else bare[at] for at in range(12))
    ]
    source, steps = own_source([write(tmp_path / "vesti.jsonl", mixed)]), list[str]()
    system = "paragraph-svm"
    metadata = train_own(system, TRAINERS[system].train, source, tmp_path / "own", steps.append)
    assert metadata.scores == {}
    assert steps[-1].startswith("Not measured: in the cross-validation by domain, nothing can be learned")
    assert steps[-1] in (tmp_path / "own" / "card.md").read_text()
    load_whole(str(tmp_path / "own"))


def test_added_trees_keep_those_of_the_shipped_model(pages: list[GoldPage], tmp_path: Path) -> None:
    """On pages with a wrong gold, which own trees follow, the shipped trees pull the other way."""
    trainer = TRAINERS["main-text"]
    assert trainer.start_from
    assert trainer.train_own
    source = own_source([write(tmp_path / "vesti.jsonl", pages)])
    added = trainer.start_from(source, silent)
    alone = trainer.train_own(source, silent)
    shipped = load("main-text", options=WHOLE)
    assert len(added.weights["second.onnx"]) > len(alone.weights["second.onnx"])
    added.save(tmp_path / "main-text")
    own = load_whole(str(tmp_path / "main-text"))
    page = Page.from_html(pages[0].html, pages[0].url)
    of_own, of_shipped = own(page), shipped(page)
    assert isinstance(of_own, Article)
    assert isinstance(of_shipped, Article)
    assert of_own.text == of_shipped.text == pages[0].text


def test_fewer_than_ten_pages_are_refused(pages: list[GoldPage], tmp_path: Path) -> None:
    source = own_source([write(tmp_path / "few.jsonl", pages[:9])])
    with pytest.raises(LabError, match=r"^9 pages to learn from; 10 at least are needed$"):
        train_own("paragraph-svm", TRAINERS["paragraph-svm"].train, source, tmp_path / "model", silent)
    assert not (tmp_path / "model").exists()


def test_pages_to_measure_on_are_not_learned_from(pages: list[GoldPage], tmp_path: Path) -> None:
    held = [replace(pages[0], split="dev"), replace(pages[1], list="measure"), replace(pages[2], list="teach")]
    assert [page.id for page in own_source([write(tmp_path / "a.jsonl", held)]).pages] == [pages[2].id]


def test_a_folder_of_pages_and_texts_is_read(pages: list[GoldPage], tmp_path: Path) -> None:
    for name, suffix, key in (("html", "html", "html"), ("clean", "txt", "text")):
        (tmp_path / name).mkdir()
        for number, page in enumerate(pages[:3]):
            (tmp_path / name / f"{number}.{suffix}").write_text(getattr(page, key))
    (tmp_path / "html" / "without.html").write_text("<p>no text of it</p>")
    assert is_own(tmp_path)
    found = list(read_pages(tmp_path))
    assert [(page.id, page.text) for page in found] == [(str(at), page.text) for at, page in enumerate(pages[:3])]


def test_marks_on_blocks_make_the_text() -> None:
    page = GoldPage("1", "own", html="<body><p>One.</p><p>Two.</p><p>Three.</p>", text="")
    marks = (Mark("html/body/p", "good", position=0), Mark("html/body/p", "bad", position=1))
    assert with_marks(replace(page, marks=marks)).text == "One."  # a position names one block of a path
    html = "<body><p>One two three four.</p><div>Five six.</div><h2>Seven.</h2></body>"
    page = GoldPage("1", "own", html=html, text="One two three four.")
    marks = (Mark("html/body/p", "bad"), Mark("html/body/h2", "good"))
    assert with_marks(replace(page, marks=marks)).text == "Seven."
    assert with_marks(page).text == page.text


def test_pages_of_one_site_are_divided_and_each_of_several_is_held_out_once(pages: list[GoldPage]) -> None:
    assert len({page.site for page in apart(pages)}) == len(pages)
    several = [*pages, *(replace(pages[0], url=f"https://example.{end}/1") for end in ("net", "com"))]
    assert {page.site for page in apart(several)} == {"example.org", "example.net", "example.com"}
    sites = [f"site{number % 7}" for number in range(30)]
    folds = list(group_kfold(sites))
    assert len(folds) == 5
    assert sorted(at for _, held in folds for at in held) == list(range(30))
    for learned, held in folds:
        assert {sites[at] for at in learned}.isdisjoint(sites[at] for at in held)


def write_with_byline(path: Path, make_page: MakePage, keys: tuple[str, ...]) -> Path:
    """Twelve pages whose author stands where neither the text near the headline nor the shipped model finds him."""
    fields = {"title": "", "authors": ["Jana Nováková"], "date": "2024-05-03"}
    lines = []
    for number in range(12):
        page = make_page(number)
        marked = '<div class="who">Jana Nováková</div><span class="when">3 May 2024</span>'
        html = page.html.replace("</h1>", f"</h1>{marked}")
        html = html.replace("</footer>", "<p>Petr Dvořák</p><p>9 June 2023</p></footer>")
        given = {key: value for key, value in (fields | {"title": page.title}).items() if key in keys}
        lines.append(json.dumps({"id": str(number), "html": html, "url": page.url, "language": "en", **given}))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def train_fields(make_page: MakePage, tmp_path: Path) -> Callable[..., Path]:
    def train(*keys: str) -> Path:
        source = own_source([write_with_byline(tmp_path / "fields.jsonl", make_page, keys)])
        train_own("learned-fields", TRAINERS["learned-fields"].train, source, tmp_path / "fields", silent)
        return tmp_path / "fields"

    return train


def test_the_interval_of_a_gain_is_of_the_differences_page_by_page() -> None:
    before, after = [0.1, 0.5, 0.9], [0.12, 0.52, 0.92]
    gain = estimate_gain(before, after, ["a", "b", "c"])
    assert (gain.value, gain.low, gain.high) == pytest.approx((0.02, 0.02, 0.02))
    assert advice({"gain": gain.value, "low": gain.low, "high": gain.high}).startswith("It is better than the shipped")
    mixed = estimate_gain(before, [0.4, 0.4, 0.8], ["a", "b", "c"])
    assert advice({"gain": mixed.value, "low": mixed.low, "high": mixed.high}) == (
        "It is not shown to be better than the shipped model on pages that it did not learn from: "
        "+0.033 of F1 (95 % interval -0.100 to +0.300)."
    )


def test_a_field_that_few_pages_have_is_scored_on_these(make_page: MakePage, tmp_path: Path) -> None:
    """Folds without such a page do not count as wrong."""
    path = write_with_byline(tmp_path / "fields.jsonl", make_page, ("title", "authors"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows[4:]:
        del row["title"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    train_own("learned-fields", TRAINERS["learned-fields"].train, own_source([path]), tmp_path / "fields", silent)
    metadata = msgspec.json.decode((tmp_path / "fields" / METADATA).read_bytes(), type=Metadata)
    assert metadata.scores["cross-validated"] == {"title": 1, "authors": 1}
    assert metadata.scores["shipped"].keys() == {"title", "authors"}
    assert metadata.scores["shipped"]["authors"] < 1
    assert "structured data" in (card := (tmp_path / "fields" / "card.md").read_text())
    assert "by the shipped model" in card


def test_a_field_that_no_other_element_resembles_is_learned(make_page: MakePage, tmp_path: Path) -> None:
    path = write_with_byline(tmp_path / "fields.jsonl", make_page, ("date",))
    path.write_text(path.read_text().replace("<p>9 June 2023</p>", ""))
    source = own_source([path])
    metadata = train_own("learned-fields", TRAINERS["learned-fields"].train, source, tmp_path / "own", silent)
    assert metadata.scores["cross-validated"] == {"published": 1}


def test_a_field_that_no_page_has_stays_that_of_the_shipped_model(train_fields: Callable[..., Path]) -> None:
    folder = train_fields("authors")
    metadata = msgspec.json.decode((folder / METADATA).read_bytes(), type=Metadata)
    assert metadata.scores["cross-validated"].keys() == {"authors"}
    own, shipped = load_linear(str(folder)).weights, load_linear("learned-fields").weights
    assert [bool((own[:, at] == shipped[:, at]).all()) for at in range(3)] == [True, True, False]


def test_a_model_of_the_fields_that_a_person_gives_reads_what_the_shipped_one_does_not(
    train_fields: Callable[..., Path], tmp_path: Path
) -> None:
    folder = str(train_fields("title", "authors", "date"))
    metadata = msgspec.json.decode((tmp_path / "fields" / METADATA).read_bytes(), type=Metadata)
    assert metadata.scores["cross-validated"] == {"title": 1, "published": 1, "authors": 1}
    assert "--fields-model" in (tmp_path / "fields" / "card.md").read_text()
    given = msgspec.json.decode((tmp_path / "fields.jsonl").read_bytes().splitlines()[0])
    page = SourcePage(Page.from_html(given["html"], given["url"]))
    for recipe, source, authors in (
        (Recipe(), page, ()),
        (Recipe(fields_model=folder), page, ("Jana Nováková",)),
        (Recipe(), replace(page, fields_model=folder), ("Jana Nováková",)),
    ):
        row = process_page(replace(recipe, quality=None), source)
        assert isinstance(row, Row)
        assert row.record.authors == authors
        assert row.recipe.startswith("main-text@")
    results = list(evaluate_fields([tmp_path / "fields.jsonl"], ["newscorpus", folder]))
    assert {(result.reader, result.authors_f1) for result in results} == {("newscorpus", 0.0), (folder, 1.0)}


def test_what_is_no_model_of_fields_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^the model 'node-svm' is one of node-svm, which reads no fields$"):
        load("main-text", options=Options(fields_model="node-svm"))
    with pytest.raises(ValueError, match=r"^unknown model of fields 'models/none'; it is learned-fields, or the "):
        load("main-text", options=Options(fields_model="models/none"))
    with pytest.raises(ValueError, match=r"^the extractor 'justext' cannot be combined with "):
        load("justext", options=Options(fields_model=str(tmp_path)))


def test_no_second_opinion_holds_for_a_model_of_ones_own(tmp_path: Path) -> None:
    copytree(model_folder("main-text"), tmp_path / "own")
    page = SourcePage(Page("", b""), extractor=str(tmp_path / "own"))
    for asks in (True, False):
        extractor = extractor_of(Recipe(second_opinion=asks), page)
        assert isinstance(extractor, SystemExtractor)
        system = cast("MethodType", extractor.find).__self__
        assert isinstance(system, MainTextSystem)
        assert (system.arbiter is not None) is asks


def test_the_version_of_an_own_model_tells_its_content(tmp_path: Path) -> None:
    model = TrainedModel("main-text", "3", (), {"upper": 0.5}, {"model.onnx": b"1"}, (), {}, {}, "", "", "", "")
    others = replace(model, weights={"model.onnx": b"2"}), replace(model, parameters={"upper": 0.6})
    versions = [named(one, "main-text", tmp_path / "mine").version for one in (model, model, *others)]
    assert versions[0] == versions[1]
    assert len(set(versions)) == 3
    assert named(model, "main-text", tmp_path / "main-text").version == "3"
