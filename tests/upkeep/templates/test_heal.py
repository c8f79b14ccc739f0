"""Templates after a redesign: where each field went, what stays, and what is written."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from archives import archive
from prose import paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.crawl.ledger import Ledger
from newscorpus.crawl.ledger.looks import Alarm
from newscorpus.errors import CorpusError
from newscorpus.portals.portal import Portal, TemplateVersion
from newscorpus.recipe import Recipe
from newscorpus.upkeep.templates.heal import heal_template

FIRST = "2026-11-07T08:00:00+00:00"
"""When the seventh page was fetched."""
OLD = TemplateVersion(text=("#story p",), title=("h1.title",), published=("time::attr(datetime)",), lead=("p.lead",))
PORTAL = Portal("news", ("en",), ("news.example",), ("https://news.example/",), articles=("/story",), template=OLD)


def old(number: int) -> str:
    body = "".join(f"<p>{one}</p>" for one in paragraphs(f"story {number}"))
    when = f"<time datetime='2026-11-{number + 1:02}'>{number + 1} November 2026</time>"
    return (
        f"<html lang=en><body><div id=menu><a href='/'>Home</a></div><h1 class=title>News of story {number}</h1>"
        f"{when}<div id=story>{body}</div></body></html>"
    )


def new(number: int) -> str:
    return old(number).replace("id=story", "class=article-body").replace("class=title", "class=headline")


def corpus_of(folder: Path, pages: Sequence[str], since: str = FIRST) -> Path:
    corpus: Path = archive(folder / "corpus", pages)
    with Ledger.open(corpus, adopts=True) as ledger:
        ledger.looks.alarm(Alarm("news", "u", since, since, "", "old", "p", (40, 40), (0, 9)))
    return corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return corpus_of(tmp_path, [*map(old, range(6)), *map(new, range(6, 14))])


def test_what_moved_is_found_and_what_did_not_stays(corpus: Path) -> None:
    healed = heal_template(corpus, PORTAL, Recipe())
    assert [rule for rule in healed.rules.text if "article-body" not in rule] == []
    assert healed.rules.title == ("h1",)
    assert healed.rules.published == OLD.published
    assert healed.rules.lead == ()  # it never hit
    assert (str(healed.since), healed.check.pages, healed.check.failed) == ("2026-11-07", 8, {})


def test_of_a_roll_out_to_half_of_the_pages_the_new_ones_teach(tmp_path: Path) -> None:
    mixed: list[Callable[[int], str]] = [old, new]
    corpus = corpus_of(tmp_path, [*map(old, range(6)), *(mixed[number % 2](number) for number in range(6, 18))])
    assert [rule for rule in heal_template(corpus, PORTAL, Recipe()).rules.text if "article-body" not in rule] == []


def test_what_cannot_be_healed_is_said_in_one_line(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, [*map(old, range(6)), *map(new, range(6, 9))])
    with pytest.raises(CorpusError, match="3 pages of the new design have an article; 5 are the least"):
        heal_template(corpus, PORTAL, Recipe())
    with pytest.raises(CorpusError, match="portal news has no template"):
        heal_template(corpus, replace(PORTAL, template=None), Recipe())
    with pytest.raises(CorpusError, match="no redesign of other was noticed"):
        heal_template(corpus, replace(PORTAL, name="other"), Recipe())


def test_the_command_prints_a_version_or_adds_it(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "news.toml"
    head = 'name = "news"\nlanguages = ["en"]\ndomains = ["news.example"]\nstart = ["https://news.example/"]\n'
    path.write_text(head + "articles = ['/story']\n[template]\n# mine\ntext = ['#story p']\ntitle = ['h1.title']\n")
    before = path.read_text()
    done = CliRunner().invoke(app, ["portal", "heal", str(path), "--corpus", str(corpus)])
    assert (done.exit_code, path.read_text()) == (0, before)
    assert "before: h1.title" in done.stdout
    (printed,) = tomllib.loads(done.stdout)["template"]
    done = CliRunner().invoke(app, ["portal", "heal", str(path), "--corpus", str(corpus), "--write"])
    assert done.exit_code == 0
    first, second = tomllib.loads(path.read_text())["template"]
    assert (first["text"], first["until"], second) == (["#story p"], second["since"], printed)
    assert "# mine" in path.read_text()
    done = CliRunner().invoke(app, ["portal", "check", str(path), "--corpus", str(corpus)])
    assert "check redesign failed" in done.stderr
    assert "text_missed" not in done.stderr


def test_days_are_read_or_refused_by_the_command(corpus: Path) -> None:
    done = CliRunner().invoke(app, ["portal", "heal", "demo", "--corpus", str(corpus), "--since", "soon"])
    assert done.exit_code == 2
    assert "--since is 'soon'; expected a day such as 2026-11-20" in done.stderr
