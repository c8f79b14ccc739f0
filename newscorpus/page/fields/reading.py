"""Read the fields of a page: every source once, then decide each field."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence, Fields, Page, Provenance
from newscorpus.page.fields.byline import near, read_everywhere, read_lead, read_marked, read_near
from newscorpus.page.fields.dates import Setting, parse_date, parse_moment
from newscorpus.page.fields.decide import (
    Decided,
    decide_dates,
    decide_headline,
    decide_language,
    decide_people,
    decide_plain,
    decide_section,
    decide_tags,
    month_first,
    names_beside,
    of_field,
    read_address,
    read_data_layer,
    site_names,
)
from newscorpus.page.fields.learned import MODEL, read_learned
from newscorpus.page.fields.markup import (
    Markup,
    gather,
    join,
    merge_images,
    meta_images,
    plain,
    read_metas,
    read_rights,
)
from newscorpus.page.fields.people import is_account, squeezed
from newscorpus.page.fields.structured import (
    Entities,
    article_body,
    choose,
    entity_images,
    is_free,
    kind,
    read_entities,
    read_json_ld,
    read_microdata,
)
from newscorpus.page.fields.terms import read_terms
from newscorpus.page.fields.visible import find_headline, heading_text, read_logo, read_times

VISIBLE = frozenset({"published", "authors"})
"""Fields read from the text if the page does not declare them."""


@dataclass(frozen=True, slots=True)
class FieldReading:
    """The fields of a page, and their candidates."""

    fields: Fields  # the decisions
    article_body: str  # text in structured data, one paragraph per line, or ""
    evidence: tuple[Evidence, ...]  # all candidates


def read_fields(tree: HtmlElement, page: Page, evidence: tuple[Evidence, ...] = (), model: str = MODEL) -> FieldReading:
    """Read the fields of `page`, parsed to `tree`; `evidence` comes from the portal's template.

    `model` reads undeclared fields. No content of a page makes this raise, and its time is bounded.
    """
    markup = gather(tree, page.url)
    addresses = frozenset(link.partition("#")[0].rstrip("/") for link in (page.url, canonical_address(markup)) if link)
    json_ld = choose(read_json_ld(markup.scripts), addresses)
    microdata = choose(read_microdata(tree, page.body), addresses)
    declared = (
        *_cleaned((*evidence, *page.evidence)),
        *read_entities(json_ld, "json-ld"),
        *read_entities(microdata, "microdata"),
        *read_metas(markup),
        *_cleaned((Evidence("language", markup.language, "meta"),)),
        *read_logo(tree, markup),
    )
    language = decide_language(declared)
    setting = Setting(parse_moment(page.fetched), language.value, month_first(declared, language.value, page.url))
    found = (*declared, *read_address(page.url), *_from_text(tree, markup, declared, setting, model))
    fields = decide(found, page, markup, (json_ld, microdata), setting, language)
    return FieldReading(fields, article_body(json_ld.main), found)


def decide(
    evidence: tuple[Evidence, ...],
    page: Page,
    markup: Markup,
    entities: tuple[Entities, ...],
    setting: Setting,
    language: Decided,
) -> Fields:
    """Choose among the candidates of each field."""
    names = _sites(evidence, markup)
    title, lead = decide_headline(evidence, names), decide_plain("lead", evidence)
    published, modified = decide_dates(evidence, setting)
    people, authors, agencies = decide_people(evidence, names)
    section, licence = decide_section(evidence), decide_plain("license", evidence)
    tag_source, tags = decide_tags(evidence, section.value)
    return Fields(
        title=title.value,
        lead=lead.value,
        authors=authors,
        agencies=agencies,
        published=published.value,
        modified=modified.value,
        section=section.value,
        tags=tags,
        language=language.value,
        description=decide_plain("description", evidence).value,
        images=merge_images(
            (*(image for each in entities for image in entity_images(each, markup.base)), *meta_images(markup))
        ),
        site_name=decide_plain("site_name", evidence).value,
        canonical_url=canonical_address(markup),
        license=licence.value,
        paywalled=any(is_free(each.main) is False for each in entities),
        kind=next((name for each in entities if (name := kind(each.main))), ""),
        rights=read_rights(markup, page.headers),
        provenance=Provenance(
            title=title.source,
            lead=lead.source,
            authors=people.source if authors else "",
            published=published.source,
            modified=modified.source,
            section=section.source,
            tags=tag_source.source,
            language=language.source,
            license=licence.source,
        ),
    )


def canonical_address(markup: Markup) -> str:
    """Return the page's canonical address; "" if it has none, or the site's for one of its pages."""
    links = (*markup.links.get("canonical", ()), *(join(markup.base, url) for url in markup.metas.get("og:url", ())))
    is_home = not urlsplit(markup.url).path.strip("/")
    return next((link for link in links if link and (is_home or urlsplit(link).path.strip("/"))), "")


def _from_text(
    tree: HtmlElement, markup: Markup, declared: tuple[Evidence, ...], setting: Setting, model: str
) -> tuple[Evidence, ...]:
    """Read visible fields: headline and lead, and undeclared date and authors."""
    headline = find_headline(tree, markup, [item.value for item in of_field("title", declared)])
    wanted = frozenset(field for field in VISIBLE if not _is_declared(field, declared, markup))
    before, after = near(headline) if headline is not None else ([], [])
    fed = tuple(item for item in of_field("tags", declared) if item.source == "feed")
    around = frozenset(headline.iterancestors()) if headline is not None else frozenset()
    stated = {item.field for item in declared if item.source not in {"feed", "sitemap"}}
    terms: Iterable[Evidence] = ()
    if not {"section", "tags"} <= stated:
        terms = read_terms(tree, headline, frozenset((*before, *after)), markup, fed, "section" in stated)
    distances = {element: distance for side in (before, after) for distance, element in enumerate(side)}
    found = [*terms, *(read_times(markup, distances, around, setting) if markup.times else ())]
    setting = replace(setting, year=_year_of((*declared, *found, *read_address(markup.url)), setting))
    if headline is not None:
        description = next((item.value for item in of_field("description", declared)), "")
        title = Evidence("title", heading_text(headline), "heading")
        found += (title, *read_lead(after, description))
        found += read_near(before, after, around, setting, wanted | {"authors"})
    is_silent = wanted == VISIBLE and not of_field("authors", declared)  # like the pages in the model's training set
    if is_silent and wanted - {item.field for item in found}:
        has_title = any(item.field == "title" for item in (*declared, *found))
        shown = [item.value for item in (*declared, *found) if item.field == "title"]
        sites = _sites(declared, markup) | names_beside(plain(markup.title), shown)
        for item in read_learned(tree, headline, setting, model):
            if item.field == "authors":
                people = ", ".join(name for name in item.value.split(", ") if squeezed(name) not in sites)
                found += [Evidence(item.field, people, item.source)] if people else []
            elif not (has_title and item.field == "title"):
                found.append(item)
    known = (*found, *read_address(markup.url), *of_field("published", declared))
    return (*found, *_from_page(tree, markup, around, setting, wanted - {item.field for item in known}))


def _year_of(evidence: Iterable[Evidence], setting: Setting) -> int:
    """Return the year of the first date of publication; 0 for none."""
    dates = (parse_date(item.value, setting) for item in of_field("published", evidence))
    return next((int(date[:4]) for date in dates if date), 0)


def _from_page(
    tree: HtmlElement, markup: Markup, around: frozenset[HtmlElement], setting: Setting, missing: frozenset[str]
) -> tuple[Evidence, ...]:
    """Read missing fields from anywhere on the page.

    Only for dates the whole page is read, for authors only elements named so: more costs a fifth of an extraction and
    finds few.
    """
    found: list[Evidence] = []
    if "published" in missing:
        found += (*read_data_layer(markup), *read_everywhere(tree, around, setting, missing))
        if not any(item.field == "published" for item in found):
            found += (item for image in meta_images(markup) for item in read_address(image.url))
    if "authors" in missing and not any(item.field == "authors" for item in found):
        found += read_marked(tree, around, setting)
    return tuple(found)


def _sites(evidence: Iterable[Evidence], markup: Markup) -> frozenset[str]:
    """Return the names of the site, squeezed."""
    return site_names((item.value for item in of_field("site_name", evidence)), urlsplit(markup.url).hostname or "")


def _is_declared(field: str, declared: tuple[Evidence, ...], markup: Markup) -> bool:
    """Tell whether a visible field is declared, so that the text need not be read."""
    if field == "authors":  # sites declare their own name, addresses and user accounts
        _, authors, agencies = decide_people(declared, _sites(declared, markup))
        return bool(agencies) or not all(map(is_account, authors))
    # A date in UTC leaves the local day open.
    return any(not item.value.endswith(("Z", "+00:00", "+0000")) for item in declared if item.field == field)


def _cleaned(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """Convert evidence to plain text and drop empty values; main text is left to the extractor."""
    for item in evidence:
        if item.field != "text" and (value := plain(item.value)):
            yield Evidence(item.field, value, item.source)
