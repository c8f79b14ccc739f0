"""What keeps the demo from running."""


class DemoError(RuntimeError):
    """The demo cannot be served or crawled; the message is one line."""
