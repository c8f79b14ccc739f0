"""A crawl of a site whose pages scripts fill, with Debian's Chromium."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.async_api import Error
from scrapies import portal_file
from scrapy.exceptions import NotConfigured
from serving import ask

from benchmarks.newspapers import started
from newscorpus.data import Rejected
from newscorpus.errors import CrawlError
from newscorpus.fetch.middlewares.render import BROWSERS, RenderMiddleware
from newscorpus.store.archive.read import read_captures

SERVER = Path(__file__).parents[1] / "mockserver" / "walled.py"
PORTAL = portal_file(r"articles = ['-?\d{{5}}\.html$']", "render = true", start="{base}/scripted/", delay="{delay}")

needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, BROWSERS)), reason="no Chromium is installed (Debian: apt-get install chromium)"
)
pytestmark = [pytest.mark.slow, needs_browser]


def asked(base: str) -> Counter[str]:
    return Counter(entry["path"] for entry in ask(base))


@pytest.fixture
def site() -> Iterator[str]:
    with started(SERVER) as base:
        yield base


def test_scripts_fill_pages_within_the_same_bounds(crawl: Callable[..., Any], site: str, tmp_path: Path) -> None:
    done = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=site, delay=0.05))
    stories = [f"/scripted/{number}.html" for number in range(10001, 10004)]
    assert {record["title"] for record in done.records} == {f"News of /api{path}" for path in stories}
    assert all(record["n_words"] > 300 for record in done.records)
    assert done.stats["newscorpus/rendered/mock/pages"] == 4  # the front page too
    assert done.stats["newscorpus/politeness/mock/least_gap_seconds"] >= 0.05  # between the requests of scripts too
    paths = asked(site)
    assert [paths[path] for path in (*stories, *(f"/api{path}" for path in stories))] == [1] * 6
    assert not {path for path in paths if path.startswith(("/inside", "/private", "/forms"))}
    assert done.stats["robotstxt/forbidden"] == 3
    assert done.stats["newscorpus/rendered/mock/refused"] == 6  # that, and another port of this machine
    archived = [
        found
        for file in (done.corpus / "archive").glob("*.warc.gz")
        for found in read_captures(file)
        if not isinstance(found, Rejected) and found.origin and found.page.url.endswith(".html")
    ]
    assert len(archived) == 3
    assert all(b"<article>" in found.page.body for found in archived)  # what was read, to be read again


def test_the_browser_reaches_nothing_by_itself(site: str) -> None:
    async def reach() -> list[str]:
        middleware = RenderMiddleware(SimpleNamespace(), {})  # type: ignore[arg-type]
        page = await (await middleware.launched()).new_page()
        failed = []
        for url in (site, site.replace("127.0.0.1", "localhost")):
            with pytest.raises(Error) as error:
                await page.goto(url)
            failed.append(str(error.value))
        await middleware.close()
        return failed

    assert all("net::ERR_" in error for error in asyncio.run(reach()))
    assert not asked(site)


def descendants(pid: int) -> set[int]:
    """The processes that a process began, and those that these did."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it ended meanwhile
            continue
    found: set[int] = set()
    while more := {child for child, parent in parents.items() if parent in {pid, *found}} - found:
        found |= more
    return found


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait; the guard of the test ends it where it never comes."""
    while not is_so():
        time.sleep(0.1)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_kill_leaves_no_browser_behind_and_loses_no_page(
    crawl: Callable[..., Any], site: str, tmp_path: Path
) -> None:
    portal = PORTAL.format(base=site, delay=0.3)
    (tmp_path / "portals").mkdir()
    (tmp_path / "portals" / "mock.toml").write_text(portal)
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", "portal=mock", "-s", "NEWSCORPUS_PROFILE=off"]
    environment = os.environ | {"SCRAPY_SETTINGS_MODULE": "newscorpus.settings"}
    killed = subprocess.Popen(
        [*command, "-s", f"NEWSCORPUS_CORPUS={tmp_path / 'corpus'}"],
        cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_until(lambda: asked(site)["/api/scripted/10001.html"] or asked(site)["/api/scripted/10002.html"])
    finally:
        begun = descendants(killed.pid)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
    assert len(begun) > 1
    wait_until(lambda: not any(map(is_alive, begun)))
    done = crawl(tmp_path, "-a", "portal=mock", portal=portal)
    assert sorted(record["url"].rpartition("/")[2] for record in done.records) == [
        f"{number}.html" for number in range(10001, 10004)
    ]


def test_a_browser_that_fails_is_named(
    crawl: Callable[..., Any], site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bin" / BROWSERS[0]
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:{os.environ['PATH']}")
    done = crawl(tmp_path, "-a", "portal=mock", portal=PORTAL.format(base=site, delay=0))
    assert done.exit_code == 1
    assert "No start page of mock could be fetched: fetch/render_failed" in done.output
    assert "Traceback" not in done.output


def test_without_the_package_the_crawl_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    portals = [SimpleNamespace(name="mock", render=True)]
    crawler: Any = SimpleNamespace(spider=SimpleNamespace(portals=portals))
    with pytest.raises(CrawlError, match=r"portal mock: render = true takes pip install 'newscorpus\[render\]'"):
        RenderMiddleware.from_crawler(crawler)
    portals[0].render = False
    with pytest.raises(NotConfigured):
        RenderMiddleware.from_crawler(crawler)
