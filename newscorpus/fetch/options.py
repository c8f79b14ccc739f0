"""Read and check the settings of newscorpus."""

from importlib.metadata import version
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

import newscorpus.settings
from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.errors import CorpusError, CrawlError
from newscorpus.layout import LEDGER
from newscorpus.page.quality.judge import read_quality
from newscorpus.page.rights import RightsPolicy
from newscorpus.resources import project_folder

PREFIX = "NEWSCORPUS_"
KNOWN = tuple(sorted(name for name in vars(newscorpus.settings) if name.startswith(PREFIX)))


def check_settings(settings: BaseSettings) -> None:
    """Refuse unknown, wrong or impolite settings.

    Raises:
        CrawlError: a NEWSCORPUS_ setting is unknown or wrong, or ROBOTSTXT_OBEY is off.
    """
    if unknown := sorted(name for name in settings if name.startswith(PREFIX) and name not in KNOWN):
        raise CrawlError(f"unknown setting {unknown[0]}; known: {', '.join(KNOWN)}")
    if not settings.getbool("ROBOTSTXT_OBEY"):
        raise CrawlError("setting ROBOTSTXT_OBEY: newscorpus obeys robots.txt, always")
    if not (settings.getbool("DNSCACHE_ENABLED") and settings.getint("DNSCACHE_SIZE") > 0):
        raise CrawlError(
            "settings DNSCACHE_ENABLED, DNSCACHE_SIZE: a second answer could lead into the private network"
        )
    rights_policy(settings)
    quality_config(settings)
    revision_of(settings)


def corpus_folder(settings: BaseSettings) -> Path:
    """Return the folder of the corpus; in a project's settings it is relative to the project's folder.

    Raises:
        CrawlError: NEWSCORPUS_CORPUS is not set.
    """
    folder = settings.get("NEWSCORPUS_CORPUS") or ""
    if not folder:
        raise CrawlError("setting NEWSCORPUS_CORPUS is empty; set it to the folder of the corpus")
    is_of_project = (settings.getpriority("NEWSCORPUS_CORPUS") or 0) <= SETTINGS_PRIORITIES["project"]
    project = project_folder()
    return project / folder if is_of_project and project not in {None, Path.cwd()} else Path(folder)


def default_corpus(name: str) -> Path:
    """Return the default folder `corpora/NAME`: in the project's folder, or in a subfolder that has it already.

    Args:
        name: of the portals, separated by commas, or the paths of their files.

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
    """Return the positive number in setting `name`.

    Raises:
        CrawlError: it is no positive number.
    """
    try:
        value = settings.getfloat(name)
    except (TypeError, ValueError):
        value = 0.0
    if not value > 0:
        raise CrawlError(f"setting {name} is {settings.get(name)!r}; expected a number above 0")
    return value


def worker_count(settings: BaseSettings) -> int:
    """Return the number of processes in NEWSCORPUS_WORKERS.

    Raises:
        CrawlError: it is no integer, or negative.
    """
    value = settings.get("NEWSCORPUS_WORKERS")
    if not str(value).isdecimal():
        raise CrawlError(f"setting NEWSCORPUS_WORKERS is {value!r}; expected a whole number, 0 or more")
    return int(value)


def switch(settings: BaseSettings, name: str) -> bool:
    """Whether setting `name` is on.

    Raises:
        CrawlError: it is neither on nor off.
    """
    value = settings.get(name)
    if value in ("on", "off"):
        return bool(value == "on")
    try:
        return settings.getbool(name)
    except ValueError:
        raise CrawlError(f"setting {name} is {value!r}; expected True or False, 1 or 0, on or off") from None


def rights_policy(settings: BaseSettings) -> RightsPolicy:
    """Return the policy for documents whose site reserves their use.

    Raises:
        CrawlError: the policy is unknown.
    """
    value = settings.get("NEWSCORPUS_RIGHTS")
    try:
        return RightsPolicy(value)
    except ValueError:
        raise CrawlError(f"setting NEWSCORPUS_RIGHTS is {value!r}; known: {', '.join(RightsPolicy)}") from None


def revision_of(settings: BaseSettings) -> Revision:
    """Return how labels of blocks are revised: NEWSCORPUS_POST_ANALYSIS, NEWSCORPUS_UPPER and NEWSCORPUS_LOWER.

    Raises:
        CrawlError: a rule is unknown, a threshold is no number, or the upper one is below the lower one.
    """
    try:
        rules = settings.get("NEWSCORPUS_POST_ANALYSIS")
        names = None if rules is None else tuple(settings.getlist("NEWSCORPUS_POST_ANALYSIS"))
        upper, lower = (settings.get(name) for name in ("NEWSCORPUS_UPPER", "NEWSCORPUS_LOWER"))
        numbers = (None if upper is None else float(upper), None if lower is None else float(lower))
        return Revision(names, *numbers).checked()
    except (TypeError, ValueError) as error:
        known = "NEWSCORPUS_POST_ANALYSIS, NEWSCORPUS_UPPER, NEWSCORPUS_LOWER"
        raise CrawlError(f"settings {known}: {error}") from None


def parts_left_out(settings: BaseSettings) -> tuple[Part, ...]:
    """Return the parts of articles in NEWSCORPUS_LEAVE_OUT.

    Raises:
        CrawlError: a part is unknown.
    """
    try:
        return tuple(map(Part, settings.getlist("NEWSCORPUS_LEAVE_OUT")))
    except ValueError as error:
        raise CrawlError(f"setting NEWSCORPUS_LEAVE_OUT: {error}; known: {', '.join(Part)}") from None


def quality_config(settings: BaseSettings) -> QualityConfig:
    """Return the filters in the file NEWSCORPUS_QUALITY, or the default ones.

    Raises:
        CrawlError: the file cannot be read or is wrong.
    """
    name = settings.get("NEWSCORPUS_QUALITY") or ""
    if not name:
        return QualityConfig()
    try:
        return read_quality(Path(name))
    except CorpusError as error:
        raise CrawlError(f"setting NEWSCORPUS_QUALITY: {error}") from error


def user_agent(contact: str) -> str:
    """Return the user agent: name, version, and the contact of the person who crawls."""
    about = f" (+{contact})" if contact else ""
    return f"newscorpus/{version('newscorpus')}{about}"
