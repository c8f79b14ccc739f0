"""Undo content encodings within bounds, in time linear in what goes in and comes out."""

import io
import zlib
from collections.abc import Iterator

import brotli  # type: ignore[import-untyped]
import zstandard

from newscorpus.data import Rejected

GZIP_MAGIC = b"\x1f\x8b"
WITH_GZIP_HEADER = 31
"""Window bits with which zlib reads and writes members of gzip."""
PIECE_BYTES = 2**14
BARE_DEFLATE = -15

MAX_ENCODINGS = 4
"""Most encodings of one body, one over another; real pages have one."""


class ContentError(ValueError):
    """A body cannot be unpacked; `reason` is "too_large" or "broken_encoding"."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason

    def rejection(self, url: str) -> Rejected:
        """The rejection of the page at `url`, stage "fetch"."""
        return Rejected("fetch", self.reason, str(self), url)


def unpack(body: bytes, encodings: str, max_bytes: int) -> bytes:
    """`body` without its content encodings: gzip, deflate, br and zstd; others, and what is not packed, stay.

    Args:
        body: as it came.
        encodings: value of `Content-Encoding`, the last one outermost. Many archives hold the bare body with it.
        max_bytes: longest result.

    Raises:
        ContentError: longer than that, damaged, or packed too often.
    """
    names = [name.strip().lower() for name in encodings.split(",")]
    if len(names) > MAX_ENCODINGS:
        raise ContentError("broken_encoding", f"{len(names)} encodings, one over another")
    for name in reversed(names):
        try:
            body = _unpacked(name, body, max_bytes + 1)
        except (zlib.error, brotli.error, zstandard.ZstdError) as error:
            raise ContentError("broken_encoding", f"{name}: {error}") from error
        if len(body) > max_bytes:
            raise ContentError("too_large", f"more than {max_bytes} bytes when unpacked")
    return body


def _unpacked(name: str, body: bytes, at_most: int) -> bytes:
    match name:
        case "gzip" | "x-gzip" if body.startswith(GZIP_MAGIC):
            return b"".join(gunzip(body, at_most))
        case "deflate":
            try:
                return zlib.decompressobj().decompress(body, at_most)
            except zlib.error:  # without the header that the standard asks for, as some servers send it
                return zlib.decompressobj(BARE_DEFLATE).decompress(body, at_most)
        case "br":
            return _unbrotlied(body, at_most)
        case "zstd" if body.startswith(zstandard.FRAME_HEADER):
            reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body), read_across_frames=True)
            return reader.read(at_most)
        case _:
            return body


def _unbrotlied(body: bytes, at_most: int) -> bytes:
    if body.lstrip()[:1] == b"<":
        return body  # bare, as archives may hold it; brotli has no mark at its beginning
    unpacker = brotli.Decompressor()
    parts = [unpacker.process(body, output_buffer_limit=at_most)]
    length = len(parts[0])
    while length < at_most and not unpacker.can_accept_more_data():
        parts.append(unpacker.process(b"", output_buffer_limit=at_most - length))
        length += len(parts[-1])
    return b"".join(parts)


def gunzip(body: bytes, at_most: int) -> Iterator[bytes]:
    """The content of all members, the first `at_most` bytes of it.

    A body that is cut short gives what is there; what follows the last member is passed over, as browsers do.

    Raises:
        zlib.error: a member is damaged; what came before the damage was given.
    """
    start = 0
    while body.startswith(GZIP_MAGIC, start):
        unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        while not unpacker.eof and start < len(body) and at_most > 0:
            piece = body[start : start + PIECE_BYTES]
            part = unpacker.decompress(piece, at_most)
            start += len(piece) - unused(unpacker)
            at_most -= len(part)
            yield part
        if not unpacker.eof:
            return


def unused(unpacker: "zlib._Decompress") -> int:
    """How many bytes a decompressor has not used of those that it was given last."""
    return len(unpacker.unused_data) if unpacker.eof else len(unpacker.unconsumed_tail)  # at the end, both hold them
