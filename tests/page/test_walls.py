"""Walls are told from articles, those about walls included."""

import json
from collections import Counter
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from walled import CHECK, CONSENT, COOKIE_LAW, QUIET_CHECK, SHELL

from newscorpus.data import Page, Rejected
from newscorpus.fetch.visits import fetch_rejection
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.extractor import parse_page
from newscorpus.page.judge import process_page
from newscorpus.page.recipe import Recipe
from newscorpus.page.refusals import find_detour
from newscorpus.page.rows import Row
from newscorpus.page.source_page import SourcePage
from newscorpus.page.walls import find_wall

URL = "https://www.vesti.example/news/story-1"
GERMAN = """<html><head><title>Zeitung im PUR-Abo</title></head><body><h2>Mit Werbung weiterlesen</h2><p>Besuchen Sie
uns wie gewohnt mit Werbung und Tracking. Ihre Zustimmung können Sie jederzeit widerrufen.</p><p>Wir und unsere Partner
verarbeiten personenbezogene Daten und speichern Cookies auf Ihrem Gerät, um Inhalte zu messen.</p>
<a href="#"><span>Akzeptieren und weiter</span></a><footer><a href="/impressum">Impressum</a></footer></body></html>"""
CROATIAN = """<html><body><p>Koristimo kolačiće kako bismo vam prikazali oglase i mjerili posjećenost ovih stranica za
naše partnere.</p><input type=submit value="Prihvaćam"></body></html>"""
DATED = '<html><head><meta property="article:published_time" content="2026-11-20T08:00:00Z"></head><body>'
PROSE = "".join(
    f"<p>On day {day} the council of the town met in the hall by the river and spoke for {day} hours about bridges.</p>"
    for day in range(2, 12)
)


def wall_of(html: str, url: str = URL) -> str:
    outcome = process_page(Recipe(), SourcePage(Page.from_html(html, url), "vesti"))
    return outcome.reason if isinstance(outcome, Rejected) and outcome.stage == "fetch" else ""


HINT = "<noscript>Please enable JavaScript</noscript><script src='a.js'></script>"
MENU = "<p><a href='#text'>Skip to the text of this page</a><a href='/a'>Home</a> <a href='/b'>About us here</a></p>"
COMMENTS = HINT.replace("JavaScript", "JavaScript to view the comments")
START = "<body><nav>Menu</nav><main>{}</main><script src='a.js'></script></body>"
SECTIONS = "".join(f'<a href="/{name}">The section of {name}</a>' for name in range(40))


@pytest.mark.parametrize(
    ("html", "wall"),
    [
        pytest.param(CONSENT, "consent_wall", id="consent"),
        pytest.param(GERMAN, "consent_wall", id="consent in German"),
        pytest.param(CROATIAN, "consent_wall", id="consent in Croatian"),
        pytest.param(CHECK, "bot_check", id="check"),
        pytest.param(QUIET_CHECK, "bot_check", id="quiet check"),
        pytest.param(SHELL.format("start()"), "needs_script", id="shell"),
        pytest.param('<body><app-root></app-root><script src="a.js"></script></body>', "needs_script", id="mount"),
        pytest.param('<body><script src="a.js"></script></body>', "needs_script", id="scripts alone"),
        pytest.param("<body><p>Nothing here.</p></body>", "", id="no text and no script"),
        pytest.param(f"<body>{MENU}<h1>Site</h1>{HINT}</body>", "needs_script", id="hint beside a menu"),
        pytest.param(
            f"<body>{MENU}<h1>Site</h1><a href='/news/7'>The old bridge stays open</a>{HINT}</body>", "", id="a list"
        ),
        pytest.param(
            f"<body>{MENU}<h1>A headline</h1><p>{'One sentence of it. ' * 9}</p>{COMMENTS}</body>", "", id="an item"
        ),
        pytest.param(START.format("Loading"), "needs_script", id="loading"),
        pytest.param(
            "<body><nav><a href='/b'>Blog</a></nav><h1>News</h1><a href='/b'>Read</a><script>go()</script>",
            "",
            id="landing page",
        ),
        pytest.param(
            "<body><header><h1>News</h1><a href='/b'>Blog</a></header><div></div><script>go()</script>",
            "needs_script",
            id="header alone",
        ),
        pytest.param(
            START.format("<h1>The Loopback Herald</h1><p><a href='/b'>Read the blog</a></p>"), "", id="start page"
        ),
        pytest.param(
            f'<body>{SECTIONS}<div id="root">{PROSE}</div><noscript>Enable JavaScript</noscript><script>go()</script>',
            "",
            id="filled mount",
        ),
    ],
)
def test_walls_are_told_from_lists_start_pages_and_short_items(html: str, wall: str) -> None:
    assert wall_of(html) == wall


def test_a_check_that_answers_with_an_error_is_no_plain_error() -> None:
    for headers, body in (({}, CHECK), ({"Cf-Mitigated": "challenge"}, "")):
        answer = HtmlResponse(URL, status=403, headers=headers, body=body.encode(), request=Request(URL))
        assert fetch_rejection(HttpError(answer), URL).reason == "bot_check"
    plain = HtmlResponse(URL, status=403, body=b"<h1>Forbidden</h1>", request=Request(URL))
    assert fetch_rejection(HttpError(plain), URL).reason == "http_403"


def test_a_page_that_reads_without_scripts_needs_none() -> None:
    forum = f'<body><div id="root"></div><noscript>Without JavaScript: {PROSE}</noscript><script src="a.js"></script>'
    assert find_wall(parse_page(Page.from_html(forum, URL)), None) is None


@pytest.mark.parametrize(
    "html",
    [
        COOKIE_LAW.format(PROSE),
        f"<body>{PROSE}<div><p>We use cookies and ask for your consent to that.</p><button>Accept</button></div>",
        DATED + CONSENT.partition("<body>")[2],
    ],
)
def test_an_article_that_speaks_of_cookies_or_lies_below_a_banner_is_never_lost(html: str) -> None:
    outcome = process_page(Recipe(), SourcePage(Page.from_html(html, URL), "vesti"))
    assert isinstance(outcome, Row) or outcome.stage != "fetch"


@pytest.mark.parametrize(
    ("target", "wall"),
    [
        ("https://vesti.example/nastaveni-souhlasu?url=https%3A%2F%2Fvesti.example%2Fnews%2Fstory-1", "consent_wall"),
        ("https://consent.publisher.example/v2/collect?id=5", "consent_wall"),
        ("https://www.vesti.example/showcaptcha?back=/news/story-1&n=2", "bot_check"),
        ("https://www.vesti.example/news/consent/story-1", ""),
        ("https://www.vesti.example/consent?page=2", ""),
        ("https://www.vesti.example/politics/age-of-consent-1?from=/news/story-1", ""),
    ],
)  # fmt: skip
def test_a_redirect_to_a_wall_is_told_from_a_move(target: str, wall: str) -> None:
    assert find_detour(URL, target) == wall


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "html",
    [
        "<span>" * 2_000 + "x" * 1_000_000,
        "<div id=root>" * 2_000 + "x" * 1_000_000,
        "<noscript>javascript " + "<h1>" * 1_000 + "_cf_chl_op" * 200_000,
        '<a href="#">' * 20_000,
    ],
)
def test_pages_that_mean_harm_take_no_time(html: str) -> None:
    find_wall(parse_page(Page.from_html(f"<body>{html}<script>x</script>", URL)), None)


@pytest.mark.slow
@pytest.mark.data
def test_no_page_with_gold_text_is_taken_for_a_wall(gold_data: Path) -> None:
    """Though it is not said that an article was found; what scripts fill is told by their text alone."""
    taken: Counter[str] = Counter()
    for name in ("fundus", "article_extraction", "misinformation", "daniel"):
        for page in read_pages(gold_data / f"{name}.jsonl.zst"):
            if page.text and (wall := find_wall(parse_page(Page.from_html(page.html, page.url)), None)):
                taken[json.dumps([wall.reason, page.url])] += 1
    assert not taken
