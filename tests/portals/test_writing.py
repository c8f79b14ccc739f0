"""Templates in portal files: what is added, and what stays as it stands."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from newscorpus.errors import PortalError
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.writing import add_template, add_version, as_toml, template_table

RULES = TemplateSection(text=(".story > p", "//p[.='x']"), title=("h1",))
HEAD = "# My portal\nname = 'news'  # its name\n"
LIMITS = "[limits]\n# few\nmax_pages = 5 # of them\n"
DAY = date(2026, 11, 20)
NEW = {"since": DAY, "text": [".story > p", "//p[.='x']"], "title": ["h1"]}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "news.toml"


def test_a_template_is_added_below_all_else_with_its_notes(path: Path) -> None:
    path.write_text(HEAD + LIMITS)
    add_template(path, template_table(RULES, {("text", ""): "as the model", ("title", "h1"): "hits all pages"}))
    written = path.read_text()
    assert written.startswith(HEAD + LIMITS)
    assert "# as the model\ntext = [" in written
    assert "'h1', # hits all pages" in written
    assert tomllib.loads(written)["template"] == {"text": list(RULES.text), "title": ["h1"]}


@pytest.mark.parametrize("template", ["[template]\ntext = ['p']\n", "[[template]]\ntext = ['p']\n", "template = {}\n"])
def test_a_template_is_never_overwritten(path: Path, template: str) -> None:
    path.write_text(HEAD + template)
    with pytest.raises(PortalError, match="it has a template, which is not overwritten"):
        add_template(path, template_table(RULES))
    assert path.read_text() == HEAD + template


@pytest.mark.parametrize(
    "template",
    [
        "[template]\n# old\ntext = [ # here\n  '.old', # good\n]\n",
        "[[template]]\nuntil = 2026-01-01\ntext = ['.older']\n\n[[template]]\nsince = 2026-01-01\ntext = ['.old']\n",
        "[template]\ntext = ['.old']\n" + LIMITS,
        "template = {text = ['.old']}\n",
        "template.text = ['.old']\n",
    ],
)
def test_a_version_ends_the_one_before_it(path: Path, template: str) -> None:
    path.write_text(HEAD + template)
    add_version(path, template_table(RULES, since=DAY), DAY)
    versions = tomllib.loads(path.read_text())["template"]
    assert versions[-1] == NEW
    assert (versions[-2]["text"], versions[-2]["until"]) == ([".old"], DAY)
    assert path.read_text().startswith(HEAD)
    assert [
        comment for comment in ("# old", "# here", "# good") if comment in template and comment not in path.read_text()
    ] == []


@pytest.mark.parametrize("template", ["[template]\nuntil = 2026-11-01\n", "[template]\nsince = 2026-11-20\n"])
def test_a_version_without_one_before_it_is_refused(path: Path, template: str) -> None:
    path.write_text(HEAD + template)
    with pytest.raises(PortalError, match="no version of its template without `until` holds before 2026-11-20"):
        add_version(path, template_table(RULES, since=DAY), DAY)


def test_a_version_by_itself_is_printed_as_one_of_several() -> None:
    printed = as_toml(["A new design."], template_table(RULES, since=DAY), is_version=True)
    assert printed.startswith("# A new design.\n")
    assert tomllib.loads(printed)["template"] == [NEW]
