"""Score the default extractor on every page of the gold sets by models that saw no page of its site, beside the peers.

    python benchmarks/out_of_fold.py DATA [--peers FILE]

DATA is the folder of the pages with gold text (docs/data.md). The model is trained as `newscorpus train main-text` does
it; each page is read by the model of its fold. What the peers make of the pages is read from FILE if it is there, and
written to it if not. Writes benchmarks/results/out_of_fold.md.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from newscorpus.arrays import Floats
from newscorpus.config import QualityConfig
from newscorpus.data import LOW_CONFIDENCE, Article, Page, Rejected
from newscorpus.lab.evaluation.scores import Estimate, Overlap, estimate, ngram_overlap
from newscorpus.lab.gold.pages import NO_ARTICLE, TEXT_LICENCES, GoldPage, has_article, read_pages
from newscorpus.lab.training.main_text import FOLDS, learn_trees, read_examples
from newscorpus.lab.training.sources import fold_of, gold_source
from newscorpus.page.extractor import WHOLE, Extractor, SystemExtractor
from newscorpus.page.loading import load
from newscorpus.page.quality.assess import assess_quality
from newscorpus.page.text.main_text import MODEL, MainTextSystem
from newscorpus.tokens import words

SETS = ("fundus", "daniel", "wcxb", "dragnet", "article_extraction", "misinformation", "l3s_gn1", "ir_research")
PEERS = ("trafilatura-no-comments", "readability", "resiliparse")
"""The peers that are best on one of the sets or close to it; docs/evaluation.md has all of them on the dev pages."""
SHORT_WORDS = 120
WRONG_GOLD = {
    "daniel": (
        "20111128_www.aif.ru_e13c5b66cd08c237b420a5a4012f76a6d8a830a19a279a35ee6571b6",
        "20111128_www.likar.info_33b13a3a8fdf43147153ab6bdc9299502cc39aa92f14d4e01e55dc50",
        "20111207_www.we-dwoje.pl_2dbd88c25965ce110e89a01656f5be3b7ee126ebb4c05114f3b883ef",
        "20120104_wiadomosci.wp.pl_da88d2c1f513ae7870711de4f2b0934b051274dcae86a84111f70eba",
        "20120106_inopressa.ru_5347f152e35fa50bdc5c7b71e91fdcab0ee924e147b6a77e00c4ab2f",
        "20120117_www.ctv.ca_c0c7faf0396c90b75a307acbd2afa92f8ba4ec226b64ad3af584feba",
    ),
    "dragnet": ("60", "176", "R229", "R371", "R433", "R513", "R515", "R792"),
    "wcxb": ("dev/4271",),
}
"""Short articles whose gold is a menu, a byline alone, rules for comments or teasers of other pages, or lacks a
paragraph, as read on 2026-11-26."""
RESULTS = Path(__file__).parent / "results" / "out_of_fold.md"

HEAD = """# The default extractor out of fold, beside the peers

By `python benchmarks/out_of_fold.py DATA`: every article of the sets, train and dev, read by a model that was trained
without the pages of its site. F1 over word 4-grams, of mean precision and mean recall; in brackets 95 % intervals, by a
bootstrap over domains, those of differences paired.
"""


class Score(msgspec.Struct, frozen=True):
    """What one extractor made of one article."""

    dataset: str
    id: str
    site: str
    extractor: str
    common: int  # word 4-grams that its text shares with the gold text
    predicted: int  # in its text
    gold: int  # in the gold text

    @property
    def sums(self) -> tuple[float, ...]:
        """What the article adds: itself, whether there is a text, precision of a text, recall, F1."""
        scores, has_text = Overlap(self.common, self.predicted, self.gold).scores, self.predicted > 0
        return 1.0, float(has_text), scores.precision * has_text, scores.recall, scores.f1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one page."""

    dataset: str
    id: str
    url: str
    is_article: bool
    gold_words: int
    refusal: str  # stage/reason of the extractor or of the filters of quality, or ""
    detail: str  # what it says on it
    doubt: str  # "low_confidence" where `build` leaves the text out by default, or ""
    decided_by: str  # name of what found the text, or ""
    score: Score


def score(page: GoldPage, extractor: str, found: Article | Rejected) -> Score:
    """Score what `extractor` found on `page`."""
    overlap = ngram_overlap("" if isinstance(found, Rejected) else found.text, page.text)
    return Score(page.dataset, page.id, page.site, extractor, overlap.common, overlap.predicted, overlap.gold)


def pages_of(data: Path, is_wanted: Callable[[str], bool]) -> Iterator[GoldPage]:
    """The pages of all sets whose type is wanted; articles must have a gold text."""
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            if is_wanted(page.page_type) and (page.text or not has_article(page.page_type)):
                yield page


def peers_scores(data: Path, file: Path | None) -> list[Score]:
    """The scores of the peers on every article, from `file` if it is there, else made and written to it."""
    if file and file.is_file():
        return [msgspec.json.decode(line, type=Score) for line in file.read_bytes().splitlines()]
    peers = {name: load(name) for name in PEERS}
    scores = [
        score(page, name, extract(Page.from_html(page.html, page.url)))
        for page in pages_of(data, has_article)
        for name, extract in peers.items()
    ]
    if file:
        file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in scores))
    return scores


def our_outcomes(data: Path) -> Iterator[Outcome]:
    """Train, and yield for every page what the model of its fold makes of it."""
    tell = partial(print, file=sys.stderr)
    trees = learn_trees(read_examples(gold_source(data, tell, TEXT_LICENCES).pages), tell)
    systems = [MainTextSystem(trees.model_without(fold)) for fold in range(FOLDS)]
    models = [SystemExtractor(system.find, options=WHOLE) for system in systems]
    for page in pages_of(data, lambda kind: has_article(kind) or kind in NO_ARTICLE):
        yield outcome(page, models[fold_of(page.site, FOLDS)])


def outcome(page: GoldPage, extract: Extractor) -> Outcome:
    """What becomes of a page: text, refusal, filters, and whether `build` leaves its text out."""
    found = extract(Page.from_html(page.html, page.url))
    judged = found if isinstance(found, Rejected) else assess_quality(found, QualityConfig())
    refused = judged if isinstance(judged, Rejected) else None
    return Outcome(
        dataset=page.dataset,
        id=page.id,
        url=page.url,
        is_article=has_article(page.page_type),
        gold_words=len(words(page.text)),
        refusal=f"{refused.stage}/{refused.reason}" if refused else "",
        detail=refused.detail if refused else "",
        doubt=LOW_CONFIDENCE if isinstance(found, Article) and LOW_CONFIDENCE in found.flags else "",
        decided_by=found.extractor if isinstance(found, Article) else "",
        score=score(page, MODEL, found),
    )


def f1(sums: Floats) -> Floats:
    """F1 of mean precision (over the texts found) and mean recall, of rows of sums."""
    precision, recall = sums[..., 2] / np.maximum(sums[..., 1], 1), sums[..., 3] / sums[..., 0]
    return 2 * precision * recall / np.maximum(precision + recall, 1e-9)


WIDTH = len(Score("", "", "", "", 0, 0, 0).sums)


def compare_pair(ours: Sequence[Score], theirs: Sequence[Score]) -> Estimate:
    """How far the F1 of `ours` is above that of `theirs`, on the same pages in the same order."""
    both = np.array([(*one.sums, *other.sums) for one, other in zip(ours, theirs, strict=True)])
    return estimate(both, lambda sums: f1(sums[:, :WIDTH]) - f1(sums[:, WIDTH:]), [one.site for one in ours])


COLUMNS = ("set", "pages", "sites", "main-text F1", "P", "R", "page F1", "trafilatura F1", "difference",
           "best other F1", "difference")  # fmt: skip


def text_table(found: Sequence[Outcome], peers: Sequence[Score]) -> Iterator[str]:
    """The lines of the table of texts, one a set."""
    theirs = {(one.dataset, one.id, one.extractor): one for one in peers}
    yield f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}"
    for dataset in SETS:
        ours = [one.score for one in found if one.dataset == dataset and one.is_article]
        of_set = {name: [theirs[dataset, one.id, name] for one in ours] for name in PEERS}
        sums, sites = np.array([one.sums for one in ours]), [one.site for one in ours]
        total, own = sums.sum(axis=0), estimate(sums, f1, sites)
        cells = [dataset, str(len(ours)), str(len(set(sites))), f"{own.value:.3f} ({own.low:.3f} to {own.high:.3f})"]
        cells += (f"{value:.3f}" for value in (total[2] / total[1], total[3] / total[0], total[4] / total[0]))
        f1s = {name: float(f1(np.array([one.sums for one in scores]).sum(axis=0))) for name, scores in of_set.items()}
        trafilatura, *others = PEERS
        best = max(others, key=lambda name: f1s[name])
        for name, shown in ((trafilatura, ""), (best, f"{best} ")):
            by = compare_pair(ours, of_set[name])
            cells += (f"{shown}{f1s[name]:.3f}", f"{by.value:+.3f} ({by.low:+.3f} to {by.high:+.3f})")
        yield f"| {' | '.join(cells)} |"


def length_table(found: Sequence[Outcome]) -> Iterator[str]:
    """The lines of the table of short and long articles of all sets together."""
    yield "| articles | pages | sites | main-text F1 | page F1 |\n|---|---|---|---|---|"
    articles = [one for one in found if one.is_article]
    short = [one for one in articles if one.gold_words < SHORT_WORDS]
    rows = {
        f"fewer than {SHORT_WORDS} words": short,
        "the same, where the gold is the article": [
            one for one in short if one.id not in WRONG_GOLD.get(one.dataset, ())
        ],
        f"{SHORT_WORDS} words or more": [one for one in articles if one.gold_words >= SHORT_WORDS],
    }
    for name, outcomes in rows.items():
        ours = [one.score for one in outcomes]
        sums, sites = np.array([one.sums for one in ours]), [one.site for one in ours]
        cells = (estimate(sums, figure, sites) for figure in (f1, lambda sums: sums[..., 4] / sums[..., 0]))
        shown = " | ".join(f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in cells)
        yield f"| {name} | {len(ours)} | {len(set(sites))} | {shown} |"
    yield "\nOnly gold of the 58 short articles with an F1 below 0.8 was read: the second row is rather too high."


def verdict_lines(found: Sequence[Outcome]) -> Iterator[str]:
    """What becomes of the pages without an article, and of each article that is refused or left out."""
    others, articles = ([one for one in found if one.is_article == kind] for kind in (False, True))
    refused = [one for one in others if one.refusal.startswith("extract/")]
    late = Counter(one.refusal or one.doubt or "kept" for one in others if one not in refused)
    yield f"Of {len(others)} pages without an article {len(refused)} are refused ({len(refused) / len(others):.2f}),"
    yield f"of the rest {', '.join(f'{number} {name}' for name, number in late.most_common())}.\n"
    yield f"Articles of which nothing was found right (F1 0): {sum(not one.score.common for one in articles)}."
    deciders = Counter(one.decided_by for one in articles if one.decided_by)
    yield f"Articles by what decided on the text: {', '.join(f'{name} {n}' for name, n in deciders.most_common())}.\n"
    lost = [one for one in articles if one.refusal or one.doubt]
    yield f"Of {len(articles)} articles {len(lost)} are refused, dropped by a filter or left out by `build`:\n"
    yield "| set | page | why | detail | words of gold | F1 |\n|---|---|---|---|---|---|"
    for one in sorted(lost, key=lambda one: (one.refusal, one.doubt, one.dataset, one.id)):
        cells = (one.dataset, one.url or one.id, one.refusal or one.doubt, one.detail, str(one.gold_words))
        yield f"| {' | '.join(cells)} | {one.score.sums[-1]:.2f} |"


def main(data: Path, peers: Path | None) -> None:
    """Measure, and write the result."""
    theirs = peers_scores(data, peers)
    found = list(our_outcomes(data))
    lengths = ("\n## Short articles\n", *length_table(found))
    lines = [HEAD, *text_table(found, theirs), *lengths, "\n## The verdict\n", *verdict_lines(found)]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="the default extractor out of fold, beside the peers")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    parser.add_argument("--peers", type=Path, help="file of the scores of the peers; made where it is missing")
    arguments = parser.parse_args()
    main(arguments.data, arguments.peers)
