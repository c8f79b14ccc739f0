"""One decision a field: which of the candidates stands in the record."""

from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from newscorpus.data import Evidence
from newscorpus.extraction.fields.evidence import Decided, of_best_source, of_field
from newscorpus.extraction.fields.languages import decide_language, primary_tag
from newscorpus.extraction.fields.people import squeezed, tell_apart
from newscorpus.extraction.fields.titles import decide_title

MAX_TITLE = 300
"""Longest title, in characters; what is longer is text of an unclosed element. The longest gold title has 186."""
AMERICAN = frozenset({"us", "ph"})
"""Regions that write the month first."""
AMERICAN_DOMAINS = frozenset(
    {"", "com", "org", "net", "edu", "gov", "mil", "us", "info", "biz", "tv", "news", "io", "blog", "ph"}
)
"""Top-level domains, national ones aside, under which English pages write the month first."""


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


def decide_people(
    evidence: Sequence[Evidence], sites: Collection[str]
) -> tuple[Decided, tuple[str, ...], tuple[str, ...]]:
    """Authors, agencies and the source: the most trusted one that names anybody beside the site itself."""
    candidates = of_field("authors", evidence)
    while candidates:
        best = of_best_source(candidates)
        authors, agencies = tell_apart((item.value for item in best), sites)
        if authors or agencies:
            return Decided("authors", best[0].source), authors, agencies
        candidates = candidates[len(best) :]
    return Decided(), (), ()


def decide_tags(evidence: Sequence[Evidence]) -> tuple[Decided, tuple[str, ...]]:
    """Key words of the most trusted source, each once."""
    candidates = of_field("tags", evidence)
    if not candidates:
        return Decided(), ()
    best = of_best_source(candidates)
    tags = dict.fromkeys(tag for item in best for part in item.value.split(",") if (tag := part.strip(" #\"'")))
    return Decided("tags", best[0].source), tuple(tags)


def decide_tag_of_language(evidence: Sequence[Evidence]) -> Decided:
    """The declared language that most sources agree on."""
    candidates = of_field("language", evidence)
    tag = decide_language([item.value for item in candidates])
    return next((Decided(tag, item.source) for item in candidates if tag and primary_tag(item.value) == tag), Decided())


def month_first(evidence: Sequence[Evidence], language: str, url: str) -> bool:
    """Whether the page writes 2/3/2024 for the third of February: English, and nothing says that it is not American."""
    regions = {item.value.strip().lower().replace("_", "-") for item in of_field("language", evidence)}
    host = urlsplit(url).hostname or ""
    if language != "en" or any(region.startswith("en-") and region[3:5] not in AMERICAN for region in regions):
        return False
    return host.rpartition(".")[2] in AMERICAN_DOMAINS
