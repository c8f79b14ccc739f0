"""How long to wait before a feed, a sitemap or a section is asked for again."""

from newscorpus.config import RevisitConfig


def next_interval(before: float, *, changed: bool, depth: int, config: RevisitConfig) -> float:
    """Seconds to the next visit: half the last interval where something was new, twice as long where nothing was.

    Args:
        before: the last interval, seconds; 0 at the first visit.
        depth: links followed to get there; the farther away a page, the longer its first interval.
        changed: the visit brought an address, or a change of one, that was not known.
        config: the bounds.
    """
    if not before:
        return min(config.first_seconds * config.depth_factor**depth, config.max_seconds)
    wanted = before / 2 if changed else before * 2
    return min(max(wanted, config.min_seconds), config.max_seconds)
