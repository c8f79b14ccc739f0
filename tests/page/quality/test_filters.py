"""Each filter drops what it is for, and keeps an article that comes near it."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Image, Rejected
from newscorpus.page.quality import FILTERS, judge_quality
from newscorpus.page.quality.judge import DOUBTS, read_quality

LETTERS = "aábcčdeéěfghiíjklmnoprřsštuúvyzž"


def sentence(number: int, words: int = 17) -> str:
    """Words of no language, others for every number."""
    source = random.Random(number)
    made = ["".join(source.choices(LETTERS, k=source.randint(3, 9))) for _ in range(words)]
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


LAX = QualityConfig(off=("too_short", "unreadable", "listing"))


def lines(number: int, first: int = 0) -> list[str]:
    return [sentence(at) for at in range(first, first + number)]


def lax_reason(*paragraphs: str, config: QualityConfig = LAX) -> str:
    verdict = judge_quality(Article("https://a.example/1", "\n".join(paragraphs), Fields(), "test"), config)
    if not isinstance(verdict, Rejected):
        return ""
    assert verdict.detail
    return verdict.reason


def test_text_in_lines_that_stood_there_before() -> None:
    off = QualityConfig(off=("unreadable", "repeated_words"))
    assert lax_reason(*lines(4), *lines(4), *lines(4), config=off) == "repeated_lines"
    assert lax_reason(*lines(4), *lines(4), config=off) == ""
    assert lax_reason(*lines(8), lines(1)[0]) == ""


def test_runs_of_words_that_stood_there_before() -> None:
    run = sentence(1, 12)[:-1]
    assert lax_reason(*(f"{run} {sentence(100 + at, 4)}" for at in range(10))) == "repeated_words"
    assert lax_reason(*(f"{run} {sentence(100 + at, 40)}" for at in range(10))) == ""


def test_one_phrase_over_and_over() -> None:
    assert lax_reason(*(f"{sentence(at, 4)[:-1]} nejlepší zprávy." for at in range(30))) == "repeated_words"
    assert lax_reason(*(f"{sentence(at)[:-1]} nejlepší zprávy." for at in range(30))) == ""


def test_repetition_in_scripts_without_spaces_is_of_words_not_of_characters() -> None:
    text = "行政院昨日通過明年度預算,總額較今年增加百分之三,其中以國防與科技支出增幅最大,預計下週送交立法院審議。" * 2
    assert lax_reason(text, config=QualityConfig(off=("too_short",))) == ""


def test_words_longer_or_shorter_than_those_of_a_language() -> None:
    assert lax_reason(" ".join(["ab"] * 30 + ["xyz"])) == "word_lengths"
    assert lax_reason(" ".join(f"{'dlouhéslovo' * 2}{at}" for at in range(30))) == "word_lengths"
    assert lax_reason("대통령은 어제 국회에서 내년 예산안을 설명하고 여야의 협조를 당부했다고 밝혔다 " * 2) == ""


def test_tables_of_numbers() -> None:
    assert lax_reason(*(f"{sentence(at, 2)} {at} 12 15 20" for at in range(10))) == "few_letters"
    assert lax_reason(*(f"{sentence(at, 9)} {at} 12 15 20" for at in range(10))) == ""


def test_hash_signs_and_ellipses() -> None:
    assert lax_reason(*(f"#{word} …" for word in sentence(1, 40).split())) == "symbols"
    assert lax_reason(*lines(3), "#brno … #praha") == ""


@pytest.mark.parametrize("bullet", ["•", "*", "-", "▪"])
def test_items_of_a_list(bullet: str) -> None:
    items = [f"{bullet} {line}" for line in lines(10)]
    assert lax_reason(*items) == "bullets"
    assert lax_reason(*items, *lines(2, first=20)) == ""


def test_teasers_that_are_cut_off() -> None:
    teasers = [f"{line[:-1]} …" for line in lines(8)]
    assert lax_reason(*teasers) == "cut_off_lines"
    assert lax_reason(*teasers, *lines(4, first=20)) == ""


def test_short_lines() -> None:
    short = [sentence(at, 2) for at in range(20)]
    assert lax_reason(*short) == "short_lines"
    assert lax_reason(*short, *lines(4)) == ""
    assert lax_reason(*short[:4]) == ""


def test_lines_of_code() -> None:
    script = ["var x = document.getElementById('a');", "if (x) { x.hide(); }", "window.onload = () => start();"]
    assert lax_reason(*script, *script, sentence(1)) == "code"
    assert lax_reason(*script, *lines(8)) == ""
    assert lax_reason(*(f"{line[:-1]} (more of it); {line}" for line in lines(8))) == ""
    assert lax_reason(*(f"{line} {{{at}}} {sentence(100 + at, 40)}" for at, line in enumerate(lines(8), 1))) == ""


def test_filler_of_a_template() -> None:
    assert lax_reason(*lines(3), "Lorem ipsum dolor sit amet.") == "placeholder"


def test_a_filter_that_is_off_is_not_asked() -> None:
    assert lax_reason("Lorem ipsum dolor sit amet.", config=QualityConfig(off=tuple(FILTERS))) == ""


DOUBTED = {
    "listing": [sentence(at)[:60] for at in range(12)],
    "few_letters": [f"{sentence(at, 9)} {at} 12 15 20 30 40 50 60" for at in range(9)],
    "symbols": [f"#{word} …" for word in sentence(1, 40).split()],
    "bullets": [f"• {line}" for line in lines(10)],
    "short_lines": [sentence(at, 2) for at in range(20)],
    "repeated_words": [f"{sentence(1, 12)[:-1]} {sentence(100 + at, 4)}" for at in range(10)],
    "repeated_lines": lines(4) * 3,
}


@pytest.mark.parametrize("flag", DOUBTED)
def test_a_page_that_surely_holds_an_article_is_flagged_for_its_form_and_kept(flag: str) -> None:
    assert DOUBTED.keys() | {"photo_page"} == DOUBTS
    config = QualityConfig(off=tuple(FILTERS.keys() - {flag}))
    page = Article("https://a.example/1", "\n".join(DOUBTED[flag]), Fields(), "test", 0.8, ("other",), is_article=0.96)
    kept = judge_quality(replace(page, is_article=0.97), config)
    assert isinstance(refused := judge_quality(page, config), Rejected)
    assert isinstance(kept, Article)
    assert refused.reason == flag
    assert (kept.confidence, kept.flags[:2], kept.text) == (0.4, ("other", flag), page.text)


def test_what_no_article_looks_like_is_refused_on_any_page() -> None:
    page = Article("https://a.example/1", "Lorem ipsum dolor sit amet.", Fields(), "test", is_article=1.0)
    assert isinstance(judge_quality(page, LAX), Rejected)


def test_the_papers_are_stricter(request: pytest.FixtureRequest) -> None:
    papers, ours = read_quality(request.config.rootpath / "benchmarks" / "papers.toml"), QualityConfig()
    assert papers.min_words > ours.min_words
    assert papers.min_lettered_words > ours.min_lettered_words
    for name in ("max_repeated_lines", "max_ellipsis_lines", "max_short_lines"):
        assert getattr(papers, name) < getattr(ours, name)
    for name in ("max_top_ngrams", "max_duplicate_ngrams"):
        assert max(getattr(papers, name)) < min(getattr(ours, name))
