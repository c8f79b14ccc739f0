"""Count the articles with gold text that the quality filters drop; each one is a mistake of theirs.

    python benchmarks/quality.py DATA

DATA is the folder of the pages with gold text (docs/data.md). An article is the gold text with the fields of its page
(kind, images, declared access). All pages count, since no filter was trained on them. Of pages that hold no article
(wcxb: listings, products, services) the default extractor's text is judged. Writes benchmarks/results/quality.md.
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
from newscorpus.page.quality import FILTERS, TAGS, assess_quality, tags_of
from newscorpus.page.quality.assess import read_quality
from newscorpus.page.quality.filters import measure
from newscorpus.page.registry import DEFAULT, load

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
    """The objections of all filters to a page, and its tags; the first filter decides."""

    page: str
    dataset: str
    language: str
    objections: tuple[str, ...]
    tags: tuple[str, ...]
    by_papers: tuple[str, ...]


def verdict(page: GoldPage, article: Article) -> Verdict:
    """Apply every filter, with our numbers and with those of the papers."""
    measured = measure(article)
    ours, papers = (
        tuple(name for name, objection in FILTERS.items() if objection(measured, config)) for config in (CONFIG, PAPERS)
    )
    return Verdict(page.id, page.dataset, page.language or "?", ours, tags_of(measured, CONFIG), papers)


def verdicts(data: Path) -> Iterator[Verdict]:
    """Judge all articles with gold text."""
    for dataset in (*NEWS, *OTHERS):
        for page in read_pages(data / f"{dataset}.jsonl.zst"):
            if has_article(page.page_type) and page.text.strip():
                reading = read(Page.from_html(page.html, page.url))
                fields = Fields(title=page.title) if isinstance(reading, Rejected) else reading.fields
                yield verdict(page, Article(page.url, page.text, fields, "gold"))


def other_pages(data: Path) -> tuple[int, Counter[str]]:
    """Count the pages without an article, and what becomes of them."""
    extract, outcomes = load(DEFAULT), Counter[str]()
    for page in read_pages(data / "wcxb.jsonl.zst"):
        if page.page_type in NO_ARTICLE:
            found = extract(Page.from_html(page.html, page.url))
            if isinstance(found, Rejected):
                outcomes["not extracted"] += 1
            else:
                judged = assess_quality(found, CONFIG)
                outcomes[judged.reason if isinstance(judged, Rejected) else "kept"] += 1
    return outcomes.total(), outcomes


def table(rows: Mapping[str, Iterable[Verdict]], first: str) -> Iterator[str]:
    """Write the share of articles that the filters drop together, and how many each drops as the first."""
    yield f"| {first} | articles | dropped | with the papers' numbers | by the first filter that objects |"
    yield "|---|--:|--:|--:|---|"
    for name, group in rows.items():
        found = list(group)
        firsts = Counter(one.objections[0] for one in found if one.objections)
        reasons = ", ".join(f"{reason} {count}" for reason, count in firsts.most_common())
        papers = sum(bool(one.by_papers) for one in found)
        yield f"| {name} | {len(found)} | {firsts.total() / len(found):.2%} | {papers / len(found):.2%} | {reasons} |"


def report(found: list[Verdict], others: tuple[int, Counter[str]]) -> Iterator[str]:
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
    yield f"\nOf the {others[0]} pages of wcxb that hold no article, the default extractor and the filters left:\n"
    yield ", ".join(f"{name} {count}" for name, count in others[1].most_common()) + "\n"
    yield "Dropped articles by id:\n"
    for one in found:
        if one.objections:
            yield f"- {one.dataset} {one.page} ({one.language}): {', '.join(one.objections)}"


def main() -> None:
    """Judge, and write the report."""
    data = Path(sys.argv[1])
    RESULTS.write_text("\n".join(report(list(verdicts(data)), other_pages(data))) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
