"""Join a page with what its source says of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from newscorpus.config import Part, Revision
from newscorpus.data import Article, Evidence, Page
from newscorpus.portal.addresses import PORTAL_EVIDENCE, AddressTrust
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.portal.profile import ProfileFile


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page that may hold an article, with what its source says of it."""

    page: Page
    source: str = ""  # name of the portal, or of the site
    languages: tuple[str, ...] = ()  # the languages that the portal is declared to write; empty: any
    template: TemplateSection | None = None  # the portal's own rules; None where it has none
    following: tuple[Page, ...] = ()  # the further pages of an article that is spread over several
    # What the address says; the less it promises, the more the page has to prove.
    trust: AddressTrust = AddressTrust.CERTAIN
    respect_paywall: bool = True  # what a page declared not free does not show is left out
    leave_out: tuple[Part, ...] = ()  # parts of articles that are left out of the texts
    extractor: str = ""  # the portal's own, by name or folder; "" where it names none
    revision: Revision = Revision()  # how the portal has the blocks of its extractor labelled
    document: str = ""  # id of the document, where it was given with the page; "": by its address
    fields_model: str = ""  # folder of the portal's own model of fields; "" where it names none
    profile: ProfileFile | None = None  # what the portal's other pages say; None where nothing was learned of them
    part_of: str = ""  # address of the first page, where it is a further one that was fetched for it
    # Those of all pages, where each page was judged and found to be one of several.
    articles: tuple[Article, ...] = ()

    def __str__(self) -> str:
        return f"page {self.page.url}"


def page_of_portal(
    page: Page, portal: Portal, following: tuple[Page, ...] = (), trust: AddressTrust = AddressTrust.CERTAIN
) -> SourcePage:
    """Join a page with what the file of its portal says now; what the file said when it was fetched is dropped."""
    evidence = tuple(one for one in page.evidence if one.source != PORTAL_EVIDENCE)
    if len(portal.languages) == 1:
        evidence += (Evidence("language", portal.languages[0], PORTAL_EVIDENCE),)
    page = replace(page, evidence=evidence)
    return SourcePage(
        page=page,
        source=portal.name,
        languages=portal.languages,
        template=portal.template_for(page.fetched),
        following=following,
        trust=trust,
        respect_paywall=portal.respect_paywall,
        leave_out=portal.leave_out,
        extractor=portal.extractor,
        revision=Revision(portal.post_analysis, portal.upper, portal.lower, portal.end_phrases or None),
        fields_model=portal.fields_model,
    )


def template_of(rules: Mapping[str, tuple[str, ...]] | None) -> TemplateSection | None:
    """Read the template that an archive holds as plain values; rules of fields that no longer exist are left out."""
    if rules is None:
        return None
    return TemplateSection(**{name: tuple(rules[name]) for name in TemplateSection.__slots__ if name in rules})
