"""What a person did wrong when starting a crawl.

What goes wrong with a corpus on disk.

What goes wrong with a ledger.

What goes wrong with an index of signatures.

What is wrong with a portal or template file.

What keeps the demo from running.
"""


class CrawlError(ValueError):
    """A crawl cannot start; the message says in one line which setting or argument is wrong and what would be right."""


class CorpusError(ValueError):
    """A corpus cannot be read or written; the message is one line that names the file."""


class LedgerError(ValueError):
    """The ledger cannot be opened, read or written; the message is one line that names the file."""


class DedupError(ValueError):
    """An index cannot be read or written, or was made otherwise; the message is one line that names the file."""


class PortalError(ValueError):
    """A portal or template file that is missing or wrong; the message is one line and names file and key or line."""


class DemoError(RuntimeError):
    """The demo cannot be served or crawled; the message is one line."""
