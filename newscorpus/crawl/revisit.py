"""How long to wait before a feed, a sitemap or a section is asked for again."""

from newscorpus.config import RevisitConfig


def next_interval(before: float, *, changed: bool, config: RevisitConfig) -> float:
    """Seconds to the next visit: half the last interval where something was new, twice as long where nothing was.

    Args:
        before: the last interval, seconds; 0 at the first visit.
        changed: the visit brought an address, or a change of one, that was not known.
        config: the bounds.
    """
    if not before:
        return config.first_seconds
    wanted = before / 2 if changed else before * 2
    return min(max(wanted, config.min_seconds), config.max_seconds)
