"""Redesigns: when they are noticed, which page they name, and no false alarms."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import comb, exp

import pytest

from newscorpus.data import Article, Fields, Page, Rejected, RuleHit
from newscorpus.page.judge import judge
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.recipe import Recipe
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.page.source_page import SourcePage
from newscorpus.portal.portal import TemplateSection
from newscorpus.store.ledger.portals import KEPT_LOOKS, Alarm, Look
from newscorpus.store.redesigns import MISSING, PortalWatch, log_chance, look_of

DESIGN = frozenset(f"div.a{n} > p" for n in range(40))
SECTIONS = ("politics", "sport", "culture")


def pages(
    n: int, design: Iterable[str] = DESIGN, begin: int = 0, template: str = "", section: str = ""
) -> Iterator[Look]:
    """Pages of a design, with random signs of their own and a missing one now and then."""
    for number in range(begin, begin + n):
        chance = random.Random(number)
        signs = {sign for sign in design if chance.random() < 0.99} | {
            f"p > b{chance.randrange(300)}" for _ in range(9)
        }
        where = section or chance.choice(SECTIONS)
        url = f"https://news.example/{where}/story-{number}"
        yield Look("news", url, f"2026-11-01T00:00:{number:04}", template, frozenset(signs))


def watched(*looks: Iterable[Look]) -> list[Alarm]:
    watch = PortalWatch()
    return [alarm for some in looks for look in some if (alarm := watch.add(look))]


def number_of(url: str) -> int:
    return int(url.rpartition("-")[2])


def test_pages_of_one_design_cause_no_alarm() -> None:
    assert watched(pages(3 * KEPT_LOOKS)) == []


@pytest.mark.parametrize("before", [40, 100, 300])
def test_a_redesign_is_noticed_once_within_some_pages_and_its_first_page_is_named(before: int) -> None:
    renamed = [sign.replace(".a", ".b") for sign in DESIGN]
    (alarm,) = watched(pages(before), pages(60, renamed, before))
    assert abs(number_of(alarm.url) - before) <= 3
    assert int(alarm.noticed[-4:]) - before < 20


def test_half_of_the_answers_and_one_section_are_enough() -> None:
    renamed = [sign.replace(".a", ".b") for sign in DESIGN]
    mixed = [one for two in zip(pages(40, begin=100), pages(40, renamed, 140), strict=True) for one in two]
    (alarm,) = watched(pages(100), mixed)
    assert 137 <= number_of(alarm.url) <= 143
    others = [look for look in pages(90, begin=100) if "/sport/" not in look.url]
    sport = list(pages(30, renamed, 200, section="sport"))
    (alarm,) = watched(pages(100), [look for three in zip(others, others[30:], sport, strict=False) for look in three])
    assert 200 <= number_of(alarm.url) <= 203


def test_a_section_of_few_pages_is_watched_too() -> None:
    renamed = [sign.replace(".a", ".b") for sign in DESIGN]
    before = [look for n in range(36) for look in pages(1, begin=n, section=SECTIONS[n % 3])]
    sport = list(pages(20, renamed, 100, section="sport"))
    others = [look for n in range(40) for look in pages(1, begin=200 + n, section=SECTIONS[n % 2 * 2])]
    (alarm,) = watched(before, [look for three in zip(others[::2], others[1::2], sport, strict=True) for look in three])
    assert 100 <= number_of(alarm.url) <= 103


def test_one_new_element_on_every_page_is_noticed_and_named() -> None:
    (alarm,) = watched(pages(100), pages(30, {*DESIGN, "body > div.banner"}, 100))
    assert alarm.sign == "body > div.banner"
    assert str(alarm).startswith("news looks different since 2026-11-01, first https://news.example/")
    assert f"'body > div.banner' on {alarm.after[0]} of {alarm.after[1]} pages, before on 0 of" in str(alarm)


def test_what_is_missing_more_often_than_before_is_noticed() -> None:
    now_and_then = (
        Look("news", look.url, look.fetched, "", look.signs | {MISSING + "authors"} if n % 6 == 0 else look.signs)
        for n, look in enumerate(pages(150))
    )
    always = (
        Look("news", look.url, look.fetched, "", look.signs | {MISSING + "authors"}) for look in pages(40, begin=150)
    )
    (alarm,) = watched(now_and_then, always)
    assert alarm.sign == MISSING + "authors"


def test_pages_of_another_kind_now_and_then_and_a_new_section_are_no_redesign() -> None:
    gallery = [f"figure.g{n} > img" for n in range(30)]
    odd = (look if number % 12 else next(pages(1, gallery, number)) for number, look in enumerate(pages(200)))
    blogs = pages(20, {*DESIGN, "div.blog > p"}, 200, section="blogs")
    assert watched(odd, blogs, pages(60, begin=300)) == []


def test_lists_that_come_after_the_articles_are_no_redesign() -> None:
    lists = [f"li.l{n} > a" for n in range(40)]
    archives = (
        Look("news", f"https://news.example/{path}", look.fetched, "", look.signs)
        for n, look in enumerate(pages(60, lists, 100))
        for path in (f"tag/{chr(97 + n % 26)}", f"page/{n}", f"2026/0{1 + n % 9}/", f"?tag={n}")
    )
    assert watched(pages(100), archives, pages(60, begin=300)) == []


THEMES = (
    """<html><body class="single"><header class="masthead"><a href="/">Herald</a></header><main><article class="post">
    <h1 class="entry-title">{title}</h1><div class="entry-meta"><time datetime="2026-11-0{day}">{day} Nov</time></div>
    <div class="entry-content">{text}</div></article></main><aside class="widget"><p>More</p></aside></body>""",
    """<html><body><nav id="top"><ul><li><a href="/">Herald</a></li></ul></nav><div class="container"><div class="row">
    <section class="story"><h1>{title}</h1><p class="dateline">{day} November 2026</p><div class="copy">{text}</div>
    </section></div></div><footer id="foot"><p>All rights reserved</p></footer></body>""",
)


def test_a_change_of_theme_is_found_within_twenty_pages() -> None:
    def look(theme: int, number: int) -> Look:
        chance = random.Random(number)
        said = " ".join(chance.choice(("council", "bridge", "school", "opens", "repairs", "votes")) for _ in range(40))
        parts = [f"<p>The {said} in {number + n}.</p>" for n in range(4)] + chance.choice(([], ["<h2>Why</h2>"]))
        html = THEMES[theme].format(title=f"Bridge number {number} opens", day=1 + number % 9, text="".join(parts))
        url = f"https://news.example/2026/11/bridge-number-{number}-opens/"
        page = SourcePage(Page.from_html(html, url, f"2026-11-10T00:00:{number:02}+00:00"), "news")
        found = look_of(page, judge(page, Rules(Recipe(extractor="bte"), reads_links=True)))
        assert found
        return found

    (alarm,) = watched([look(0, number) for number in range(40)], [look(1, number) for number in range(40, 60)])
    assert 38 <= int(alarm.url.split("-")[-2]) <= 42


def test_another_template_begins_anew() -> None:
    lacks = [*DESIGN, MISSING + "rule '.new' of text"]
    assert watched(pages(100, template="one"), pages(40, lacks, 100, template="two")) == []
    assert watched(pages(100, template="one"), pages(40, lacks, 100, template="one"))[0].template == "one"


def test_the_pages_behind_a_break_are_what_the_next_ones_are_held_against() -> None:
    first, second = ([sign.replace(".a", name) for sign in DESIGN] for name in (".b", ".c"))
    alarms = watched(pages(100), pages(100, first, 100), pages(100, second, 200))
    assert [round(number_of(alarm.url), -2) for alarm in alarms] == [100, 200]


def test_the_chance_of_a_split_is_hypergeometric() -> None:
    assert exp(log_chance(30, 5, 6, 5)) == pytest.approx(comb(5, 5) * comb(25, 1) / comb(30, 6))


URL = "https://news.example/story-1"
PAGE = SourcePage(Page(URL, b"", fetched="2026-11-20T08:00:00+00:00"), "news")
FIELDS = Fields(title="Bridge", authors=("Ann",), published="2026-11-20", section="town", tags=("bridge",))
MARKUP = frozenset({"body > p"})


def judged(words: int = 500, fields: Fields = FIELDS, confidence: float = 1.0) -> Judgement:
    article = Article(URL, " ".join(["word"] * words), fields, "bte", confidence)
    return Judgement(Row(make_record(article, "news", "en", 1.0), sign(article.text)), rule_hits=(), markup=MARKUP)


def missing(one: Judgement, page: SourcePage = PAGE) -> set[str]:
    look = look_of(page, one)
    assert look is not None
    assert look.signs >= MARKUP
    return {sign.removeprefix(MISSING) for sign in look.signs - MARKUP}


def test_a_page_that_lacks_nothing_is_its_markup() -> None:
    look = look_of(PAGE, judged())
    assert look is not None
    assert (look.portal, look.url, look.fetched, look.template) == ("news", URL, PAGE.page.fetched, "")
    assert missing(judged()) == set()


def test_what_is_missing_is_named() -> None:
    assert missing(judged(fields=replace(FIELDS, authors=(), published=""))) == {"authors", "published"}
    assert missing(judged(words=60)) == {"a text of 100 words", "a text of 200 words", "a text of 400 words"}
    assert missing(judged(confidence=0.6)) == {"a confidence of 0.7", "a confidence of 0.9"}
    assert missing(judged(fields=replace(FIELDS, paywalled=True))) == {"a page that is free"}
    refused = Judgement(Rejected("quality", "too_short", url=URL), markup=MARKUP)
    assert missing(refused) == {"a page that is accepted"}


def test_rules_that_find_nothing_are_named_and_the_template_is_known_by_its_version() -> None:
    page = replace(PAGE, template=TemplateSection(text=(".body", ".lead"), title=("h1",)))
    hits = (RuleHit("text", 0), RuleHit("title", 0))
    assert missing(replace(judged(), rule_hits=hits), page) == {"rule '.lead' of text"}
    other = replace(PAGE, template=TemplateSection(text=(".body",)))
    first, second = look_of(page, judged()), look_of(other, judged())
    assert first is not None
    assert second is not None
    assert "" != first.template != second.template != ""


@pytest.mark.parametrize("stage", ["discovery", "fetch", "language", "rights"])
def test_what_says_nothing_of_a_design_is_no_look(stage: str) -> None:
    assert look_of(PAGE, Judgement(Rejected(stage, "reason", url=URL), markup=MARKUP)) is None
    assert look_of(PAGE, replace(judged(), markup=frozenset())) is None
