"""Hold what the pages of a portal say together, and keep it in a file."""

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import msgspec

from newscorpus.errors import CorpusError
from newscorpus.files import replacing
from newscorpus.layout import PROFILES

VERSION = 1
"""Of the layout of the file; raised when a key is added, removed or changes its meaning."""
HASH_LENGTH = 10

logger = logging.getLogger(__name__)


class PathFacts(msgspec.Struct, frozen=True):
    """What stands at one path."""

    pages: int  # on which a block stands there
    good_pages: int  # on which most of its words are main text, by the model
    blocks: int  # on all pages
    texts: int  # different ones among the blocks, but for their digits
    words: int  # of the blocks
    good_words: float  # of these main text, to be expected by the model


class Repeated(msgspec.Struct, frozen=True):
    """A text, or the opening of texts, that stands on several pages."""

    pages: int  # on which it stands
    text: str  # how it begins on one of them


class FieldFacts(msgspec.Struct, frozen=True):
    """Where the values of one field stand."""

    pages: int  # with a value
    sources: dict[str, int]  # pages by the source of the value, as `Provenance` names them
    paths: dict[str, int]  # pages by the path of a block that shows the value


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was learned from the pages of a portal without labels; counts are of the pages it was learned from."""

    source: str  # name of the portal or of the site
    extractor: str  # what judged the pages, such as "model:main-text@3"
    pages: tuple[str, ...]  # ids of the documents, sorted
    words: tuple[int, ...]  # of main text of a page: least, quartiles, most
    paths: dict[str, PathFacts]  # by path, as `path_of`; those of a single page are left out
    texts: dict[str, Repeated]  # by `text_key`; those of a single page are left out
    openings: dict[str, Repeated]  # by `opening_key`, in the same way
    fields: dict[str, FieldFacts]  # by the names of `Fields`
    version: int = VERSION

    @property
    def hash(self) -> str:
        """Name the content; equal profiles, equal names."""
        return hashlib.sha256(_encode(self)).hexdigest()[:HASH_LENGTH]


@dataclass(frozen=True, slots=True)
class ProfileFile:
    """A profile that lies in a file, small enough to go with every page."""

    path: Path
    hash: str  # of its content


Profiles = Mapping[str, ProfileFile]
"""The profiles of sources, by their names."""
NO_PROFILES: Profiles = {}


def _encode(profile: Profile) -> bytes:
    return msgspec.json.encode(profile, order="sorted")


def write_profile(path: Path, profile: Profile) -> ProfileFile:
    """Write a profile as JSON that people can read; equal profiles make equal files.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(msgspec.json.format(_encode(profile), indent=1) + b"\n")
    return ProfileFile(path, profile.hash)


def profile_path(corpus: Path, source: str) -> Path:
    """Where a corpus keeps the profile of a source."""
    return corpus / PROFILES / f"{quote(source, safe='')}.json"


def profiles_of(corpus: Path) -> Profiles:
    """The profiles that a corpus keeps; one that cannot be read is passed over, with a warning."""
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
