"""Read the fields of a page: every source once, then decide each field."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from newscorpus.data import Evidence, Fields, Page, Provenance
from newscorpus.model_folders import FIELDS_MODEL
from newscorpus.page.fields.byline import near, read_everywhere, read_lead, read_marked, read_near
from newscorpus.page.fields.dates import Setting, month_in, parse_date, parse_moment, read_address
from newscorpus.page.fields.decide import (
    SEPARATOR,
    capitalise_tags,
    decide_dates,
    decide_headline,
    decide_language,
    decide_people,
    decide_plain,
    decide_section,
    decide_tags,
    is_generated,
    month_first,
    of_field,
    read_data_layer,
    site_names,
    strip_site,
)
from newscorpus.page.fields.learned import read_learned
from newscorpus.page.fields.markup import (
    MAX_CHARACTERS,
    MAX_OF_A_KIND,
    Markup,
    gather,
    join,
    merge_images,
    meta_images,
    opening,
    plain,
    read_metas,
    read_rights,
)
from newscorpus.page.fields.nodes import load_linear
from newscorpus.page.fields.people import is_ordinary, is_personal_name, is_vague, squeezed
from newscorpus.page.fields.structured import (
    Entities,
    article_body,
    choose,
    entity_images,
    is_free,
    kind,
    organisations,
    read_entities,
    read_json_ld,
    read_microdata,
)
from newscorpus.page.fields.terms import read_terms
from newscorpus.page.fields.visible import find_headline, read_logo, read_times, surroundings, without_kicker
from newscorpus.portal.addresses import plain_address
from newscorpus.tokens import folded_words


@dataclass(frozen=True, slots=True)
class PageFields:
    """The fields of a page, and their candidates."""

    fields: Fields  # the decisions
    article_body: str  # text in structured data, one paragraph per line, or ""
    evidence: tuple[Evidence, ...]  # all candidates


def read_fields(
    tree: HtmlElement, page: Page, evidence: tuple[Evidence, ...] = (), model: str = FIELDS_MODEL
) -> PageFields:
    """Read the fields of `page`, parsed to `tree`; `evidence` comes from the portal's template.

    `model` reads undeclared fields, and declared ones if it decides on these. No content of a page makes this raise,
    and its time is bounded.
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
    everything = (*declared, *read_address(page.url), *_from_text(tree, markup, declared, setting, model))
    ruled = {item.field for item in evidence}  # by the template
    decided = {item.field for item in everything if item.source == "learned"} - ruled if _decides(model) else set[str]()
    found = tuple(item for item in everything if item.source == "learned" or item.field not in decided)
    entities, names = (json_ld, microdata), _sites(found, markup)
    title, lead = decide_headline(found, names, markup.url), decide_plain("lead", found)
    published, modified = decide_dates(found, setting, month_in(markup.url))
    authors, agencies, authors_source = decide_people(found, names)
    if not (authors or agencies) and (persons := _named_after(found, names, entities, tree)):
        authors, agencies, authors_source = decide_people(found, names - persons)
    section, licence = decide_section(found, markup.url), decide_plain("license", found)
    tags, tags_source = decide_tags(found, section.value, markup.url, title.value)
    if tags_source != "template" and any(map(str.islower, tags)):
        tags = capitalise_tags(tags, _running_text(tree))
    images = (*(image for each in entities for image in entity_images(each, markup.base)), *meta_images(markup))
    fields = Fields(
        title=title.value,
        lead=lead.value,
        authors=authors,
        agencies=agencies,
        published=published.value,
        modified=modified.value,
        section=section.value,
        tags=tags,
        language=language.value,
        description=decide_plain("description", found).value,
        images=merge_images(images),
        site_name=decide_plain("site_name", found).value,
        canonical_url=canonical_address(markup),
        license=licence.value,
        paywalled=any(is_free(each.main) is False for each in entities),
        kind=next((name for each in entities if (name := kind(each.main))), ""),
        rights=read_rights(markup, page),
        provenance=Provenance(
            title=title.source,
            lead=lead.source,
            authors=authors_source if authors else "",
            published=published.source,
            modified=modified.source,
            section=section.source,
            tags=tags_source,
            language=language.source,
            license=licence.source,
        ),
    )
    return PageFields(fields, article_body(json_ld.main), everything)


def canonical_address(markup: Markup) -> str:
    """Return the page's canonical address; "" if it has none, or the site's for one of its pages.

    Where comments fill several pages, some sites declare one of these.
    """
    links = (*markup.links.get("canonical", ()), *(join(markup.base, url) for url in markup.metas.get("og:url", ())))
    is_home = not urlsplit(markup.url).path.strip("/")
    chosen = next((link for link in links if link and (is_home or urlsplit(link).path.strip("/"))), "")
    return plain_address(chosen.partition("#")[0])


def _decides(model: str) -> bool:
    """Tell whether a model decides on declared fields; the shipped one does not."""
    return model != FIELDS_MODEL and load_linear(model).decides


def _from_text(
    tree: HtmlElement, markup: Markup, declared: tuple[Evidence, ...], setting: Setting, model: str
) -> tuple[Evidence, ...]:
    """Read visible fields: headline and lead, and undeclared date and authors."""
    address = tuple(read_address(markup.url))
    # Sites declare their own name as the title of each page, and their names, addresses and user accounts as authors.
    sites = _sites(declared, markup)
    headline = find_headline(tree, markup, [item.value for item in of_field("title", declared)], sites)
    authors, agencies, _ = decide_people(declared, sites)
    wanted = {"authors"} if not agencies and all(map(is_vague, authors)) else set()
    # A date in UTC leaves the local day open, and one of another month than the address is doubtful.
    said = (item.value for item in of_field("published", declared))
    local = (parse_date(value, setting) for value in said if not value.endswith(("Z", "+00:00", "+0000")))
    month = month_in(markup.url)
    wanted |= set() if any(day and day.startswith(month) for day in local) else {"published"}
    before, after = near(headline) if headline is not None else ([], [])
    fed = tuple(item for item in of_field("tags", declared) if item.source == "feed")
    around = surroundings(headline, tree) if headline is not None else frozenset()
    stated = {item.field for item in declared if item.source not in {"feed", "sitemap"} and not is_generated(item)}
    terms: Iterable[Evidence] = ()
    if not {"section", "tags"} <= stated:
        terms = read_terms(tree, headline, frozenset((*before, *after)), markup, fed, "section" in stated)
    distances = {element: distance for side in (before, after) for distance, element in enumerate(side)}
    above = frozenset(headline.iterancestors()) if headline is not None else frozenset()
    found = [*terms, *(read_times(markup, distances, above, setting) if markup.times else ())]
    years = (parse_date(item.value, setting) for item in of_field("published", (*declared, *found, *address)))
    setting = replace(setting, year=next((int(date[:4]) for date in years if date), 0))
    if headline is not None:
        description = next((item.value for item in of_field("description", declared)), "")
        declared_titles = [strip_site(item.value, sites) for item in of_field("title", declared)]
        title = Evidence("title", without_kicker(headline, declared_titles), "heading")
        found += (title, *read_lead(after, description))
        found += read_near(before, after, around, setting, with_dates="published" in wanted)
    # Like the pages in the model's training set.
    is_silent = wanted == {"published", "authors"} and not of_field("authors", declared)
    decides = _decides(model)
    if decides or (is_silent and wanted - {item.field for item in found}):
        has_title = any(item.field == "title" for item in (*declared, *found))
        sites |= set(map(squeezed, SEPARATOR.split(plain(markup.title))))
        for item in read_learned(tree, headline, setting, model):
            if item.field == "authors":
                text = _running_text(tree)
                names = (name for name in item.value.split(", ") if squeezed(name) not in sites)
                people = ", ".join(name for name in names if not is_ordinary(name, text) and not _has_term(name, found))
                found += [Evidence(item.field, people, item.source)] if people else []
            elif decides or not (has_title and item.field == "title"):
                found.append(item)
    # Fields still missing are read from anywhere on the page, authors only from elements named for them: more costs a
    # fifth of an extraction and finds few.
    missing = wanted - {item.field for item in (*found, *address, *of_field("published", declared))}
    if "published" in missing:
        dates = (*read_data_layer(markup), *read_everywhere(tree, around, setting, with_authors="authors" in missing))
        found += dates
        missing -= {item.field for item in dates if item.field == "authors"}
        if not any(item.field == "published" for item in dates):
            found += (item for image in meta_images(markup) for item in read_address(image.url))
    if "authors" in missing:
        found += read_marked(tree, around, setting)
    return tuple(found)


def _has_term(name: str, evidence: Iterable[Evidence]) -> bool:
    """Tell whether a name of three or more words contains a section or tag, as a line of label, section and tags does.

    In a shorter one it may be the first name or surname: Martin, Jordan, Florence.
    """
    words = set(folded_words(name))
    terms = (set(folded_words(item.value)) for item in evidence if item.field in {"section", "tags"})
    return len(words) > 2 and any(term and term < words for term in terms)


def _sites(evidence: Iterable[Evidence], markup: Markup) -> frozenset[str]:
    """Return the names of the site, squeezed."""
    return site_names((item.value for item in of_field("site_name", evidence)), urlsplit(markup.url).hostname or "")


def _named_after(
    evidence: Iterable[Evidence], sites: frozenset[str], entities: Iterable[Entities], tree: HtmlElement
) -> frozenset[str]:
    """Return the names of a site named after its author: declared as one, no organisation, and no words of the text."""
    firms = {squeezed(name) for each in entities for name in organisations(each)}
    names = {item.value for item in of_field("authors", evidence) if squeezed(item.value) in sites - firms}
    # "EU Times" is no person.
    names = {name for name in filter(is_personal_name, names) if not any(map(str.isupper, name.split()))}
    text = _running_text(tree) if names else ""
    return frozenset(squeezed(name) for name in names if text and not is_ordinary(name, text, any))


def _running_text(tree: HtmlElement) -> str:
    """Return the text of the page's paragraphs."""
    return "\n".join(opening(each, MAX_CHARACTERS) for each in islice(tree.iter("p"), MAX_OF_A_KIND))


def _cleaned(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """Convert evidence to plain text and drop empty values; main text is left to the extractor."""
    for item in evidence:
        if item.field != "text" and (value := plain(item.value)):
            yield Evidence(item.field, value, item.source)
