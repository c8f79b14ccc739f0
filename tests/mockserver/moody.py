"""Two sites on loopback that mind how they are asked. Run as a script: prints their addresses, and serves until killed.

The strict one has no robots.txt to give at first, then one with a Crawl-delay; it asks once for a pause, and its answer
to one story drips in without end. The other one gives out its front page and forbids all else. `/_log` of each answers
with [[path, time]] of what was asked.
"""

import json
import time
from collections import Counter

from prose import article
from serving import Handler, Site, serve

N_STORIES = 10
ROBOTS = b"User-agent: *\nCrawl-delay: 0.3\n"
DRIPPING = "/news/dripping-story-10009.html"


class Moody(Site):  # type: ignore[misc]
    """One of the sites, and a log of what was asked."""

    def __init__(self, handler: type[Handler]) -> None:
        super().__init__(handler)
        self.log: list[tuple[str, float]] = []
        self.asked: Counter[str] = Counter()


class Strict(Handler):  # type: ignore[misc]
    """Answers those who wait."""

    server: Moody

    def do_GET(self) -> None:
        if self.path == "/_log":
            self.answer(json.dumps(self.server.log).encode())
            return
        self.server.asked[self.path] += 1
        self.server.log.append((self.path, time.monotonic()))
        self.reply(first=self.server.asked[self.path] == 1)

    def reply(self, *, first: bool) -> None:
        if self.path == "/robots.txt":
            self.answer(b"later", 503) if first else self.answer(ROBOTS)
        elif self.path == "/":
            self.answer(front_page())
        elif self.path == DRIPPING:
            self.drip()
        elif self.path.endswith("-10002.html") and first:
            self.answer(b"not so fast", 429, Retry_After="1")
        else:
            self.answer(article(self.path).encode())

    def drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(b" ")
                time.sleep(0.1)
        except OSError:
            return


class Forbidding(Strict):
    """Answers nobody."""

    def reply(self, *, first: bool) -> None:
        if self.path == "/":
            self.answer(front_page())
        elif self.path == "/robots.txt":
            self.answer(b"", 404)
        else:
            self.answer(b"go away", 403)


def front_page() -> bytes:
    """Links to all stories."""
    paths = [DRIPPING, *(f"/news/story-of-the-day-{10001 + number}.html" for number in range(N_STORIES))]
    links = "".join(f'<li><a href="{path}">{path}</a></li>' for path in paths)
    return f"<html><head><title>Moody</title></head><body><ul>{links}</ul></body></html>".encode()


if __name__ == "__main__":
    sites = Moody(Strict), Moody(Forbidding)
    serve([site.base for site in sites], *sites)
