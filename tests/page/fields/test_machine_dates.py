"""Dates written for machines are read by the short way as by the long one."""

import pytest

from newscorpus.page.fields.dates import Setting, find_dates, parse_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-02-03", "2024-02-03"),
        ("2024-02-03T14:05", "2024-02-03T14:05:00"),
        ("2024-02-03T14:05Z", "2024-02-03T14:05:00+00:00"),
        ("2024-02-03 14:05:09.123456789+0100", "2024-02-03T14:05:09+01:00"),
        ("2024-02-03T14:05:09.5Z", "2024-02-03T14:05:09+00:00"),
    ],
)
def test_both_ways_agree(text: str, expected: str) -> None:
    assert parse_date(text) == expected == next(find_dates(text, Setting())).value


@pytest.mark.parametrize("text", ["2024-02-30", "2024-13-03T14:05", "0000-00-00", "no date", "12:30", "3 February"])
def test_no_date(text: str) -> None:
    assert parse_date(text) == ""
