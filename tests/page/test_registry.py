import pytest
from lxml.html import HtmlElement

from newscorpus.data import Article, Page, RuleHit
from newscorpus.lab.systems.peers import PEERS
from newscorpus.page.extractor import LITTLE_WORDS
from newscorpus.page.loading import load
from newscorpus.page.registry import DEFAULT, names, systems
from newscorpus.page.template import TemplateRules
from newscorpus.portal.portal import TemplateSection
from tests.mockserver.kinds import expect

LEAD = "The old bridge over the river will be closed for repairs until the end of the winter, the town said."
PARAGRAPHS = (
    LEAD,
    "Its wooden deck has rotted through in two places, and the railings no longer hold. Cyclists will use the ford.",
    "A temporary footbridge, paid for by the county, is to open below the mill before the first frost sets in.",
    "The last thorough repair was made after the flood of 1971, when the river took away both of the outer piers.",
)
PAGE = Page.from_html(
    "<html lang=en><title>The bridge</title><div id=menu><a href=/>Home</a> <a href=/sport>Sport</a></div>"
    "<div><h1>The bridge</h1>"
    + "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS * 3)
    + "<p class=own>Only this.</p></div><div><a href=/terms>Terms</a> <a href=/contact>Contact</a></div></html>",
    "https://a.example/1",
)
FINDERS = sorted({*systems()} - {"template"})
"""Systems that find text without a template."""


class Rules(TemplateRules):
    def __init__(self, *texts: str) -> None:
        super().__init__("own", TemplateSection())
        self.version, self.texts = "1", texts

    def hits(self, tree: HtmlElement) -> tuple[RuleHit, ...]:
        return (RuleHit("text", 0),)

    def read_text(self, tree: HtmlElement) -> tuple[str, ...]:
        return self.texts


def test_names_are_unique_and_the_default_is_ours() -> None:
    assert len(set(names())) == len(names())
    assert {*names()} == {*systems(), *PEERS}
    assert names()[0] == systems()[0] == DEFAULT


@pytest.mark.parametrize("name", FINDERS)
def test_each_of_our_systems_finds_the_text(name: str) -> None:
    article = expect(Article, load(name)(PAGE))
    assert LEAD in article.text


@pytest.mark.parametrize("name", systems())
def test_a_template_that_gives_text_decides(name: str) -> None:
    one, two = "One. " * LITTLE_WORDS, "Two."
    article = expect(Article, load(name, Rules(one.strip(), two))(PAGE))
    assert (article.text, article.extractor, article.confidence) == (f"{one.strip()}\n{two}", "template:own@1", 1.0)


def test_where_a_template_gives_no_text_the_system_decides() -> None:
    article = expect(Article, load("bte", Rules())(PAGE))
    assert article.extractor == "bte"


def test_what_cannot_be_loaded_is_an_error_of_one_line() -> None:
    with pytest.raises(ValueError, match=r"^unknown extractor 'best'; known are: .*bte.*trafilatura.*$"):
        load("best")
    with pytest.raises(ValueError, match="'trafilatura' cannot be combined with a template, rules"):
        load("trafilatura", Rules())
