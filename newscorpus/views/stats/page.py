"""Write the page of a corpus, its crawl and what is in it, as HTML, and its charts as an SVG picture.

No script, no other file, all texts escaped. The browser side shows the same parts.
"""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from newscorpus.corpus.export.tei import NO_XML
from newscorpus.views.stats.count import CorpusStats
from newscorpus.views.stats.crawl import CrawlState
from newscorpus.views.stats.tables import summary, tables

FOLDER = Path(__file__).parent / "templates"

TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)

STYLE = "".join((FOLDER / name).read_text("utf-8") for name in ("bars.css", "corpus.css"))


def page(stats: CorpusStats, crawls: Sequence[CrawlState] = ()) -> bytes:
    """The crawls of corpora, and the charts, tables and samples of what is in them, as one HTML page in UTF-8."""
    return _fill("page.html", stats, crawls=crawls, tries=False)


def picture(stats: CorpusStats) -> bytes:
    """The charts as one SVG picture, in UTF-8."""
    return _fill("picture.svg", stats)


def _fill(template: str, stats: CorpusStats, **values: object) -> bytes:
    return NO_XML.sub("", TEMPLATES.get_template(template).render(**shown(stats), **values)).encode()


def shown(stats: CorpusStats) -> dict[str, object]:
    """What the parts of the page that show statistics take."""
    return {"stats": stats, "summary": summary(stats), "tables": list(tables(stats))}
