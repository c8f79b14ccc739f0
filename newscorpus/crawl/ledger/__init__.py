"""Keep the ledger of a crawl, `CORPUS/ledger.sqlite`: every address, and what became of it."""

from newscorpus.crawl.ledger.ledger import Ledger
from newscorpus.crawl.ledger.revisits import CrawlRules, LastVisit, OpenAddress, Revisits
from newscorpus.crawl.ledger.rows import Fetched, Lease, Link, UrlOutcome, UrlState, key_of
from newscorpus.crawl.ledger.transaction import REJECTIONS, Series
from newscorpus.errors import LedgerError

__all__ = [
    "REJECTIONS",
    "CrawlRules",
    "Fetched",
    "LastVisit",
    "Lease",
    "Ledger",
    "LedgerError",
    "Link",
    "OpenAddress",
    "Revisits",
    "Series",
    "UrlOutcome",
    "UrlState",
    "key_of",
]
