"""The middleware on its own: what it asks for, what it lets pass, and how long that holds."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, IgnoreRequest
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector

from newscorpus.config import PolitenessConfig
from newscorpus.data import Evidence
from newscorpus.fetch.middlewares.robots import MAX_ATTEMPTS, RobotsMiddleware
from newscorpus.fetch.visits import Postponed, Purpose, Refused, make_page, visit_of
from newscorpus.portal.addresses import NAMED

RULES = b"""User-agent: newscorpus
Disallow: /private/
Crawl-delay: 7
Sitemap: https://vesti.example/maps/index.xml
"""
PAGE, PRIVATE = "https://vesti.example/a", "https://vesti.example/private/a"


class Site:
    """What answers for robots.txt, and what is asked of it."""

    def __init__(self, *answers: Response | Exception | int) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []
        self.delays: list[float] = []
        self.now = 0.0
        politeness = SimpleNamespace(keep_crawl_delay=lambda _slot, seconds: self.delays.append(seconds))
        downloader = SimpleNamespace(get_slot_key=lambda _request: "vesti")
        crawler: Any = SimpleNamespace(
            engine=SimpleNamespace(downloader=downloader, download_async=self.download),
            get_downloader_middleware=lambda _kind: politeness,
            stats=MemoryStatsCollector(SimpleNamespace(settings=Settings())),  # type: ignore[arg-type]
        )
        self.middleware = RobotsMiddleware(crawler, lambda: self.now)

    async def download(self, request: Request) -> Response:
        await self.middleware.process_request(request)
        self.asked.append(request)
        await asyncio.sleep(0)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Response) else Response(request.url, status=answer)

    def ask(self, *urls: str) -> list[str]:
        """Whether each may be asked for: "" or the reason; all at the same time."""

        async def every() -> list[Any]:
            passing = (self.middleware.process_request(Request(url)) for url in urls)
            return await asyncio.gather(*passing, return_exceptions=True)

        return [getattr(error, "reason", type(error).__name__) if error else "" for error in asyncio.run(every())]


def rules() -> Response:
    return Response("https://vesti.example/robots.txt", body=RULES)


def test_what_robots_forbid_is_refused_and_robots_are_asked_once() -> None:
    site = Site(rules())
    assert site.ask(PAGE, PRIVATE, PAGE) == ["", "robots_disallowed", ""]
    (asked,) = site.asked
    assert asked.url == "https://vesti.example/robots.txt"
    assert visit_of(asked).purpose is Purpose.ROBOTS
    assert asked.meta["download_slot"] == "vesti"
    assert site.delays == [7]
    assert site.middleware.sitemaps(PAGE) == ("https://vesti.example/maps/index.xml",)


def test_sitemaps_that_robots_name_are_absolute() -> None:
    site = Site(Response("", body=b"Sitemap: /map.xml\nSitemap: news.xml\nSitemap: http://[\nSitemap: ftp://a.b/c\n"))
    site.ask(PAGE)
    assert site.middleware.sitemaps(PAGE) == ("https://vesti.example/map.xml", "https://vesti.example/news.xml")


def test_each_host_has_its_own() -> None:
    site = Site(rules(), 404)
    assert site.ask(PRIVATE) == ["robots_disallowed"]
    assert site.ask("https://sport.vesti.example/private/a") == [""]
    assert site.middleware.sitemaps("https://sport.vesti.example/") == ()
    assert site.middleware.sitemaps("https://unknown.example/") == ()


@pytest.mark.parametrize("answer", [404, 403, 410, IgnoreRequest("too large"), Refused("redirect_loop", "back")])
def test_no_robots_forbid_nothing(answer: int | Exception) -> None:
    assert Site(answer).ask(PRIVATE) == [""]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (503, "robots_unavailable"),
        (429, "robots_unavailable"),
        (Postponed("given_up", "refused"), "given_up"),
        (DownloadTimeoutError("slow"), "DownloadTimeoutError"),
    ],
)
def test_robots_out_of_reach_forbid_everything_until_they_are_not(answer: int | Exception, reason: str) -> None:
    site = Site(answer, rules())
    assert site.ask(PAGE) == [reason]
    assert site.middleware.sitemaps(PAGE) == ()
    assert site.ask(PAGE, PRIVATE) == ["", "robots_disallowed"]


@pytest.mark.parametrize("silence", [503, DownloadTimeoutError("slow"), DownloadFailedError("TLS")])
def test_a_host_out_of_reach_costs_its_own_pages_where_another_one_answers(silence: int | Exception) -> None:
    site, other = Site(rules(), *[silence] * MAX_ATTEMPTS), "https://blog.vesti.example/a"
    assert site.ask(PAGE) == [""]
    assert not visit_of(site.asked[0]).is_one_of_several
    assert [*map(site.ask, [other] * (MAX_ATTEMPTS + 2))] == [["robots_unavailable"]] * (MAX_ATTEMPTS + 2)
    assert [visit_of(asked).is_one_of_several for asked in site.asked[1:]] == [True] * MAX_ATTEMPTS
    assert site.ask(PAGE) == [""]


def test_a_host_that_has_answered_is_waited_for() -> None:
    site = Site(rules(), 404, 503)
    site.ask(PAGE, "https://blog.vesti.example/a")
    site.now = PolitenessConfig().robots_seconds + 1
    site.ask(PAGE)
    assert not visit_of(site.asked[-1]).is_one_of_several


def test_a_page_carries_the_rights_that_the_robots_of_its_host_state() -> None:
    site = Site(Response("", body=b"License: https://vesti.example/license.xml"), 404)
    request = Request(PAGE)
    asyncio.run(site.middleware.process_request(request))
    stated = Evidence("rsl", "https://vesti.example/license.xml", "robots.txt")
    assert make_page(Response(PAGE, request=request), (NAMED,)).evidence == (NAMED, stated)
    elsewhere = request.replace(url="https://sport.vesti.example/a")  # a redirect keeps the visit
    asyncio.run(site.middleware.process_request(elsewhere))
    assert make_page(Response(elsewhere.url, request=elsewhere)).evidence == ()


def test_robots_hold_for_a_day() -> None:
    site = Site(rules(), 404)
    site.ask(PAGE)
    site.now = PolitenessConfig().robots_seconds - 1
    assert site.ask(PRIVATE) == ["robots_disallowed"]
    site.now += 2
    assert site.ask(PRIVATE) == [""]
