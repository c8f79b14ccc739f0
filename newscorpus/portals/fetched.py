"""A page on its way to the extractor, with what its portal says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from newscorpus.data import Evidence, Page
from newscorpus.portals.portal import Portal, TemplateSection

STATED = "portal"
"""Source of the evidence that the portal file gives."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page that may hold an article.

    Attributes:
        page: the page.
        source: name of the portal.
        languages: the languages that the portal is declared to write; empty: any.
        template: the portal's own rules; None where it has none.
        following: the further pages of an article that is spread over several.
    """

    page: Page
    source: str
    languages: tuple[str, ...] = ()
    template: TemplateSection | None = None
    following: tuple[Page, ...] = ()

    def __str__(self) -> str:
        return f"page {self.page.url}"


def of_portal(page: Page, portal: Portal, following: tuple[Page, ...] = ()) -> FetchedPage:
    """A page of a portal: what the portal's file says now stands in place of what it said before."""
    evidence = tuple(one for one in page.evidence if one.source != STATED) + stated_by(portal)
    return FetchedPage(replace(page, evidence=evidence), portal.name, portal.languages, portal.template, following)


def stated_by(portal: Portal) -> tuple[Evidence, ...]:
    """What a portal's file says of each of its documents: the language, if it has but one."""
    return (Evidence("language", portal.languages[0], STATED),) if len(portal.languages) == 1 else ()


def template_of(rules: Mapping[str, tuple[str, ...]] | None) -> TemplateSection | None:
    """The template that an archive holds as plain values; rules of fields that are no more are passed over."""
    if rules is None:
        return None
    return TemplateSection(**{name: tuple(rules[name]) for name in TemplateSection.__slots__ if name in rules})
