"""A crawl of a site with walls names them, and never gets round them."""

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapies import portal_file
from serving import ask
from walled import KEY, TICKET

from benchmarks.newspapers import started

SERVER = Path(__file__).parents[1] / "mockserver" / "walled.py"

PORTAL = portal_file(r"articles = ['-?\d{{5}}\.html$']", start="{base}{start}")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with started(SERVER) as base:
        yield base


@pytest.fixture(scope="module")
def stranger(crawl: Callable[..., Any], site: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("stranger")
    return crawl(folder, "-a", "portal=mock", portal=PORTAL.format(base=site, start="/"))


def test_walls_are_named_and_counted_by_portal(stranger: Any) -> None:
    fetched = [line for line in stranger.rejected if line["stage"] == "fetch"]
    reasons = Counter(f"{line['reason']} {line['url'].rpartition('/')[2]}" for line in fetched)
    assert reasons == Counter(
        [
            "consent_wall agreed-story-10010.html",
            "consent_wall sent-away-story-10011.html",
            "bot_check checked-story-10020.html",
            "bot_check quietly-checked-story-10021.html",
            *(f"consent_wall members-story-{number}.html" for number in range(10040, 10043)),
            "offsite leaving-story-10044.html",
        ]
    )
    counted = stranger.report["by_portal"]["mock"]["rejected"]
    assert (counted["fetch/consent_wall"], counted["fetch/bot_check"]) == (5, 2)
    assert re.search(r"Worth doing: mock lost 5 of .+ by fetch/consent_wall.*: Open the page", stranger.output)


def test_articles_among_walls_are_kept_and_no_wall_is_followed(stranger: Any, site: str) -> None:
    kept = {record["url"].rpartition("/")[2] for record in stranger.records}
    assert kept == {*(f"plain-story-{number}.html" for number in range(10001, 10004)), "cookie-law-story-10030.html"}
    paths = {entry["path"].partition("?")[0] for entry in ask(site)}
    assert not paths & {"/souhlas", "/nastaveni", "/nastaveni-souhlasu"}


@pytest.fixture(scope="module")
def member(crawl: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    portal = PORTAL + '\ncookies = {{ ticket = "{ticket}" }}\nheaders = {{ X-Library-Key = "{key}" }}\n'
    with started(SERVER) as base:
        given = portal.format(base=base, start="/", ticket=TICKET, key=KEY)
        yield crawl(tmp_path_factory.mktemp("member"), "-a", "portal=mock", "-s", "LOG_LEVEL=DEBUG", portal=given), base


def test_what_a_portal_carries_of_the_users_own_opens_its_pages_and_is_reported(member: tuple[Any, str]) -> None:
    done, base = member
    assert sum("members-story" in record["url"] for record in done.records) == 3
    named = "cookie ticket, header X-Library-Key"
    assert done.stats["newscorpus/own_access/mock/names"] == named
    assert f"mock is asked with what its file carries of your own: {named}" in done.output
    log = ask(base)
    carried = [entry for entry in log if entry["headers"].get("cookie") == f"ticket={TICKET}"]
    assert len(carried) == len(log) == done.stats["newscorpus/own_access/mock/requests"]


def test_it_is_kept_nowhere(member: tuple[Any, str]) -> None:
    done, _ = member
    archives = [gzip.decompress(path.read_bytes()) for path in (done.corpus / "archive").glob("*.warc.gz")]
    files = [path.read_bytes() for path in done.corpus.rglob("*") if path.is_file()]
    assert b"X-Library" not in b"".join(archives)
    assert b"WARC-Type: request" in b"".join(archives)
    for secret in (TICKET.encode(), KEY.encode()):
        assert not any(secret in text for text in (*archives, *files, done.output.encode()))


def test_a_start_page_that_scripts_fill_is_named_with_what_to_do(
    crawl: Callable[..., Any], site: str, tmp_path: Path
) -> None:
    done = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=site, start="/scripted/"))
    assert done.exit_code == 1
    assert f"No start page of mock could be fetched: fetch/needs_script {site}/scripted/" in done.output
