"""The 37 features of a segment, each in [0, 1] (Bakić 2012, features)."""

import re
from collections.abc import Sequence
from statistics import fmean, median

SIZE_LIMITS = (10**2, 10**3, 10**4, 10**5, 10**6)
"""Bytes below which a segment falls into the first five size classes; all others are in the sixth."""

COUNTED = (
    "blockquote br caption cite code col colgroup div dl form frameset h1 h2 h3 h4 h5 h6 hr iframe object ol p samp "
    "span table ul"
).split()

FEATURES = (
    *(f"under_{limit}_bytes" for limit in SIZE_LIMITS),
    f"from_{SIZE_LIMITS[-1]}_bytes",
    "markup_share",
    "link_markup_share",
    "mean_run_to_longest",
    "median_run_to_longest",
    "longest_run_to_all",
    *COUNTED,
)

_TOKEN = re.compile(r"""<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)(?:"[^"]*"|'[^']*'|[^>"'])*>|(?P<text>[^<]+)""")


def measure_segment(html: str) -> list[float]:
    """The features of one segment, in the order of `FEATURES`. Lengths are of characters, sizes of UTF-8 bytes."""
    markup, link_markup, open_links = 0, 0, 0
    runs: list[int] = []
    counts = dict.fromkeys(COUNTED, 0)
    for token in _TOKEN.finditer(html):
        name = token["name"]
        if name is None:
            length = len(" ".join(token["text"].split()))
            runs += [length] if length and not open_links else []
            continue
        markup += len(token[0])
        if name == "a":
            link_markup += len(token[0])
            open_links = max(open_links + (-1 if token["end"] else 1), 0)
        elif not token["end"] and name in counts:
            counts[name] += 1
    size = max(len(html), 1)
    most = max(*counts.values(), 1)
    return [
        *_size_class(len(html.encode("utf-8", "replace"))),
        markup / size,
        link_markup / size,
        *_run_measures(runs),
        *(count / most for count in counts.values()),
    ]


def _size_class(size: int) -> list[float]:
    place = sum(size >= limit for limit in SIZE_LIMITS)
    return [float(at == place) for at in range(len(SIZE_LIMITS) + 1)]


def _run_measures(runs: Sequence[int]) -> tuple[float, float, float]:
    """Of the lengths of the texts between two tags outside links: mean and median to longest, longest to their sum."""
    if not runs:
        return 0.0, 0.0, 0.0
    longest = max(runs)
    return fmean(runs) / longest, median(runs) / longest, longest / sum(runs)
