"""Dates as pages write them; those for machines are read by the short way as by the long one."""

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import product

import pytest
from babel import Locale
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.page.fields.dates import Setting, find_dates, month_number, parse_date

FETCHED = datetime(2024, 2, 5, 10, 30, tzinfo=timezone(timedelta(hours=1)))  # a Monday

TABLE = """
2024-02-03                                        | 2024-02-03
2024-02-03T14:05:00Z                              | 2024-02-03T14:05:00+00:00
2024-02-03T14:05:00.123Z                          | 2024-02-03T14:05:00+00:00
2024-02-03T14:05:00+01:00                         | 2024-02-03T14:05:00+01:00
2024-02-03T14:05:00+0100                          | 2024-02-03T14:05:00+01:00
2024-02-03T14:05+01:00                            | 2024-02-03T14:05:00+01:00
2024-02-03 14:05:00 +01:00                        | 2024-02-03T14:05:00+01:00
2024-02-03 14:05                                  | 2024-02-03T14:05:00
2024-2-3                                          | 2024-02-03
2024/02/03                                        | 2024-02-03
2024.02.03 14:05                                  | 2024-02-03T14:05:00
2024. 2. 3.                                       | 2024-02-03
20240203                                          | 2024-02-03
20240203T140500Z                                  | 2024-02-03T14:05:00+00:00
1706965500                                        | 2024-02-03T13:05:00+00:00
1706965500000                                     | 2024-02-03T13:05:00+00:00
Sat, 03 Feb 2024 14:05:00 +0100                   | 2024-02-03T14:05:00+01:00
Sat, 3 Feb 2024 14:05:00 GMT                      | 2024-02-03T14:05:00+00:00
Sat Feb 03 2024 14:05:00 GMT+0100 (CET)           | 2024-02-03T14:05:00+01:00
Sat Feb 3 14:05:00 CET 2024                       | 2024-02-03T14:05:00
3. 2. 2024                                        | 2024-02-03
03/02/2024                                        | 2024-02-03
03-02-2024                                        | 2024-02-03
3.2.24                                            | 2024-02-03
13/1/2024                                         | 2024-01-13
1/13/2024                                         | 2024-01-13
3. 2. 2024 v 14.05                                | 2024-02-03T14:05:00
03.02.2024, 14:05 Uhr                             | 2024-02-03T14:05:00
03.02.2024 | 14:05                                | 2024-02-03T14:05:00
Stand: 03.02.2024 14:05 Uhr                       | 2024-02-03T14:05:00
14:05, 3.2.2024                                   | 2024-02-03T14:05:00
٠٣/٠٢/٢٠٢٤                                        | 2024-02-03
३ फ़रवरी २०२४                                      | 2024-02-03
3 กุมภาพันธ์ 2567                                 | 2024-02-03
۱۴ بهمن ۱۴۰۲                                      | 2024-02-03
令和6年2月3日                                     | 2024-02-03
3 tháng 2 năm 2024                                | 2024-02-03
3. února 2024 v 14:05                             | 2024-02-03T14:05:00
sobota 3. února 2024, 14:05                       | 2024-02-03T14:05:00
15. ŘÍJNA 2023                                    | 2023-10-15
15. rijna 2023                                    | 2023-10-15
Publikováno: 15. 10. 2023 14:05                   | 2023-10-15T14:05:00
3. februára 2024 o 14:05                          | 2024-02-03T14:05:00
3 lutego 2024 r., godz. 14:05                     | 2024-02-03T14:05:00
15 listopada 2023                                 | 2023-11-15
15 paź 2023                                       | 2023-10-15
3. veljače 2024. u 14:05                          | 2024-02-03T14:05:00
14:05, 3. veljače 2024.                           | 2024-02-03T14:05:00
15. listopada 2023.                               | 2023-10-15
15. studenog 2023.                                | 2023-11-15
3.2.2024. 14:05h                                  | 2024-02-03T14:05:00
15. oktobra 2023 ob 14.05                         | 2023-10-15T14:05:00
3. februarja 2024                                 | 2024-02-03
15. marca 2023 ob 14:05                           | 2023-03-15T14:05:00
3. februar 2024.                                  | 2024-02-03
15. oktobar 2023. u 14:05                         | 2023-10-15T14:05:00
3. фебруар 2024.                                  | 2024-02-03
15. januara 2023.                                 | 2023-01-15
15. јула 2023.                                    | 2023-07-15
15. јануара 2023. године у 14:05                  | 2023-01-15T14:05:00
15 октября                                        | 2023-10-15
15 октября 2023 г. в 14:05                        | 2023-10-15T14:05:00
15 октября 2023, 14:05 МСК                        | 2023-10-15T14:05:00+03:00
14:05, 15 октября 2023                            | 2023-10-15T14:05:00
3 февраля 2024 года                               | 2024-02-03
15 ДЕКАБРЯ 2023                                   | 2023-12-15
3 лютого 2024 року о 14:05                        | 2024-02-03T14:05:00
3 февруари 2024                                   | 2024-02-03
15 октомври 2023 г., 14:05                        | 2023-10-15T14:05:00
Σάββατο, 3 Φεβρουαρίου 2024 - 14:05               | 2024-02-03T14:05:00
3 Φεβ. 2024                                       | 2024-02-03
3 ΦΕΒΡΟΥΑΡΙΟΥ 2024                                | 2024-02-03
15 Οκτωβρίου 2023, 2:05 μ.μ.                      | 2023-10-15T14:05:00
3. Februar 2024 um 14:05 Uhr                      | 2024-02-03T14:05:00
Samstag, 3. Februar 2024, 14.05 Uhr               | 2024-02-03T14:05:00
15. Jänner 2023                                   | 2023-01-15
15. Okt. 2023                                     | 2023-10-15
Le 3 février 2024 à 14h05                         | 2024-02-03T14:05:00
1er août 2023                                     | 2023-08-01
15 déc. 2023                                      | 2023-12-15
3 de febrero de 2024 14:05 h                      | 2024-02-03T14:05:00
15 oct. 2023                                      | 2023-10-15
15 de agosto del 2023                             | 2023-08-15
3 febbraio 2024 alle 14:05                        | 2024-02-03T14:05:00
3 de fevereiro de 2024 às 14h05                   | 2024-02-03T14:05:00
15 de março de 2023                               | 2023-03-15
February 3, 2024                                  | 2024-02-03
Feb. 3, 2024 2:05 p.m. EST                        | 2024-02-03T14:05:00-05:00
February 3rd, 2024 at 2:05 pm                     | 2024-02-03T14:05:00
3 February 2024                                   | 2024-02-03
3rd of February, 2024                             | 2024-02-03
03-Feb-24                                         | 2024-02-03
Published 3 Feb 2024 12:05 am                     | 2024-02-03T00:05:00
3. XI. 2023                                       | 2023-11-03
2024. február 3., szombat                         | 2024-02-03
2024 m. vasario 3 d.                              | 2024-02-03
3 Şubat 2024                                      | 2024-02-03
2024年2月3日 14:05                                 | 2024-02-03T14:05:00
2024년 2월 3일 오후 2:05                              | 2024-02-03T14:05:00
jučer u 14:30                                     | 2024-02-04T14:30:00
јуче у 14:30                                      | 2024-02-04T14:30:00
вчера в 14:30 МСК                                 | 2024-02-04T14:30:00+03:00
včeraj ob 14.30                                   | 2024-02-04T14:30:00
wczoraj, 14:30                                    | 2024-02-04T14:30:00
вчора о 14:30                                     | 2024-02-04T14:30:00
χθες 14:30                                        | 2024-02-04T14:30:00
gestern, 14:30 Uhr                                | 2024-02-04T14:30:00
hier à 14h30                                      | 2024-02-04T14:30:00
yesterday                                         | 2024-02-04
dnes 9:15                                         | 2024-02-05T09:15:00
danes ob 9.15                                     | 2024-02-05T09:15:00
předevčírem                                       | 2024-02-03
vorgestern                                        | 2024-02-03
vor 3 Stunden                                     | 2024-02-05T07:30:00+01:00
před 3 hodinami                                   | 2024-02-05T07:30:00+01:00
pred 3 urami                                      | 2024-02-05T07:30:00+01:00
prije 3 sata                                      | 2024-02-05T07:30:00+01:00
пре 3 сата                                        | 2024-02-05T07:30:00+01:00
3 часа назад                                      | 2024-02-05T07:30:00+01:00
3 ч. назад                                        | 2024-02-05T07:30:00+01:00
30 мин назад                                      | 2024-02-05T10:00:00+01:00
пре 30 мин                                        | 2024-02-05T10:00:00+01:00
3 godz. temu                                      | 2024-02-05T07:30:00+01:00
před 3 hod.                                       | 2024-02-05T07:30:00+01:00
3 години тому                                     | 2024-02-05T07:30:00+01:00
3 godziny temu                                    | 2024-02-05T07:30:00+01:00
před hodinou                                      | 2024-02-05T09:30:00+01:00
prije sat vremena                                 | 2024-02-05T09:30:00+01:00
pred eno uro                                      | 2024-02-05T09:30:00+01:00
godzinę temu                                      | 2024-02-05T09:30:00+01:00
час назад                                         | 2024-02-05T09:30:00+01:00
пре једну недељу                                  | 2024-01-29
an hour ago                                       | 2024-02-05T09:30:00+01:00
před nádražím za hodinu                           |
Sat, what a day                                   |
πριν από 3 ώρες                                   | 2024-02-05T07:30:00+01:00
il y a 3 heures                                   | 2024-02-05T07:30:00+01:00
hace 3 horas                                      | 2024-02-05T07:30:00+01:00
3 ore fa                                          | 2024-02-05T07:30:00+01:00
3 hours ago                                       | 2024-02-05T07:30:00+01:00
30 minutes ago                                    | 2024-02-05T10:00:00+01:00
2 days ago                                        | 2024-02-03
1 day, 3 hours ago                                | 2024-02-04T07:30:00+01:00
před 1 týdnem a 2 dny                             | 2024-01-27
5 comments 2 hours ago                            | 2024-02-05T08:30:00+01:00
4 months, 2 weeks ago                             |
1 year, 1 week ago                                |
před 2 dny                                        | 2024-02-03
31. 2. 2024                                       |
32. ledna 2024                                    |
3. 13. 2024                                       |
2024-02-30                                        |
2024-13-03T14:05                                  |
3. 2. 2031                                        |
2031-01-01T00:00:00Z                              |
0000-00-00                                        |
3. února 1889                                     |
1970-01-01T00:00:00+00:00                         |
Vol. 12, No. 3                                    |
14:05                                             |
tel. 224 113 2024                                 |
verze 3.2.1                                       |
"""
ROWS = [tuple(part.strip() for part in line.rsplit("|", 1)) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_table(text: str, expected: str) -> None:
    assert parse_date(text, Setting(FETCHED)) == expected


@pytest.mark.parametrize(
    ("text", "setting", "expected"),
    [
        ("15. listopada 2023", Setting(language="pl"), "2023-11-15"),
        ("15. listopada 2023", Setting(language="hr"), "2023-10-15"),
        ("15. listopadu 2023", Setting(language="cs"), "2023-11-15"),
        ("2/3/2024", Setting(month_first=True), "2024-02-03"),
        ("2.3.2024", Setting(month_first=True), "2024-03-02"),
        ("23/2/2024", Setting(month_first=True), "2024-02-23"),
        ("6. února", Setting(FETCHED), "2024-02-06"),
        ("7. února", Setting(FETCHED), "2023-02-07"),
        ("publ. 3. 2.", Setting(FETCHED), "2024-02-03"),
        ("výsledek 3. 2.", Setting(FETCHED), ""),
        ("1402/11/14", Setting(language="fa"), "2024-02-03"),
        ("1402/11/14", Setting(language="en"), ""),
    ],
)
def test_language_region_and_fetch_decide_on_the_month_and_the_year(text: str, setting: Setting, expected: str) -> None:
    assert parse_date(text, setting) == expected


@pytest.mark.parametrize("text", ["yesterday", "vor 3 Stunden", "15 октября", "3 February"])
def test_without_a_fetch_time_nothing_relative_is_read(text: str) -> None:
    assert parse_date(text) == ""


def test_each_date_of_a_text_keeps_its_own_time() -> None:
    text = "Publikováno 3. 2. 2024 14:05, aktualizováno 4. 2. 2024 v 9.30"
    assert [found.value for found in find_dates(text)] == ["2024-02-03T14:05:00", "2024-02-04T09:30:00"]


CLDR = (
    "cs sk pl sr sr_Latn sl bs mk bg ru uk be el de fr es it pt en nl sv da nb fi hu ro tr lt lv et sq ar hi sw id"
).split()


@pytest.mark.parametrize(("locale", "context"), [*product(CLDR, ["format", "stand-alone"]), ("hr", "format")])
def test_months_are_those_of_the_cldr(locale: str, context: str) -> None:
    names = Locale.parse(locale).months[context]["wide"]
    language = locale[:2]
    assert {number: month_number(name, language) for number, name in names.items()} == {n: n for n in range(1, 13)}


FORMS = ["%d.%m.%Y", "%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y"]


@given(st.dates(date(1991, 1, 1), date(2024, 1, 1)), st.sampled_from(FORMS))
def test_what_is_written_is_read(day: date, form: str) -> None:
    assert parse_date(day.strftime(form)) == day.isoformat()


@given(st.integers(700_000_000, 1_700_000_000))
def test_machine_dates_are_read_to_the_second(seconds: int) -> None:
    text = datetime.fromtimestamp(seconds, UTC).isoformat()
    assert parse_date(text) == text


@given(st.text(max_size=80) | st.from_regex(r"\d{1,4}[./ -]{1,2}\w{1,9}[./ -]{1,2}\d{1,4}[ T]\d\d:\d\d[+-]\d\d:?\d\d"))
def test_no_text_raises_and_what_comes_out_is_a_date(text: str) -> None:
    value = parse_date(text, Setting(FETCHED))
    assert value == "" or datetime.fromisoformat(value).year >= 1990


def test_long_texts_cost_little() -> None:
    for text in ("1 " * 100_000, "a " * 100_000, "1." * 100_000, "12:34 " * 50_000, "Feb " * 50_000):
        parse_date(text, Setting(FETCHED))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ve středu 15. června", ""),
        ("V pondělí 15. června", "2026-06-15"),
        ("V pondelok 15. júna", "2026-06-15"),
        ("W poniedziałek, 15 czerwca", "2026-06-15"),
        ("On Friday, June 15", ""),
        ("On Monday, June 15", "2026-06-15"),
        ("Mittwoch, den 15. Juni", ""),
        ("в среду 15 июня", ""),
        ("на этой неделе 15 июня", "2026-06-15"),
        ("Τετάρτη 15 Ιουνίου", ""),
        ("15. června", "2026-06-15"),
        ("středa 15. června 2022", "2022-06-15"),
        ("středa 15. června 2021", "2021-06-15"),
    ],
)
def test_a_weekday_beside_a_date_without_a_year_must_agree(text: str, day: str) -> None:
    assert parse_date(text, Setting(datetime(2026, 11, 22, tzinfo=UTC))) == day


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
