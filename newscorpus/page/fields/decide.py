"""Decide which candidate of each field stands in the record."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from newscorpus.data import Evidence
from newscorpus.page.fields.people import authors_and_agencies, is_account, squeezed
from newscorpus.page.fields.titles import decide_title

TRUST = (
    "template", "portal", "json-ld", "microdata", "meta", "sitemap", "feed", "text", "time-tag", "heading", "learned",
    "url",
)  # fmt: skip
"""Sources, the most trusted first: a portal's own rules, then what sites write for machines, then what people see."""
RANKS = {source: rank for rank, source in enumerate(TRUST)}

LANGUAGE_TAG = re.compile(r"^([a-z]{2,3})(?:[-_][a-z0-9_-]*)?$", re.IGNORECASE)
LANGUAGE_NAMES = {
    "english": "en", "german": "de", "deutsch": "de", "french": "fr", "français": "fr", "spanish": "es",
    "español": "es", "italian": "it", "italiano": "it", "portuguese": "pt", "português": "pt", "russian": "ru",
    "русский": "ru", "ukrainian": "uk", "українська": "uk", "polish": "pl", "polski": "pl", "czech": "cs",
    "čeština": "cs", "slovak": "sk", "slovenčina": "sk", "slovenian": "sl", "slovene": "sl", "slovenščina": "sl",
    "croatian": "hr", "hrvatski": "hr", "serbian": "sr", "srpski": "sr", "српски": "sr", "bosnian": "bs",
    "bulgarian": "bg", "greek": "el", "turkish": "tr",
}  # fmt: skip
SLIPS = {
    "cz": "cs", "gr": "el", "ua": "uk", "jp": "ja", "kr": "ko", "cn": "zh", "sp": "es", "ger": "de", "deu": "de",
    "eng": "en",
}  # fmt: skip
"""Country codes and older codes that pages write for the language."""
NO_LANGUAGE = frozenset({"und", "mul", "zxx", "all", "xx"})

SECTION_EXTRAS = re.compile(r"^\d{1,2}-(?=[^\W\d_]{4})|(?:^|\s*[-–—|]\s*)(?:https?://|www\.)[\w.-]+\.[a-z]{2,}/?$")
"""What systems write about a section: "3-Clanky - www.denik.cz"."""

MAX_TITLE = 300
"""Longest title, in characters; what is longer is text of an unclosed element. The longest gold title has 186."""
AMERICAN = frozenset({"us", "ph"})
"""Regions that write the month first."""
AMERICAN_DOMAINS = frozenset(["", *"com org net edu gov mil us info biz tv news io blog ph".split()])
"""Top-level domains, national ones aside, under which English pages write the month first."""


def of_field(field: str, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The candidates for `field`, by trust in their source; within a source in the order in which it gave them."""
    return tuple(sorted([item for item in evidence if item.field == field], key=lambda item: RANKS[item.source]))


def of_best_source(candidates: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """The candidates that share the source of the first one."""
    return tuple(item for item in candidates if item.source == candidates[0].source)


@dataclass(frozen=True, slots=True)
class Decided:
    """The value of a field and the source it came from; both empty where there is none."""

    value: str = ""
    source: str = ""


def decide_plain(field: str, evidence: Sequence[Evidence]) -> Decided:
    """The value of the most trusted source."""
    return next((Decided(item.value, item.source) for item in of_field(field, evidence)), Decided())


def decide_headline(evidence: Sequence[Evidence], sites: Collection[str]) -> Decided:
    """The headline, the site's name stripped; what a template gives stands as it is."""
    titles = of_field("title", evidence)
    if titles and titles[0].source == "template":
        return Decided(titles[0].value, "template")
    descriptions = {item.value for item in of_field("description", evidence)}
    titles = tuple(item for item in titles if len(item.value) <= MAX_TITLE and item.value not in descriptions) or titles
    chosen = decide_title(titles, sites, {squeezed(item.value) for item in of_field("section", evidence)})
    return Decided(chosen.value, chosen.source) if chosen and chosen.value else Decided()


def decide_section(evidence: Sequence[Evidence]) -> Decided:
    """The section of the most trusted source that names one, without the number and the site's address beside it."""
    found = (Decided(SECTION_EXTRAS.sub("", item.value).strip(), item.source) for item in of_field("section", evidence))
    return next((section for section in found if section.value), Decided())


def decide_people(
    evidence: Sequence[Evidence], sites: Collection[str]
) -> tuple[Decided, tuple[str, ...], tuple[str, ...]]:
    """Authors, agencies and the source: the most trusted one that names anybody beside the site itself.

    A source that names user accounts alone comes after all others. A line that names all of the authors and more is
    taken in their place: feeds and metadata often have room for one.
    """
    candidates = of_field("authors", evidence)
    accounts: tuple[Decided, tuple[str, ...], tuple[str, ...]] = (Decided(), (), ())
    while candidates:
        best = of_best_source(candidates)
        authors, agencies = authors_and_agencies((item.value for item in best), sites)
        found = Decided("authors", best[0].source), authors, agencies
        if agencies or not all(map(is_account, authors)):
            return found if best[0].source == "template" else _completed(found, candidates[len(best) :], sites)
        accounts = found if authors and not accounts[1] else accounts
        candidates = candidates[len(best) :]
    return accounts


def _completed(
    found: tuple[Decided, tuple[str, ...], tuple[str, ...]], others: Iterable[Evidence], sites: Collection[str]
) -> tuple[Decided, tuple[str, ...], tuple[str, ...]]:
    """The authors found, or those of the first value that names these and more."""
    known = {squeezed(name) for name in found[1]}
    for item in others if known and not found[2] else ():
        authors, agencies = authors_and_agencies((item.value,), sites)
        if known < {squeezed(name) for name in authors} and not agencies:
            return Decided("authors", item.source), authors, agencies
    return found


def decide_tags(evidence: Sequence[Evidence], section: str) -> tuple[Decided, tuple[str, ...]]:
    """Key words of the most trusted source, each once; where one of their lists has semicolons, these part it.

    Feeds mix sections and tags: what the page names itself comes first, and the sections are left out.
    """
    candidates = of_field("tags", evidence)
    shown = tuple(item for item in candidates if item.source not in {"feed", "sitemap"})
    if not (candidates := shown or candidates):
        return Decided(), ()
    best = of_best_source(candidates)
    tags = dict.fromkeys(tag for item in best for part in _listed(item.value) if (tag := part.strip(" #\"'")))
    if best[0].source == "feed":
        sections = {squeezed(item.value) for item in of_field("section", evidence)} | {squeezed(section)}
        tags = dict.fromkeys(tag for tag in tags if squeezed(tag) not in sections)
    return Decided("tags" if tags else "", best[0].source if tags else ""), tuple(tags)


def _listed(value: str) -> list[str]:
    return value.split(";" if ";" in value else ",")


def decide_language(evidence: Sequence[Evidence]) -> Decided:
    """The language that most declarations name, of equals the one named first."""
    tags = [(tag, item.source) for item in of_field("language", evidence) if (tag := primary_tag(item.value))]
    if {"nb", "nn"} & {tag for tag, _ in tags}:  # the written forms of "no", which names no other language
        tags = [(tag, source) for tag, source in tags if tag != "no"]
    counts = Counter(tag for tag, _ in tags)
    most = max(counts, key=counts.__getitem__, default="")
    return next((Decided(tag, source) for tag, source in tags if tag == most), Decided())


@lru_cache(1_024)  # of languages there are few
def primary_tag(value: str) -> str:
    """The primary tag of a declared language: "sr" of "sr-Latn-RS", "de" of "German"; "" where it is none."""
    text = value.strip().lower()
    if text in LANGUAGE_NAMES:
        return LANGUAGE_NAMES[text]
    match = LANGUAGE_TAG.match(text)
    code = match[1] if match else ""
    return "" if code in NO_LANGUAGE else SLIPS.get(code, code)


def month_first(evidence: Sequence[Evidence], language: str, url: str) -> bool:
    """Whether the page writes 2/3/2024 for the third of February: English, and nothing says that it is not American."""
    regions = {item.value.strip().lower().replace("_", "-") for item in of_field("language", evidence)}
    host = urlsplit(url).hostname or ""
    if language != "en" or any(region.startswith("en-") and region[3:5] not in AMERICAN for region in regions):
        return False
    return host.rpartition(".")[2] in AMERICAN_DOMAINS
