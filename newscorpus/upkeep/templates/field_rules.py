"""Find the rules of a template that give title, authors, dates, section and tags of pages whose articles are known."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from newscorpus.extraction.fields.dates import parse_date
from newscorpus.extraction.fields.people import names_in, squeezed
from newscorpus.portals.portal import NO_RULES, TemplateSection
from newscorpus.portals.template import TemplateRules
from newscorpus.tokens import collapse
from newscorpus.upkeep.templates.lessons import Lesson
from newscorpus.upkeep.templates.selectors import TAG, TELLING, places_of, rules_of

SURE = 0.9
"""Share of the values of a rule that must be the known ones, where there are known ones."""
LEAST_RIGHT, LEAST_SHARE = 3, 0.3
"""Fewest pages on which a rule is right, and their share of those on which the value is known; the share is that of all
such pages for a rule that stands in where the ones before it find nothing."""
MOST_INSIDE = 30
"""Nodes in an element that shows the value of a field; what has more is a part of the page."""
MOST_TRIED = 80
ATTRIBUTES = ("content", "datetime")
"""Attributes in which values stand."""
CACHED = 10_000

Values = tuple[str, ...]
Rules = tuple[str, ...]


def _words(values: Iterable[str]) -> frozenset[str]:
    return frozenset(filter(None, map(squeezed, values)))


def _day(values: Iterable[str]) -> frozenset[str]:
    first = next(iter(values), "")
    return frozenset(filter(None, [parse_date(first)[:10]]))


def _names(values: Iterable[str]) -> frozenset[str]:
    return _words(name for value in values for name in names_in(value))


def _first(values: Iterable[str]) -> frozenset[str]:
    return _words([*values][:1])


def _parts(values: Iterable[str]) -> frozenset[str]:
    return _words(part for value in values for part in value.split(","))


READ: Final[Mapping[str, Callable[[Iterable[str]], frozenset[str]]]] = {
    "title": _first,
    "authors": _names,
    "published": _day,
    "modified": _day,
    "section": _first,
    "tags": _parts,
}
"""The fields that rules are found for, each with what its values come to when they are compared."""


def find_field_rules(lessons: Sequence[Lesson], before: TemplateSection = NO_RULES) -> dict[str, Rules]:
    """Find rules for each field; none where the field is hardly ever known, or nothing shows it on most pages.

    Args:
        lessons: pages of one design.
        before: rules that stay where they are right still.
    """
    found = {field: _find(field, lessons, getattr(before, field)) for field in READ}
    is_same = set(found["modified"]) & set(found["published"])  # the day of both is mostly one
    return found | ({"modified": ()} if is_same else {})


def _find(field: str, lessons: Sequence[Lesson], before: Rules) -> Rules:
    known = [lesson for lesson in lessons if READ[field](lesson.values(field))]
    if kept := _chosen(field, lessons, known, before):
        return kept
    named = _chosen(field, lessons, known, _candidates(field, known, rules_of))
    return named or _chosen(field, lessons, known, _candidates(field, known, places_of))


def _chosen(field: str, lessons: Sequence[Lesson], known: Sequence[Lesson], candidates: Sequence[str]) -> Rules:
    """Take the rule that is right most often, then those that stand in for it."""
    chosen: Rules = ()
    left = list(lessons)
    while True:
        trials = [_tried(field, rule, left) for rule in candidates]
        good = [one for one in trials if one.is_good(len(known))]
        if not good:
            return chosen
        best = max(good, key=_TriedField.rank)
        chosen = (*chosen, best.rule)
        left = [lesson for lesson in left if not _read(field, best.rule, lesson)]


@dataclass(frozen=True, slots=True)
class _TriedField:
    """How a rule did on pages, counted where the value is known."""

    rule: str
    right: int
    wrong: int
    length: int  # characters of all that it finds

    def rank(self) -> tuple[int, bool, int, bool, int, str]:
        """Order rules, the best last: right most often, of what is shown, saying little else, by a name of its own."""
        last = self.rule.rpartition(" ")[2].partition("::")[0]
        is_named = last in TELLING or not last.isalnum()
        is_shown = "::attr" not in self.rule
        return self.right - self.wrong, is_shown, -self.length, is_named, -len(self.rule), self.rule

    def is_good(self, known: int) -> bool:
        """Whether it is right often enough."""
        is_frequent = self.right >= max(LEAST_RIGHT, LEAST_SHARE * known)
        return is_frequent and self.right >= SURE * (self.right + self.wrong)


def _tried(field: str, rule: str, lessons: Sequence[Lesson]) -> _TriedField:
    read = READ[field]
    pairs = [(read(lesson.values(field)), _read(field, rule, lesson)) for lesson in lessons]
    verdicts = [known == read(found) for known, found in pairs if known and found]
    return _TriedField(
        rule,
        sum(verdicts),
        len(verdicts) - sum(verdicts),
        sum(map(len, (value for _, found in pairs for value in found))),
    )


def _read(field: str, rule: str, lesson: Lesson) -> Values:
    return tuple(one.value for one in _rules(field, rule).read_fields(lesson.tree))


@lru_cache(CACHED)
def _rules(field: str, rule: str) -> TemplateRules:
    return TemplateRules("", TemplateSection(**{field: (rule,)}))


def _candidates(field: str, lessons: Sequence[Lesson], names: Callable[[Any], Iterable[str]]) -> list[str]:
    """Rules for what shows a value of the field on some page; those of most pages first."""
    pages: Counter[str] = Counter()
    for lesson in lessons:
        known = READ[field](lesson.values(field))
        pages.update({rule for node, part in _showing(field, lesson, known) for rule in _named(node, part, names)})
    return [rule for rule, _ in sorted(pages.items(), key=lambda item: (-item[1], item[0]))[:MOST_TRIED]]


def _showing(field: str, lesson: Lesson, known: frozenset[str]) -> Iterator[tuple[Any, str]]:
    """The elements that show a value, each with the attribute that holds it; "" for its text."""
    for number, node in enumerate(lesson.nodes):
        if isinstance(node.tag, str) and lesson.ends[number] - number <= MOST_INSIDE:
            texts = {name: node.get(name) or "" for name in ATTRIBUTES} | {"": collapse(node.text_content())}
            yield from (
                (node, part)
                for part, text in texts.items()
                if text and "://" not in text and READ[field]([text]) & known
            )


def _named(node: Any, part: str, names: Callable[[Any], Iterable[str]]) -> Iterator[str]:
    """Rules for an element, by itself or inside the elements around it."""
    end = f"::attr({part})" if part else ""
    around = (node.getparent(), *(node.iterancestors() if node.getparent() is not None else ()))[1:3]
    for rule in names(node):
        yield f"{rule}/@{part}" if part and rule.startswith("/") else rule + end
        if not rule.startswith("/"):
            yield from (f"{outer} {rule}{end}" for one in around for outer in names(one))
    for one in around if TAG.fullmatch(node.tag) else ():
        yield from (f"{outer} {node.tag}{end}" for outer in names(one) if not outer.startswith("/"))
