"""One site as the downloader sees it: how things stand, and whose turn it is."""

import asyncio
from dataclasses import dataclass, field

from scrapy import Request

from newscorpus.crawl.politeness import Manners, Standing, first_standing


@dataclass(slots=True, eq=False)
class Site:
    """One download slot. Times are seconds since the epoch.

    Attributes:
        name: of the slot; for the portal spider, of the portal.
        manners: what the site may expect.
        standing: how things stand.
        turn: held by the request that is under way.
        holder: that request.
        last_start: when the last request went out; 0 before the first.
        next_start: the next one does not go out before.
    """

    name: str
    manners: Manners
    standing: Standing = field(init=False)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    holder: Request | None = None
    last_start: float = 0.0
    next_start: float = 0.0

    def __post_init__(self) -> None:
        self.standing = first_standing(self.manners)

    def begin(self, request: Request, now: float, stretch: float) -> None:
        """`request` goes out; the delay to the next one is stretched by a factor."""
        self.holder = request
        self.last_start = now
        self.next_start = now + stretch * self.standing.delay_seconds

    def end(self, request: Request) -> None:
        """`request` is over, if it was under way: it is the next one's turn."""
        if self.holder is request:
            self.holder = None
            self.turn.release()

    def settle(self, standing: Standing) -> None:
        """Take over a new standing; a longer delay counts from the last start on."""
        self.standing = standing
        self.next_start = max(self.next_start, self.last_start + standing.delay_seconds)
