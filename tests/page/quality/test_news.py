import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Image, Rejected
from newscorpus.page.quality import FILTERS, judge_quality

LETTERS = "aábcčdeéěfghiíjklmnoprřsštuúvyzž"


def sentence(number: int) -> str:
    """Seventeen words, others for every number."""
    source = random.Random(number)
    made = ["".join(source.choices(LETTERS, k=source.randint(3, 9))) for _ in range(17)]
    return " ".join(made).capitalize() + "."


SENTENCE = sentence(0)


def article(text: str, is_article: float | None = None, **fields: Any) -> Article:
    return Article("https://a.example/1", text, Fields(**fields), "test", is_article=is_article)


def reason(text: str, is_article: float | None = None, **fields: Any) -> str:
    verdict = judge_quality(article(text, is_article, **fields), QualityConfig(off=("unreadable",)))
    if not isinstance(verdict, Rejected):
        return ""
    assert (verdict.stage, verdict.url) == ("quality", "https://a.example/1")
    assert verdict.detail
    assert "\n" not in verdict.detail
    return verdict.reason


def images(count: int) -> tuple[Image, ...]:
    return tuple(Image(f"https://a.example/{number}.jpg") for number in range(count))


def text(sentences: int) -> str:
    return "\n".join(map(sentence, range(sentences)))


def test_an_article_is_kept() -> None:
    assert reason(text(5)) == ""
    assert reason(text(5), kind="NewsArticle", images=images(3)) == ""


@pytest.mark.parametrize("nothing", ["", " \n\t", "… – !"])
def test_no_words(nothing: str) -> None:
    assert reason(nothing) == "empty_text"


def test_words_are_counted_in_every_script() -> None:
    assert reason(SENTENCE) == "too_short"
    assert reason(SENTENCE, is_article=0.96) == "too_short"
    assert reason(SENTENCE, is_article=0.99) == ""
    assert reason("Wow, just wow.", is_article=0.99) == "too_short"
    assert reason(text(2)) == ""
    assert reason("行政院昨日通過明年度預算。") == "too_short"
    chinese = "行政院昨日通過明年度中央政府總預算案，財政部長表示，明年平均薪資將成長。"
    assert reason(chinese) == "too_short", "32 characters are some 20 words"
    assert reason(chinese + "立法院下周開始審查，預計年底前完成三讀。") == ""


def test_a_live_ticker_by_its_own_word() -> None:
    assert reason(text(40), kind="LiveBlogPosting") == "live_ticker"


@pytest.mark.parametrize("form", ["{}:05 {}", "{}.05 Uhr: {}", "[{}:05] {}", "{}h05 – {}", "{}:05:30 {}", "{}:05\n{}"])
def test_a_live_ticker_by_its_clock_times(form: str) -> None:
    entries = [form.format(hour, sentence(hour)) for hour in range(17, 7, -1)]
    assert reason("\n".join(entries)) == "live_ticker"
    assert reason("\n".join(reversed(entries)), title="Volby živě: jak se sčítalo") == "live_ticker"
    assert reason("\n".join(reversed(entries)), title="Liverpool lives") == ""


def test_a_day_that_is_told_from_morning_to_evening_is_no_ticker() -> None:
    hours = ["4:25am", "5am-5:55am", "5:55am", "6:10am", "6:45am", "12:30", "1:15", "4:10", "6:00", "8:30"]
    assert reason("\n".join(f"{hour} {sentence(at)}" for at, hour in enumerate(hours))) == ""


@pytest.mark.parametrize("form", ["{}.05.2024 {}", "{}. {}", "{}:0 {}", "{}.055 {}", "At {}:05 {}", "4{}:05 {}"])
def test_dates_scores_and_numbers_are_no_clock_times(form: str) -> None:
    assert reason("\n".join(form.format(hour, sentence(hour)) for hour in range(17, 7, -1))) == ""


def test_a_few_clock_times_in_a_long_report_make_no_ticker() -> None:
    timed = "\n".join(f"{hour}:05 {sentence(100 + hour)}" for hour in range(15, 8, -1))
    assert reason(timed) == "live_ticker"
    assert reason(timed + "\n" + text(40)) == ""


def test_numbers_of_sections_make_no_ticker() -> None:
    assert reason("\n".join(f"4.{number} {sentence(number)}" for number in range(10, 30))) == ""


def test_a_transcript_of_a_film_is_no_ticker() -> None:
    entries = [f"{minute:02}:{second:02} | {sentence(minute)}" for minute in range(8) for second in (0, 25)]
    assert reason("\n".join(entries)) == ""
    assert reason("\n".join(reversed(entries))) == "live_ticker"


def test_a_gallery_by_its_own_word() -> None:
    assert reason(text(20), kind="ImageGallery", is_article=0.99) == "gallery"
    assert reason(text(80), kind="ImageGallery") == ""


def test_a_photo_page() -> None:
    assert reason(text(3), images=images(12)) == "photo_page"
    assert reason(text(3), images=images(4)) == ""
    assert reason(text(20), images=images(12)) == ""


def test_a_paywall_stub() -> None:
    assert reason(text(2), paywalled=True) == "paywall_stub"
    assert reason(text(1), paywalled=True) == "paywall_stub"
    assert reason(text(20), paywalled=True) == ""


def test_a_whole_item_of_a_site_that_sells_its_articles_is_no_stub() -> None:
    item = "\n".join(sentence(at)[:90] + "." for at in range(5))
    assert reason(item, paywalled=True) == ""
    assert reason(item[:-1], paywalled=True) == "paywall_stub"
    closed = replace(article(item, paywalled=True), flags=("paywalled_text_not_used",))
    assert isinstance(refused := judge_quality(closed), Rejected)
    assert refused.reason == "paywall_stub"


@pytest.mark.parametrize(
    "prompt",
    [
        "Subscribe to read the whole article.",
        "Celý článek si přečtou jen předplatitelé.",
        "Ostatak teksta dostupan je pretplatnicima.",
        "Наставак текста доступан је претплатницима.",
        "Celoten članek je dostopen naročnikom.",
        "Kup prenumeratę i czytaj dalej.",
        "Читать дальше могут подписчики.",
        "Продължете да четете с абонамент.",
        "Γίνετε συνδρομητές για να διαβάσετε τη συνέχεια.",
    ],
)
def test_a_call_to_subscribe_at_the_end_of_little_text(prompt: str) -> None:
    assert reason(f"{text(2)}\n{prompt}") == "paywall_stub"
    assert reason(f"{prompt}\n{text(2)}") == ""
    assert reason(f"{text(20)}\n{prompt}") == ""


@pytest.mark.parametrize(
    "offer",
    ["To see all, subscribe to the RSS feed.", "Подпишитесь на наш канал в Telegram.", "Pretplatite se na newsletter."],
)
def test_what_is_free_is_no_paywall(offer: str) -> None:
    assert reason(f"{text(2)}\n{offer}") == ""


def test_subscribers_in_the_news_are_no_call() -> None:
    assert reason(f"{text(2)}\nThe company lost three million subscribers.") == ""


def test_a_list_of_headlines() -> None:
    headlines = [sentence(number)[:60] for number in range(20, 32)]
    assert reason("\n".join(headlines)) == "listing"
    assert reason("\n".join(f"{headline}." for headline in headlines)) == ""
    assert reason("\n".join(headlines) + "\n" + text(4)) == ""


def test_an_article_with_a_long_table_is_no_list() -> None:
    rows = "\n".join(f"{sentence(number)[:25]} | {number}" for number in range(20, 400))
    assert reason(f"{rows}\n{text(5)}") == "listing"
    assert reason(f"{rows}\n{text(40)}") == ""


def test_verse_and_a_short_list_in_an_article_are_kept() -> None:
    assert reason(text(3) + "\nMilk\nBread\nEggs") == ""
    assert (
        reason(
            "\n".join(
                ["Heading", "Another"] * 4 + [f"{sentence(number)} {sentence(-number)} …and" for number in range(1, 9)]
            )
        )
        == ""
    )


def test_the_first_filter_that_objects_decides() -> None:
    assert reason(SENTENCE, kind="LiveBlogPosting", paywalled=True, images=images(20)) == "live_ticker"
    assert list(FILTERS).index("too_short") > list(FILTERS).index("paywall_stub")


def test_numbers_come_from_the_configuration() -> None:
    assert not isinstance(judge_quality(article(SENTENCE), QualityConfig(min_words=10)), Rejected)
    refused = judge_quality(article(text(5)), QualityConfig(min_words=1_000))
    assert isinstance(refused, Rejected)
    assert refused.detail == "85 words, fewer than 1000"


@given(st.text(max_size=400), st.booleans(), st.integers(0, 20))
def test_any_article_gets_a_verdict_and_the_same_again(body: str, paywalled: bool, count: int) -> None:
    known = {"", *FILTERS}
    first = reason(body, paywalled=paywalled, images=images(count))
    assert first in known
    assert reason(body, paywalled=paywalled, images=images(count)) == first
