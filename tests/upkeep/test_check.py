"""Portal files against archives: which checks fail, and what is shown."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import msgspec
import pytest
from crawled import archive
from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.data import Page
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import Portal, TemplateSection, TemplateVersion
from newscorpus.portal.schema import read_portal
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import Alarm, Look
from newscorpus.upkeep.check import PortalCheck, check, examine, found_lately, try_rules

GOOD = TemplateVersion(text=("article > p",), title=("h1",), published=("time::attr(datetime)",))
PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",), articles=("/story",))
STATED = (
    "<meta property='article:published_time' content='2026-11-0{day}T10:00:00Z'>"
    "<meta property='og:title' content='News of story {number}'>"
)
SHOWN = "</h1><time datetime='2026-11-0{0}'>{0} November 2026</time>"
N_PAGES = 8


def story(number: int) -> str:
    html = article(f"story {number}", STATED.format(day=number + 1, number=number))
    return str(html.replace("</h1>", SHOWN.format(number + 1)))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder: Path = archive(tmp_path / "corpus", [*map(story, range(N_PAGES)), "<ul></ul>"])
    return folder


def checked(corpus: Path, template: TemplateVersion | tuple[TemplateVersion, ...] | None) -> PortalCheck:
    return check(corpus, replace(PORTAL, template=template), Recipe("bte"))


def test_a_good_template_passes_and_every_rule_and_field_is_counted(corpus: Path) -> None:
    found = checked(corpus, replace(GOOD, remove=(".banner",)))
    assert (found.pages, found.failed) == (N_PAGES, {})
    assert {(one.field, one.pages, one.hits) for one in found.rules} == {
        ("remove", N_PAGES, 0),
        *((field, N_PAGES, N_PAGES) for field in ("text", "title", "published")),
    }
    fields = {one.field: one for one in found.fields}
    assert (fields["title"].by_template, fields["title"].structured) == (N_PAGES, (N_PAGES, 0))
    assert fields["published"].structured == (N_PAGES, 0)
    assert (fields["text"].model, fields["text"].structured) == ((N_PAGES, 0), (0, 0))
    assert (fields["authors"].filled, fields["authors"].empty) == (0, N_PAGES)
    assert found.warnings == (f"the rule '.banner' of remove never hits, on {N_PAGES} pages",)


@pytest.mark.parametrize(
    ("wrong", "failed"),
    [
        (replace(GOOD, text=(".gone",)), "text_missed"),
        (replace(GOOD, text=("article > p:first-of-type",)), "text_short"),
        (replace(GOOD, published=("h1",)), "published_misfit"),
        (replace(GOOD, title=("article > p",)), "title_structured"),
    ],
)
def test_a_wrong_template_fails_by_name_with_examples(corpus: Path, wrong: TemplateVersion, failed: str) -> None:
    found = checked(corpus, wrong)
    assert failed in found.failed
    assert "https://news.example/story-" in found.failed[failed] or failed.endswith("misfit")


def test_a_version_is_held_against_the_pages_of_its_days(tmp_path: Path) -> None:
    day = date(2026, 11, 5)
    corpus = archive(
        tmp_path / "corpus", [*map(story, range(4)), *(story(n).replace("article", "main") for n in range(4, 8))]
    )
    old, new = replace(GOOD, until=day), replace(GOOD, since=day, text=("main > p",))
    assert checked(corpus, (old, new)).failed == {}
    assert set(checked(corpus, GOOD).failed) == {"text_missed"}


def test_tags_are_compared_one_by_one_with_those_that_the_page_states_in_one() -> None:
    html = str(article("story 1", "<meta name='keywords' content='bridges, rivers'>"))
    rules = TemplateSection(tags=("meta[name=keywords]::attr(content)",))
    page = SourcePage(Page.from_html(html, "https://news.example/story-1"), template=rules)
    found = examine(Recipe(), (page, None))
    assert found is not None
    assert found.fields["tags"].by_structured


def test_marked_pages_count_apart_from_the_model(corpus: Path) -> None:
    (corpus / "gold").mkdir()
    plain = {"html": "", "title": "Another title"}
    lines = (
        plain | {"id": str(n), "url": f"https://news.example/story-{n}", "text": "\n".join(paragraphs(f"story {n}")),
                 "list": "teach" if n == 5 else "measure"}
        for n in range(6)
    )  # fmt: skip
    (corpus / "gold" / "news.jsonl").write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    found = checked(corpus, GOOD)
    fields = {one.field: one for one in found.fields}
    assert (fields["text"].marks, fields["title"].marks) == ((5, 0), (0, 5))
    assert set(found.failed) == {"title_marks"}


def test_a_redesign_that_the_template_does_not_know_fails(corpus: Path) -> None:
    with Ledger.open(corpus, adopts=True) as ledger:
        for portal, until in (("news", "2026-11-05"), ("other", "")):
            ledger.looks.add_alarm(Alarm(portal, "u", "2026-11-04", "2026-11-04", until, "old", "p", (40, 40), (0, 9)))
    assert "redesign" not in checked(corpus, GOOD).failed
    with Ledger.open(corpus, adopts=True) as ledger:
        ledger.looks.add_alarm(Alarm("news", "u", "2026-11-06", "2026-11-06", "", "old", "p", (40, 40), (0, 9)))
    assert checked(corpus, GOOD).failed["redesign"].startswith("news looks different since 2026-11-06, first u: ")


def test_an_archive_with_few_articles_cannot_be_checked(tmp_path: Path) -> None:
    assert set(checked(archive(tmp_path / "corpus", [story(0)]), GOOD).failed) == {"pages"}


def test_a_portal_without_a_template_is_checked_by_its_fields(corpus: Path) -> None:
    found = checked(corpus, None)
    assert (found.rules, found.failed) == ((), {})
    assert {one.field: one.filled for one in found.fields}["title"] == N_PAGES


def test_the_command_names_the_failed_check_and_exits_with_three(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "news.toml"
    path.write_text(
        'name = "news"\nlanguages = ["en"]\ndomains = ["news.example"]\nstart = ["https://news.example/"]\n'
        "[template]\ntext = ['.gone']\ntitle = ['h1']\n"
    )
    done = CliRunner().invoke(app, ["portal", "check", str(path), "--corpus", str(corpus)])
    assert done.exit_code == 3
    assert "newscorpus: check text_missed failed: the template finds no text on 8 of 8 pages" in done.stderr
    assert "warning: the rule '.gone' of text never hits" in done.stderr
    assert "pages with an article: 8" in done.stdout
    path.write_text(path.read_text().replace("'.gone'", "'article > p'"))
    done = CliRunner().invoke(app, ["portal", "check", str(path), "--corpus", str(corpus)])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "all checks passed")


def test_pages_that_do_not_prove_that_they_are_articles_do_not_count(tmp_path: Path) -> None:
    pages = [article(f"list {number}", "") for number in range(N_PAGES)]
    corpus = archive(tmp_path, pages, "tag/list")
    assert check(corpus, replace(PORTAL, articles=()), Recipe()).pages == 0
    assert check(corpus, replace(PORTAL, articles=("/tag",)), Recipe()).pages == N_PAGES


FILE = """
name = "a"
languages = ["en"]
domains = ["a.example"]
start = ["https://a.example/"]
articles = ['^/news/', '^/other/']
[template]
text = ["div.body", "div.none"]
title = ["h1"]
published = ["h1"]
"""


def portal(text: str = FILE) -> Portal:
    return read_portal(text, Path("a.toml"))


def page(number: int, html: str = "<h1>Bridge {0}</h1><div class=body><p>Text {0}.</p></div>") -> SourcePage:
    return SourcePage(Page.from_html(html.format(number), f"https://a.example/news/{number}"))


def test_each_rule_says_on_how_many_pages_it_found_what() -> None:
    pages = [page(1), page(2), page(3, "<p>another design</p>"), page(4, "")]
    found = {one.key: one for one in try_rules(portal(), pages)}
    assert (found["template.text[0]"].hits, found["template.text[0]"].pages) == (2, 3)  # one page has no markup
    assert found["template.text[0]"].examples == ("Text 1.", "Text 2.")
    assert found["template.text[1]"].hits == 0
    assert (found["template.title[0]"].examples, found["template.title[0]"].misfit) == (("Bridge 1", "Bridge 2"), "")
    assert found["template.published[0]"].misfit == "Bridge 1"
    assert (found["articles[0]"].hits, found["articles[0]"].pages, found["articles[1]"].hits) == (4, 4, 0)
    text = FILE.partition("[template]")[0].replace("articles", "# articles")
    assert try_rules(portal(text), pages) == []


def test_what_was_missing_is_counted_ten_pages_a_step() -> None:
    signs = [frozenset({"missing: authors", "div"} if n >= 15 else {"div"}) for n in range(24)]
    looks = [Look("a", "u", "", "", each) for each in signs]
    assert found_lately(looks) == {"authors": [1.0, 0.5, 0.0]}
    assert found_lately([]) == {}
