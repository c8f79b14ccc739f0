"""Choose the headline among the titles of a page, and strip the site's own name from it."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from newscorpus.data import Evidence
from newscorpus.page.fields.people import squeezed
from newscorpus.tokens import folded_words

SEPARATOR = re.compile(r"\s+[-–—|·•:»›/~]+\s+|\s*[|｜»›]\s*|\s*::\s*|:\s+|--+|\s+<\s+|\s*―\s*|_")
"""What may stand between the headline and the name of site or section."""
VOTES = {
    "template": 100,
    "portal": 100,
    "heading": 12,
    "json-ld": 8,
    "feed": 8,
    "sitemap": 8,
    "microdata": 4,
    "meta": 4,
}
LATER_VOTES = 1
"""Votes of a source for its first title and for a further one, after a grid of weights on the train pages of fundus,
wcxb, misinformation and article_extraction: what a page shows goes before what it writes for search engines."""
SHARED_WORDS = 0.3
"""Share of the shorter title's words that a heading must share with another title; from a grid on fundus and wcxb."""


def site_names(claimed: Iterable[str], host: str) -> frozenset[str]:
    """The site's names, squeezed: those it claims, its host and the longest label of it."""
    bare = host.removeprefix("www.")
    longest_label = max(bare.split(".")[:-1], key=len, default="")
    return frozenset(map(squeezed, (*claimed, bare, host, longest_label))) - {""}


def names_beside(title: str, headlines: Iterable[str]) -> frozenset[str]:
    """The names, squeezed, that `title` holds beside one of `headlines`: as a rule those of site and section."""
    names: list[str] = []
    for headline in filter(None, headlines):
        before, found, after = title.partition(headline)
        if found and not before and SEPARATOR.match(after):
            names += _split(after)[0]
        elif found and not after and not _split(before)[0][-1]:
            names += _split(before)[0]
    return frozenset(map(squeezed, names)) - {""}


def strip_site(title: str, sites: Collection[str], sections: Collection[str] = ()) -> str:
    """`title` without the site's name, and the section beside it, at its end or start; never empty.

    `sites` and `sections` are squeezed names; a section goes only together with the site's name.
    """
    parts, marks = _split(title)
    end, start = len(parts), 0
    for position in range(len(parts) - 1, 0, -1):
        is_section = end < len(parts) and squeezed(parts[position]) in sections
        if not (_names_site(parts[position], sites) or is_section):
            break
        end = position
    while start < end - 1 and _names_site(parts[start], sites):
        start += 1
    kept = zip(parts[start:end], [*marks[start : end - 1], ""], strict=True)
    return "".join(part + mark for part, mark in kept).strip()


def decide_title(titles: Sequence[Evidence], sites: Collection[str], sections: Collection[str] = ()) -> Evidence | None:
    """The title that the sources vote for, the site's name stripped; of equals the one that stands first in `titles`.

    A heading counts only where it shares words with another title: above some articles stands the name of the section.
    """
    stripped = [Evidence(item.field, strip_site(item.value, sites, sections), item.source) for item in titles]
    stripped = [item for item in stripped if squeezed(item.value) not in sites] or stripped[:1]
    plausible = [item for item in stripped if item.source != "heading" or _is_headline(item, stripped)]
    votes: Counter[str] = Counter()
    counted: set[str] = set()
    for item in plausible:
        votes[squeezed(item.value)] += LATER_VOTES if item.source in counted else VOTES.get(item.source, 1)
        counted.add(item.source)
    chosen = max(plausible, key=lambda item: votes[squeezed(item.value)], default=None)
    heading = next((item for item in plausible if item.source == "heading"), None)
    return heading if chosen and heading and _goes_on(heading, chosen) else chosen


def _goes_on(heading: Evidence, chosen: Evidence) -> bool:
    """Whether a title from `<head>` is the heading and then, after a separator, words for search engines."""
    rest = chosen.value.removeprefix(heading.value)
    return chosen.source == "meta" and bool(heading.value) and rest != chosen.value and bool(SEPARATOR.match(rest))


def _is_headline(heading: Evidence, titles: Sequence[Evidence]) -> bool:
    others = [set(folded_words(item.value)) for item in titles if item.source != "heading" and item.value]
    own = set(folded_words(heading.value))
    return not others or any(len(own & other) >= SHARED_WORDS * min(len(own), len(other)) for other in others)


def _split(title: str) -> tuple[list[str], list[str]]:
    """Parts between separators, and the separator that follows each ("" after the last)."""
    pieces = re.split(f"({SEPARATOR.pattern})", title)
    return pieces[::2], [*pieces[1::2], ""]


def _names_site(part: str, sites: Collection[str]) -> bool:
    """Whether `part` is a name of the site, in whole or with a word such as "online" or ".com" beside it."""
    name = squeezed(part)
    return bool(name) and any(
        name == site or (len(site) > 3 and len(name) <= 2 * len(site) and site in name) for site in sites
    )
