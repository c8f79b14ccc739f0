"""What goes wrong with an index of signatures."""


class DedupError(ValueError):
    """An index cannot be read or written, or was made otherwise; the message is one line that names the file."""
