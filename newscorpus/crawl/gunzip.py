"""Gzip undone piece by piece, in time linear in what goes in and comes out, however many members there are."""

import zlib
from collections.abc import Iterator

GZIP_MAGIC = b"\x1f\x8b"
WITH_GZIP_HEADER = 31
"""How zlib is told to read and write members of gzip."""
PIECE_BYTES = 2**14


class GzipError(ValueError):
    """What was to be unpacked is damaged."""


def gunzip(body: bytes, at_most: int) -> Iterator[bytes]:
    """The content of all members, the first `at_most` bytes of it.

    Of a body that is cut short as far as it goes; what follows the last member is passed over, as browsers do.

    Raises:
        GzipError: a member is damaged; what came before the damage was given.
    """
    start = 0
    while body.startswith(GZIP_MAGIC, start):
        unpacker = zlib.decompressobj(WITH_GZIP_HEADER)
        while not unpacker.eof and start < len(body) and at_most > 0:
            piece = body[start : start + PIECE_BYTES]
            try:
                part = unpacker.decompress(piece, at_most)
            except zlib.error as error:
                raise GzipError(str(error)) from error
            start += len(piece) - unused(unpacker)
            at_most -= len(part)
            yield part
        if not unpacker.eof:
            return


def unused(unpacker: "zlib._Decompress") -> int:
    """How many bytes a decompressor has not used of those that it was given last."""
    return len(unpacker.unused_data) if unpacker.eof else len(unpacker.unconsumed_tail)  # at the end, both hold them
