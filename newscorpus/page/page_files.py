"""Read pages from HTML files and JSON lines; extract the pages of a JSON lines file."""

import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec
import zstandard

from newscorpus.config import Limits
from newscorpus.data import Page, Rejected
from newscorpus.errors import PortalError
from newscorpus.lines import encode_line, unpacked_lines, writable
from newscorpus.page.judge import judge, process_page
from newscorpus.page.judgement import Judgement, Rules, lost_page
from newscorpus.page.loading import extractor_of, prepare
from newscorpus.page.profiles.learn import LEAST_PAGES, SeenPage, choose_sample, learn, sample_key
from newscorpus.page.recipe import Recipe
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage, page_of_portal
from newscorpus.page.template import TemplateRules, load_plain_template
from newscorpus.portal.profile import NO_PROFILES, Profile, ProfileFile, Profiles, read_profile, write_profile
from newscorpus.portal.schema import load_portal
from newscorpus.urls import host_of
from newscorpus.workers import Lost, in_order

PAGES_SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
STDIN = "-"
PageOrigin = Callable[[Page], SourcePage]
"""Function that adds the data of its source to a page."""


def read_source(source: str, url: str) -> Page:
    """Read the page at `url` from an HTML file, or from standard input for "-".

    Raises:
        OSError: the file cannot be read.
    """
    path = Path(source)
    if source == STDIN:
        return Page(url, sys.stdin.buffer.read())
    if path.is_dir():
        raise IsADirectoryError(f"{source}: a folder; name the file of a page")
    if not path.exists():
        raise FileNotFoundError(f"{source}: no such file; an address begins with https:// or http://")
    return Page(url, path.read_bytes())


def page_origin(portal: str = "", template: Path | None = None, profile: Path | None = None) -> PageOrigin:
    """Return a `PageOrigin` for a portal (name or file) or a template file (plain or a portal's), with a profile.

    Raises:
        PortalError: the file is missing or wrong, or the portal of `template` has no template.
        CorpusError: the profile cannot be read.
    """
    origin: PageOrigin = SourcePage
    if portal:
        origin = partial(page_of_portal, portal=load_portal(portal))
    elif template:
        if template.suffix == ".toml":
            named = load_portal(template)
            if (section := named.template_for("")) is None:
                raise PortalError(f"{template}: no section [template] in it")
            rules = TemplateRules(named.name, section)
        else:
            rules = load_plain_template(template)
        origin = partial(SourcePage, source=rules.name, template=rules.section)
    return partial(_add_profile, origin, ProfileFile(profile, read_profile(profile).hash)) if profile else origin


def _add_profile(origin: PageOrigin, profile: ProfileFile, page: Page) -> SourcePage:
    return replace(origin(page), profile=profile)


@dataclass(frozen=True, slots=True)
class GivenPage:
    """A line of a JSON Lines file of pages; other keys are ignored."""

    id: str | int
    html: str
    url: str | None = None
    domain: str | None = None

    @property
    def site(self) -> str:
        """Source of its profile: `domain`, or else the host of `url`."""
        return self.domain or host_of(self.url or "")


GIVEN_PAGES = msgspec.json.Decoder(GivenPage)


@dataclass(frozen=True, slots=True)
class ExtractedLine:
    """The outcome of a line of a file of pages."""

    line: bytes = b""  # JSON with the given `id` and the record, or `url` and `rejected`; b"" on an error
    rejected: str = ""  # "stage/reason", or ""
    error: str = ""  # fault of the line or file, named; or ""


def given_pages(source: Path) -> Iterator[GivenPage | Rejected]:
    """Read a file of pages, without empty lines; a broken line or file becomes a rejection that names it."""
    number = 0
    try:
        for number, line in enumerate(unpacked_lines(source), 1):
            if not line.isspace():
                yield _decode_line(line, f"{source}, line {number}")
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        yield _broken(f"{source}, after line {number}: cannot read: {error}")


def learn_file(source: Path, recipe: Recipe, origin: PageOrigin, jobs: int, folder: Path) -> Profiles:
    """Learn the profiles of the sites in a file of pages, and write them to `folder`; errors as for `extract_file`.

    Broken lines are skipped.
    """
    given = (found for found in given_pages(source) if isinstance(found, GivenPage))
    sample = choose_sample((page.site, str(page.id)) for page in given if page.site)
    again = (found for found in given_pages(source) if isinstance(found, GivenPage))
    pages = (
        replace(origin(Page.from_html(page.html, page.url or "")), source=page.site)
        for page in again
        if (page.site, str(page.id)) in sample
    )
    learned = learn_profiles(recipe, pages, jobs)
    return {
        profile.source: write_profile(folder / f"{sample_key(profile.source)}.json", profile) for profile in learned
    }


def learn_profiles(recipe: Recipe, pages: Iterable[SourcePage], jobs: int) -> Iterator[Profile]:
    """Learn the profiles of the sources of `pages` that have enough articles."""
    by_source: defaultdict[str, dict[str, SeenPage]] = defaultdict(dict)
    label = partial(judge, rules=Rules(recipe, for_profile=True))
    for page, found in in_order(label, pages, jobs, Limits().page_seconds):
        if isinstance(found, Judgement) and found.seen:
            by_source[page.source][found.seen.id] = found.seen
    for source, seen_pages in sorted(by_source.items()):
        profile = learn(seen_pages.values(), source, recipe.extractor)
        if len(profile.pages) >= LEAST_PAGES:
            yield profile


def extract_file(
    source: Path, recipe: Recipe, origin: PageOrigin, jobs: int, profiles: Profiles = NO_PROFILES
) -> Iterator[ExtractedLine]:
    """Extract the pages of a JSON lines file, plain, gzip or zstd, in `jobs` processes, in order.

    A line has `id` and `html`, and may have `url` and `domain`. Other lines and truncated files give an error.
    `profiles` are those of `learn_file`.

    Raises:
        ValueError: the recipe or the template is wrong.
        ImportError: the extractor needs a package that is not installed.
    """
    extractor_of(recipe, origin(Page("", b"")))
    work, seconds = partial(_extract, recipe, origin, profiles), Limits().page_seconds
    for given, found in in_order(work, given_pages(source), jobs, seconds, partial(prepare, recipe)):
        if isinstance(given, Rejected):
            yield ExtractedLine(error=given.detail)
            continue
        outcome = lost_page(SourcePage(Page("", b"")), found) if isinstance(found, Lost) else found
        if isinstance(outcome, Rejected):
            line = rejection_line(given.id, given.url or "", outcome)
            yield ExtractedLine(line, f"{outcome.stage}/{outcome.reason}")
        else:
            yield ExtractedLine(encode_line(msgspec.to_builtins(outcome.record) | {"id": given.id}))


def _extract(recipe: Recipe, origin: PageOrigin, profiles: Profiles, given: GivenPage | Rejected) -> Row | Rejected:
    """Extract a page, in a worker process; pass a rejection on."""
    if isinstance(given, Rejected):
        return given
    page = origin(Page.from_html(given.html, given.url or ""))
    return process_page(recipe, replace(page, profile=profiles.get(given.site, page.profile)))


def _decode_line(line: bytes, place: str) -> GivenPage | Rejected:
    try:
        try:
            given = GIVEN_PAGES.decode(line)
        except msgspec.DecodeError as error:
            if "surrogate" not in str(error):
                raise
            # Programs that truncate texts write halves of surrogate pairs, which json accepts.
            given = msgspec.convert(json.loads(line), GivenPage)
    except (ValueError, RecursionError) as error:  # including all errors of msgspec and json
        return _broken(f"{place}: {error}")
    return replace(given, id=writable(given.id), url=writable(given.url or ""), domain=writable(given.domain or ""))


def _broken(detail: str) -> Rejected:
    return Rejected("archive", "broken_record", detail)


def rejection_line(page_id: str | int, url: str, rejected: Rejected) -> bytes:
    """Encode a rejected page: `id`, `url`, and `rejected` with stage, reason and detail."""
    clean = writable(rejected)
    reasons = {"stage": clean.stage, "reason": clean.reason, "detail": clean.detail}
    return encode_line({"id": page_id, "url": url, "rejected": reasons})
