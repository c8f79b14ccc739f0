"""Gzip as sites and archives hold it: in many members, cut short, damaged, followed by something else."""

import gzip
import zlib

import pytest

from newscorpus.content_encoding import gunzip

TEXT = bytes(range(256)) * 400
PACKED = gzip.compress(TEXT, mtime=0)


def unpacked(body: bytes, at_most: int = 10**9) -> bytes:
    return b"".join(gunzip(body, at_most))


@pytest.mark.parametrize(
    ("body", "content"),
    [
        (PACKED, TEXT),
        (PACKED + PACKED, TEXT + TEXT),
        (gzip.compress(bytes(10**6), mtime=0) + PACKED, bytes(10**6) + TEXT),
        (PACKED + b"\0\0\n", TEXT),
        (gzip.compress(b"", mtime=0), b""),
        (b"", b""),
        (TEXT, b""),
    ],
)
def test_all_members_and_nothing_else(body: bytes, content: bytes) -> None:
    assert unpacked(body) == content


@pytest.mark.parametrize(
    ("body", "at_most", "content"),
    [
        (PACKED * 2, 10, TEXT[:10]),
        (PACKED * 2, len(TEXT) + 1, TEXT + TEXT[:1]),
        (PACKED, 0, b""),
        (gzip.compress(bytes(10**6)) * 3 + PACKED, 3 * 10**6 + 5, bytes(3 * 10**6) + TEXT[:5]),
        (PACKED[:5], 10, b""),
        (PACKED[:-10], 100, TEXT[:100]),
    ],
)
def test_no_more_than_asked_for_or_than_is_there(body: bytes, at_most: int, content: bytes) -> None:
    assert unpacked(body, at_most) == content


def test_damage_is_told_after_what_came_before_it() -> None:
    parts: list[bytes] = []
    damaged = PACKED + PACKED[:-8] + bytes(8)
    with pytest.raises(zlib.error):
        parts.extend(gunzip(damaged, 10**9))
    assert b"".join(parts).startswith(TEXT)
