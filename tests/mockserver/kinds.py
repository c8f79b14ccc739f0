"""Answers that a test expects to be of one kind of several."""

from typing import TypeVar

T = TypeVar("T")


def expect(kind: type[T], found: object) -> T:
    """Return what was found, which has to be of this kind."""
    assert isinstance(found, kind), found
    return found
