"""Combine a page with the settings of its source."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from newscorpus.config import Part, Revision
from newscorpus.data import Article, Evidence, Page
from newscorpus.portal.addresses import PORTAL_EVIDENCE, AddressTrust
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.portal.profile import ProfileFile

Named = tuple[str, str]
"""The name of a source, and the id of one of its documents."""


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A page that may hold an article, with the settings of its source."""

    page: Page
    source: str = ""  # name of the portal, or of the site
    languages: tuple[str, ...] = ()  # languages declared for the portal; empty: any
    template: TemplateSection | None = None  # the portal's rules, if any
    following: tuple[Page, ...] = ()  # further pages of a multi-page article
    # How much the address promises; the less, the more evidence the page must give.
    trust: AddressTrust = AddressTrust.CERTAIN
    respect_paywall: bool = True  # ignore hidden text of pages declared paywalled
    leave_out: tuple[Part, ...] = ()  # parts of articles to leave out of the texts
    extractor: str = ""  # name or folder of the portal's extractor; "": the default
    revision: Revision = Revision()  # the portal's rules for labels of blocks
    document: str = ""  # id of the document if given with the page; "": from its address
    fields_model: str = ""  # folder of the portal's field model; "": the default
    profile: ProfileFile | None = None  # learned from other pages of the portal, if any
    part_of: str = ""  # address of the first page, if this is a further page
    # The articles of all pages of a multi-page article, once each has been judged.
    articles: tuple[Article, ...] = ()

    def __str__(self) -> str:
        return f"page {self.page.url}"


def page_of_portal(
    page: Page, portal: Portal, following: tuple[Page, ...] = (), trust: AddressTrust = AddressTrust.CERTAIN
) -> SourcePage:
    """Combine a page with the current file of its portal, replacing evidence from the file at fetch time."""
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
    """Convert a template stored in an archive as plain values; rules of removed fields are dropped."""
    if rules is None:
        return None
    return TemplateSection(**{name: tuple(rules[name]) for name in TemplateSection.__slots__ if name in rules})
