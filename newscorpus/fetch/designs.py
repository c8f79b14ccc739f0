"""Watch the designs of the portals of a crawl; what is known of them lies in the ledger, so that it outlives a kill."""

import logging

from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.portals import Look
from newscorpus.store.redesigns import PortalWatch

logger = logging.getLogger(__name__)


class DesignWatch:
    """Notes what each page looked like, and warns once of a redesign."""

    def __init__(self, ledger: Ledger) -> None:
        self._looks = ledger.looks
        self._watches: dict[str, PortalWatch] = {}

    def note(self, look: Look) -> None:
        """Note a page that is done; the caller commits."""
        if look.portal not in self._watches:
            self._watches[look.portal] = PortalWatch(self._looks.last(look.portal))
        self._looks.add(look)
        if alarm := self._watches[look.portal].add(look):
            self._looks.alarm(alarm)
            logger.warning("%s", alarm)
