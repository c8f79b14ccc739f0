"""What goes wrong with a ledger."""


class LedgerError(ValueError):
    """The ledger cannot be opened, read or written; the message is one line that names the file."""
