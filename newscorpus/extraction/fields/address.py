"""The date that an address carries."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from newscorpus.data import Evidence

DATE = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<mark>[/_.-]?)(?P<month>0?[1-9]|1[0-2])(?P=mark)(?P<day>[0-2]?\d|3[01])(?!\d)"
)
DAY_FIRST = re.compile(
    r"(?<!\d)(?P<day>[0-2]\d|3[01])(?P<mark>[/_.-])(?P<month>0[1-9]|1[0-2])(?P=mark)(?P<year>(?:19|20)\d{2})(?!\d)"
)


def read_address(url: str) -> Iterator[Evidence]:
    """Evidence of the publication day in a path such as `/2024/02/03/` or `-20240203.html`."""
    path = urlsplit(url).path
    for match in (DATE.search(path), DAY_FIRST.search(path)):
        if match and (len(match["month"] + match["day"]) == 4 or _is_whole(match)):
            yield Evidence("published", f"{match['year']}-{int(match['month']):02}-{int(match['day']):02}", "url")


def _is_whole(match: re.Match[str]) -> bool:
    """Whether a day or month of one digit is a step of the path, as in `/2024/2/3/`, not in `/2024/2/3-reasons`."""
    return match["mark"] == "/" and match.string[match.end() : match.end() + 1] in {"", "/"}
