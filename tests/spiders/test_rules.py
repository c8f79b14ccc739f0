"""After a change of the portal's file, or of the days, the next crawl judges again, and ends as a new one would."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from prose import article, paragraphs
from serving import PageSite

from newscorpus.corpus.reextract import reextract
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.portal.schema import load_portal
from newscorpus.store.ledger.status import status
from newscorpus.store.pages import archive_files

KEYS = """
name = "mock"
languages = {languages}
domains = ["127.0.0.1"]
start = ["{base}/"]
delay_seconds = 0
"""

DATED = '<script type="application/ld+json">{{"@type": "NewsArticle", "datePublished": "{day}"}}</script>'


def plain(seed: str) -> str:
    """Text that declares itself nothing and has no date."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs(seed, 3))
    return f"<html><head><title>{seed}</title></head><body><h1>{seed}</h1>{text}</body></html>"


def links(*paths: str) -> str:
    items = "".join(f"<li><a href='{path}'>{path}</a></li>" for path in paths)
    return f"<html><body><h1>Pages</h1><ul>{items}</ul></body></html>"


CZECH = """<html lang="cs"><body><article><h1>Nový most přes řeku</h1>
<p>Město otevřelo nový most, po kterém budou moci chodit lidé i jezdit kola. Stavba trvala dva roky.</p>
<p>Zaplatil ji kraj společně s obcí. Starosta řekl, že na most čekali všichni obyvatelé obou břehů řeky.</p>
<p>Dosud museli objíždět přes sousední vesnici, což jim trvalo půl hodiny, v zimě někdy i déle.</p></article></html>"""

DEEP = {f"/deep/{n}/": links(f"/deep/{n + 1}/", f"/deep-story-of-the-day-{n}") for n in range(6)}
STORIES = {
    "/story-of-the-bridge-1": article("bridge"),
    "/private/story-of-the-boat-2": article("boat"),
    "/2024/03/05/story-of-the-clock": article("clock", DATED.format(day="2024-03-05")),
    "/2025/07/06/story-of-the-letter": article("letter", DATED.format(day="2025-07-06")),
    "/story-that-says-its-day": article("day", DATED.format(day="2025-09-09")),
    "/story-in-another-language": CZECH,
    "/2024/03/05/story-of-the-clock-again": article("again", "<a href='/2025/01/01/story-in-an-article'>more</a>"),
    "/2025/01/01/story-in-an-article": article("in an article"),
    **{f"/deep-story-of-the-day-{n}": article(f"deep {n}") for n in range(6)},
}
PAGES = {
    "/": links("/news/", "/private/", "/deep/0/", "/docs/manual", "/story-that-says-its-day"),
    "/news/": links(*(path for path in STORIES if not path.startswith("/deep"))),
    "/private/": links("/private/story-of-the-field-3"),
    "/private/story-of-the-field-3": article("field"),
    "/docs/manual": plain("A manual"),
    **DEEP,
    **STORIES,
}


@pytest.fixture(scope="module")
def site() -> Iterator[Any]:
    with (site := PageSite(PAGES)).served():
        yield site


def rows(done: Any) -> list[tuple[str, str, str]]:
    return sorted((record["url"], record["revision"], record["published"]) for record in done.records)


@dataclass(frozen=True)
class Change:
    """Keys of the file, languages and arguments before and after; what is said to have changed; pages gained."""

    why: str
    gained: int
    before: str = ""
    after: str = ""
    languages: str = '["en"]'
    days: tuple[str, ...] = ()


CHANGES = (
    Change("articles", 1, after="articles = ['^/docs/manual$']"),
    Change("sections", 3, before="sections = ['^/(private/)?story-of']"),
    Change("ignore", 2, before="ignore = ['^/private/']"),
    Change("articles, only_articles", 13, before="articles = ['^/story-of']\nonly_articles = true"),
    Change("languages", 14, languages='["cs"]'),
    Change("limits.max_depth", 4, before="[limits]\nmax_depth = 3"),
    Change("limits.max_pages", 12, before="[limits]\nmax_pages = 9"),
    Change("period", 3, days=("-a", "until=2024-12-31")),
)


@pytest.fixture(scope="module")
def run(crawl: Callable[..., Any], site: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    @cache
    def run(folder: str, turn: int, keys: str, languages: str = '["en"]', *days: str) -> Any:
        path = tmp_path_factory.getbasetemp() / f"rules-{folder}"
        path.mkdir(exist_ok=True)
        portal = KEYS.format(base=site.base, languages=languages) + keys + "\n"
        return crawl(path, "-a", "portal=mock", *days, "-s", "NEWSCORPUS_BUILD=0", portal=portal)

    return run


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.why)
def test_another_file_or_other_days_decide_in_the_next_crawl_as_in_a_new_one(
    run: Callable[..., Any], site: Any, change: Change
) -> None:
    start = Counter(site.asked)
    first = run(change.why, 1, change.before, change.languages, *change.days)
    kept, asked = rows(first), site.asked - start
    again = run(change.why, 2, change.after)
    repeated = (site.asked - start - asked).keys() & asked.keys() - {"/robots.txt"}
    fresh = run(f"fresh{change.after}"[:6], 1, change.after)
    assert f"mock: {change.why} changed since the last crawl; addresses judged again: " in again.output
    assert rows(again) == sorted({*rows(fresh), *kept})  # kept rows stay
    assert len(again.records) == len(kept) + change.gained
    assert repeated == set()  # what was fetched is answered by the archive
    (now,), (new,) = status(again.corpus), status(fresh.corpus)
    assert now.kept == len(again.records)
    assert now.rejected.keys() == new.rejected.keys() or change.why == "languages"
    assert (now.queued, now.cut_short) == (0, new.cut_short)


def test_a_page_that_the_user_named_is_an_article_when_it_is_extracted_again(
    crawl: Callable[..., Any], site: Any, tmp_path: Path
) -> None:
    base = site.base
    (tmp_path / "urls.txt").write_text(f"{base}/docs/manual\n")
    portal = KEYS.format(base=base, languages='["en"]')
    done = crawl(tmp_path, "-a", "portal=mock", "-a", "urls=urls.txt", "-s", "NEWSCORPUS_BUILD=0", portal=portal)
    assert [record["url"] for record in done.records] == [f"{base}/docs/manual"]
    mock = load_portal(tmp_path / "portals" / "mock.toml")
    again = [outcome for _, outcome in reextract(archive_files(done.corpus), Recipe(), [mock])]
    assert [type(outcome) for outcome in again] == [Row]
