"""Read and check the settings of newscorpus."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

import newscorpus.settings
from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.errors import CrawlError
from newscorpus.layout import LEDGER
from newscorpus.page.recipe import Recipe
from newscorpus.page.registry import check_fields_model, check_name
from newscorpus.page.rights import RightsPolicy
from newscorpus.resources import near_or_all, project_folder
from newscorpus.workers import ByName

read_quality: Callable[[Path], QualityConfig] = ByName("newscorpus.page.quality.assess:read_quality")

PREFIX = "NEWSCORPUS_"
KNOWN = tuple(sorted(name for name in vars(newscorpus.settings) if name.startswith(PREFIX)))


def check_settings(settings: BaseSettings) -> None:
    """Refuse unknown, wrong or impolite settings.

    Raises:
        CrawlError: a NEWSCORPUS_ setting is unknown or wrong, or ROBOTSTXT_OBEY or the cache of DNS is off.
    """
    if unknown := sorted(name for name in settings if name.startswith(PREFIX) and name not in KNOWN):
        raise CrawlError(f"unknown setting {unknown[0]}; {near_or_all(unknown[0], KNOWN)}")
    if not settings.getbool("ROBOTSTXT_OBEY"):
        raise CrawlError("setting ROBOTSTXT_OBEY: newscorpus obeys robots.txt, always")
    if not (settings.getbool("DNSCACHE_ENABLED") and settings.getint("DNSCACHE_SIZE") > 0):
        raise CrawlError(
            "settings DNSCACHE_ENABLED, DNSCACHE_SIZE: a second answer could lead into the private network"
        )
    recipe_of(settings)


def corpus_folder(settings: BaseSettings) -> Path:
    """Return the folder of the corpus (in project settings relative to the project); raise `CrawlError` if unset."""
    folder = settings.get("NEWSCORPUS_CORPUS") or ""
    if not folder:
        raise CrawlError("setting NEWSCORPUS_CORPUS is empty; set it to the folder of the corpus")
    is_of_project = (settings.getpriority("NEWSCORPUS_CORPUS") or 0) <= SETTINGS_PRIORITIES["project"]
    project = project_folder()
    return project / folder if is_of_project and project not in {None, Path.cwd()} else Path(folder)


def default_corpus(name: str) -> Path:
    """Return the default folder `corpora/NAME`: in the project's folder, or in a subfolder that has it already.

    Several portals, or paths of their files, are separated by commas.

    Raises:
        CrawlError: outside a project, a parent folder has such a corpus, and this folder has none.
    """
    names = (Path(one.strip()) for one in name.split(","))
    corpus = Path("corpora", ",".join(one.stem if one.suffix == ".toml" else one.name for one in names))
    here = Path.cwd()
    project = project_folder()
    begun = next((folder for folder in (here, *here.parents) if (folder / corpus / LEDGER).is_file()), None)
    if begun and project is None and begun != here:
        raise CrawlError(
            f"{begun / corpus} is a corpus of that name; run the crawl in {begun} to go on with it,"
            f" or begin another one here by -s NEWSCORPUS_CORPUS={corpus}"
        )
    home = begun if begun and project and begun.is_relative_to(project) else project or here
    return corpus if home == here else home / corpus


def positive(settings: BaseSettings, name: str) -> float:
    """Return the positive number in setting `name`; raise `CrawlError` if it is none."""
    with suppress(TypeError, ValueError):
        if (value := settings.getfloat(name)) > 0:
            return value
    raise CrawlError(f"setting {name} is {settings.get(name)!r}; expected a number above 0")


def worker_count(settings: BaseSettings) -> int:
    """Return the number of processes in NEWSCORPUS_WORKERS; raise `CrawlError` if it is no natural number."""
    value = settings.get("NEWSCORPUS_WORKERS")
    if not str(value).isdecimal():
        raise CrawlError(f"setting NEWSCORPUS_WORKERS is {value!r}; expected a whole number, 0 or more")
    return int(value)


def switch(settings: BaseSettings, name: str) -> bool:
    """Whether setting `name` is on; raise `CrawlError` if it is neither on nor off."""
    value = settings.get(name)
    with suppress(ValueError):
        return bool(value == "on") if value in ("on", "off") else settings.getbool(name)
    raise CrawlError(f"setting {name} is {value!r}; expected True or False, 1 or 0, on or off")


def recipe_of(settings: BaseSettings) -> Recipe:
    """Return the recipe of the rows; raise `CrawlError` if a setting is wrong."""
    rights = settings.get("NEWSCORPUS_RIGHTS")
    if rights not in set(RightsPolicy):
        raise CrawlError(f"setting NEWSCORPUS_RIGHTS is {rights!r}; known: {', '.join(RightsPolicy)}")
    extractor, fields_model = settings["NEWSCORPUS_EXTRACTOR"], settings["NEWSCORPUS_FIELDS_MODEL"]
    with _naming("setting NEWSCORPUS_EXTRACTOR"):
        check_name(extractor)
    with _naming("setting NEWSCORPUS_FIELDS_MODEL"):
        check_fields_model(fields_model)
    with _naming("setting NEWSCORPUS_QUALITY"):
        name = settings.get("NEWSCORPUS_QUALITY") or ""
        quality = read_quality(Path(name)) if name else QualityConfig()
    with _naming("settings NEWSCORPUS_POST_ANALYSIS, NEWSCORPUS_UPPER, NEWSCORPUS_LOWER"):
        rules = settings.get("NEWSCORPUS_POST_ANALYSIS")
        names = None if rules is None else tuple(settings.getlist("NEWSCORPUS_POST_ANALYSIS"))
        given = (settings.get("NEWSCORPUS_UPPER"), settings.get("NEWSCORPUS_LOWER"))
        upper, lower = (None if value is None else float(value) for value in given)
        revision = Revision(names, upper, lower).checked()
    with _naming("setting NEWSCORPUS_LEAVE_OUT", f"; known: {', '.join(Part)}"):
        leave_out = tuple(map(Part, settings.getlist("NEWSCORPUS_LEAVE_OUT")))
    second_opinion = switch(settings, "NEWSCORPUS_SECOND_OPINION")
    return Recipe(extractor, RightsPolicy(rights), quality, revision, leave_out, second_opinion, fields_model)


@contextmanager
def _naming(setting: str, known: str = "") -> Iterator[None]:
    """Name the setting in the message of an error."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise CrawlError(f"{setting}: {error}{known}") from error


def user_agent(contact: str) -> str:
    """Return the user agent: name, version, and the contact of the person who crawls, if any.

    Raises:
        CrawlError: the contact is neither a mail address nor a URL.
    """
    if contact and not re.search(r"[^@\s]+@[^@\s]+|https?://\S+", contact):
        raise CrawlError(f"NEWSCORPUS_CONTACT is {contact!r}; expected a mail address or the URL of a page")
    about = f" (+{contact})" if contact else ""
    return f"newscorpus/{version('newscorpus')}{about}"
