"""Measure what templates learned from ten pages of a site are worth, and what heals of them after a redesign.

    python -m benchmarks.templates DATA [SITES]

DATA is the folder of the pages with gold text (docs/data.md). For each host with enough pages, at most SITES of them:
ten are drawn, the template that `newscorpus portal learn` would write is learned from what the model finds there, and
the rest is read with it and without. Then pages are made over in each way of benchmarks/redesign.py, the template is
healed on ten of them, and each field tried on the others; for "other site" the pages of the host before are the new
design. Writes benchmarks/results/templates.md after each host.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

import numpy as np
from lxml import html as lxml_html

from benchmarks.redesign import MADE_OVER, OTHERS, SETS
from benchmarks.reproduce.tables import table
from newscorpus.data import Article, Page, Rejected
from newscorpus.evaluation.scores import estimate, ngram_scores
from newscorpus.extraction.extractor import parse_page
from newscorpus.extraction.fields import read_fields
from newscorpus.gold.conventions import has_article
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.portals.portal import TemplateSection
from newscorpus.profiles.learn import sample_key
from newscorpus.recipe import Recipe, SourcePage, extract_article, extractor_of
from newscorpus.terminal import progress
from newscorpus.upkeep.check import LEAST_PAGES
from newscorpus.upkeep.templates.field_rules import LEAST_RIGHT, READ, find_field_rules
from newscorpus.upkeep.templates.heal import healed_rules
from newscorpus.upkeep.templates.lessons import Lesson, lay_out
from newscorpus.upkeep.templates.text_rules import find_text_rules

RESULTS = Path(__file__).parent / "results" / "templates.md"
FEWEST, MOST, DRAWN, DRAWS = 13, 18, 10, 2
HEALED = 0.9
"""Share of the values that a field must have as before to count as restored: a text is the same from this F1 on."""

HEAD = f"""# Templates learned from {DRAWN} pages

By `python -m benchmarks.templates DATA [SITES]`: hosts with {FEWEST} pages and more, in the order of a hash;
{DRAWN} are drawn {DRAWS} times, and the rest is read by the model alone, and with the template learned from what the
model finds on the drawn ones. Page F1 over word 4-grams; the differences are paired by site, their 95 % interval by a
bootstrap over sites. CPU times are of few pages on a machine that other work shared: the one over all sites says more.

"""

HEALING = f"""
Healed on {DRAWN} pages of the new design: fields of which {HEALED:.0%} of the values on the other pages are as
before (of a text, F1 from {HEALED} on); for "other site", as the model finds them there.

"""


@dataclass(frozen=True, slots=True)
class Draw:
    """What came of one draw of pages of a site."""

    host: str
    pages: int  # that were tried
    hits: int  # of these, read by the template
    before: float  # mean F1 of the model
    after: float  # with the template
    healed: Mapping[tuple[str, str], float]  # share of the values as before, by kind of redesign and field
    seconds: tuple[float, float]  # CPU time after decode, parse and fields: of the model, and with the template


def hosts(data: Path) -> Mapping[str, list[GoldPage]]:
    """The pages of the hosts that have enough."""
    pages: defaultdict[str, dict[str, GoldPage]] = defaultdict(dict)
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            host = (urlsplit(page.url).hostname or "").removeprefix("www.")
            if page.text and has_article(page.page_type) and host and not OTHERS.search(host):
                pages[host][page.url] = page
    enough = sorted((host for host, found in pages.items() if len(found) >= FEWEST), key=sample_key)
    return {host: list(pages[host].values())[:MOST] for host in enough}


def read(html: str, url: str, template: TemplateSection | None = None) -> Lesson | None:
    """What the model finds on a page, or with a template what that finds."""
    page = SourcePage(Page.from_html(html, url, "2026-11-22T00:00:00+00:00"), "site", template=template)
    found = extract_article(extractor_of(Recipe(), page), page)
    return lay_out(page, found) if isinstance(found, Article) else None


def draw(
    pages: Sequence[GoldPage], alone: Sequence[Lesson | None], other: Sequence[Lesson | None], host: str, seed: int
) -> Draw:
    """Learn a template from some pages, and try it on the others; heal and time it in the first draw."""
    order = np.random.default_rng(seed).permutation(len(pages)).tolist()
    drawn, rest = order[:DRAWN], order[DRAWN:]
    rules = _learned([alone[at] for at in drawn])
    with_rules = [read(pages[at].html, pages[at].url, rules) for at in rest]
    healed = dict(heal(pages, alone, order, rules)) | dict(moved(other, rules)) if not seed else {}
    return Draw(
        host,
        len(rest),
        sum(_has("text", one) for one in with_rules if one),
        fmean(_f1(alone[at], pages[at]) for at in rest),
        fmean(_f1(one, pages[at]) for one, at in zip(with_rules, rest, strict=True)),
        healed,
        seconds([pages[at] for at in rest], rules) if not seed else (0.0, 0.0),
    )


def _learned(lessons: Sequence[Lesson | None]) -> TemplateSection:
    known = [lesson for lesson in lessons if lesson]
    return TemplateSection(**find_text_rules(known), **find_field_rules(known))


def _f1(lesson: Lesson | None, gold: GoldPage) -> float:
    return ngram_scores(lesson.article.text if lesson else "", gold.text).f1


def heal(
    pages: Sequence[GoldPage], alone: Sequence[Lesson | None], order: Sequence[int], rules: TemplateSection
) -> Iterator[tuple[tuple[str, str], float]]:
    """Heal a template on pages made over in each way, and compare each field with what the old rules found."""
    before = {at: read(pages[at].html, pages[at].url, rules) for at in order if alone[at]}
    for kind in MADE_OVER:
        made = {at: found for at in order if alone[at] and (found := make_over(pages[at].html, kind))}
        teach, rest = list(made)[:DRAWN], list(made)[DRAWN:]
        lessons = [lesson for at in teach if (lesson := read(made[at], pages[at].url))]
        if len(lessons) < LEAST_PAGES:
            continue
        new = healed_rules(lessons, rules)
        pairs = [(before[at], read(made[at], pages[at].url, new)) for at in rest]
        for field in (*(() if kind == "paywall" else ("text",)), *READ):
            same = [_same(field, old, now) for old, now in pairs if old and _has(field, old)]
            if getattr(rules, field) and same:
                yield (kind, field), fmean(same)


def moved(other: Sequence[Lesson | None], rules: TemplateSection) -> Iterator[tuple[tuple[str, str], float]]:
    """Heal a template on pages of another site, and compare each field with what the model finds there."""
    known = [lesson for lesson in other if lesson]
    if len(known) < LEAST_PAGES:
        return
    new = healed_rules(known[:DRAWN], rules)
    pairs = [(lesson, read_again(lesson, new)) for lesson in known[DRAWN:]]
    for field in ("text", *READ):
        same = [_same(field, old, now) for old, now in pairs if field == "text" or READ[field](old.values(field))]
        if getattr(rules, field) and len(same) >= LEAST_RIGHT:
            yield ("other site", field), fmean(same)


def read_again(lesson: Lesson, rules: TemplateSection) -> Lesson | None:
    """What a template finds on a page."""
    page = replace(lesson.page, template=rules)
    found = extract_article(extractor_of(Recipe(), page), page)
    return replace(lesson, article=found) if isinstance(found, Article) else None


def make_over(html: str, kind: str) -> str:
    """A page in another design; "" where that cannot be."""
    tree = lxml_html.document_fromstring(html.encode("utf-8", "replace"), lxml_html.HTMLParser(encoding="utf-8"))
    return str(lxml_html.tostring(tree, encoding="unicode")) if MADE_OVER[kind](tree) else ""


def _has(field: str, lesson: Lesson) -> bool:
    """Whether the template gives a field on a page."""
    return str(getattr(lesson.article.fields.provenance, field)) == "template" or (
        field == "text" and lesson.article.extractor.startswith("template:")
    )


def _same(field: str, old: Lesson, new: Lesson | None) -> bool:
    if new is None:
        return False
    if field == "text":
        return ngram_scores(new.article.text, old.article.text).f1 >= HEALED
    return READ[field](new.values(field)) == READ[field](old.values(field))


def seconds(pages: Sequence[GoldPage], rules: TemplateSection) -> tuple[float, float]:
    """CPU seconds after decode, parse and fields: those of the model, and those with a template."""
    given = [Page.from_html(page.html, page.url) for page in pages]
    before = _cpu_seconds(_read_fields, given)
    extractors = (extractor_of(Recipe(), SourcePage(given[0], "site", template=one)) for one in (None, rules))
    alone, with_rules = (_cpu_seconds(extractor, given) - before for extractor in extractors)
    return alone, with_rules


def _cpu_seconds(work: Callable[[Page], object], pages: Sequence[Page]) -> float:
    begin = time.process_time()
    for page in pages:
        work(page)
    return time.process_time() - begin


def _read_fields(page: Page) -> None:
    parsed = parse_page(page)
    if not isinstance(parsed, Rejected):
        read_fields(parsed.tree, page)


def _worth(draws: Sequence[Draw]) -> str:
    """One row for each host, and one over all."""
    of_hosts = [[one for one in draws if one.host == host] for host in dict.fromkeys(one.host for one in draws)]
    rows: list[tuple[object, ...]] = [
        (
            found[0].host,
            found[0].pages,
            sum(one.hits for one in found) / sum(one.pages for one in found),
            *(fmean(value) for value in zip(*((one.before, one.after) for one in found), strict=True)),
            sum(one.seconds[1] for one in found) / sum(one.seconds[0] for one in found),
        )
        for found in of_hosts
    ]
    sums = np.array([(1.0, fmean(one.after - one.before for one in found)) for found in of_hosts])
    gain = estimate(sums, lambda drawn: drawn[:, 1] / drawn[:, 0])
    alone, with_rules = (sum(one.seconds[at] for one in draws) for at in (0, 1))
    all_of_them = (
        f"\nMean difference over {len(of_hosts)} sites {gain.value:+.4f} ({gain.low:+.4f} to {gain.high:+.4f}); CPU"
        f" time after decode, parse and fields: {with_rules / alone:.2f} of the model's.\n"
    )
    columns = ("host", "pages tried", "read by the template", "F1 of the model", "F1 with the template", "CPU time")
    return table(columns, rows) + all_of_them


def _healing(draws: Sequence[Draw]) -> str:
    """For each kind of redesign and each field, how many are as before."""
    found = [(kind, field, share >= HEALED) for one in draws for (kind, field), share in one.healed.items()]
    fields = ("text", *READ)
    rows = [
        (kind, *(_count(kind, field, found) for field in fields), _count(kind, "", found))
        for kind in ("other site", *MADE_OVER, "")
    ]
    return HEALING + table(("redesign", *fields, "all"), [(kind or "all", *row) for kind, *row in rows])


def _count(kind: str, field: str, found: Sequence[tuple[str, str, bool]]) -> str:
    wanted = [good for of_kind, of_field, good in found if kind in ("", of_kind) and field in ("", of_field)]
    return f"{sum(wanted)} of {len(wanted)} ({fmean(wanted):.0%})" if wanted else ""


def main(data: Path, most: int) -> None:
    """Measure and write, host by host."""
    draws: list[Draw] = []
    before: Sequence[Lesson | None] = ()  # pages of the host before, as another design
    for host, pages in progress(list(hosts(data).items())[:most], "hosts"):
        alone = [read(page.html, page.url) for page in pages]
        draws += [draw(pages, alone, before, host, seed) for seed in range(DRAWS)]
        RESULTS.write_text(HEAD + _worth(draws) + _healing(draws), "utf-8")
        before = alone


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000)
