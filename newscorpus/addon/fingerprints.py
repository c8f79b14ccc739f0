"""Identity of requests by the document that they ask for."""

import hashlib

from scrapy import Request

from newscorpus.urls import canonical_url, document_id


class CanonicalFingerprinter:
    """Plain requests are one if they ask for one document: tracking parameters, sessions and https do not count."""

    def fingerprint(self, request: Request) -> bytes:
        """8 bytes that name the document; 20 bytes for a request with another method or a body."""
        if request.method == "GET" and not request.body:
            return bytes.fromhex(document_id(request.url))
        parts = (request.method.encode(), canonical_url(request.url).encode(), request.body)
        return hashlib.sha1(b"\0".join(parts), usedforsecurity=False).digest()
