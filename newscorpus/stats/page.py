"""Write the statistics of a corpus as an HTML page and an SVG picture: no script, no other file, all texts escaped."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from newscorpus.corpus.export.tei import NO_XML
from newscorpus.stats.count import CorpusStats
from newscorpus.stats.tables import summary, tables

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(stats: CorpusStats) -> bytes:
    """The charts, their tables and samples of what was rejected as one HTML page, in UTF-8."""
    return _fill("page.html", stats)


def picture(stats: CorpusStats) -> bytes:
    """The charts as one SVG picture, in UTF-8."""
    return _fill("picture.svg", stats)


def _fill(template: str, stats: CorpusStats) -> bytes:
    text = TEMPLATES.get_template(template).render(stats=stats, summary=summary(stats), tables=list(tables(stats)))
    return NO_XML.sub("", text).encode()
