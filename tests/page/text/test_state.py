"""What scripts get: bounds on pages that mean harm. What is read of it, `test_carried` shows."""

import json

import pytest

from newscorpus.data import Fields
from newscorpus.page.parsing.parse import parse
from newscorpus.page.text.carried import MAX_CHARACTERS, read_state

TITLE = "The quarry above the village closes"
PROSE = "A long sentence about the quarry and the people who worked there for many years. " * 5


def read(script: str) -> list[str]:
    tree = parse(f"<html><body><script>{script}</script></body></html>")
    return read_state(tree, Fields(title=TITLE), "https://news.example/quarry")


def bomb() -> str:
    """Forty levels, each of which refers twice to the next: a million million values if they were all opened."""
    levels = [{"a": at + 1, "b": at + 1} for at in range(40)]
    return json.dumps([*levels, PROSE])


HOSTILE = {
    "deep": "[" * 100_000 + "]" * 100_000,
    "deep in code": "x = " + '{"a":' * 50_000,
    "many starts": "x = {" * 300_000,
    "references": bomb(),
    "circle": json.dumps([{"a": 0, "b": 1}, [0, 1]]),
    "open strings": '"\\' * 500_000,
    "wide": json.dumps([[{"text": "five words stand right here"}] * 3 for _ in range(100_000)]),
    "one object around many": json.dumps({"texts": [PROSE] * 2_000} | {str(at): "some value" for at in range(100_000)}),
    "rows": "x.push([1," + json.dumps("".join(f"{at:x}:T1,$" + f"{at:x}" + "\n" for at in range(50_000))) + "])",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_state_is_read_in_bounded_time(case: str) -> None:
    assert read(HOSTILE[case]) == []


def test_state_beyond_the_limit_is_not_read() -> None:
    named = json.dumps({"title": TITLE, "body": PROSE, "rest": "x" * MAX_CHARACTERS})
    assert read(named) == []
    assert read(json.dumps({"title": TITLE, "body": PROSE})) != []
