"""Find, read, check and write portal files; docs/portals.md explains every key.

Template rules are CSS selectors, XPath or the simple forms of Bakić (2012), and compiled to XPath. Language codes are
checked against ISO 639, by Babel's CLDR.
"""

import dataclasses
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import SplitResult, urlsplit, urlunsplit

import regex
import tomlkit
from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages
from cssselect import SelectorError
from lxml import etree, html
from parsel.csstranslator import HTMLTranslator
from tomlkit.items import String

from newscorpus.config import Part, Revision
from newscorpus.errors import PortalError
from newscorpus.files import replace_file
from newscorpus.portal.access import check_access
from newscorpus.portal.portal import (
    NAME,
    Portal,
    TemplateSection,
    TemplateVersion,
    archive_page,
    read_quiet_hours,
)
from newscorpus.resources import data_folder, near_or_all, project_folder, read_config, read_text
from newscorpus.urls import is_web

WEB_ADDRESS = "an address that begins with http:// or https://, such as 'https://www.vesti.example/'"
EXPECTED = {
    "name": "a name of a-z, 0-9 and '-'",
    "domains": "a host name in lower case, without scheme, port and path, such as 'vesti.example'",
    **dict.fromkeys(("start", "feeds", "sitemaps"), WEB_ADDRESS),
    "leave_out": ", ".join(Part),
}
"""Descriptions of values that `Portal` checks by a regular expression or an enumeration."""

NO_ELEMENT_STEP = re.compile(r"(::text|::attr\([^)]*\)|/{1,2}(text\(\)|@[\w:-]+|attribute::[\w:-]+))$")
"""The end of a rule that selects text or an attribute of an element."""

PLAIN_RULE = re.compile(r"[A-Za-z0-9_-]+(=.*)?")
PLAIN_FORMS = "element, attribute= or attribute=value; names of letters, digits, '-' and '_'"
NOT_PLAIN = "CSS and XPath go into `template` of a portal file"
FORMS = "a CSS selector, an XPath (starts with '/', './' or '('), element, attribute= or attribute=value"
ATTRIBUTE_FORM = re.compile(r"([A-Za-z0-9_-]+)=(.*)", re.DOTALL)
XPATH_STARTS = ("/", "./", "(")
XPATH_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")
XPATH_CALL = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]*)\s*\(")
XPATH_CALLABLE = re.compile(
    "last|position|count|id|local-name|namespace-uri|name|string|concat|starts-with|contains|substring-before"
    "|substring-after|substring|string-length|normalize-space|translate|boolean|not|true|false|lang|number|sum"
    "|floor|ceiling|round|comment|text|processing-instruction|node|and|or|div|mod"
)
"""Functions and node tests of XPath 1.0, and operators that may precede a bracket."""

NO_ELEMENT = re.compile(r"(text\(\)|@[^/\]]+|attribute::[^/]+)$")
"""The end of an XPath that selects text or attributes."""

NO_LANGUAGE = frozenset({"mul", "root", "und", "zxx"})
"""Codes for no language, or several."""
WITHDRAWN = frozenset({"in", "iw", "ji", "jw", "mo"})
"""Codes of two letters that ISO 639 has replaced."""
UNLISTED = frozenset({"abq", "fat", "sh", "sjo", "tw"})
"""Languages with newspapers, and a code, for which CLDR states no script or country: Abaza, Xibe, Twi."""

ADDRESS = re.compile(r"https?://|[\w-]+(\.[\w-]+)+(/|$)", re.IGNORECASE)
"""The beginning of an address, perhaps without its scheme."""


def load_portal(name_or_path: str | Path) -> Portal:
    """Read a portal by name, or from a file (a `Path`, or text with "/" or ending in ".toml").

    A name is searched in the folder `portals` of the current Scrapy project (or the current folder), then among the
    bundled portals.

    Raises:
        PortalError: there is no such portal, or its file is invalid; the message names file and key.
    """
    path = find_file(name_or_path)
    return read_portal(read_text(path, PortalError), path)


def read_portal(text: str, path: Path) -> Portal:
    """Read the text of a portal file; `path` is used in messages, and for the name.

    Raises:
        PortalError: the text is invalid, as in `load_portal`.
    """
    portal = read_config(path, Portal, text, PortalError, EXPECTED)
    if portal.template_file:
        template = portal.template or TemplateVersion()
        if isinstance(template, tuple) or template.text:
            why = "[template] has rules for `text` already, or several versions; write the rules there"
            raise PortalError(f"{path}: template_file: {why}")
        with _faults_of(f"{path}: template_file: "):
            rules = read_plain_rules(path.parent / portal.template_file)
        portal = dataclasses.replace(portal, template=dataclasses.replace(template, text=rules))
    _check_values(portal, path)
    return portal


def list_portals() -> list[str]:
    """Return the names of all portals that `load_portal` finds, sorted."""
    return sorted({path.stem for folder in _folders() for path in folder.glob("*.toml")})


def own_portals() -> list[str]:
    """Return the names of the user's own portals, without those that ship with newscorpus, sorted.

    Raises:
        PortalError: there are none.
    """
    folder = _folders()[0]
    if names := sorted(path.stem for path in folder.glob("*.toml")):
        return names
    raise PortalError(
        f"no portal in {folder}; newscorpus portal add ADDRESS makes one, portal find LANGUAGE lists sites"
    )


def readable_portals() -> list[Portal]:
    """Load the portals with valid files."""
    found = []
    for name in list_portals():
        with suppress(PortalError):
            found.append(load_portal(name))
    return found


def with_base(portal: Portal, base_url: str) -> Portal:
    """Return `portal` with the scheme, host and port of `base_url` in all its addresses, and its host as the domain.

    Raises:
        PortalError: `base_url` is not an http or https address.
    """
    try:
        base = urlsplit(base_url)
        host, _ = base.hostname, base.port
    except ValueError as error:
        raise PortalError(f"base {base_url!r}: {error}") from error
    if base.scheme not in {"http", "https"} or not host:
        raise PortalError(f"base {base_url!r}: expected http://HOST[:PORT] or https://HOST[:PORT]")
    start, feeds, sitemaps = (
        tuple(_moved(url, base) for url in urls) for urls in (portal.start, portal.feeds, portal.sitemaps)
    )
    archive = _moved(portal.archive, base) if portal.archive else ""
    return dataclasses.replace(portal, domains=(host,), start=start, feeds=feeds, sitemaps=sitemaps, archive=archive)


def _moved(url: str, base: SplitResult) -> str:
    return urlunsplit(urlsplit(url)._replace(scheme=base.scheme, netloc=base.netloc))


def _folders() -> tuple[Path, Path]:
    return (project_folder() or Path.cwd()) / "portals", data_folder("portals")


def find_file(name_or_path: str | Path) -> Path:
    """Find the file of a portal; arguments as for `load_portal`.

    Raises:
        PortalError: there is no portal of that name.
    """
    if isinstance(name_or_path, Path) or name_or_path.endswith(".toml"):
        return Path(name_or_path)
    if ADDRESS.match(name_or_path):
        address = name_or_path if is_web(name_or_path) else f"https://{name_or_path}"
        raise PortalError(f"{name_or_path}: not the name of a portal; newscorpus portal add {address} makes one")
    if "/" in name_or_path:
        return Path(name_or_path)
    _check_name(name_or_path)
    for folder in _folders():
        if (path := folder / f"{name_or_path}.toml").is_file():
            return path
    hint = near_or_all(name_or_path, list_portals())
    raise PortalError(f"no portal {name_or_path!r}; `newscorpus portal add ADDRESS` makes one; {hint}")


def own_portal_file(name: str) -> Path:
    """Return the path of the user's own file of a portal, which may not exist.

    Raises:
        PortalError: the name is invalid.
    """
    _check_name(name)
    return _folders()[0] / f"{name}.toml"


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise PortalError(f"portal {name!r}: a name holds only a-z, 0-9 and '-'")


def _check_values(portal: Portal, path: Path) -> None:
    if portal.name != path.stem:
        raise PortalError(f"{path}: name: {portal.name!r} is not the file's name, {path.stem!r}")
    for position, code in enumerate(portal.languages):
        with _faults_of(f"{path}: languages[{position}]: "):
            check_language(code)
    for key in ("articles", "sections", "ignore"):
        for position, pattern in enumerate(getattr(portal, key)):
            try:
                regex.compile(pattern)
            except regex.error as error:
                where = f"{path}: {key}[{position}]"
                raise PortalError(f"{where}: broken regular expression {pattern!r}: {error}") from error
    for position, url in enumerate(portal.start):
        if not portal.covers(url):
            raise PortalError(f"{path}: start[{position}]: {url!r} lies outside domains")
    with _faults_of(f"{path}: politeness."):
        read_quiet_hours(portal.politeness)
    with _faults_of(f"{path}: "):
        Revision(portal.post_analysis, portal.upper, portal.lower).checked()
        check_access(portal)
    with _faults_of(f"{path}: archive: "):
        page = archive_page(portal.archive, date(2000, 1, 1)) if portal.archive else portal.start[0]
    if not portal.covers(page):
        raise PortalError(f"{path}: archive: {page!r} lies outside domains")
    _check_templates(portal, path)


def _check_templates(portal: Portal, path: Path) -> None:
    """Check the rules of a template, and that each version has some day and no two have the same."""
    is_numbered = isinstance(portal.template, tuple)
    named = {f"template[{n}]" if is_numbered else "template": one for n, one in enumerate(portal.templates)}
    for place, version in named.items():
        if version.since and version.until and version.since >= version.until:
            days = f"since {version.since} is not before {version.until}"
            raise PortalError(f"{path}: {place}: it holds on no day, {days}")
    ordered = sorted(named.items(), key=lambda item: (item[1].since or date.min, item[0]))
    for (place, version), (later_place, later) in pairwise(ordered):
        if later.since is None or version.holds_on(later.since):
            day = f"on {later.since}" if later.since else "from the beginning"
            why = f"{place} and {later_place} overlap: both hold {day}; `until` is the day after the last"
            raise PortalError(f"{path}: {why}")
    keys = ((place, version, name) for place, version in named.items() for name in TemplateSection.__slots__)
    for place, version, name in keys:
        for position, rule in enumerate(getattr(version, name)):
            with _faults_of(f"{path}: {place}.{name}[{position}]: "):
                compile_rules(rule)
                if name in {"remove", "text"} and not selects_elements(rule):
                    why = (
                        "only elements can be removed" if name == "remove" else "of elements whole paragraphs are taken"
                    )
                    hint = f"; write {element!r}" if (element := NO_ELEMENT_STEP.sub("", rule)) else ""
                    raise ValueError(f"{rule!r} selects no elements, and {why}{hint}")


@contextmanager
def _faults_of(where: str) -> Iterator[None]:
    """Raise ValueErrors as PortalErrors with the place of the fault."""
    try:
        yield
    except ValueError as error:
        raise PortalError(f"{where}{error}") from error


def read_plain_rules(path: Path) -> tuple[str, ...]:
    """Read a plain template file (Bakić 2012): rules for the main text, one per line.

    A line is `element` (every element of that name), `attribute=` (every element that carries the attribute) or
    `attribute=value` (every element whose attribute is exactly that value, to the end of the line). Names hold
    letters, digits, "-" and "_". Blank lines are skipped.

    Raises:
        PortalError: the file cannot be read, holds no rule, or a line is none of the three forms.
    """
    rules = []
    for number, line in enumerate(read_text(path, PortalError).split("\n"), 1):
        if line.strip() and not PLAIN_RULE.fullmatch(line):
            raise PortalError(f"{path}, line {number}: {line!r} is none of the forms {PLAIN_FORMS}; {NOT_PLAIN}")
        if line.strip():
            with _faults_of(f"{path}, line {number}: "):
                compile_rules(line)
            rules.append(line)
    if not rules:
        raise PortalError(f"{path}: no rule in it; a line is {PLAIN_FORMS}")
    return tuple(rules)


def compile_rules(*rules: str) -> etree.XPath:
    """Compile an expression that finds the matches of all `rules` in document order, given the root of a page.

    Raises:
        ValueError: a rule is broken or does not select nodes; the message is one line.
    """
    rule = " | ".join(rules)
    expression = " | ".join(map(_to_xpath, rules))
    calls = XPATH_CALL.findall(XPATH_LITERAL.sub("''", expression))
    if unknown := [call for call in calls if not XPATH_CALLABLE.fullmatch(call)]:
        raise ValueError(f"broken rule {rule!r}: XPath 1.0 knows no {unknown[0]}()")
    try:
        compiled = etree.XPath(expression)
        found = compiled(html.document_fromstring("<p>trial</p>"))  # libxml2 reports some errors only on evaluation
    except (etree.XPathError, ValueError) as error:
        raise ValueError(f"broken rule {rule!r}: {error}; a rule is {FORMS}") from error
    if not isinstance(found, list):
        message = f"broken rule {rule!r}: it computes a value, but a rule selects elements, text or attributes"
        raise ValueError(message)  # noqa: TRY004 -- a fault of the rule's text, not of a Python type
    return compiled


def selects_elements(rule: str) -> bool:
    """Whether a valid rule selects elements, not text or attributes."""
    return not NO_ELEMENT.search(_to_xpath(rule))


def _to_xpath(rule: str) -> str:
    """Translate a rule to XPath; ValueError for an invalid CSS selector, or a value with both kinds of quotes."""
    if rule.startswith(XPATH_STARTS):
        return rule
    if attribute := ATTRIBUTE_FORM.fullmatch(rule):
        name, value = attribute[1].lower(), attribute[2]
        quote = "'" if '"' in value else '"'
        if quote in value:
            raise ValueError(f"broken rule {name + '=' + value!r}: the value holds both kinds of quotes")
        return f"descendant-or-self::*[@{name}={quote}{value}{quote}]" if value else f"descendant-or-self::*[@{name}]"
    try:
        return HTMLTranslator().css_to_xpath(rule)
    except SelectorError as error:
        raise ValueError(f"broken rule {rule!r}: {error}; a rule is {FORMS}") from error


def check_language(code: str) -> None:
    """Check that `code` is a language: two letters (ISO 639-1), or three (639-3) where no two exist.

    A country code that is also a language code (si: Sinhala, se: Northern Sami) passes.

    Raises:
        ValueError: it is not; the message suggests the probable code.
    """
    if code not in language_codes():
        tag = code.strip().lower().replace("_", "-").partition("-")[0]
        names = {name.lower(): known for known, name in Locale("en").languages.items()}
        official = get_official_languages(tag.upper(), de_facto=True)
        guesses = (tag, get_global("language_aliases").get(tag, ""), *official[:1], names.get(tag, ""))
        meant = next((guess for one in guesses if (guess := one.partition("_")[0]) in language_codes()), "")
        hint = f"did you mean {meant!r}?" if meant else "expected two or three letters, such as 'cs' or 'hsb'"
        raise ValueError(f"{code!r} is no language of ISO 639; {hint}")


@cache
def language_codes() -> frozenset[str]:
    """Return the codes of ISO 639 that name a language."""
    likely = (tag.partition("_")[0] for tag in get_global("likely_subtags"))
    members = (code for code, whole in get_global("language_aliases").items() if len(code) == 3 and len(whole) != 2)
    return frozenset(code for code in (*likely, *members) if len(code) in {2, 3}) - NO_LANGUAGE - WITHDRAWN | UNLISTED


def set_extractor(name: str, extractor: str) -> Path:
    """Write the extractor of a portal into the user's own file, and return its path.

    For a bundled portal, the file is created in the user's folder `portals`, which takes precedence.

    Raises:
        PortalError: there is no such portal, or its file is invalid.
        OSError: the file cannot be written.
    """
    path, portal = find_file(name), load_portal(name)
    document = tomlkit.parse(path.read_text("utf-8"))
    document["extractor"] = string_item(extractor)
    text, target = tomlkit.dumps(document), own_portal_file(portal.name)
    read_portal(text, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, text.encode())
    return target


def string_item(text: str) -> String:
    """Return a TOML string in single quotes, in which backslashes stay as they are, if possible."""
    return tomlkit.string(text, literal="'" not in text and text.isprintable())
