"""What becomes of a page: its row with language, tags and masks, or a rejection; and its links, in one parse."""

import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from prose import paragraphs
from walled import CONSENT

from newscorpus.config import Part, QualityConfig, Revision
from newscorpus.data import Article, Evidence, Fields, Page, Provenance, Rejected, Rights, RuleHit
from newscorpus.page.extractor import ParsedPage
from newscorpus.page.judge import extract_article, judge, make_row, process_page
from newscorpus.page.judgement import Judgement, Rules
from newscorpus.page.links import read_page
from newscorpus.page.loading import load
from newscorpus.page.recipe import Recipe
from newscorpus.page.records import EXCERPT_CHARACTERS
from newscorpus.page.rights import RightsPolicy
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.page.source_page import SourcePage, page_of_portal
from newscorpus.portal.addresses import LAST_CHANGE, AddressTrust
from newscorpus.portal.portal import Portal, TemplateSection
from tests.mockserver.kinds import expect

URL = "http://example.org/story-1"
PAGE = Page(URL, b"")
BTE = Recipe("bte")
STORY = (
    "The council met on Tuesday evening and decided after a long debate that the old bridge stays open until the new "
    "one stands, which will take at least three years and cost the town more than it has earned in the last five.\n"
    "Write to the mayor at mayor@town.example, says the notice at the door of the town hall, and many who live "
    "near the river have done so since the summer, when the first plans were shown to them.\n"
)
HTML = "<html><head>{}</head><body><h1>The bridge</h1>{}<a href=/next>more</a></body></html>"
DATED = '<meta property="article:published_time" content="2024-03-05T08:00:00Z">'
CRAWL = Rules(BTE, reads_links=True)
DAY, OTHER_DAY = (replace(CRAWL, days=(date(2024, 3, day), date(2024, 3, day))) for day in (5, 6))
LINKS = Rules(None, reads_links=True)
PORTAL = Portal("mock", ("en",), ("example.org",), ("https://example.org/",))
CROATIAN = (
    "Gradsko vijeće odlučilo je u utorak navečer nakon duge rasprave da stari most ostaje otvoren dok se ne izgradi "
    "novi, što će trajati najmanje tri godine i stajati grad više nego što je zaradio u posljednjih pet godina. "
) * 2


def article(text: str = STORY, **fields: Any) -> Article:
    return Article(URL, text, Fields(**{"title": "The bridge"} | fields), "test", flags=("before",))


def row(article: Article, *languages: str, quality: QualityConfig | None = QualityConfig()) -> Row:
    made = make_row(Recipe(quality=quality), article, SourcePage(PAGE, "mock", languages))
    assert isinstance(made, Row), made
    return made


@pytest.mark.parametrize("changed", ["2026-11-20", "2026-11-20T10:00:00+00:00"])
def test_a_row_without_a_date_gets_that_of_the_last_change_in_a_sitemap(changed: str) -> None:
    page = SourcePage(replace(PAGE, evidence=(Evidence(LAST_CHANGE, changed, LAST_CHANGE),)), "mock", ("en",))
    undated, dated = (
        expect(Row, make_row(Recipe(), article(published=day), page)).record for day in ("", "2026-11-19")
    )
    assert (undated.published, undated.provenance.published) == (changed, "last_change")
    assert (dated.published, dated.provenance.published) == ("2026-11-19", "")


def rejection(article: Article, *languages: str, quality: QualityConfig = QualityConfig()) -> Rejected:
    made = make_row(Recipe(quality=quality), article, SourcePage(PAGE, "mock", languages))
    assert isinstance(made, Rejected), made
    assert made.url == URL
    return made


def test_an_article_comes_in_with_language_tags_masks_and_signature() -> None:
    made = row(article(), "cs", "en", quality=QualityConfig(mask=("email",), max_flash_words=500))
    record = made.record
    assert (record.language, record.source, record.title) == ("en", "mock", "The bridge")
    assert record.language_score > 0.9
    assert record.flags == ("before", "flash_news", "masked_email:1")
    assert "[email]" in record.text
    assert made.signature == sign(record.text)


def test_a_rejected_article_is_quoted_and_masked_and_quality_is_asked_before_language() -> None:
    found = rejection(article(), "cs")
    assert (found.stage, found.reason) == ("language", "unexpected_language")
    assert found.detail.startswith("en (")
    assert found.excerpt.startswith("The bridge | The council met")
    assert len(found.excerpt) == EXCERPT_CHARACTERS
    short = rejection(article("Write to\nmayor@town.example."), "cs", quality=QualityConfig(mask=("email",)))
    assert (short.stage, short.reason, short.excerpt) == ("quality", "too_short", "The bridge | Write to [email].")
    assert rejection(article("Too\nshort.", title="")).excerpt == "Too short."


def test_without_filters_every_article_comes_in_as_it_is() -> None:
    made = row(article("Write to mayor@town.example.", kind="LiveBlogPosting"), "cs", quality=None).record
    assert (made.text, made.flags) == ("Write to mayor@town.example.", ("before",))
    assert row(article(), "cs", quality=None).record.language == "en"


@pytest.mark.parametrize(
    ("text", "stated", "language"),
    [(STORY, "cs", "en"), (STORY, "en", "en"), (CROATIAN, "", "hr"), (CROATIAN, "bs", "bs")],
)
def test_without_a_portal_any_language_passes_and_the_page_names_it_where_the_text_bears_it_out(
    text: str, stated: str, language: str
) -> None:
    assert row(article(text, language=stated)).record.language == language


def test_what_a_site_reserves_is_rejected_where_that_is_wanted() -> None:
    reserved = article(rights=Rights(tdm="1"))
    skipped = make_row(Recipe(rights=RightsPolicy.SKIP), reserved, SourcePage(PAGE))
    assert skipped == Rejected("rights", "reserved", "tdm-reservation=1", URL)
    assert row(reserved).record.rights.tdm == "1"


@pytest.mark.parametrize(
    ("path", "kind", "is_dated", "is_kept"),
    [
        ("about/", "NewsArticle", False, False),
        ("about/", "NewsArticle", True, True),
        ("about/", "", True, False),
        ("tag/bridge/", "NewsArticle", False, True),
    ],
)
def test_a_page_about_its_site_is_no_article_unless_it_declares_itself_one_and_its_date(
    path: str, kind: str, is_dated: bool, is_kept: bool
) -> None:
    provenance = Provenance(published="meta" if is_dated else "")
    fields = article(kind=kind, published="2026-11-20", provenance=provenance)
    found = replace(fields, is_article=0.99, url=f"http://example.org/{path}")
    made = extract_article(lambda _page: found, SourcePage(PAGE, "mock", trust=AddressTrust.LISTED))
    assert isinstance(made, Article) is is_kept


@pytest.mark.parametrize(
    ("trust", "kind", "published", "sure", "is_list", "is_kept"),
    [
        (AddressTrust.CERTAIN, "Product", "", 0.2, True, True),
        (AddressTrust.LIKELY, "", "", 0.2, True, True),
        (AddressTrust.LIKELY, "DiscussionForumPosting", "", 0.99, False, False),
        (AddressTrust.DOUBTFUL, "NewsArticle", "", 0.6, False, True),
        (AddressTrust.DOUBTFUL, "", "", 0.6, False, False),
        (AddressTrust.DOUBTFUL, "", "", 0.8, False, True),
        (AddressTrust.DOUBTFUL, "NewsArticle", "", 0.9, True, False),
        (AddressTrust.DOUBTFUL, "NewsArticle", "", None, False, True),
        (AddressTrust.DOUBTFUL, "", "", None, False, False),
        (AddressTrust.UNLIKELY, "", "", 0.99, False, False),
        (AddressTrust.UNLIKELY, "", "2026-11-20", 0.99, False, True),
        (AddressTrust.UNLIKELY, "NewsArticle", "", 0.99, False, False),
        (AddressTrust.UNLIKELY, "NewsArticle", "2026-11-20", 0.99, False, True),
        (AddressTrust.LISTED, "", "2026-11-20", 0.99, False, False),
        (AddressTrust.LISTED, "NewsArticle", "", 0.99, False, False),
        (AddressTrust.LISTED, "NewsArticle", "2026-11-20", 0.99, False, True),
        (AddressTrust.SECTION, "NewsArticle", "2026-11-20", 0.99, False, False),
    ],
)
def test_what_an_address_does_not_promise_the_page_has_to_prove(
    trust: AddressTrust, kind: str, published: str, sure: float | None, is_list: bool, is_kept: bool
) -> None:
    found = replace(article(kind=kind, published=published), is_article=sure, is_list=is_list)
    made = extract_article(lambda _page: found, SourcePage(PAGE, "mock", trust=trust))
    assert isinstance(made, Article) is is_kept
    if isinstance(made, Rejected):
        assert (made.stage, made.reason, made.url) == ("discovery", "section", URL)
        assert made.detail


@pytest.mark.parametrize(
    ("query", "canonical", "sure", "is_kept"),
    [
        ("?article[aut_id]=123", "", 0.3, False),
        ("?p=72620", "", 0.99, True),
        ("?p=72620", "https://mock.example/?p=72620", 0.99, True),
        ("?p=72620", "https://mock.example/", 0.99, False),
        ("bridge-2026-05-04?p=1", "https://mock.example/", 0.3, True),
    ],
)
def test_an_address_without_a_path_may_show_the_front_page(
    query: str, canonical: str, sure: float, is_kept: bool
) -> None:
    url = f"https://mock.example/{query}"
    found = replace(article(canonical_url=canonical), url=url, is_article=sure)
    made = extract_article(lambda _page: found, SourcePage(Page(url, b""), "mock", trust=AddressTrust.LIKELY))
    assert isinstance(made, Article) is is_kept


def test_a_list_is_refused_with_its_reason_unless_the_address_is_certain_and_no_text_is_no_article() -> None:
    found = replace(article(kind="NewsArticle", published="2026-11-20"), is_article=0.99, listing="links elsewhere")
    for trust in (AddressTrust.LIKELY, AddressTrust.DOUBTFUL):
        made = extract_article(lambda _page: found, SourcePage(PAGE, trust=trust))
        assert made == Rejected("discovery", "section", "links elsewhere", URL)
    assert extract_article(lambda _page: found, SourcePage(PAGE)) == found
    nothing = Rejected("extract", "no_main_text", url=URL)
    made = extract_article(lambda _page: nothing, SourcePage(PAGE, trust=AddressTrust.DOUBTFUL))
    assert made == Rejected("discovery", "section", "no_main_text", URL)


def test_a_fault_of_ours_costs_its_page_only(caplog: pytest.LogCaptureFixture) -> None:
    def broken(page: Page) -> Article:
        raise ZeroDivisionError(f"division\nby zero on {page.url}")

    found = judge(SourcePage(PAGE), Rules(BTE, extractor=broken)).outcome
    assert found == Rejected("extract", "worker_failed", f"ZeroDivisionError: division by zero on {URL}", URL)
    assert f"page {URL} failed" in caplog.text
    with pytest.raises(ValueError, match="unknown extractor 'nonsense'"):
        process_page(Recipe("nonsense"), SourcePage(PAGE))


def test_the_version_of_a_recipe_names_what_decides() -> None:
    page, template = SourcePage(PAGE), TemplateSection(text=("div.own",))
    default = Recipe().version_for(page)
    assert default == Recipe().version_for(replace(page, page=Page("", b"")))
    assert default.startswith("main-text@")
    pages = (
        replace(page, template=template),
        replace(page, template=replace(template, title=("h1",))),
        replace(page, languages=("cs",)),
        replace(page, trust=AddressTrust.LIKELY),
        replace(page, respect_paywall=False),
        replace(page, leave_out=(Part.TABLES,)),
        replace(page, extractor="node-svm"),
        replace(page, revision=Revision(("start",))),
        replace(page, revision=Revision(upper=0.6)),
    )
    qualities = (Recipe(quality=quality) for quality in (QualityConfig(min_words=7), None))
    recipes = (Recipe("main-text-alone"), Recipe("bte"), Recipe(rights=RightsPolicy.SKIP), *qualities)
    versions = {default, *map(Recipe().version_for, pages), *(recipe.version_for(page) for recipe in recipes)}
    assert len(versions) == 15
    alone = Recipe("main-text-alone").version_for(page)
    assert alone.split("+")[0].endswith(default.split("+")[0].split("@")[1])


def test_the_extractor_of_a_portal_decides_unless_another_is_asked_for() -> None:
    portal = replace(PORTAL, extractor="texttractor", fields_model="models/own")
    portal = replace(portal, post_analysis=("start",), end_phrases=("Več",))
    page, other = page_of_portal(PAGE, portal), Revision(upper=0.9)
    own = Revision(("start",), end_phrases=("Več",))
    assert Recipe().decider_for(page) == ("texttractor", own)
    assert Recipe(revision=other).decider_for(page) == ("texttractor", replace(own, upper=0.9))
    assert Recipe().fields_model_for(page) == "models/own"
    assert Recipe(fields_model="models/other").fields_model_for(page) == "models/other"
    assert Recipe("bte").decider_for(page) == ("bte", Revision())
    assert Recipe().version_for(page).startswith("texttractor@")
    assert Recipe().version_for(page) != Recipe().version_for(replace(page, fields_model=""))


def test_the_settings_of_a_portal_and_of_a_recipe_reach_the_extractor() -> None:
    body = [f"<p>{text}</p>" for text in paragraphs("quarry", 6)]
    post = "We waited a year for this, and the first boat is full."
    body[3:3] = [
        f'<blockquote class="twitter-tweet"><p>{post}</p>— Port (@port) <a href=/1>May 3, 2026</a></blockquote>'
    ]
    node = json.dumps({"@type": "NewsArticle", "headline": "News of the quarry", "isAccessibleForFree": False})
    page = Page.from_html(
        f'<html lang="en"><title>News of the quarry</title><script type="application/ld+json">{node}</script>'
        f"<body><article><h1>News of the quarry</h1><template>{''.join(body)}</template></article></body></html>",
        URL,
    )
    whole = replace(PORTAL, respect_paywall=False)
    less, posts = replace(whole, leave_out=(Part.EMBEDDED_POSTS,)), (Part.EMBEDDED_POSTS,)
    refused = expect(Rejected, process_page(Recipe(), page_of_portal(page, PORTAL)))
    assert refused.detail == "paywalled text not used"
    for recipe, portal, keeps_post in (
        (Recipe(), whole, True),
        (Recipe(), less, False),
        (Recipe(leave_out=posts), whole, False),
    ):
        made = expect(Row, process_page(recipe, page_of_portal(page, portal)))
        assert (post in made.record.text, made.record.n_words > 300) == (keeps_post, True)
        assert made.record.provenance.text == "template-element"


def test_on_a_tenth_of_the_pages_a_template_that_cuts_the_text_short_is_flagged() -> None:
    template = TemplateSection(text=("div.lead",))
    lead = "The old bridge stays. " * 15
    body = f"<h1>Bridge</h1><div class=lead>{lead}</div><p>{STORY}</p><p>{STORY}</p><p>{STORY}</p>"
    pages = [Page.from_html(body, f"https://example.org/story-{number}") for number in range(200)]
    judged = [judge(SourcePage(page, "mock", (), template), Rules(BTE)) for page in pages]
    flagged = [number for number, one in enumerate(judged) if one.is_short]
    assert 8 <= len(flagged) <= 35
    again = judge(SourcePage(pages[flagged[0]], "mock", (), template), Rules(BTE))
    assert again.is_short
    assert again.rule_hits == (RuleHit("text", 0),)
    unfiltered = process_page(replace(BTE, quality=None), SourcePage(pages[flagged[0]], "mock", (), template))
    assert "template_short" in expect(Row, unfiltered).record.flags
    good = TemplateSection(text=("p",))
    assert not any(judge(SourcePage(page, "mock", (), good), Rules(BTE)).is_short for page in pages[:40])


def test_where_the_template_finds_too_little_the_extractor_decides() -> None:
    template = TemplateSection(text=("div.lead",), title=("h1",))

    def made(html: str, number: int) -> str:
        page = SourcePage(Page.from_html(html, f"https://example.org/story-{number}"), "mock", (), template)
        row = expect(Row, process_page(replace(BTE, quality=None), page))
        assert row.record.provenance.title == "template"
        return row.record.extractor.partition(":")[0]

    lead = "<div class=lead>The bridge stays.</div>"
    long, brief = f"<h1>Bridge</h1>{lead}<p>{STORY}</p>", f"<h1>Bridge</h1>{lead}"
    assert {made(long, number) for number in range(20)} == {"bte"}  # on every page, whatever its address
    assert {made(brief, number) for number in range(20)} == {"template"}  # brief news are as they are


def story(head: str = "", more: str = "") -> SourcePage:
    paragraphs = "".join(f"<p>{line}</p>" for line in STORY.splitlines())
    return SourcePage(Page.from_html(HTML.format(head, paragraphs + more), URL), "mock", ("en",))


def test_a_page_is_parsed_once_for_its_links_and_its_text() -> None:
    given: list[Page] = []

    def extractor(page: Page) -> Article | Rejected:
        given.append(page)
        return load("bte")(page)

    found = judge(story(DATED), replace(DAY, extractor=extractor))
    (parsed,) = given
    assert expect(ParsedPage, parsed).described is not None, "fields are read once in a crawl of certain days"
    assert found.links == replace(read_page(story(DATED).page), published=date(2024, 3, 5))
    markup = frozenset({"html > body", "body > h1", "body > p", "body > a"})
    assert found == replace(judge(story(DATED), Rules(BTE)), links=found.links, markup=markup)


def test_the_links_of_a_wall_are_left_out_and_those_of_a_shell_are_not() -> None:
    shell = '<body><a href="/2">More</a><app-root></app-root><script src="main.js"></script></body>'
    for html, links in ((CONSENT.replace("</body>", '<a href="/2">More</a></body>'), ()), (shell, ("/2",))):
        page = SourcePage(Page.from_html(html, URL), template=TemplateSection(remove=("app-root",)))
        found = judge(page, CRAWL)
        assert found.wall is not None
        assert found.links.links == tuple(f"http://example.org{link}" for link in links)


def test_what_a_template_says_is_read_with_it_in_a_crawl_of_certain_days() -> None:
    titled = replace(story(DATED), template=TemplateSection(title=("h1",)))
    row = judge(titled, DAY).outcome
    assert row == judge(titled, CRAWL).outcome
    assert expect(Row, row).record.provenance.title == "template"


def judged_at(url: str, link: str, rules: Rules = CRAWL) -> Judgement:
    declared = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2024-03-05"}</script>'
    page = story(declared, link)
    return judge(replace(page, page=replace(page.page, url=url), trust=AddressTrust.DOUBTFUL), rules)


def test_an_article_of_any_address_goes_on_and_its_further_pages_are_none() -> None:
    first = judged_at("http://example.org/bridge/", "<a href=/bridge/2/>Page 2</a>")
    assert first.outcome is None
    assert first.article is not None
    for rules in (CRAWL, replace(CRAWL, reads_links=False)):
        judged = judged_at("http://example.org/bridge/2/", "<a href=/bridge/>Page 1</a>", rules)
        further = expect(Rejected, judged.outcome)
        assert (further.reason, further.detail) == ("part_of_another", "of http://example.org/bridge/")


def test_pages_that_were_extracted_one_by_one_give_the_row_of_all() -> None:
    first, text = story(more="<a href='?page=2'>2</a>"), STORY.replace("council", "parliament")
    part = Page.from_html(HTML.format("", "".join(f"<p>{line}</p>" for line in text.splitlines())), URL + "?page=2")
    whole = expect(Row, process_page(BTE, replace(first, following=(part, Page(URL, b"")))))
    assert ("council" in whole.record.text, "parliament" in whole.record.text) == (True, True)
    assert "several_pages" in whole.record.flags
    articles = [judge(one, CRAWL).article for one in (first, replace(first, page=part, part_of=URL))]
    joined = judge(replace(first, page=PAGE, articles=tuple(filter(None, articles))), Rules(BTE))  # nothing to parse
    assert joined.outcome == whole


@pytest.mark.parametrize(
    ("rules", "page", "is_judged"),
    [
        (LINKS, story(), False),
        (DAY, story(), True),
        (DAY, story(DATED), True),
        (OTHER_DAY, story(DATED), False),
        (CRAWL, story(more="<a href='?page=2'>2</a>"), False),
        (CRAWL, replace(story(more="<a href='?page=2'>2</a>"), trust=AddressTrust.UNLIKELY), True),
        (CRAWL, SourcePage(Page(URL, b"")), True),
    ],
)
def test_what_is_not_wanted_or_goes_on_elsewhere_is_read_and_not_judged(
    rules: Rules, page: SourcePage, is_judged: bool
) -> None:
    found = judge(page, rules)
    assert (found.outcome is not None) is is_judged
    published = date(2024, 3, 5) if rules.days and b"2024" in page.page.body else None
    assert found.links == replace(read_page(page.page), published=published)
