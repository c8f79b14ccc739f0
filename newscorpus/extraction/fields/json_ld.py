"""JSON-LD of a page as plain dictionaries, broken JSON repaired where it can be."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

Node = Mapping[str, object]
"""One entity: its keys as written; values are scalars, lists and further nodes."""

MAX_CHARACTERS = 2_000_000
"""Longest script that is parsed; the longest of 1,594 in our sets has 840,919 characters."""
MAX_NODES = 1_000
"""Most entities that are looked at."""
MAX_DEPTH = 8
"""Levels of lists, `@graph` and `mainEntity` that are opened (a choice; a list that holds a graph takes three)."""

WRAPPINGS = (("<!--", "-->"), ("//<![CDATA[", "//]]>"), ("/*<![CDATA[*/", "/*]]>*/"), ("<![CDATA[", "]]>"), ("", ";"))
"""What pages put around a script's text for old browsers."""
TRAILING_COMMA = re.compile(r",(\s*[}\]])")
LEADING_COMMA = re.compile(r"([{\[])\s*,")
MISSING_COMMA = re.compile(r'(["}\]\d])[ \t]*\n(\s*")')
LINE_COMMENT = re.compile(r"^[ \t]*+//[^\n]*", re.MULTILINE)
BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])')
PAIR = re.compile(
    r'"(headline|datePublished|dateModified|articleSection|inLanguage)"\s*:\s*"((?:[^"\\\n]|\\.){1,500})"(?=\s*[,}\n])'
)
TYPE = re.compile(r'"@type"\s*:\s*"(\w*(?:Article|Posting))"')


def read_json_ld(scripts: Iterable[str]) -> tuple[Node, ...]:
    """The entities at the top of the scripts, in document order; lists, `@graph` and `mainEntity` are opened."""
    nodes: list[Node] = []
    for script in scripts:
        if len(script) <= MAX_CHARACTERS:
            nodes.extend(_entities(parse(script), MAX_NODES - len(nodes)))
    return tuple(nodes)


def parse(text: str) -> object:
    """The value that `text` holds, a list where it holds several; None where it holds nothing. Never raises."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        return None
    except msgspec.DecodeError:
        return _parse_leniently(_unwrapped(text))


def _unwrapped(text: str) -> str:
    for start, end in WRAPPINGS:
        text = text.strip().removeprefix(start).removesuffix(end)
    return text


def _parse_leniently(text: str) -> object:
    """Values one after another, control characters allowed; then with the usual slips repaired; then by pairs alone."""
    for candidate in (text, _repair(text)):
        try:
            return list(_decode_each(candidate))
        except (ValueError, RecursionError):
            continue
    return _pairs(text)


def _decode_each(text: str) -> Iterator[object]:
    decoder = json.JSONDecoder(strict=False)
    position = _next_value(text, 0)
    while position < len(text):
        value, position = decoder.raw_decode(text, position)
        yield value
        position = _next_value(text, position)


def _next_value(text: str, position: int) -> int:
    """Where the next value starts: closing brackets too many, commas and semicolons are passed over."""
    while position < len(text) and (text[position].isspace() or text[position] in "}],;\ufeff"):
        position += 1
    return position


def _repair(text: str) -> str:
    text = LINE_COMMENT.sub("", text)
    text = BAD_ESCAPE.sub(r"\\\\", text)
    text = LEADING_COMMA.sub(r"\1", TRAILING_COMMA.sub(r"\1", text))
    return MISSING_COMMA.sub(r"\1,\n\2", text)


def _pairs(text: str) -> object:
    """What can be saved of a script that is no JSON: the first value of each plain key, if it speaks of an article."""
    kind = TYPE.search(text)
    if not kind:
        return None
    node: dict[str, object] = {}
    for key, value in PAIR.findall(text):
        node.setdefault(key, value.replace('\\"', '"').replace("\\/", "/"))
    return {"@type": kind[1], **node}


def _entities(value: object, limit: int) -> Iterator[Node]:
    """Entities of a parsed script, breadth bounded by `limit`, depth by MAX_DEPTH."""
    stack: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while stack and seen < limit:
        here, depth = stack.pop()
        if isinstance(here, dict):
            seen += 1
            yield here
        if depth < MAX_DEPTH:
            stack.extend((inner, depth + 1) for inner in reversed(_inner(here)[:MAX_NODES]))


def _inner(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        graph = value.get("@graph")
        return [*(graph if isinstance(graph, list) else [graph]), value.get("mainEntity")]
    return []
