"""Count the articles with gold text that the quality filters drop; each one is a mistake of theirs.

    python benchmarks/quality.py DATA

DATA is the folder of the pages with gold text (docs/data.md). An article is the gold text with the fields of its page
(kind, images, declared access). All pages count, since no filter was trained on them. The pages of the split `dev` are
also judged as `newscorpus extract` does, those without an article too. Writes benchmarks/results/quality.md.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Page, Rejected
from newscorpus.lab.gold.pages import NO_ARTICLE, GoldPage, has_article, read_pages
from newscorpus.page.extractor import read
from newscorpus.page.judge import process_page
from newscorpus.page.quality.assess import FILTERS, TAGS, assess_quality, read_quality, tags_of
from newscorpus.page.quality.filters import measure
from newscorpus.page.recipe import Recipe

NEWS = ("fundus", "daniel", "l3s_gn1", "ir_research")
OTHERS = ("dragnet", "wcxb", "cleaneval")
"""Sets of news portals; and of blogs and other pages, lists and forums among them."""
MIN_PAGES = 20
"""Languages with fewer pages are added up."""
CONFIG = QualityConfig()
HERE = Path(__file__).parent
PAPERS = read_quality(HERE / "papers.toml")
RESULTS = HERE / "results" / "quality.md"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The objections of all filters to a page, what it is dropped for, and its tags."""

    page: str
    dataset: str
    language: str
    objections: tuple[str, ...]
    reason: str  # "" if it is kept
    tags: tuple[str, ...]
    by_papers: tuple[str, ...]


def verdict(page: GoldPage, article: Article) -> Verdict:
    """Apply every filter, with our numbers and with those of the papers."""
    measured = measure(article)
    ours, papers = (
        tuple(name for name, objection in FILTERS.items() if objection(measured, config)) for config in (CONFIG, PAPERS)
    )
    judged = assess_quality(article, CONFIG)
    reason = judged.reason if isinstance(judged, Rejected) else ""
    return Verdict(page.id, page.dataset, page.language or "?", ours, reason, tags_of(measured, CONFIG), papers)


def verdicts(data: Path) -> Iterator[Verdict]:
    """Judge all articles with gold text."""
    for dataset in (*NEWS, *OTHERS):
        for page in read_pages(data / f"{dataset}.jsonl.zst"):
            if has_article(page.page_type) and page.text.strip():
                prepared = read(Page.from_html(page.html, page.url))
                fields = Fields(title=page.title) if isinstance(prepared, Rejected) else prepared.fields
                yield verdict(page, Article(page.url, page.text, fields, "gold"))


def outcomes(data: Path) -> Counter[tuple[str, bool]]:
    """Count what becomes of the pages with and without an article."""
    found = Counter[tuple[str, bool]]()
    for dataset in (*NEWS, *OTHERS):
        for page in read_pages(data / f"{dataset}.jsonl.zst"):
            if page.split == "dev" and (page.page_type in NO_ARTICLE or (has_article(page.page_type) and page.text)):
                outcome = process_page(Recipe(), Page.from_html(page.html, page.url))
                name = f"{outcome.stage}/{outcome.reason}" if isinstance(outcome, Rejected) else "kept"
                found[name, has_article(page.page_type)] += 1
    return found


def table(rows: Mapping[str, Iterable[Verdict]], first: str) -> Iterator[str]:
    """Write the share of articles that the filters drop together, and how many each drops as the first."""
    yield f"| {first} | articles | dropped | with the papers' numbers | by the first filter that rejects |"
    yield "|---|--:|--:|--:|---|"
    for name, group in rows.items():
        found = list(group)
        firsts = Counter(one.reason for one in found if one.reason)
        reasons = ", ".join(f"{reason} {count}" for reason, count in firsts.most_common())
        papers = sum(bool(one.by_papers) for one in found)
        yield f"| {name} | {len(found)} | {firsts.total() / len(found):.2%} | {papers / len(found):.2%} | {reasons} |"


def report(found: list[Verdict], pages: Counter[tuple[str, bool]]) -> Iterator[str]:
    """Write the lines of the report."""
    sets, languages = defaultdict(list), defaultdict(list)
    sizes = Counter(one.language for one in found if one.dataset in NEWS)
    for one in found:
        sets["**news**" if one.dataset in NEWS else "**other pages**"].append(one)
        sets[one.dataset].append(one)
    for one in sets["**news**"]:
        languages[one.language if sizes[one.language] >= MIN_PAGES else "others"].append(one)
    yield "# Quality filters on articles that people marked\n"
    yield f"{len(found)} gold texts with the fields of their pages; made by `python benchmarks/quality.py DATA`.\n"
    yield from table(sets, "set")
    yield "\nNews by language:\n"
    yield from table(dict(sorted(languages.items())), "language")
    yield "\nEach filter and tag by itself:\n"
    alone = Counter(name for one in found for name in (*one.objections, *one.tags))
    yield "| filter or tag | articles | share |\n|---|--:|--:|"
    for name in (*FILTERS, *TAGS):
        yield f"| `{name}` | {alone[name]} | {alone[name] / len(found):.2%} |"
    yield f"\nAll {pages.total()} pages of the split `dev`, by `newscorpus extract`:\n"
    yield "| outcome | pages with an article | without |\n|---|--:|--:|"
    for name in sorted({name for name, _ in pages}):
        yield f"| {name} | {pages[name, True]} | {pages[name, False]} |"
    yield "\nDropped articles by id:\n"
    for one in found:
        if one.reason:
            yield f"- {one.dataset} {one.page} ({one.language}): {', '.join(one.objections)}"


def main() -> None:
    """Judge, and write the report."""
    data = Path(sys.argv[1])
    RESULTS.write_text("\n".join(report(list(verdicts(data)), outcomes(data))) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
