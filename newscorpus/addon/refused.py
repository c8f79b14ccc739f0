"""The exception by which our middlewares refuse a request."""

from scrapy.exceptions import IgnoreRequest


class Refused(IgnoreRequest):
    """A request that is not sent, or whose answer is not followed.

    Attributes:
        reason: snake_case.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Postponed(Refused):
    """A request that is not sent in this run, and stays queued for the next one."""
