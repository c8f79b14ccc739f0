"""Templates learned from archived pages: the rules, what is said of them, and what a person answers."""

import tomllib
from pathlib import Path

import pytest
from archives import archive
from lxml import html
from prose import paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.crawl.ledger import Ledger
from newscorpus.crawl.ledger.looks import Alarm
from newscorpus.crawl.ledger.rows import Fetched, Link, UrlOutcome, key_of
from newscorpus.errors import CorpusError
from newscorpus.gold.marking import journal_of, read_marks
from newscorpus.gold.pages import read_pages
from newscorpus.portals.portal import Portal
from newscorpus.recipe import Recipe
from newscorpus.upkeep.templates.learn import LearnedTemplate, learn_template, notes_of
from newscorpus.upkeep.templates.selectors import places_of, rules_of

PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",), articles=("/story",))
FILE = """# My portal
name = "news"
languages = ["en"]
domains = ["news.example"]
start = ["https://news.example/"]
articles = ["/story"]  # all of them
"""
N_PAGES = 8


def story(number: int, body: str = "story-body") -> str:
    """A page whose names are partly made by a machine, with a line in the text that is no part of it."""
    text = paragraphs(f"story {number}")
    half = "".join(f"<p>{one}</p>" for one in text[:3]), "".join(f"<p>{one}</p>" for one in text[3:])
    return (
        f"<html lang=en><head><title>News of story {number} | News</title></head><body class='sc-bdVaJa'>"
        f"<div id=menu><a href='/'>Home</a> <a href='/all'>All</a></div><div class='css-1q2w3e'>"
        f"<h1 class='headline'>News of story {number}</h1><span class=byline>By <b class=author>Ann Lee</b></span>"
        f"<time class=when datetime='2026-11-0{number % 9 + 1}T10:00:00Z'>{number % 9 + 1} November 2026</time>"
        f"<div class='{body} css-9x8y7z'>{half[0]}<div class=promo><p>Read our newsletter number {number}</p></div>"
        f"{half[1]}</div><ul class=labels><li><a rel=tag>ferries</a></li><li><a rel=tag>towns</a></li></ul></div>"
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder: Path = archive(tmp_path / "corpus", [*map(story, range(N_PAGES)), "<ul></ul>"])
    return folder


def learned(corpus: Path) -> LearnedTemplate:
    return learn_template(corpus, PORTAL, Recipe())


def test_rules_have_stable_names_and_find_the_text_and_the_fields(corpus: Path) -> None:
    rules = learned(corpus).rules
    assert [rule for rule in rules.text if "story-body" not in rule] == []
    assert rules.title == ("h1",)
    assert rules.authors == ("b.author",)
    assert rules.published[0].startswith("time")
    assert not [rule for key in ("text", "remove", "tags") for rule in getattr(rules, key) if "css-" in rule]


def test_what_is_learned_is_checked_and_said_of_each_rule(corpus: Path) -> None:
    found = learned(corpus)
    assert found.check.failed == {}
    notes = notes_of(found.check)
    assert notes["title", "h1"] == f"hits {N_PAGES} of {N_PAGES} pages"
    assert notes["text", ""] == f"pages as the model on {N_PAGES} of {N_PAGES}"


def test_the_newest_design_is_learned(tmp_path: Path) -> None:
    corpus = archive(tmp_path, [*map(story, range(8)), *(story(n, "text-column") for n in range(8, 14))])
    with Ledger.open(corpus, adopts=True) as ledger:
        alarm = Alarm("news", "u", "2026-11-09T08:00:00+00:00", "2026-11-12", "", "", "p", (8, 8), (0, 4))
        ledger.looks.alarm(alarm)
    found = learned(corpus)
    assert found.check.pages == 6
    assert [rule for rule in found.rules.text if "text-column" not in rule] == []


def test_few_pages_are_an_error_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="3 pages with an article of portal news; 5 are the least"):
        learned(archive(tmp_path, [story(n) for n in range(3)]))


def note_places(corpus: Path) -> None:
    """Let the ledger know the pages of the archive, all by the place of the first."""
    with Ledger.open(corpus, adopts=True) as ledger:
        for number in range(N_PAGES):
            url = f"https://news.example/story-{number}"
            ledger.reserve(url, "news", "article")
            ledger.add(Link(key_of(url), url, "news", "article", request=b"{}"))
            lease = ledger.queue.lease("news")
            assert lease
            place = ("archive/000001.warc.gz", 0)
            fetched = Fetched(lease.url, 200, "2026-11-01T08:00:00+00:00", 5, archived=place)
            ledger.finish(lease.serial, [UrlOutcome(reason="kept")], fetched)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "news.toml"
    path.write_text(FILE)
    return path


def ask_command(path: Path, corpus: Path, *more: str, answers: str = "") -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["portal", "learn", str(path), "--corpus", str(corpus), *more], input=answers)
    return done.exit_code, done.stdout, done.stderr


def test_the_command_prints_a_template_or_adds_it_once(corpus: Path, path: Path) -> None:
    code, out, _ = ask_command(path, corpus)
    assert code == 0
    assert path.read_text() == FILE
    printed = tomllib.loads(out)["template"]
    assert f"# hits {N_PAGES} of {N_PAGES} pages" in out
    assert ask_command(path, corpus, "--write")[0] == 0
    assert path.read_text().startswith(FILE)
    assert tomllib.loads(path.read_text())["template"] == printed
    written = path.read_text()
    done = CliRunner().invoke(app, ["portal", "learn", str(path), "--corpus", str(corpus), "--write"])
    assert isinstance(done.exception, ValueError)
    assert "has a template, which is not overwritten" in str(done.exception)
    assert path.read_text() == written


def test_by_the_command_answers_become_marked_pages(corpus: Path, path: Path) -> None:
    note_places(corpus)
    code, _, asked = ask_command(path, corpus, "--ask", "--write", "--who", "ann", answers="y\n" * 5)
    assert (code, asked.count("Is this the whole text")) == (0, 5)
    assert "template" in tomllib.loads(path.read_text())
    pages = list(read_pages(corpus / "gold" / "news.jsonl"))
    number = int(pages[0].url.rpartition("-")[2])
    assert (len(pages), pages[0].list, pages[0].marks[0].who) == (5, "measure", "ann")
    assert (pages[0].title, pages[0].text.split("\n")) == (f"News of story {number}", paragraphs(f"story {number}"))


def test_by_the_command_a_wrong_page_waits_to_be_marked_and_nothing_is_written(corpus: Path, path: Path) -> None:
    note_places(corpus)
    done = CliRunner().invoke(
        app, ["portal", "learn", str(path), "--corpus", str(corpus), "--ask", "--write"], input="y\ny\nn\ny\ny\n"
    )
    assert "1 of the pages are wrong, so nothing is written" in str(done.exception)
    assert path.read_text() == FILE
    marks = read_marks(journal_of(corpus, "news"))
    assert [one.place is None for one in marks] == [False, False, True, False, False]


def test_a_page_that_the_ledger_does_not_know_is_an_error(corpus: Path, path: Path) -> None:
    with Ledger.open(corpus, adopts=True):
        pass
    done = CliRunner().invoke(app, ["portal", "learn", str(path), "--corpus", str(corpus), "--ask"], input="y\n")
    assert "the ledger knows no archived page of it" in str(done.exception)


def test_names_that_machines_made_and_tags_that_no_rule_can_name_are_passed_over() -> None:
    page = html.document_fromstring(
        "<div class='css-1q2w3e story_body col-8' data-testid='body' id='node1234'><fb:like class=box>x</fb:like></div>"
    )
    holder, odd = list(page.iter())[-2:]
    assert list(rules_of(holder)) == ["div.story_body", "div[data-testid='body']"]
    assert list(places_of(holder)) == ["/html/body/div"]
    assert (list(rules_of(odd)), list(places_of(odd))) == ([], [])
