"""What the documents name is there: verbs and options, targets of make, files. Tables say what the code says."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from benchmarks.reproduce.capabilities import RESULTS, reproduce
from docs.tables import TABLES, as_markdown, renewed
from newscorpus import settings
from newscorpus.cli import app
from newscorpus.portal.portal import PolitenessSection, Portal, PortalLimits, TemplateVersion

ROOT = Path(__file__).parents[1]
CAPABILITIES = RESULTS / "capabilities.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def verbs(group: TyperGroup, before: str = "") -> Iterator[tuple[str, set[str]]]:
    """Name each verb, also `portal import`, with its options."""
    for name, verb in group.commands.items():
        if isinstance(verb, TyperGroup):
            yield from verbs(verb, f"{before}{name} ")
        yield before + name, {option for parameter in verb.params for option in parameter.opts} | {"--help"}


VERBS = dict(verbs(typer.main.get_command(app)))  # type: ignore[arg-type]

every_document = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


def code(path: Path) -> list[str]:
    """The lines of code blocks, continued ones joined, and what stands in backticks."""
    text = path.read_text("utf-8").replace("\\\n", " ")
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return [line.strip() for part in (*blocks, *spans) for line in part.split("\n")]


def unknown(line: str) -> list[str]:
    """What a line that calls `newscorpus` names and the command does not know."""
    called = re.match(r"(?:\.venv/bin/)?newscorpus ((?:portal )?[a-z][a-z-]*)(.*)", line)
    if called is None:
        return []
    options = set(re.findall(r"(?<!\S)--[a-z-]+", called[2].partition("#")[0]))
    return [called[1]] if called[1] not in VERBS else sorted(options - VERBS[called[1]])


@pytest.mark.parametrize("path", [*DOCUMENTS, CAPABILITIES], ids=lambda path: path.name)
def test_verbs_and_options_exist(path: Path) -> None:
    assert {line: found for line in code(path) if (found := unknown(line))} == {}


def test_capabilities_have_the_figures_of_the_tables() -> None:
    assert CAPABILITIES.read_text("utf-8") == reproduce(ROOT)


def test_what_does_not_exist_is_found() -> None:
    assert unknown("newscorpus nonsense --output x") == ["nonsense"]
    assert unknown("newscorpus portal nonsense") == ["portal nonsense"]
    assert unknown("newscorpus extract page.html --format text --nonsense") == ["--nonsense"]
    assert unknown("newscorpus evaluate --dataset x  # not --nonsense") == []


@every_document
def test_targets_of_make_exist(path: Path) -> None:
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8")))
    named = {match[1] for line in code(path) if (match := re.match(r"make ([a-z]+)", line))}
    assert named <= targets


def leads(path: Path, heading: str) -> bool:
    """Whether there is this file, and in it the heading, if one is named."""
    if not heading or not path.is_file():
        return path.exists()
    headings = re.findall(r"(?m)^#+ (.+)", re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL))
    return heading in {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}


@every_document
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)[^)]*\)", path.read_text("utf-8"))
    assert [one for one in targets if not leads(path.parent / one[0] if one[0] else path, one[1])] == []


@every_document
def test_modules_and_folders_exist(path: Path) -> None:
    named = {line for line in code(path) if re.fullmatch(r"\w+/([\w/]*\.py|(\w+/)*)", line)}
    ours = {folder.name for folder in ROOT.iterdir() if folder.is_dir()} - {"corpora"}  # which crawls make
    missing = sorted(line for line in named if line.partition("/")[0] in ours and not (ROOT / line).exists())
    assert missing == []


@every_document
def test_tables_say_what_the_code_says(path: Path) -> None:
    text = path.read_text("utf-8")
    assert renewed(text) == text, "python -m docs.tables"


def test_every_table_stands_in_a_document_and_every_row_says_something() -> None:
    texts = "".join(path.read_text("utf-8") for path in DOCUMENTS)
    assert {name for name in TABLES if as_markdown(TABLES[name]()) in texts} == TABLES.keys()
    assert [row for rows in TABLES.values() for row in rows() if not all(row)] == []


def test_every_key_and_setting_has_a_row() -> None:
    keys = {f"`{name}`" for name in dir(settings) if name.startswith("NEWSCORPUS_")}
    assert keys == {row[0] for row in TABLES["settings"]()} - {"setting"}
    tables = {"limits": PortalLimits, "politeness": PolitenessSection, "template": TemplateVersion}
    known = {f"`{field.name}`" for field in fields(Portal) if field.name not in tables}
    known |= {f"`{table}.{field.name}`" for table, kind in tables.items() for field in fields(kind)}
    assert known == {row[0] for row in TABLES["portal"]()} - {"key"}


def test_the_site_has_every_document() -> None:
    named = re.findall(r": ((?:docs/)?[\w-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted({str(path.relative_to(ROOT)) for path in DOCUMENTS})


def test_the_readme_says_what_is_needed_first() -> None:
    lines = code(ROOT / "README.md")
    assert lines[:2] == ["make demo", "make test"]
