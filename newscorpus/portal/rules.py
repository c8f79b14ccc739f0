"""Compile template rules to XPath: CSS selectors, XPath, or the simple forms of Bakić (2012)."""

import re

from cssselect import SelectorError
from lxml import etree, html
from parsel.csstranslator import HTMLTranslator

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
"""Functions and node tests of XPath 1.0, and the operators that may stand before a bracket."""

NO_ELEMENT = re.compile(r"(text\(\)|@[^/\]]+|attribute::[^/]+)$")
"""How an expression ends that selects text or attributes."""


def compile_rules(*rules: str) -> etree.XPath:
    """Compile one expression for what any of `rules` finds, in document order; call it with the root of a page.

    Raises:
        ValueError: a rule is broken or selects no nodes; the message is one line.
    """
    rule = " | ".join(rules)
    expression = " | ".join(map(_to_xpath, rules))
    calls = XPATH_CALL.findall(XPATH_LITERAL.sub("''", expression))
    if unknown := [call for call in calls if not XPATH_CALLABLE.fullmatch(call)]:
        raise ValueError(f"broken rule {rule!r}: XPath 1.0 knows no {unknown[0]}()")
    try:
        compiled = etree.XPath(expression)
        found = compiled(html.document_fromstring("<p>trial</p>"))  # libxml2 finds some faults only on evaluation
    except (etree.XPathError, ValueError) as error:
        raise ValueError(f"broken rule {rule!r}: {error}; a rule is {FORMS}") from error
    if not isinstance(found, list):
        message = f"broken rule {rule!r}: it computes a value, but a rule selects elements, text or attributes"
        raise ValueError(message)  # noqa: TRY004 -- a fault of the rule's text, not of a Python type
    return compiled


def selects_elements(rule: str) -> bool:
    """Whether a rule that can be compiled selects elements, rather than text or attributes."""
    return not NO_ELEMENT.search(_to_xpath(rule))


def _to_xpath(rule: str) -> str:
    """Translate a rule; ValueError for what is not a CSS selector, or an attribute value with both kinds of quotes."""
    if rule.startswith(XPATH_STARTS):
        return rule
    if attribute := ATTRIBUTE_FORM.fullmatch(rule):
        return _attribute_xpath(attribute[1].lower(), attribute[2])
    try:
        return HTMLTranslator().css_to_xpath(rule)
    except SelectorError as error:
        raise ValueError(f"broken rule {rule!r}: {error}; a rule is {FORMS}") from error


def _attribute_xpath(name: str, value: str) -> str:
    if not value:
        return f"descendant-or-self::*[@{name}]"
    quote = "'" if '"' in value else '"'
    if quote in value:
        raise ValueError(f"broken rule {name + '=' + value!r}: the value holds both kinds of quotes")
    return f"descendant-or-self::*[@{name}={quote}{value}{quote}]"
