from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.fetch.middlewares.pauses import read_retry_after

NOW = datetime(2026, 11, 18, 10, 26, 40, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Wed, 18 Nov 2026 10:27:40 GMT", 60.0),
        ("Wed, 18 Nov 2026 10:27:40", 60.0),
        ("Wed, 18 Nov 2026 11:27:40 +0100", 60.0),
        ("Wed, 18 Nov 2020 10:27:40 GMT", 0.0),
        *((value, None) for value in ("", "soon", "-5", "1.5", "²", "Wed, 99 Nov 2026 10:27:40 GMT")),
        ("Wed, 18 Nov 2026 10:27:40 +99999999999999999999", None),
        ("Wed, 18 Nov 99999999999999999999 10:27:40 GMT", None),
    ],
)
def test_seconds_and_dates(value: str, seconds: float | None) -> None:
    assert read_retry_after(value, NOW) == seconds


@given(st.text())
def test_never_raises(value: str) -> None:
    found = read_retry_after(value, NOW)
    assert found is None or found >= 0
