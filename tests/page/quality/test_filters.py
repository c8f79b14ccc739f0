"""Each filter drops what it is for, and keeps an article that comes near it."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Image, Rejected
from newscorpus.page.quality.assess import DOUBTS, FILTERS, assess_quality, read_quality
from tests.mockserver.kinds import expect

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
    verdict = assess_quality(article(text, is_article, **fields), QualityConfig(off=("unreadable",)))
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


CHINESE = "行政院昨日通過明年度中央政府總預算案，財政部長表示，明年平均薪資將成長。"
HOURS = ["4:25am", "5am-5:55am", "5:55am", "6:10am", "6:45am", "12:30", "1:15", "4:10", "6:00", "8:30"]
TIMED = "\n".join(f"{hour}:05 {sentence(100 + hour)}" for hour in range(15, 8, -1))
TRANSCRIPT = [f"{minute:02}:{second:02} | {sentence(minute)}" for minute in range(8) for second in (0, 25)]
ITEM = "\n".join(sentence(at)[:90] + "." for at in range(5))
HEADLINES = [sentence(number)[:60] for number in range(20, 32)]
ROWS = "\n".join(f"{sentence(number)[:25]} | {number}" for number in range(20, 400))
VERSE = ["Heading", "Another"] * 4 + [f"{sentence(number)} {sentence(-number)} …and" for number in range(1, 9)]


@pytest.mark.parametrize(
    ("body", "facts", "expected"),
    [
        pytest.param(text(5), {}, "", id="an article"),
        pytest.param(text(5), {"kind": "NewsArticle", "images": images(3)}, "", id="an article with pictures"),
        pytest.param("", {}, "empty_text", id="nothing"),
        pytest.param(" \n\t", {}, "empty_text", id="white space"),
        pytest.param("… – !", {}, "empty_text", id="marks"),
        pytest.param(SENTENCE, {}, "too_short", id="a sentence"),
        pytest.param(SENTENCE, {"is_article": 0.96}, "too_short", id="a sentence of a likely article"),
        pytest.param(SENTENCE, {"is_article": 0.99}, "", id="a sentence of a sure article"),
        pytest.param("Wow, just wow.", {"is_article": 0.99}, "too_short", id="three words of a sure article"),
        pytest.param(text(2), {}, "", id="two sentences"),
        pytest.param("行政院昨日通過明年度預算。", {}, "too_short", id="a Chinese sentence"),
        pytest.param(CHINESE, {}, "too_short", id="32 characters, some 20 words"),
        pytest.param(CHINESE + "立法院下周開始審查，預計年底前完成三讀。", {}, "", id="two Chinese sentences"),
        pytest.param(text(40), {"kind": "LiveBlogPosting"}, "live_ticker", id="a declared ticker"),
        pytest.param("\n".join(f"{at} {sentence(n)}" for n, at in enumerate(HOURS)), {}, "", id="a day by hours"),
        pytest.param(TIMED, {}, "live_ticker", id="times of day"),
        pytest.param(f"{TIMED}\n{text(40)}", {}, "", id="times of day in a long report"),
        pytest.param("\n".join(f"4.{at} {sentence(at)}" for at in range(10, 30)), {}, "", id="numbers of sections"),
        pytest.param("\n".join(TRANSCRIPT), {}, "", id="a transcript of a film"),
        pytest.param("\n".join(reversed(TRANSCRIPT)), {}, "live_ticker", id="latest first"),
        pytest.param(text(20), {"kind": "ImageGallery", "is_article": 0.99}, "gallery", id="a declared gallery"),
        pytest.param(text(80), {"kind": "ImageGallery"}, "", id="a declared gallery with a long text"),
        pytest.param(text(3), {"images": images(12)}, "photo_page", id="many pictures"),
        pytest.param(text(3), {"images": images(4)}, "", id="some pictures"),
        pytest.param(text(20), {"images": images(12)}, "", id="many pictures beside a text"),
        pytest.param(text(2), {"paywalled": True}, "paywall_stub", id="two sentences before a paywall"),
        pytest.param(text(1), {"paywalled": True}, "paywall_stub", id="a sentence before a paywall"),
        pytest.param(text(20), {"paywalled": True}, "", id="a whole text that is not free"),
        pytest.param(ITEM, {"paywalled": True}, "", id="a whole item of a site that sells its articles"),
        pytest.param(ITEM[:-1], {"paywalled": True}, "paywall_stub", id="an item that is cut off"),
        pytest.param(f"{text(2)}\nThe company lost three million subscribers.", {}, "", id="subscribers in the news"),
        pytest.param("\n".join(HEADLINES), {}, "listing", id="headlines"),
        pytest.param("\n".join(f"{headline}." for headline in HEADLINES), {}, "", id="short sentences"),
        pytest.param("\n".join([*HEADLINES, text(4)]), {}, "", id="headlines beside a text"),
        pytest.param(f"{ROWS}\n{text(5)}", {}, "listing", id="a table beside a short text"),
        pytest.param(f"{ROWS}\n{text(40)}", {}, "", id="a table in an article"),
        pytest.param(f"{text(3)}\nMilk\nBread\nEggs", {}, "", id="a short list"),
        pytest.param("\n".join(VERSE), {}, "", id="verse"),
        pytest.param(
            SENTENCE,
            {"kind": "LiveBlogPosting", "paywalled": True, "images": images(20)},
            "live_ticker",
            id="the first filter decides",
        ),
    ],
)
def test_pages_that_are_no_articles(body: str, facts: dict[str, Any], expected: str) -> None:
    assert reason(body, **facts) == expected


@pytest.mark.parametrize("form", ["{}:05 {}", "{}.05 Uhr: {}", "[{}:05] {}", "{}h05 – {}", "{}:05:30 {}", "{}:05\n{}"])
def test_a_live_ticker_by_its_clock_times(form: str) -> None:
    entries = [form.format(hour, sentence(hour)) for hour in range(17, 7, -1)]
    assert reason("\n".join(entries)) == "live_ticker"
    assert reason("\n".join(reversed(entries)), title="Volby živě: jak se sčítalo") == "live_ticker"
    assert reason("\n".join(reversed(entries)), title="Liverpool lives") == ""


@pytest.mark.parametrize("form", ["{}.05.2024 {}", "{}. {}", "{}:0 {}", "{}.055 {}", "At {}:05 {}", "4{}:05 {}"])
def test_dates_scores_and_numbers_are_no_clock_times(form: str) -> None:
    assert reason("\n".join(form.format(hour, sentence(hour)) for hour in range(17, 7, -1))) == ""


def test_a_stub_whose_text_was_not_used_is_refused_however_whole_it_looks() -> None:
    closed = replace(article(ITEM, paywalled=True), flags=("paywalled_text_not_used",))
    assert isinstance(refused := assess_quality(closed), Rejected)
    assert refused.reason == "paywall_stub"


@pytest.mark.parametrize(
    ("prompt", "is_stub"),
    [
        ("Subscribe to read the whole article.", True),
        ("Celý článek si přečtou jen předplatitelé.", True),
        ("Ostatak teksta dostupan je pretplatnicima.", True),
        ("Наставак текста доступан је претплатницима.", True),
        ("Celoten članek je dostopen naročnikom.", True),
        ("Kup prenumeratę i czytaj dalej.", True),
        ("Читать дальше могут подписчики.", True),
        ("Продължете да четете с абонамент.", True),
        ("Γίνετε συνδρομητές για να διαβάσετε τη συνέχεια.", True),
        ("To see all, subscribe to the RSS feed.", False),
        ("Подпишитесь на наш канал в Telegram.", False),
        ("Pretplatite se na newsletter.", False),
    ],
)
def test_a_call_to_subscribe_at_the_end_of_little_text(prompt: str, is_stub: bool) -> None:
    assert reason(f"{text(2)}\n{prompt}") == ("paywall_stub" if is_stub else "")
    assert reason(f"{prompt}\n{text(2)}") == reason(f"{text(20)}\n{prompt}") == ""


def test_the_configuration_gives_numbers_and_turns_filters_off() -> None:
    assert not isinstance(assess_quality(article(SENTENCE), QualityConfig(min_words=10)), Rejected)
    refused = expect(Rejected, assess_quality(article(text(5)), QualityConfig(min_words=1_000)))
    assert refused.detail == "85 words, fewer than 1000"
    filler = article("Lorem ipsum dolor sit amet.", 1.0)
    assert isinstance(assess_quality(filler, LAX), Rejected)
    assert not isinstance(assess_quality(filler, QualityConfig(off=tuple(FILTERS))), Rejected)


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
    verdict = assess_quality(Article("https://a.example/1", "\n".join(paragraphs), Fields(), "test"), config)
    if not isinstance(verdict, Rejected):
        return ""
    assert verdict.detail
    return verdict.reason


RUN = sentence(1, 12)[:-1]
SCRIPT = ["var x = document.getElementById('a');", "if (x) { x.hide(); }", "window.onload = () => start();"]
SHORT = [sentence(at, 2) for at in range(20)]
TEASERS = [f"{line[:-1]} …" for line in lines(8)]
KOREAN = "대통령은 어제 국회에서 내년 예산안을 설명하고 여야의 협조를 당부했다고 밝혔다 " * 2


@pytest.mark.parametrize(
    ("expected", "refused", "kept"),
    [
        (
            "repeated_words",
            [[f"{RUN} {sentence(100 + at, 4)}" for at in range(10)]],
            [[f"{RUN} {sentence(100 + at, 40)}" for at in range(10)]],
        ),
        (
            "repeated_words",
            [[f"{sentence(at, 4)[:-1]} nejlepší zprávy." for at in range(30)]],
            [[f"{sentence(at)[:-1]} nejlepší zprávy." for at in range(30)], [*lines(8), *lines(1)]],
        ),
        (
            "word_lengths",
            [[" ".join(["ab"] * 30 + ["xyz"])], [" ".join(f"{'dlouhéslovo' * 2}{at}" for at in range(30))]],
            [[KOREAN]],
        ),
        (
            "few_letters",
            [[f"{sentence(at, 2)} {at} 12 15 20" for at in range(10)]],
            [[f"{sentence(at, 9)} {at} 12 15 20" for at in range(10)], ["နိုင်ငံတော်အကြည်ညိုပျက်စေမှု ပုဒ်မနဲ့ တရားစွဲ"]],
        ),
        ("symbols", [[f"#{word} …" for word in sentence(1, 40).split()]], [[*lines(3), "#brno … #praha"]]),
        (
            "bullets",
            [[f"{bullet} {line}" for line in lines(10)] for bullet in "•*-▪"],
            [[*(f"{bullet} {line}" for line in lines(10)), *lines(2, first=20)] for bullet in "•*-▪"],
        ),
        ("cut_off_lines", [TEASERS], [[*TEASERS, *lines(4, first=20)]]),
        ("short_lines", [SHORT], [[*SHORT, *lines(4)], SHORT[:4]]),
        (
            "code",
            [[*SCRIPT, *SCRIPT, sentence(1)]],
            [
                [*SCRIPT, *lines(8)],
                [f"{line[:-1]} (more of it); {line}" for line in lines(8)],
                [f"{line} {{{at}}} {sentence(100 + at, 40)}" for at, line in enumerate(lines(8), 1)],
            ],
        ),
        ("placeholder", [[*lines(3), "Lorem ipsum dolor sit amet."]], []),
    ],
)
def test_rules_of_the_papers(expected: str, refused: list[list[str]], kept: list[list[str]]) -> None:
    assert [lax_reason(*paragraphs) for paragraphs in refused] == [expected] * len(refused)
    assert [lax_reason(*paragraphs) for paragraphs in kept] == [""] * len(kept)


def test_text_in_lines_that_stood_there_before() -> None:
    off = QualityConfig(off=("unreadable", "repeated_words"))
    assert lax_reason(*lines(4), *lines(4), *lines(4), config=off) == "repeated_lines"
    assert lax_reason(*lines(4), *lines(4), config=off) == ""


def test_repetition_in_scripts_without_spaces_is_of_words_not_of_characters() -> None:
    text = "行政院昨日通過明年度預算,總額較今年增加百分之三,其中以國防與科技支出增幅最大,預計下週送交立法院審議。" * 2
    assert lax_reason(text, config=QualityConfig(off=("too_short",))) == ""


DOUBTED = {
    "listing": [sentence(at)[:60] for at in range(12)],
    "few_letters": [f"{sentence(at, 9)} {at} 12 15 20 30 40 50 60" for at in range(9)],
    "symbols": [f"#{word} …" for word in sentence(1, 40).split()],
    "bullets": [f"• {line}" for line in lines(10)],
    "short_lines": SHORT,
    "repeated_words": [f"{RUN} {sentence(100 + at, 4)}" for at in range(10)],
    "repeated_lines": lines(4) * 3,
}


@pytest.mark.parametrize("flag", DOUBTED)
def test_a_page_that_surely_holds_an_article_is_flagged_for_its_form_and_kept(flag: str) -> None:
    assert DOUBTED.keys() | {"photo_page"} == DOUBTS
    config = QualityConfig(off=tuple(FILTERS.keys() - {flag}))
    page = Article("https://a.example/1", "\n".join(DOUBTED[flag]), Fields(), "test", 0.8, ("other",), is_article=0.96)
    kept = assess_quality(replace(page, is_article=0.97), config)
    assert isinstance(refused := assess_quality(page, config), Rejected)
    assert isinstance(kept, Article)
    assert refused.reason == flag
    assert (kept.confidence, kept.flags[:2], kept.text) == (0.4, ("other", flag), page.text)


@pytest.mark.parametrize("flag", DOUBTED)
def test_sentences_of_an_article_outweigh_its_form(flag: str) -> None:
    config = QualityConfig(off=tuple(FILTERS.keys() - {flag}), min_sentence_words=200)
    form = DOUBTED[flag] * 20
    kept = expect(Article, assess_quality(article("\n".join([*lines(16, 50), *form])), config))
    assert flag in kept.flags
    assert isinstance(assess_quality(article("\n".join([*lines(1, 50) * 16, *form])), config), Rejected)


def test_the_papers_are_stricter(request: pytest.FixtureRequest) -> None:
    papers, ours = read_quality(request.config.rootpath / "benchmarks" / "papers.toml"), QualityConfig()
    assert (papers.min_words > ours.min_words, papers.max_short_lines < ours.max_short_lines) == (True, True)
