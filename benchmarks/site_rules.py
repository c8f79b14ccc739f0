"""Measure what imported site rules of Full-Text RSS are worth beside the default extractor.

    python benchmarks/site_rules.py DATA RULES

DATA is the folder of the pages with gold text (docs/data.md), RULES a folder of site rules, one file a domain. Every
file is read; each one whose domain has pages is tried on them as the template of a portal. Where it finds no text, the
extractor decides, as in a crawl. F1 is that of word 4-grams. Writes benchmarks/results/site_rules.md.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

from newscorpus.data import Article, Page
from newscorpus.errors import PortalError
from newscorpus.evaluation.scores import ngram_scores
from newscorpus.extraction.extractor import Extractor
from newscorpus.gold.conventions import has_article
from newscorpus.gold.pages import GoldPage, read_pages
from newscorpus.portals.site_rules import SiteRule, read_site_rule
from newscorpus.portals.template import TemplateRules
from newscorpus.published.registry import DEFAULT, load

SETS = ("article_extraction", "daniel", "dragnet", "fundus", "ir_research", "l3s_gn1", "misinformation", "wcxb")
RESULTS = Path(__file__).parent / "results" / "site_rules.md"


def pages_by_host(data: Path) -> Mapping[str, list[GoldPage]]:
    """The articles of all sets by host, without "www."."""
    by_host: defaultdict[str, list[GoldPage]] = defaultdict(list)
    for name in SETS:
        for page in read_pages(data / f"{name}.jsonl.zst"):
            if page.text and has_article(page.page_type):
                by_host[(urlsplit(page.url).hostname or page.domain).removeprefix("www.")].append(page)
    return by_host


def read_rules(folder: Path) -> tuple[dict[str, SiteRule], list[str]]:
    """The rules of a folder by host, and the messages on files that hold none."""
    rules: dict[str, SiteRule] = {}
    failed: list[str] = []
    for path in sorted(folder.glob("*.txt")):
        try:
            rules[path.stem.removeprefix("www.")] = read_site_rule(path)
        except PortalError as error:
            failed.append(str(error))
    return rules, failed


def pages_of(host: str, by_host: Mapping[str, list[GoldPage]]) -> list[GoldPage]:
    """The pages of a host; a rule named ".example.org" is for the hosts below that."""
    if host.startswith("."):
        return [page for other, pages in by_host.items() if other.endswith(host) for page in pages]
    return by_host.get(host, [])


def try_rules(rules: Mapping[str, SiteRule], by_host: Mapping[str, list[GoldPage]]) -> Iterator[tuple[str, ...]]:
    """A row for each host with pages: pages, pages on which the rule finds text, F1 of the model and of the rule."""
    model = load(DEFAULT)
    for host, rule in rules.items():
        if not (pages := pages_of(host, by_host)):
            continue
        extractor = load(DEFAULT, TemplateRules(host, rule.template))
        found = [article for page in pages if isinstance(article := extractor(_page(page)), Article)]
        hits = sum(article.extractor.startswith("template:") for article in found)
        yield host, str(len(pages)), str(hits), f"{_f1(model, pages):.3f}", f"{_f1(extractor, pages):.3f}"


def _page(page: GoldPage) -> Page:
    return Page.from_html(page.html, page.url)


def _f1(extractor: Extractor, pages: Sequence[GoldPage]) -> float:
    found = (extractor(_page(page)) for page in pages)
    texts = [article.text if isinstance(article, Article) else "" for article in found]
    return fmean(ngram_scores(text, page.text).f1 for text, page in zip(texts, pages, strict=True))


def main(data: Path, folder: Path) -> None:
    """Read every rule, try those that have pages, and write the table."""
    rules, failed = read_rules(folder)
    left_out = sum(bool(rule.left_out) for rule in rules.values())
    rows = list(try_rules(rules, pages_by_host(data)))
    used = [row for row in rows if row[2] != "0"]
    pages = [int(row[1]) for row in rows]
    counts = (
        f"{len(rules) + len(failed)} files: {len(rules)} give a template, {left_out} of them with lines left out;"
        f" {len(failed)} hold nothing that a template can hold."
    )
    means = (
        f"{len(rows)} of them have pages ({sum(pages)}); {len(used)} find text on some page of theirs. Mean F1 of the"
        f" sites: {_mean(rows, 3)} by the model, {_mean(rows, 4)} with the rule; where the rule finds text"
        f" {_mean(used, 3)} and {_mean(used, 4)}."
    )
    lines = [
        counts,
        "",
        means,
        "",
        "| site | pages | text by the rule | F1 of the model | F1 with the rule |",
        "|---|--:|--:|--:|--:|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(counts, means, sep="\n")


def _mean(rows: Sequence[tuple[str, ...]], column: int) -> str:
    return f"{fmean(float(row[column]) for row in rows):.3f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
