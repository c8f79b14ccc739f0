"""Dates are written as people do; what is no date stays as it is."""

import pytest

from newscorpus.views.theme import day, moment


@pytest.mark.parametrize(
    ("value", "as_day", "as_moment"),
    [
        ("2026-05-04", "4 May 2026", "4 May 2026"),
        ("2026-05-04T10:00:00+02:00", "4 May 2026", "4 May 2026, 10:00"),
        ("2026-05", "2026-05", "2026-05"),
        ("2026-0T-x", "2026-0T-x", "2026-0T-x"),
        ("", "", ""),
    ],
)
def test_dates_are_written_as_people_do(value: str, as_day: str, as_moment: str) -> None:
    assert (day(value), moment(value)) == (as_day, as_moment)
