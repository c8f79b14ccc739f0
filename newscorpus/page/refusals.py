"""Recognise walls by the response or the redirect alone, without parsing the page."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote, urlsplit

from newscorpus.resources import read_toml

CONSENT_WALL, BOT_CHECK, NEEDS_SCRIPT = "consent_wall", "bot_check", "needs_script"
WALLS = frozenset({CONSENT_WALL, BOT_CHECK, NEEDS_SCRIPT})
"""Rejection reasons of the stage "fetch"."""

HEAD_BYTES = 50_000
"""Bytes of a response searched for marks of a bot check, which stand at its beginning."""

SIGNS = read_toml(__package__, "walls.toml")
"""The signs of walls; the file explains each."""
CONSENT, BOT, SCRIPT = SIGNS["consent"], SIGNS["bot"], SIGNS["script"]
BOT_MARKS = tuple(map(str.encode, BOT["marks"]))
WALL_HOSTS = tuple(CONSENT["hosts"])


def find_refusal(headers: Mapping[str, str], body: bytes) -> str:
    """Return the sign by which a response, an error or a short page, is a bot check; "" if it is none.

    Names of headers are in lower case, and the body is decompressed.
    """
    for name, value in BOT["headers"].items():
        if name in headers and headers[name].lower().startswith(value):
            return f"header {name}"
    mark = first_mark(body, BOT_MARKS)
    return f"mark {mark!r}" if mark else ""


def first_mark(body: bytes, marks: Sequence[bytes]) -> str:
    """Return the first of the lower-case `marks` at the beginning of a response, as it is written there; else ""."""
    head = body[:HEAD_BYTES].lower()
    at, mark = min(((at, mark) for mark in marks if (at := head.find(mark)) >= 0), default=(0, b""))
    return body[at : at + len(mark)].decode("latin-1")


def find_detour(url: str, target: str) -> str:
    """Return the wall to which a redirect from `url` leads: "consent_wall", "bot_check" or "".

    The address of a wall carries that of the page to return to, or is on a known host; that of a moved article does
    neither.
    """
    asked, led = urlsplit(url), urlsplit(target)
    host = led.hostname or ""
    if host != asked.hostname and host.startswith(WALL_HOSTS):
        return CONSENT_WALL
    told = unquote(unquote(led.query))
    if (asked.path if len(asked.path) > 1 else asked.netloc) not in told:
        return ""
    steps = set(led.path.lower().strip("/").split("/"))
    return CONSENT_WALL if steps & {*CONSENT["steps"]} else BOT_CHECK if steps & {*BOT["steps"]} else ""
