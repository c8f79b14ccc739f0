"""Measure what profiles of sites bring to pages, by models that saw no page of the site.

    python -m benchmarks.profiles DATA

DATA is the folder of the pages with gold text (docs/data.md). The model of main text is trained as `newscorpus train
main-text` does it, and each page is judged by the trees of its fold. The profile of a site is learned from its own
pages without their gold, and what a page brought to it is no evidence on that page. The review is learned from the
sites of other folds, in repeated draws of these. Writes benchmarks/results/profiles.md.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.out_of_fold import pages_of
from newscorpus.arrays import Floats
from newscorpus.data import Page
from newscorpus.lab.evaluation.scores import estimate
from newscorpus.lab.gold.pages import TEXT_LICENCES, has_article
from newscorpus.lab.training.boosting import make_example
from newscorpus.lab.training.main_text import fits, learn_trees, read_examples
from newscorpus.lab.training.site_review import (
    FOLDS,
    SitePage,
    judge_unseen,
    learn_review,
    measure_sites,
    site_of,
    site_pages,
)
from newscorpus.lab.training.sources import fold_of, gold_source
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Rules
from newscorpus.page.loading import extractor_of
from newscorpus.page.profiles.learn import LEAST_PAGES, MOST_PAGES, learn
from newscorpus.page.profiles.review import EVERYWHERE_WORDS, EVIDENCE, PageEvidence, weigh_evidence
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.page.text.classify import GOOD
from newscorpus.portal.profile import write_profile

DRAWS = 10
MANY_PAGES = 10
"""From so many pages on a site counts as one with many."""
TIMED_SITES, TIMED_PAGES = 12, 9
"""Sites, those with the most pages, and pages of each on which the cost is measured."""
LEARNED_PAGES = 500
"""Pages for which the time of a profile is given."""
RESULTS = Path(__file__).parent / "results" / "profiles.md"

HEAD = """# Pages judged with what the other pages of their site say

By `python -m benchmarks.profiles DATA`: articles of sites with five pages and more, by trees and by reviews that saw
no page of the site, without a second opinion. F1 is the mean page F1 over word 4-grams, as the mean of the sites;
differences are paired by site, in brackets 95 % intervals by a bootstrap over the sites. Most sites are of 2011 and
2012, few are modern.
"""


def unseen_pages(data: Path) -> list[SitePage]:
    """Train, and give the articles of sites with enough of them, with the probabilities of their blocks."""
    tell = partial(print, file=sys.stderr)
    trees = learn_trees(read_examples(gold_source(data, tell, TEXT_LICENCES).pages), tell)
    gold = list(pages_of(data, has_article))
    count = Counter(map(site_of, gold))
    wanted = (page for page in gold if site_of(page) and count[site_of(page)] >= LEAST_PAGES)
    examples = [example for example in map(make_example, wanted) if example and fits(example)]
    return site_pages(examples, judge_unseen(examples, trees))


def reviewed(pages: Sequence[SitePage], measured: Sequence[PageEvidence], draw: int) -> list[Floats]:
    """The probability of each block of each page, by a review that saw no site of its fold; `draw` makes other folds.

    Pages of sets that may not train models are judged only.
    """
    fold = [fold_of(f"{draw}{page.site}", FOLDS) for page in pages]
    may_train = [page.example.page.dataset in TEXT_LICENCES for page in pages]
    reviews = []
    for held_out in range(FOLDS):
        rest = [at for at in range(len(pages)) if may_train[at] and fold[at] != held_out]
        reviews.append(learn_review([pages[at] for at in rest], [measured[at] for at in rest]))
    return [weigh_evidence(reviews[own], found) for own, found in zip(fold, measured, strict=True)]


def repeated_words(pages: Sequence[SitePage], measured: Sequence[PageEvidence], kept: Sequence[Floats]) -> Floats:
    """Words in kept paragraphs whose text stands on other pages of the site too: wrong ones and right ones."""
    column, sums = tuple(EVIDENCE).index("is_repeated"), np.zeros(2)
    for page, evidence, probability in zip(pages, measured, kept, strict=True):
        words, good = page.words, page.example.good
        is_meant = (evidence.rows[:, column] > 0) & (words >= EVERYWHERE_WORDS) & (probability > GOOD)
        sums += ((words * (1 - good))[is_meant].sum(), (words * good)[is_meant].sum())
    return sums


def gain_lines(pages: Sequence[SitePage], gains: Floats, before: Floats) -> Iterator[str]:
    """The table of F1 and its gain. `gains` has a row a draw; a gain is the mean of the draws."""
    count = Counter(page.site for page in pages)
    sets = [page.example.page.dataset for page in pages]
    groups = {
        f"sites with {MANY_PAGES} pages and more": [count[page.site] >= MANY_PAGES for page in pages],
        f"sites with {LEAST_PAGES} to {MANY_PAGES - 1}": [count[page.site] < MANY_PAGES for page in pages],
        "all": [True] * len(pages),
        "sets that train nothing": [name not in TEXT_LICENCES for name in sets],
        "wcxb, fundus, article_extraction": [name in {"wcxb", "fundus", "article_extraction"} for name in sets],
    }
    yield "| pages of | sites | pages | F1 without | F1 with | difference | lowest draw | sites that lose |"
    yield "|---|--:|--:|--:|--:|---|--:|--:|"
    for name, group in groups.items():
        at = np.flatnonzero(group)
        sites, index = np.unique([pages[each].site for each in at.tolist()], return_inverse=True)
        each = np.bincount(index)
        without = np.bincount(index, before[at]) / each
        by_draw = np.array([np.bincount(index, draw[at]) / each for draw in gains])
        gain = by_draw.mean(axis=0)
        rows = np.stack((gain, np.ones(len(sites))), axis=1)
        found = estimate(rows, lambda sums: sums[:, 0] / sums[:, 1])
        shown = f"{found.value:+.4f} ({found.low:+.4f} to {found.high:+.4f})"
        cells = (name, len(sites), len(at), f"{without.mean():.4f}", f"{without.mean() + gain.mean():.4f}", shown)
        lowest, losing = by_draw.mean(axis=1).min(), int((gain < -0.001).sum())
        yield f"| {' | '.join(map(str, cells))} | {lowest:+.4f} | {losing} |"


def quality_lines(pages: Sequence[SitePage], measured: Sequence[PageEvidence]) -> Iterator[str]:
    """What profiles bring."""
    own = [page.probability for page in pages]
    before = np.array([page.f1(probability) for page, probability in zip(pages, own, strict=True)])
    kept = [reviewed(pages, measured, draw) for draw in range(DRAWS)]
    gains = np.array([[page.f1(one) for page, one in zip(pages, each, strict=True)] for each in kept]) - before
    yield from gain_lines(pages, gains, before)
    wrong, right = repeated_words(pages, measured, own)
    wrong_now, right_now = np.mean([repeated_words(pages, measured, each) for each in kept], axis=0)
    all_right = sum(float((page.words * page.example.good).sum()) for page in pages)
    yield f"\nParagraphs of {EVERYWHERE_WORDS} words and more that stand on other pages of the site too:\n"
    yield "| words kept | without | with |\n|---|--:|--:|"
    yield f"| wrong | {wrong:,.0f} | {wrong_now:,.0f} |\n| right | {right:,.0f} | {right_now:,.0f} |\n"
    lost = right - right_now
    yield f"The {lost:,.0f} right words that are dropped are {lost / all_right:.2%} of all right words."


def cost_lines(pages: Sequence[SitePage]) -> Iterator[str]:
    """What profiles cost, beside the extraction of the same pages in the same run."""
    recipe, sites = Recipe("main-text-alone"), Counter(page.site for page in pages).most_common(TIMED_SITES)
    seconds, many = np.zeros(3), [page.seen for page in pages[:MOST_PAGES]]
    with TemporaryDirectory() as folder:
        for number, (site, _) in enumerate(sites):
            own = [page for page in pages if page.site == site]
            file = write_profile(Path(folder) / f"{number}.json", learn((page.seen for page in own), site, ""))
            given = [SourcePage(Page.from_html(one.html, one.url), site) for one in (each.example.page for each in own)]
            for page in given[:TIMED_PAGES]:
                alone, known = extractor_of(recipe, page), extractor_of(recipe, replace(page, profile=file))
                label = partial(judge, page, Rules(recipe, for_profile=True))
                tasks = (partial(alone, page.page), partial(known, page.page), label)
                for task in tasks[1::-1]:
                    task()  # what is remembered of a page helps whoever comes second
                seconds += [_seconds(task) for task in tasks]
    summing = _seconds(partial(learn, many, "", ""))
    by_page = seconds / (len(sites) * TIMED_PAGES)
    yield (
        f"\nThe profile of {LEARNED_PAGES} pages is learned from {MOST_PAGES} of them, in"
        f" {MOST_PAGES * by_page[2] + summing:.0f} seconds of one core: reading a page for it takes"
        f" {by_page[2] / by_page[0]:.2f} times as long as extracting it, and summing up {summing:.1f} seconds. A"
        f" profile takes {by_page[1] / by_page[0] - 1:.1%} of the time of a page. The machine was shared."
    )


def _seconds(task: Callable[[], object]) -> float:
    began = time.process_time()
    task()
    return time.process_time() - began


def main(pages: Sequence[SitePage]) -> None:
    """Measure, and write the result."""
    lines = [HEAD, *quality_lines(pages, measure_sites(pages)), *cost_lines(pages)]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main(unseen_pages(Path(sys.argv[1])))
