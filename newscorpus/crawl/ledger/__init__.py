"""The ledger of a crawl, `CORPUS/ledger.sqlite`: every address, what became of it, and how much of each file counts."""

from newscorpus.crawl.ledger.files import Series
from newscorpus.crawl.ledger.ledger import Ledger
from newscorpus.crawl.ledger.revisits import LastVisit, Revisits
from newscorpus.crawl.ledger.rows import Fetched, Lease, Link, UrlOutcome, UrlState, key_of
from newscorpus.crawl.ledger.store import LEDGER
from newscorpus.errors import LedgerError

__all__ = [
    "LEDGER",
    "Fetched",
    "LastVisit",
    "Lease",
    "Ledger",
    "LedgerError",
    "Link",
    "Revisits",
    "Series",
    "UrlOutcome",
    "UrlState",
    "key_of",
]
