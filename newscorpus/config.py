"""Typed configuration of each stage. Every number says where it comes from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one page, so that no page can stall a crawl or exhaust its memory.

    Attributes:
        max_bytes: longest body that is parsed; news pages of 2026 stay below 5 MB, 99.9 % below 3 MB.
        max_depth: deepest nesting of elements that is walked; real pages stay below 100, and the text below is kept,
            as if it stood at this depth.
        max_elements: most elements walked; the longest real page seen (a live blog) had some 40,000.
    """

    max_bytes: int = 20_000_000
    max_depth: int = 250
    max_elements: int = 500_000
