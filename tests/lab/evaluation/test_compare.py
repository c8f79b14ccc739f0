import json
from pathlib import Path

import pytest

from newscorpus.data import Article, Block, Element, Fields, Label, LabelledBlock, Page, Rejected
from newscorpus.errors import LabError
from newscorpus.lab.evaluation.compare import PageResult, evaluate
from newscorpus.lab.evaluation.scores import Confusion, Overlap
from newscorpus.lab.gold.pages import as_gold_has_it, has_article
from newscorpus.page.extractor import Extractor


def keep_all(page: Page) -> Article | Rejected:
    text = page.body.decode()
    return Article(page.url, text, Fields(title="The head"), "all", confidence=0.8) if text else no_text(page)


def no_text(page: Page) -> Rejected:
    return Rejected("extract", "no_main_text", url=page.url)


def load(name: str) -> Extractor:
    return {"all": keep_all, "none": no_text}[name]


def write_set(folder: Path, name: str = "news", **changes: str) -> Path:
    rows = [
        {
            "id": f"{number}",
            "url": f"https://{number}.example/",
            "domain": f"{number}.example",
            "language": "en",
            "html": "one two three four five",
            "text": "one two three four",
            "split": "dev" if number else "train",
            **changes,
        }
        for number in range(6)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_extractor_runs_on_a_page_before_the_next_and_is_scored(tmp_path: Path) -> None:
    results = list(evaluate([write_set(tmp_path)], ["all", "none"], load=load))
    expected = [("1", "all"), ("1", "none"), ("2", "all"), ("2", "none")]
    assert [(result.id, result.extractor) for result in results[:4]] == expected
    assert len(results) == 2 * 5
    kept, rejected = results[:2]
    assert kept == PageResult(
        *("news", "1", "https://1.example/", "1.example", "en", "", "all", "", 0.8),
        ngrams=Overlap(common=1, predicted=2, gold=1),
        lcs=Overlap(common=4, predicted=5, gold=4),
        edits=1,
        similarity=kept.similarity,
        blocks=Confusion(),
        seconds=kept.seconds,
    )
    assert 0.5 < kept.similarity < 1
    assert kept.seconds >= 0
    assert kept.f1 == pytest.approx(2 / 3)
    assert (rejected.rejected, rejected.f1, rejected.edits) == ("extract/no_main_text", 0.0, 4)


def test_several_processes_give_the_same_results(tmp_path: Path) -> None:
    html = "<html><body><p>One two three four.</p></body></html>"
    paths = [write_set(tmp_path, "a", html=html), write_set(tmp_path, "b", html=html)]

    def figures(jobs: int) -> list[tuple[str, str, str, Overlap]]:
        results = evaluate(paths, ["resiliparse", "trafilatura"], jobs=jobs)
        return sorted((result.dataset, result.id, result.extractor, result.ngrams) for result in results)

    assert figures(jobs=1) == figures(jobs=2)


class Labeller:
    """Holds the first block to be good and the second not; the gold text is that of blocks 1 and 3."""

    def __call__(self, page: Page) -> Article | Rejected:
        return no_text(page)

    def label(self, page: Page) -> tuple[LabelledBlock, ...]:
        texts = ("one two three four", "menu", "five six seven eight", "footer")
        labels = (Label.GOOD, Label.GOOD, Label.ALMOST, Label.BAD)
        return tuple(
            LabelledBlock(Block(position, text, "", Element("p")), 0.5, label)
            for position, (text, label) in enumerate(zip(texts, labels, strict=True))
        )


def test_verdicts_on_blocks_are_compared_with_the_gold_text(tmp_path: Path) -> None:
    path = write_set(tmp_path, text="One two three four.\nFive six seven eight.")
    first = next(evaluate([path], ["x"], load=lambda _: Labeller()))
    assert first.blocks == Confusion(true_positive=1, false_positive=1, false_negative=1, true_negative=1)
    path = write_set(tmp_path, page_type="listing")
    assert next(evaluate([path], ["x"], load=lambda _: Labeller())).blocks == Confusion()


def test_the_split_decides_on_the_pages_and_those_without_an_article_need_no_gold_text(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    assert [len(list(evaluate([path], ["all"], split=split, load=load))) for split in ("train", "all")] == [1, 6]
    assert len(list(evaluate([write_set(tmp_path, text="", page_type="listing")], ["none"], load=load))) == 5


@pytest.mark.parametrize(("split", "changes"), [("test", {}), ("dev", {"text": ""})])
def test_a_set_without_pages_to_score_is_an_error(tmp_path: Path, split: str, changes: dict[str, str]) -> None:
    path = write_set(tmp_path, **changes)
    with pytest.raises(LabError, match=r"news\.jsonl: no page with gold text") as caught:
        list(evaluate([path], ["all"], split=split, load=load))
    assert "\n" not in str(caught.value)


def test_the_headline_is_put_before_the_text_where_the_gold_holds_it(tmp_path: Path) -> None:
    (plain, *_), (headed, *_) = (
        list(evaluate([write_set(tmp_path, name)], ["all"], load=load)) for name in ("news", "cleaneval")
    )
    assert (plain.lcs.predicted, headed.lcs.predicted) == (5, 7)
    assert as_gold_has_it("fundus", "Head", "Text") == "Text"
    assert as_gold_has_it("cleaneval", "Head", "Text") == "Head\nText"
    assert as_gold_has_it("cleaneval", "Head", " Head\nText") == " Head\nText"
    assert as_gold_has_it("cleaneval", "", "Text") == "Text"
    assert [kind for kind in ("", "article", "listing", "forum") if has_article(kind)] == ["", "article"]
