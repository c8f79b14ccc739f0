"""Guard the server: who may ask, what may be written, and what a page of ours may load.

It listens on this machine; any site that is open in the same browser can send requests to it all the same. So the Host
header must name this server (against rebinding of names), what writes must carry the token of our own pages, and the
policy lets nothing in but our own files.
"""

import base64
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from newscorpus.views.explain.html import FRAME_STYLE, source_hash

TOKEN_HEADER = "x-newscorpus-token"  # noqa: S105 -- its name
JSON = "application/json"

POLICY: Final = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {source_hash(FRAME_STYLE)}; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src 'none'"
)
"""The frame of an archived page inherits it, and may go nowhere; what it shows stands in the page itself."""

HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses requests of strangers, and sends the policy with every answer."""

    app: ASGIApp
    hosts: Collection[str]  # `host:port` by which this server is called
    token: str  # that our own pages send with what they write
    password: str = ""  # that a browser is asked for; "" for none

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_policy(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        refusal = self._refusal(scope, Headers(scope=scope))
        await (refusal or self.app)(scope, receive, send_with_policy)

    def _refusal(self, scope: Scope, headers: Headers) -> PlainTextResponse | None:
        if headers.get("host", "") not in self.hosts:
            return PlainTextResponse("This server is not called so.\n", 421)
        if self.password and not self._knows_password(headers):
            asks = {"www-authenticate": 'Basic realm="newscorpus", charset="UTF-8"'}
            return PlainTextResponse("A password is needed.\n", 401, asks)
        if scope["method"] not in {"GET", "HEAD"} and not self._may_write(scope, headers):
            return PlainTextResponse("Only pages of this server may write.\n", 403)
        return None

    def _knows_password(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        try:
            _, _, password = base64.b64decode(given, validate=True).partition(b":")
        except ValueError:
            return False
        return kind.lower() == "basic" and hmac.compare_digest(password, self.password.encode())

    def _may_write(self, scope: Scope, headers: Headers) -> bool:
        """Whether a request comes from a page of ours, or from a program: no foreign page may send JSON unasked."""
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self.hosts:
            return False
        if scope["path"].startswith("/api/") and headers.get("content-type", "").partition(";")[0] == JSON:
            return True
        return hmac.compare_digest(headers.get(TOKEN_HEADER, "").encode(), self.token.encode())
