"""Choose the pages that the profile of a portal is learned from, and remember by which one its pages were judged."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from newscorpus.store.ledger.store import Execute

Place = tuple[str, int]
"""File of the archive, relative to the corpus, and offset."""

SAMPLE = """SELECT archive_file, archive_offset FROM urls
    WHERE portal = ? AND archive_file != '' AND stage != 'fetch' AND reason != 'read' ORDER BY id LIMIT ?"""
"""The ids are hashes of the addresses; what was only read for its links is no article."""


@dataclass(frozen=True, slots=True)
class UsedProfile:
    """The profile by which all archived pages of a portal were judged."""

    sample: str  # names the pages that it was held against
    hash: str  # of its content; "" where nothing could be learned


class UsedProfiles:
    """The part of a ledger that is about profiles."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def samples(self, portals: Iterable[str], most: int) -> dict[str, list[Place]]:
        """Where archived pages of portals lie that may hold articles: at most so many of each, chosen by hash."""
        return {portal: self._execute(SAMPLE, (portal, most)).fetchall() for portal in portals}

    def of(self, portal: str) -> UsedProfile | None:
        """What the pages of a portal were judged by; None where that is not the same for all."""
        row = self._execute("SELECT sample, hash FROM profiles WHERE portal = ?", (portal,)).fetchone()
        return UsedProfile(*row) if row else None

    def note(self, portal: str, used: UsedProfile) -> None:
        """Note what all pages of a portal were judged by."""
        self._execute("INSERT OR REPLACE INTO profiles VALUES (?, ?, ?)", (portal, used.sample, used.hash))

    def forget(self) -> None:
        """Note that pages are judged without profiles from now on."""
        self._execute("DELETE FROM profiles", ())


def name_sample(places: list[Place]) -> str:
    """Name a sample, so that another one has another name."""
    return hashlib.sha256(repr(places).encode()).hexdigest()[:16]
