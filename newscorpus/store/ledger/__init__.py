"""The ledger of a crawl, `CORPUS/ledger.sqlite`: every address and its outcome."""

from newscorpus.errors import LedgerError
from newscorpus.store.ledger.ledger import Ledger
from newscorpus.store.ledger.revisits import CrawlRules, LastVisit, OpenAddress, Revisits
from newscorpus.store.ledger.transaction import REJECTIONS, ROWS, Series
from newscorpus.store.ledger.values import Fetched, Lease, Link, UrlOutcome, UrlState, key_of

__all__ = [
    "REJECTIONS",
    "ROWS",
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
