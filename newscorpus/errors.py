"""Name what goes wrong by what a user can do about it. The message of each is one line, and names the file if any."""


class CrawlError(ValueError):
    """A crawl cannot start; the message says which setting or argument is wrong and what would be right."""


class PortalError(ValueError):
    """A portal or template file is missing or wrong; the message names the key or line too."""


class CorpusError(ValueError):
    """A corpus cannot be read or written."""


class LedgerError(ValueError):
    """The ledger of a crawl cannot be opened, read or written."""


class DedupError(ValueError):
    """An index of signatures cannot be read or written, or was made with other parameters."""


class DamagedIndexError(DedupError):
    """An index of signatures is not what was committed; it can be made anew."""


class DemoError(RuntimeError):
    """The demo cannot be served or crawled."""
