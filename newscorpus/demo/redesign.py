"""Run the demo of a redesign: a paper gets another design halfway through its crawl, which is noticed and healed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader

from newscorpus.corpus.published import open_corpus
from newscorpus.crawl.ledger.looks import Alarm, alarms
from newscorpus.data import REDESIGN
from newscorpus.demo.report import DUPLICATE, KEPT, Gold, read_gold
from newscorpus.demo.run import crawl, make_folder
from newscorpus.demo.server import serving
from newscorpus.demo.site import PLACEHOLDER, SITE, Route
from newscorpus.errors import DemoError
from newscorpus.files import replacing
from newscorpus.portals.schema import load_portal
from newscorpus.portals.writing import as_toml, template_table
from newscorpus.recipe import Recipe
from newscorpus.upkeep.templates.heal import HealedTemplate, heal_template, notes_of_moves

DESIGNS = SITE.parent / "designs"
FIRST, SECOND = "first.html", "second.html"
PORTAL = "paper.toml"
IN_FIRST = 21
"""Articles that are served in the first design: one more than the alarm must have seen before."""
LEAST_WORDS = 80
"""Words of an article; shorter pages of the demo portal are there to be refused."""

PAGES = Environment(loader=FileSystemLoader(DESIGNS), autoescape=True)


class RedesignedPaper:
    """The articles of the demo portal as one paper, in another design once enough of them were asked for.

    Args:
        base: its address, `http://127.0.0.1:PORT`.
    """

    def __init__(self, base: str) -> None:
        pages = read_gold(base).items()
        self.articles = {f"/news/{name}.html": page for name, page in pages if _is_long(page)}
        self._designs: dict[str, str] = {}

    def find(self, target: str) -> Route | None:
        """Find the route of a request target."""
        path = target.partition("?")[0]
        return Route(path, f"../designs/{FIRST}") if path == "/" or path in self.articles else None

    def body(self, route: Route) -> bytes:
        """Fill in the design of a page; every page keeps the one that it was first served in."""
        if route.path == "/":
            return "".join(f"<p><a href='{path}'>{path}</a></p>" for path in self.articles).encode()
        design = FIRST if len(self._designs) < IN_FIRST else SECOND
        page = self.articles[route.path]
        filled = PAGES.get_template(self._designs.setdefault(route.path, design)).render(
            language=page.language,
            title=page.title,
            authors=page.authors,
            published=page.published,
            paragraphs=page.text.split("\n"),
        )
        return filled.encode()


def _is_long(page: Gold) -> bool:
    return page.outcome in {KEPT, DUPLICATE} and len(page.text.split()) >= LEAST_WORDS


@dataclass(frozen=True, slots=True)
class RedesignReport:
    """What came of a crawl during which the design changed."""

    corpus: Path  # its folder
    portal: Path  # file of the portal
    documents: int  # that were published
    flagged: int  # of these, with the flag `redesign`
    alarm: Alarm
    healed: HealedTemplate

    @property
    def version(self) -> str:
        """The new version of the template, as `newscorpus portal heal` prints it."""
        table = template_table(self.healed.rules, notes_of_moves(self.healed), self.healed.since)
        return as_toml((), table, is_version=True)


def run_redesign(corpus: Path, port: int = 0, on_request: Callable[[str], object] | None = None) -> RedesignReport:
    """Serve the paper, crawl it into a new or empty folder, and heal its template; arguments as for `run_demo`.

    Raises:
        CorpusError: the corpus was not written as it should be.
        DemoError: the folder is in use, the port is not free, the crawl failed, or the redesign went unnoticed.
    """
    corpus = make_folder(corpus)
    file = corpus / "portals" / PORTAL
    file.parent.mkdir()
    with serving(port, on_request, RedesignedPaper) as base:
        with replacing(file) as out:
            out.write((DESIGNS / PORTAL).read_bytes().replace(PLACEHOLDER.encode(), base.encode()))
        crawl(corpus, base, str(file))
    noticed = alarms(corpus)
    if not noticed:
        raise DemoError(f"{corpus}: the redesign went unnoticed")
    records = list(open_corpus(corpus).records())
    flagged = sum(REDESIGN in record.flags for record in records)
    healed = heal_template(corpus, load_portal(file), Recipe())
    return RedesignReport(corpus, file, len(records), flagged, noticed[-1], healed)
