"""Undo content encodings within bounds, in time linear in input and output."""

import io
import zlib
from collections.abc import Iterator

import brotli  # type: ignore[import-untyped]
import zstandard

from newscorpus.data import Rejected

GZIP_MAGIC = b"\x1f\x8b"
WITH_GZIP_HEADER = 31
"""Window bits with which zlib reads and writes gzip members."""
PIECE_BYTES = 2**14
BARE_DEFLATE = -15

MAX_ENCODINGS = 4
"""Maximum nested encodings of one body; real pages have one."""


class ContentError(ValueError):
    """A body cannot be unpacked; `reason` is "too_large" or "broken_encoding"."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason

    def rejection(self, url: str) -> Rejected:
        """The rejection of the page at `url`, stage "fetch"."""
        return Rejected("fetch", self.reason, str(self), url)


def unpack(body: bytes, encodings: str, max_bytes: int) -> bytes:
    """Undo the content encodings gzip, deflate, br and zstd of `body`; others, and unpacked bodies, stay as they are.

    `encodings` is the value of `Content-Encoding`, the last one outermost; many archives keep it with the unpacked
    body. The result has at most `max_bytes`.

    Raises:
        ContentError: too long, damaged, or nested too deep.
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
            except zlib.error:  # some servers omit the header that the standard requires
                return zlib.decompressobj(BARE_DEFLATE).decompress(body, at_most)
        case "br" if body.lstrip()[:1] != b"<":  # brotli has no magic number; an archive may hold the bare body
            unpacker = brotli.Decompressor()
            parts = [unpacker.process(body, output_buffer_limit=at_most)]
            length = len(parts[0])
            while length < at_most and not unpacker.can_accept_more_data():
                parts.append(unpacker.process(b"", output_buffer_limit=at_most - length))
                length += len(parts[-1])
            return b"".join(parts)
        case "zstd" if body.startswith(zstandard.FRAME_HEADER):
            reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body), read_across_frames=True)
            return reader.read(at_most)
        case _:
            return body


def gunzip(body: bytes, at_most: int) -> Iterator[bytes]:
    """Unpack all members, at most the first `at_most` bytes.

    A truncated body yields its beginning; bytes after the last member are ignored, as in browsers.

    Raises:
        zlib.error: a member is damaged; the content before the damage has been yielded.
    """
    start = 0
    while body.startswith(GZIP_MAGIC, start):
        unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        while not unpacker.eof and start < len(body) and at_most > 0:
            piece = body[start : start + PIECE_BYTES]
            part = unpacker.decompress(piece, at_most)
            start += len(piece) - len(unpacker.unused_data or unpacker.unconsumed_tail)
            at_most -= len(part)
            yield part
        if not unpacker.eof:
            return
