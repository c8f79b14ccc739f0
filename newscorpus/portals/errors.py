"""What is wrong with a portal or template file."""


class PortalError(ValueError):
    """A portal or template file that is missing or wrong; the message is one line and names file and key or line."""
