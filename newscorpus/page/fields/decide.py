"""Choose among the candidates for each field of the record.

The sources vote for the title, from which the site's name is then stripped, and for the days of publication and last
change.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from functools import lru_cache
from math import ceil, floor
from urllib.parse import unquote, urlsplit

from babel.core import get_global

from newscorpus.data import STATED, Evidence
from newscorpus.page.fields.dates import Setting, parse_date
from newscorpus.page.fields.markup import Markup
from newscorpus.page.fields.people import authors_and_agencies, is_vague, squeezed
from newscorpus.page.fields.terms import GENERIC
from newscorpus.portal.schema import language_codes
from newscorpus.resources import read_toml
from newscorpus.tokens import fold, folded_words

TRUST = (
    "template", "portal", "json-ld", "microdata", "meta", "sitemap", "feed", "text", "time-tag", "heading", "learned",
    "url",
)  # fmt: skip
"""Sources, most trusted first: a portal's own rules, then machine-readable data, then visible text."""
RANKS = {source: rank for rank, source in enumerate(TRUST)}
NOTHING = Evidence("", "", "")
"""The decision on a field without candidates."""

LANGUAGE_TAG = re.compile(r"^([a-z]{2,3})(?:[-_][a-z0-9_-]*)?$", re.IGNORECASE)
LANGUAGES = read_toml(__package__, "languages.toml")
SECTION_EXTRAS = re.compile(r"^\d{1,2}-(?=[^\W\d_]{4})|(?:^|\s*[-–—|]\s*)(?:https?://|www\.)[\w.-]+\.[a-z]{2,}/?$")
"""Additions to section names: "3-Clanky - www.denik.cz"."""
SECTION_LIST = re.compile(r";|,\S|,.*,")
"""A list of sections: "sports,golf". A single comma before a space may belong to a name: "Food, Drink & Travel"."""

FOLDER_NAME = re.compile("[a-z][a-z0-9-]*")
"""A section that is spelled like a folder of an address."""
MAX_BEFORE = 40
"""Characters before a tag in the text that are searched for the words before it (a choice)."""
OF_NAMES = frozenset("of for and de del della di do da du".split())
"""Words within names of offices, before a word with a capital letter."""
MAX_TITLE = 300
"""Longest title, in characters; longer ones come from unclosed elements. The longest gold title has 186."""
AMERICAN = frozenset({"us", "ph"})
"""Regions that write the month first."""
AMERICAN_DOMAINS = frozenset(["", *"com org net edu gov mil us info biz tv news io blog ph".split()])
"""Top-level domains, national ones aside, under which English pages write the month first."""

SEPARATOR = re.compile(r"\s+[-–—|·•:»›/~]+\s+|\s*[|｜»›]\s*|\s*::\s*|:\s+|--+|\s+<\s+|\s*―\s*|_")
"""Separators between the headline and the name of site or section."""
IN_BRACKETS = re.compile(r"(.*\S)\s*[\[(]([^\[\]()]+)[\])]")
"""A title with the site's name in brackets at its end."""
VOTES = {
    "template": 100, "portal": 100, "heading": 12, "json-ld": 8, "feed": 8, "sitemap": 8, "microdata": 4, "meta": 4,
}  # fmt: skip
LATER_VOTES = 1
"""Votes of a source for its first and for further titles, from a grid search on the train pages of fundus, wcxb,
misinformation and article_extraction: visible titles go before those for search engines."""
SHARED_WORDS = 0.3
"""Share of the shorter title's words that a heading must share with another title; grid search on fundus and wcxb."""

PUBLISHED = re.compile(
    r"\b(?:first_?|article_?|content_?|page_?)?(?:publi(?:sh(?:ed)?|cation)_?(?:date|time|at|on)?|date_?published|pub_?date|upload_?date)"
    r"(?:_?(?:time|gmt|utc|iso))?\\?[\"']?\s*[:=]\s*\\?[\"'](?P<value>[^\"'\\]{8,40})",
    re.IGNORECASE,
)
MAX_CHARACTERS = 300_000
"""Longest part of a script searched (a choice)."""
MAX_VALUES = 2
LITERALS = ("publi", "pubdate", "pub_date", "uploaddate", "upload_date")
"""Every match of `PUBLISHED` contains one of these; searching for them takes a tenth of the time."""

WEIGHTS = dict.fromkeys(("template", "portal"), 100) | dict.fromkeys(STATED | {"sitemap", "feed"}, 6)
WEIGHTS |= dict.fromkeys(("text", "time-tag", "url"), 2) | {"microdata": 5}
"""Votes of a source for its first day; further days get one vote. Ties go to the more trusted source, so visible dates
precede the address: of 1,427 days (2026-11), no fewer are right than with more votes."""
MAX_DATES = 3
"""Dates of a source that get votes: later ones belong to other documents."""
HOUR = timedelta(hours=1)
MACHINE = STATED | {"time-tag"}
"""Sources whose dates are written for machines: moments, often in UTC."""
ZONES = timedelta(days=1)
"""Maximum distance of a moment's day from the local one."""
WIDEST_ZONE = timedelta(hours=14)


def of_field(field: str, evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return the candidates for `field`, sorted by trust in their source; the order within a source is kept."""
    return tuple(sorted([item for item in evidence if item.field == field], key=lambda item: RANKS[item.source]))


def of_best_source(candidates: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Return the candidates from the source of the first one."""
    return tuple(item for item in candidates if item.source == candidates[0].source)


def decide_plain(field: str, evidence: Sequence[Evidence]) -> Evidence:
    """Choose the value of the most trusted source."""
    return next(iter(of_field(field, evidence)), NOTHING)


def decide_headline(evidence: Sequence[Evidence], sites: Collection[str], url: str = "") -> Evidence:
    """Choose the headline of the page at `url` and strip the site's name; a template's value is left unchanged."""
    titles = of_field("title", evidence)
    if titles and titles[0].source == "template":
        return titles[0]
    shown = {item.value for item in titles if item.source == "heading"}
    descriptions = {item.value for item in of_field("description", evidence)} - shown
    titles = tuple(item for item in titles if squeezed(item.value) not in sites) or titles
    titles = tuple(item for item in titles if len(item.value) <= MAX_TITLE and item.value not in descriptions) or titles
    chosen = decide_title(titles, sites, {squeezed(item.value) for item in of_field("section", evidence)}, url)
    return chosen if chosen and chosen.value else NOTHING


def decide_section(evidence: Sequence[Evidence], url: str) -> Evidence:
    """Choose the first section of the most trusted source that names one, without adjacent number and site address.

    Generators declare the folder of an article: a general one ("blog") is none, another ("zdravi") is spelled as the
    page at `url` names it ("Zdraví").
    """
    found = [replace(item, value=_section_name(item, evidence)) for item in of_field("section", evidence)]
    found = [item for item in found if item.value and item.value not in GENERIC]
    chosen = next(iter(found), NOTHING)
    if not chosen.value or not is_generated(chosen):
        return chosen
    # An alphabet without a spelling in ASCII leaves the name of the link to the folder in the address
    is_folder = f"/{chosen.value}/" in url
    named = (
        (item, fold(squeezed(item.value))) for item in found if not is_generated(item) and not item.value.isupper()
    )
    slug = chosen.value.replace("-", "")
    same = (
        item.value
        for item, name in named
        if name == slug or (is_folder and item.source == "url" and not name.isascii())
    )
    return replace(chosen, value=next(same, chosen.value))


def _section_name(item: Evidence, evidence: Iterable[Evidence]) -> str:
    """Return the name of a section, the first one of a declared list; "" for code and for a list of the page's tags."""
    if item.value.startswith("{"):
        return ""
    name = item.value
    if item.source in STATED and SECTION_LIST.search(name):
        parts = [part.strip() for part in _parted(name)]
        tags = set(map(squeezed, _parted_tags(of_field("tags", evidence))))
        is_keywords = {squeezed(part) for part in parts} <= tags
        name = "" if is_keywords else next((part for part in parts if part not in GENERIC), "")
    return SECTION_EXTRAS.sub("", name).strip()


def decide_people(evidence: Sequence[Evidence], sites: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return authors, agencies and source: the most trusted source that names anybody but the site itself.

    Sources that name only user accounts come last. A value that names all these authors and more replaces them: feeds
    and metadata often have room for only one.
    """
    candidates = of_field("authors", evidence)
    authors, agencies, source = tuple[str, ...](), tuple[str, ...](), ""
    while candidates:
        best = of_best_source(candidates)
        candidates = candidates[len(best) :]
        people, firms = authors_and_agencies((item.value for item in best), sites)
        is_vague_only = not firms and all(map(is_vague, people))
        if not is_vague_only or (people and not authors):
            authors, agencies, source = people, firms, best[0].source
        if not is_vague_only:
            break
    if not (agencies or source == "template" or len(authors) > 1 or all(map(is_vague, authors))):
        known = {squeezed(name) for name in authors}
        for item in candidates:
            people, firms = authors_and_agencies((item.value,), sites)
            if known < {squeezed(name) for name in people} and not firms:
                return people, firms, item.source
    return authors, agencies, source


def decide_tags(evidence: Sequence[Evidence], section: str, url: str, title: str) -> tuple[tuple[str, ...], str]:
    """Return the tags of the most trusted source, and that source; lists are split at semicolons or else commas.

    Keywords in `<head>` that have nothing in common with the visible tags are the site's; those that are steps of the
    address `url`, with its last one, or all words of the `title` are none. Feeds mix sections and tags:
    the page's own tags take precedence, and sections are left out. Where every word has a capital letter, a generator
    may have put it there: the tags are spelled as they are shown.
    """
    steps = unquote(urlsplit(url).path).lower().strip("/").split("/")
    candidates = tuple(
        item for item in of_field("tags", evidence) if item.source != "meta" or not _names_address(item, steps)
    )
    shown = tuple(item for item in candidates if item.source not in {"feed", "sitemap"})
    if not (candidates := shown or candidates):
        return (), ""
    best = of_best_source(candidates)
    visible = tuple(item for item in candidates if item.source == "text")
    if best[0].source == "meta" and visible:
        declared, seen = (set(map(squeezed, _parted_tags(each))) for each in (best, visible))
        best = best if declared & seen else visible
    tags = _parted_tags(best)
    if visible and all(map(is_generated, best)):
        shown_as = {squeezed(tag): tag for tag in _parted_tags(visible)}
        tags = dict.fromkeys(shown_as.get(squeezed(tag), tag) for tag in tags)
    if best[0].source == "feed":
        sections = {squeezed(item.value) for item in of_field("section", evidence)} | {squeezed(section)}
        tags = dict.fromkeys(tag for tag in tags if squeezed(tag) not in sections)
    words = set(map(squeezed, title.split())) - {""}
    if len(words) > 2 and words <= set(map(squeezed, tags)):
        tags = dict.fromkeys(tag for tag in tags if squeezed(tag) not in {*words, squeezed(title)})
    return tuple(tags), best[0].source if tags else ""


def _names_address(item: Evidence, steps: Sequence[str]) -> bool:
    """Tell whether several keywords are steps of an address, among them its last one."""
    words = {tag.lower() for tag in _parted_tags([item])}
    return len(words) > 1 and {steps[-1]} <= words <= set(steps)


def is_generated(item: Evidence) -> bool:
    """Tell whether the spelling of a section or tag may be a generator's, not the author's.

    It is the name of a folder ("blog", "zdravi"), or has a capital in every word but short ones ("Bill of Rights").
    """
    if item.field == "section":
        return FOLDER_NAME.fullmatch(item.value) is not None or item.value in GENERIC
    words = (
        word for tag in _parted_tags([item]) for place, word in enumerate(tag.split()) if not place or len(word) > 3
    )
    return item.field == "tags" and not any(word[0].islower() for word in words)


def capitalise_tags(tags: Sequence[str], text: str) -> tuple[str, ...]:
    """Spell tags in lower case, of which there is one, as `text` does within sentences: "Angela Merkel"."""
    low = sorted(filter(str.islower, tags), key=len, reverse=True)
    forms = defaultdict[str, Counter[str]](Counter)
    for found in re.finditer(rf"(?<!\w)(?:{'|'.join(map(re.escape, low))})(?!\w)", text, re.IGNORECASE):
        before = text[max(found.start() - MAX_BEFORE, 0) : found.start()].split()[-2:]
        # In titles and menus the word before has a capital letter, too; in "Ministry of Health" the one before that
        is_amid = bool(before) and before[-1][0].islower() and before[-1][-1] not in ".!?:"
        is_in_name = is_amid and " " not in found[0] and before[0][0].isupper() and before[-1] in OF_NAMES
        forms[found[0].lower()][found[0]] += is_amid and not is_in_name
    usual = {tag: max(of, key=of.__getitem__) for tag, of in forms.items() if tag not in of and max(of.values())}
    return tuple(dict.fromkeys(usual.get(tag, tag) for tag in tags))


def _parted_tags(evidence: Iterable[Evidence]) -> dict[str, None]:
    parts = (part for item in evidence for part in _parted(item.value))
    return dict.fromkeys(tag for part in parts if (tag := part.strip(" #\"'")))


def _parted(names: str) -> list[str]:
    return names.split(";" if ";" in names else ",")


def decide_language(evidence: Sequence[Evidence]) -> Evidence:
    """Choose the language that most declarations name; ties go to the first."""
    tags = [replace(item, value=tag) for item in of_field("language", evidence) if (tag := primary_tag(item.value))]
    counts = Counter(item.value for item in tags)
    if counts.keys() & {"nb", "nn"}:  # the written forms of "no"
        del counts["no"]
    most = max(counts, key=counts.__getitem__, default="")
    return next((item for item in tags if item.value == most), NOTHING)


@lru_cache(1_024)  # there are few languages
def primary_tag(value: str) -> str:
    """Return the primary tag of a declared language: "sr" for "sr-Latn-RS", "de" for "German" or "deu"; else "".

    The tag is one of ISO 639: "utf-8" is no language.
    """
    text = value.strip().lower()
    if text in LANGUAGES["names"]:
        return str(LANGUAGES["names"][text])
    match = LANGUAGE_TAG.match(text)
    code = str(LANGUAGES["slips"].get(match[1], match[1])) if match else ""
    if len(code) < 3:  # a check of these costs each process 50 ms for babel's data, and would refuse hardly any
        return code
    alias = str(get_global("language_aliases").get(code, "")).partition("_")[0]
    return next((one for one in (code, alias) if one in language_codes()), "")


def month_first(evidence: Sequence[Evidence], language: str, url: str) -> bool:
    """Tell whether 2/3/2024 is the third of February: in English, unless the site is known not to be American."""
    regions = {item.value.strip().lower().replace("_", "-") for item in of_field("language", evidence)}
    host = urlsplit(url).hostname or ""
    if language != "en" or any(region.startswith("en-") and region[3:5] not in AMERICAN for region in regions):
        return False
    return host.rpartition(".")[2] in AMERICAN_DOMAINS


def site_names(claimed: Iterable[str], host: str) -> frozenset[str]:
    """Return the site's names, squeezed: those it claims, its host and the host's longest label."""
    bare = host.removeprefix("www.")
    longest_label = max(bare.split(".")[:-1], key=len, default="")
    return frozenset(map(squeezed, (*claimed, bare, host, longest_label))) - {""}


def strip_site(title: str, sites: Collection[str], sections: Collection[str] = ()) -> str:
    """Strip the site's name, and a section beside it, from the start or end of `title`; never returns "".

    `sites` and `sections` are squeezed names; a section is stripped only together with the site's name.
    """
    in_brackets = IN_BRACKETS.fullmatch(title)
    if in_brackets and _names_site(in_brackets[2], sites):
        title = in_brackets[1]
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


def decide_title(
    titles: Sequence[Evidence], sites: Collection[str], sections: Collection[str] = (), url: str = ""
) -> Evidence | None:
    """Choose the title with most votes, the site's name stripped; ties go to the first of `titles`.

    Beside a heading, general names ("News") and the end of the page's address `url` are none. A heading counts only if
    it shares words with another title: above some articles it names the section.
    """
    stripped = [Evidence(item.field, strip_site(item.value, sites, sections), item.source) for item in titles]
    stripped = [item for item in stripped if squeezed(item.value) not in sites] or stripped[:1]
    if any(item.source == "heading" for item in stripped):
        path = squeezed(unquote(urlsplit(url).path))
        stripped = [
            item
            for item in stripped
            if item.source == "heading"
            or not (item.value.lower() in GENERIC or (" " not in item.value and path.endswith(squeezed(item.value))))
        ]
    others = [set(folded_words(item.value)) for item in stripped if item.source != "heading" and item.value]
    plausible: list[Evidence] = []
    for item in stripped:
        own = set(folded_words(item.value))
        shares = not others or any(len(own & other) >= SHARED_WORDS * min(len(own), len(other)) for other in others)
        plausible += [item] if item.source != "heading" or shares else []
    votes: Counter[str] = Counter()
    counted: set[str] = set()
    for item in plausible:
        votes[squeezed(item.value)] += LATER_VOTES if item.source in counted else VOTES.get(item.source, 1)
        counted.add(item.source)
    return max(plausible, key=lambda item: votes[squeezed(item.value)], default=None)


def _split(title: str) -> tuple[list[str], list[str]]:
    """Return the parts between separators, and the separator after each ("" after the last)."""
    pieces = re.split(f"({SEPARATOR.pattern})", title)
    return pieces[::2], [*pieces[1::2], ""]


def _names_site(part: str, sites: Collection[str]) -> bool:
    """Tell whether `part` is a name of the site, alone or with a word such as "online" or ".com"."""
    name = squeezed(part)
    return bool(name) and any(
        name == site or (len(site) > 3 and len(name) <= 2 * len(site) and site in name) for site in sites
    )


def read_data_layer(markup: Markup) -> Iterator[Evidence]:
    """Yield the publication date in scripts other than JSON-LD: the first values named so."""
    found = 0
    for script in markup.code:
        text = (script.text or "")[:MAX_CHARACTERS]
        lower = text.lower()
        for match in PUBLISHED.finditer(text) if any(literal in lower for literal in LITERALS) else ():
            yield Evidence("published", match["value"], "meta")
            found += 1
            if found == MAX_VALUES:
                return


def decide_dates(evidence: Sequence[Evidence], setting: Setting, month: str = "") -> tuple[Evidence, Evidence]:
    """Return publication and last change, each with its source.

    The day with most votes wins, ties go to the most trusted source; its time is then converted to the zone shown on
    the page, if any. If only a change is known, it counts as publication. Where a stated date lies in the `month` of
    the address, those of other months are none: generators declare the day of the build.
    """
    dates = [*_with_day_first(_read_dates("published", evidence, setting))]
    if month and any(each.value.startswith(month) for each in dates if each.source != "url"):
        first = date.fromisoformat(f"{month}-01")
        since, until = first - ZONES, first + timedelta(days=31) + ZONES
        dates = [each for each in dates if each.value and since <= date.fromisoformat(each.value[:10]) <= until]
    published, modified = _elected(dates), _elected(_read_dates("modified", evidence, setting))
    shown = [each.value for each in dates if each.source in {"time-tag", "text", "meta"}]
    moment = _moment(published.value)
    if moment and not moment.tzinfo:  # it gets the zone of another date with the same clock time
        others = [other for other in map(_moment, shown) if other and other.tzinfo]
        minute = moment.replace(second=0, microsecond=0)
        same = (each for each in others if each.replace(second=0, microsecond=0, tzinfo=None) == minute)
        moment = next((moment.replace(tzinfo=each.tzinfo) for each in same), moment)
        published = replace(published, value=moment.isoformat())
    if published.value and moment is None:  # the day that is shown of a moment in UTC
        named = (each for each in dates if each.source in MACHINE and _moment(each.value))
        moments = (_localised(each, [published.value], ()) for each in named)
        published = next((each for each in moments if each.value.startswith(published.value)), published)
    local = _localised(published, shown, [each.value for each in dates if each.source == "url"])
    return (local if local.value else modified), modified


def _read_dates(field: str, evidence: Iterable[Evidence], setting: Setting) -> list[Evidence]:
    """Return the candidates for `field` as ISO 8601, "" where none can be read, most trusted first."""
    return [replace(item, value=parse_date(item.value, setting)) for item in of_field(field, evidence)]


def _with_day_first(dates: Collection[Evidence]) -> Iterator[Evidence]:
    """Yield the dates, those shown with day and month exchanged if the address or a moment states the exchanged day."""
    stated = (each for each in dates if each.source == "url" or (each.source in MACHINE and _moment(each.value)))
    days = {each.value[:10] for each in stated}
    for each in dates:
        day = each.value[:10]
        exchanged = f"{day[:4]}-{day[8:]}-{day[5:7]}"
        yield replace(each, value=exchanged) if day not in days and exchanged in days else each


def _elected(dates: Iterable[Evidence]) -> Evidence:
    """Return the date with most votes; of those on its day, the first with a time."""
    read: Counter[str] = Counter()
    named: set[tuple[str, str]] = set()
    votes: Counter[str] = Counter()
    first: dict[str, Evidence] = {}
    for each in dates:
        value, source = each.value, each.source
        if not value or read[source] == MAX_DATES:
            continue
        day = value[:10]
        if (source, day) not in named:
            votes[day] += 1 if read[source] else WEIGHTS.get(source, 1)
        read[source] += 1
        named.add((source, day))
        known = first.setdefault(day, each)
        if len(known.value) == len("2024-02-03") < len(value):
            first[day] = each
    return first[max(votes, key=votes.__getitem__)] if votes else NOTHING


def _localised(decided: Evidence, shown: Sequence[str], days: Sequence[str]) -> Evidence:
    """Convert `decided`, if it is in UTC, to the page's own zone.

    The zone comes from another date of the same moment, or from a clock time shown without one. If there is neither,
    and the page or its address names the day before or after, it is the nearest zone of whole hours in which the moment
    lies on that day: sites use local dates.
    """
    moment = _moment(decided.value)
    if moment is None or moment.utcoffset() != timedelta(0):
        return decided
    for other in filter(None, map(_moment, shown)):
        if other.utcoffset() and abs(other - moment) < timedelta(minutes=1):
            return replace(decided, value=other.isoformat())
        if other.tzinfo is None:
            shift = other - moment.replace(tzinfo=None)
            shift -= timedelta(seconds=shift.total_seconds() % 60)
            if shift and shift.total_seconds() % 1800 == 0 and abs(shift) <= WIDEST_ZONE:
                return replace(decided, value=moment.astimezone(timezone(shift)).isoformat())
    day = next((date.fromisoformat(each) for each in (*shown, *days) if len(each) == len("2024-02-03")), moment.date())
    shift = day - moment.date()
    if abs(shift) != timedelta(days=1):
        return decided
    midnight = datetime.combine(day if shift > timedelta() else moment.date(), time(), UTC)
    hours = ceil((midnight - moment) / HOUR) if shift > timedelta() else -(floor((moment - midnight) / HOUR) + 1)
    if abs(hours * HOUR) > WIDEST_ZONE:
        return decided
    return replace(decided, value=moment.astimezone(timezone(hours * HOUR)).isoformat())


def _moment(value: str) -> datetime | None:
    """Parse a date with a time; None for a day alone."""
    return datetime.fromisoformat(value) if len(value) > len("2024-02-03") else None
