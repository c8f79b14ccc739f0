"""Feeds and sitemaps, read by their form."""

from newscorpus.data import Rejected

from .feeds import parse_feed
from .listing import Form, Listing, ListingError
from .sitemaps import parse_sitemap

PARSERS = {Form.FEED: parse_feed, Form.SITEMAP: parse_sitemap}


def read_list(form: Form, body: bytes, url: str) -> Listing | Rejected:
    """The list in `body`, or why there is none."""
    try:
        return PARSERS[form](body, url)
    except ListingError as error:
        return Rejected("discovery", f"broken_{form}", str(error), url)


def read_any(body: bytes, url: str) -> Listing | None:
    """The feed or sitemap in `body`, told by its content; None where it is neither."""
    for parse in PARSERS.values():
        try:
            return parse(body, url)
        except ListingError:
            continue
    return None
