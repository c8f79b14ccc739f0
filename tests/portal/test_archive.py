from datetime import date

import pytest

from newscorpus.portal.portal import archive_page, archive_pages

FIRST, LAST = date(2024, 11, 29), date(2025, 1, 2)


def test_a_page_a_day_newest_first() -> None:
    pages = list(archive_pages("https://x.example/a/{year}/{month:02}/{day:02}", FIRST, LAST))
    assert pages[0] == "https://x.example/a/2025/01/02"
    assert pages[-1] == "https://x.example/a/2024/11/29"
    assert len(pages) == len(set(pages)) == 35


def test_a_page_a_month_and_a_page_a_year() -> None:
    assert list(archive_pages("https://x.example/{month}-{year}", FIRST, LAST)) == [
        f"https://x.example/{month}" for month in ("1-2025", "12-2024", "11-2024")
    ]
    assert list(archive_pages("https://x.example/{year}", FIRST, LAST)) == [
        "https://x.example/2025", "https://x.example/2024",
    ]  # fmt: skip


def test_no_days_no_pages() -> None:
    assert list(archive_pages("https://x.example/{year}", LAST, FIRST)) == []


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("https://x.example/{month}", "names no"),
        ("https://x.example/{year}/{week}", "{week} is not known"),
        ("https://x.example/{year.real}", "{year.real} is not known"),
        ("https://x.example/{year!r}", "is not known"),
        ("https://x.example/{year:099999999}", "is not known"),
        ("https://x.example/{year}/{", "a brace too many"),
        ("https://x.example/{}", "is not known"),
    ],
)
def test_broken_patterns(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        archive_page(pattern, FIRST)
