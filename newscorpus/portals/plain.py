"""The plain template file of Bakić (2012): one rule a line, in one of three forms.

    element             every element of that name
    attribute=          every element that carries the attribute, whatever its value
    attribute=value     every element whose attribute is exactly that value, to the end of the line

Blank lines are skipped. Names hold letters, digits, "-" and "_". What the rules find is the main text.
"""

import re
from pathlib import Path

from newscorpus.portals.errors import PortalError
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.rules import compile_rule
from newscorpus.portals.template import TemplateRules

LINE = re.compile(r"[A-Za-z0-9_-]+(=.*)?")
FORMS = "element, attribute= or attribute=value; names of letters, digits, '-' and '_'"


def load_plain_template(path: Path) -> TemplateRules:
    """Read a plain template file; the template is named after it.

    Raises:
        PortalError: the file cannot be read, holds no rule, or a line is none of the three forms.
    """
    try:
        lines = path.read_text("utf-8-sig").split("\n")
    except OSError as error:
        raise PortalError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PortalError(f"{path}: not UTF-8: {error}") from error
    rules = tuple(_rule(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip())
    if not rules:
        raise PortalError(f"{path}: no rule in it; a line is {FORMS}")
    return TemplateRules(path.stem, TemplateSection(text=rules))


def _rule(line: str, where: str) -> str:
    if not LINE.fullmatch(line):
        raise PortalError(f"{where}: {line!r} is none of the forms {FORMS}")
    try:
        compile_rule(line)
    except ValueError as error:
        raise PortalError(f"{where}: {error}") from error
    return line
