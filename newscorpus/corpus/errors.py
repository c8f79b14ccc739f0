"""What goes wrong with a corpus on disk."""


class CorpusError(ValueError):
    """A corpus cannot be read or written; the message is one line that names the file."""
