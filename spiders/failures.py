"""Why a fetch failed, as a rejection."""

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.spidermiddlewares.httperror import HttpError

from newscorpus.addon.refused import Refused
from newscorpus.data import Rejected

REASONS: dict[type[BaseException], str] = {
    CannotResolveHostError: "dns",
    DownloadCancelledError: "too_large",
    DownloadConnectionRefusedError: "connection_refused",
    DownloadFailedError: "connection_failed",
    DownloadTimeoutError: "timeout",
    ResponseDataLossError: "truncated",
}

FAILURES: tuple[type[BaseException], ...] = (*REASONS, IgnoreRequest)
"""What a download may raise."""

MESSAGES = {
    "Ignored response": "too_large",
    "max redirections reached": "redirect_loop",
}
"""How Scrapy's own middlewares begin the message of an `IgnoreRequest`, which carries no other mark."""


def fetch_rejection(error: BaseException | None, url: str) -> Rejected:
    """The rejection for an exception of the download, stage "fetch".

    A reason that is not known here is "download_failed", with the exception in the detail: nothing is lost silently.
    """
    detail = " ".join(str(error).split())[:300]
    if isinstance(error, HttpError):
        return Rejected("fetch", f"http_{error.response.status}", "", url)
    if isinstance(error, Refused):
        return Rejected("fetch", error.reason, detail, url)
    if isinstance(error, IgnoreRequest):
        reason = next((reason for start, reason in MESSAGES.items() if detail.startswith(start)), "download_failed")
        return Rejected("fetch", reason, detail, url)
    reason = next((reason for kind, reason in REASONS.items() if isinstance(error, kind)), "download_failed")
    return Rejected("fetch", reason, f"{type(error).__name__}: {detail}", url)
