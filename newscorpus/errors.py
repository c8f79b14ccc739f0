"""Errors by what a user can do about them. Each message is one line, and names the file, if any."""

CHECK_FAILED, STOPPED = 3, 4
"""Exit codes of a failed check of a portal, and of a command that a signal ended; docs/crawling.md lists all."""


class ArgumentError(ValueError):
    """An argument or a file of settings is wrong; the message names it."""


class CrawlError(ArgumentError):
    """A crawl cannot start; the message names the wrong setting or argument, and a right value."""


class PortalError(ArgumentError):
    """A portal or template file is missing or wrong; the message names the key or line too."""


class CorpusError(ValueError):
    """A corpus cannot be read or written."""


class LedgerError(CorpusError):
    """The ledger of a crawl cannot be opened, read or written."""


class DamagedIndexError(CorpusError):
    """An index of signatures is not what was committed; it can be rebuilt."""


class LabError(ValueError):
    """Pages with gold text cannot be read, marked or learned from, or an evaluation cannot be made."""


class DemoError(RuntimeError):
    """The demo cannot be served or crawled."""
