"""Identity of requests by the canonical form of their address."""

import hashlib

from scrapy import Request

from newscorpus.urls import canonical_url


class CanonicalFingerprinter:
    """Requests are one if method, canonical address and body agree: tracking parameters and sessions do not count."""

    def fingerprint(self, request: Request) -> bytes:
        """20 bytes that name `request`."""
        parts = (request.method.encode(), canonical_url(request.url).encode(), request.body)
        return hashlib.sha1(b"\0".join(parts), usedforsecurity=False).digest()
