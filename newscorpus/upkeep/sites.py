"""Find news sites by language, country or host, among the portals here and addresses that nobody has checked yet."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from babel import Locale
from babel.core import get_global
from babel.localedata import exists

from newscorpus.errors import ArgumentError
from newscorpus.portal.schema import readable_portals
from newscorpus.tokens import fold
from newscorpus.upkeep.adding import portal_name
from newscorpus.urls import host_of

CATALOGUE = "sites.tsv"
"""File of addresses by language, beside the modules of `portal`; its first lines state origin and licence."""

UNCHECKED = "never checked"
COUNTRY_DOMAINS = {"gb": "uk"}
"""Top-level domains that differ from the country's code (ISO 3166)."""
MOST_NEAR = 5


@dataclass(frozen=True, slots=True)
class NewsSite:
    """A news site."""

    name: str  # of its portal, or for one
    languages: tuple[str, ...]  # BCP 47 primary tags; an English name where there is none
    url: str  # front page
    known: str  # "portal NAME", or `UNCHECKED`


def news_sites() -> Iterator[NewsSite]:
    """Yield the portals here, then the addresses of the catalogue that none of them covers."""
    portals = readable_portals()
    yield from (NewsSite(one.name, one.languages, one.start[0], f"portal {one.name}") for one in portals)
    languages: dict[str, list[str]] = {}
    for line in (files("newscorpus.portal") / CATALOGUE).read_text("utf-8").splitlines():
        language, _, url = line.partition("\t")
        if url:
            languages.setdefault(url, []).append(language)
    for url, codes in languages.items():
        if not any(portal.covers(url) for portal in portals):
            yield NewsSite(portal_name(host_of(url)), tuple(codes), url, UNCHECKED)


def find_sites(word: str) -> list[NewsSite]:
    """Find the sites of a language (code, English or own name), else of a country, else with a word in their host.

    Raises:
        ArgumentError: there are none; the message names languages like it.
    """
    sites, wanted = list(news_sites()), fold(word.strip())
    english, codes = Locale("en"), {code for site in sites for code in site.languages}
    locales = (Locale.parse(tag) for code in sorted(codes) for tag in (code, f"{code}_Latn") if exists(tag))
    names = {fold(name): one.language for one in locales if (name := one.get_language_name())}
    names |= {fold(english.languages.get(code, code)): code for code in codes} | {code: code for code in codes}
    language = names.get(get_global("language_aliases").get(wanted, wanted))  # of ISO 639-2, such as "ces"
    countries = {fold(name): code.lower() for code, name in english.territories.items() if len(code) == 2}
    domain = countries.get(wanted, wanted if wanted in {*countries.values(), *COUNTRY_DOMAINS.values()} else "")
    ending = f".{COUNTRY_DOMAINS.get(domain, domain)}"
    found = [site for site in sites if language in site.languages]
    found = found or [site for site in sites if domain and host_of(site.url).endswith(ending)]
    found = found or [site for site in sites if wanted and wanted in host_of(site.url)]
    if not found:
        near = difflib.get_close_matches(wanted, names, MOST_NEAR)
        listed = ", ".join(f"{name} ({names[name]})" for name in near)
        hint = f"languages like it: {listed}" if near else "name a language such as cs or Czech"
        raise ArgumentError(f"no site of a language, country or host {word!r}; {hint}")
    return found


def address_of(name: str) -> str:
    """Return the address of the site of a name.

    Raises:
        ArgumentError: there is none, or there are several.
    """
    sites = list(news_sites())
    found = [site.url for site in sites if site.name == name]
    if not found:
        near = difflib.get_close_matches(name, {site.name for site in sites}, MOST_NEAR)
        hint = f"; did you mean https://{name}/" if "." in name and not name.endswith((".html", ".htm")) else ""
        hint += f"; like it: {', '.join(near)}" if near else ""
        raise ArgumentError(f"{name}: no file, address or known site{hint}; `newscorpus portal find` lists sites")
    if len(found) > 1:
        raise ArgumentError(f"{name}: several sites, name the address of one: {', '.join(found)}")
    return found[0]
