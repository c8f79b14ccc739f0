"""Define the profile of a portal, the statistics of its pages, and read and write it as a file."""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from newscorpus.errors import CorpusError
from newscorpus.files import replace_file
from newscorpus.layout import PROFILES

VERSION = 2
"""Version of the file's layout, raised when a key is added, removed or changes its meaning."""
HASH_LENGTH = 10

logger = logging.getLogger(__name__)


class PathFacts(msgspec.Struct, frozen=True):
    """Statistics of the blocks at one path."""

    pages: int  # with a block at this path
    good_pages: int  # on which most words at this path are main text, according to the model
    blocks: int  # on all pages
    texts: int  # distinct texts of the blocks, digits ignored
    words: int  # in the blocks
    good_words: float  # expected number of main-text words, according to the model


class Repeated(msgspec.Struct, frozen=True):
    """A text that several pages repeat."""

    pages: int  # with the text
    text: str  # its beginning on one of them


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Statistics learned without labels from pages of a portal; all counts cover these pages."""

    source: str  # portal or site
    extractor: str  # used for the pages, such as "model:main-text@3"
    pages: tuple[str, ...]  # document ids, sorted
    paths: dict[str, PathFacts]  # by `path_of`; without paths of a single page
    texts: dict[str, Repeated]  # by `text_key`; without texts of a single page
    version: int = VERSION

    @property
    def hash(self) -> str:
        """Hash of the content."""
        return hashlib.sha256(_encode(self)).hexdigest()[:HASH_LENGTH]


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """Reference to a profile, small enough to accompany every page."""

    path: Path
    hash: str  # of its content


Profiles = Mapping[str, ProfileFile]
"""Profiles by name of the source."""
NO_PROFILES: Profiles = {}


def _encode(profile: Profile) -> bytes:
    return msgspec.json.encode(profile, order="sorted")


def write_profile(path: Path, profile: Profile) -> ProfileFile:
    """Write a profile as indented JSON; equal profiles give equal files.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, msgspec.json.format(_encode(profile), indent=1) + b"\n")
    return ProfileFile(path, profile.hash)


def profile_path(corpus: Path, source: str) -> Path:
    """Return the path of the profile of a source in a corpus."""
    return corpus / PROFILES / f"{quote(source, safe='')}.json"


def profiles_of(corpus: Path) -> Profiles:
    """Return the profiles of a corpus; an unreadable one is skipped with a warning."""
    found = {}
    for path in sorted((corpus / PROFILES).glob("*.json")):
        try:
            profile = read_profile(path)
        except CorpusError as error:
            logger.warning("%s; it is not used", error)
        else:
            found[profile.source] = ProfileFile(path, profile.hash)
    return found


def read_profile(path: Path) -> Profile:
    """Read a profile.

    Raises:
        CorpusError: the file is missing, damaged, or of another version of the layout.
    """
    try:
        profile = msgspec.json.decode(path.read_bytes(), type=Profile)
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise CorpusError(f"{path}: no profile of a portal: {error}") from error
    if profile.version != VERSION:
        raise CorpusError(f"{path}: a profile of version {profile.version}, not {VERSION}; learn it anew")
    return profile
