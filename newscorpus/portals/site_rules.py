"""Turn a site rule of Full-Text RSS (FiveFilters, "Site patterns"; collected in ftr-site-config) into a template."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from newscorpus.errors import PortalError
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.rules import compile_rules, selects_elements
from newscorpus.portals.writing import as_toml, template_table

LINE = re.compile(r"([a-z_]+(?:\(.*?\))?)\s*:\s*(.*)")
KEYS = {
    "title": "title",
    "author": "authors",
    "date": "published",
    "body": "text",
    "strip": "remove",
    "strip_id_or_class": "remove",
}
"""Where the lines of a site rule go in a template; nothing there is like the other kinds of lines."""
TRIALS = ("test_url", "test_contains")
"""Lines for whoever tries the rule; they say nothing about the site."""
CALL = re.compile(r"[a-z-]+\(")
BROKEN = re.compile(r"^broken rule .*[\"']: ")
"""How the compiler's message begins; the line is shown beside it."""


@dataclass(frozen=True, slots=True)
class LineLeftOut:
    """A line of a site rule that has no place in the template made of it."""

    number: int  # in the file, from 1
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class SiteRule:
    """What a site rule comes to."""

    template: TemplateSection
    left_out: tuple[LineLeftOut, ...]  # in the order of the file


def read_site_rule(path: Path) -> SiteRule:
    """Read a file such as `bbc.co.uk.txt`, and make a template of the lines that have a counterpart in one.

    Of several `body` lines one counts where none before it finds anything, as in Full-Text RSS. Comments and trials
    are passed over; every other line that has no counterpart is left out with its reason.

    Raises:
        PortalError: the file cannot be read, or no line of it has a counterpart.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig", "replace").splitlines()
    except OSError as error:
        raise PortalError(f"{path}: cannot be read: {error.strerror}") from error
    rules: defaultdict[str, list[str]] = defaultdict(list)
    left_out: list[LineLeftOut] = []
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith(("#", *TRIALS)):
            continue
        try:
            key, rule = _translate(line)
        except ValueError as error:
            left_out.append(LineLeftOut(number, line, BROKEN.sub("", str(error))))
        else:
            rules[key].append(rule)
    if not rules:
        raise PortalError(f"{path}: no line of it is a rule that a template can hold")
    rules["text"] = list(_first_that_finds(rules["text"]))
    template = TemplateSection(**{key: tuple(dict.fromkeys(found)) for key, found in rules.items()})
    return SiteRule(template, tuple(left_out))


def _translate(line: str) -> tuple[str, str]:
    """Find the key of a template and the rule that a line comes to; ValueError with the reason where there is none."""
    found = LINE.fullmatch(line)
    if not found or not found[2]:
        raise ValueError("not of the form `key: value`")
    if found[1] not in KEYS:
        raise ValueError("a template has nothing like it")
    key, rule = KEYS[found[1]], _named(found[2]) if found[1] == "strip_id_or_class" else _absolute(found[2])
    compile_rules(rule)
    if key in {"text", "remove"} and not selects_elements(rule):
        raise ValueError("it selects no elements")
    return key, rule


def _named(part: str) -> str:
    """The rule for every element with `part` in its id or its classes."""
    quote = "'" if '"' in part else '"'
    return f"//*[contains(@class, {quote}{part}{quote}) or contains(@id, {quote}{part}{quote})]"


def _absolute(xpath: str) -> str:
    """The rule of an XPath expression, which Full-Text RSS reads from the document and not from its root element."""
    if xpath.startswith(("/", "(")):
        return xpath
    if xpath.startswith("./"):
        return xpath[1:]
    return f"({xpath})" if CALL.match(xpath) else f"/{xpath}"


def _first_that_finds(rules: Sequence[str]) -> Iterator[str]:
    """Bind each rule to those before it: it finds something only where they find nothing."""
    for position, rule in enumerate(rules):
        before = " | ".join(rules[:position])
        yield f"({rule})[not({before})]" if before else rule


def as_portal_table(name: str, rule: SiteRule) -> str:
    """Write a site rule as the `[template]` of a portal file, with what was left out as comments.

    Args:
        name: of the file that the rule was read from.
        rule: what it came to.
    """
    comments = [f"From {name}, a site rule of Full-Text RSS."]
    for reason in dict.fromkeys(line.reason for line in rule.left_out):
        comments.append(f"Left out: {reason}")
        comments += [_comment(line) for line in rule.left_out if line.reason == reason]
    return as_toml(comments, template_table(rule.template))


def _comment(line: LineLeftOut) -> str:
    shown = "".join(char if char.isprintable() else " " for char in f"line {line.number}: {line.text}")
    return f"  {shown}"
