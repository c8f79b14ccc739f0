"""Newspapers of any size on loopback, one a port: `python newspapers.py ARTICLES HOSTS [--KIND]`.

Prints the addresses as a JSON list, and serves until it is killed. A front page leads to sections, these to articles
and to each other; some addresses redirect, are gone, or are a second address of an article. `/_log` answers with the
number of requests by host and path, `/_count` with the number of all.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from prose import article

PAGE_LENGTH = 20
ODD = 25
"""Every so many articles there is one odd address of each kind."""

REDESIGNED_AFTER = 50

OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."

REASONS = {200: "OK", 301: "Moved Permanently", 404: "Not Found", 500: "Internal Server Error"}

Answer = tuple[int, str, bytes]
ASKED: Counter[str] = Counter()


def full(host: int, number: int, head: str = "", links: str = "") -> str:
    """An article of some 400 words."""
    page: str = article(f"host {host} story {number}", head)
    return page.replace("<footer>", f"<footer>{links}")


def tiny(_host: int, number: int, _head: str = "", links: str = "") -> str:
    """An article of one sentence."""
    return f"<html><body><p>Story {number}.</p>{links}</body></html>"


def mixed(host: int, number: int, head: str = "", links: str = "") -> str:
    """An article, or every third time one of a sentence, which the filters reject."""
    return (full if number % 3 else tiny)(host, number, head, links)


def redesigned(host: int, number: int, head: str = "", links: str = "") -> str:
    """An article, in another design once so many were asked for."""
    page = full(host, number, head, links)
    if sum(n for path, n in ASKED.items() if "/story/" in path) <= REDESIGNED_AFTER:
        return page
    return page.replace("<article>", "<div class='fresh'>").replace("</article>", "</div>")


def offering(host: int, number: int, head: str = "", links: str = "") -> str:
    """An article that ends with the same offer as all others."""
    return full(host, number, head, links).replace("</article>", f"<p>{OFFER}</p></article>")


WRITERS = {"--tiny": tiny, "--mixed": mixed, "--redesigned": redesigned, "--offering": offering}


class Newspaper:
    """One host.

    Args:
        host: its number, from 0.
        articles: how many it has.
        write: makes an article.
    """

    def __init__(self, host: int, articles: int, write: Callable[..., str]) -> None:
        self._host = host
        self._articles = articles
        self._write = lru_cache(maxsize=5_000)(write)
        self.base = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it ends."""
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                response = await self.respond(line.split()[1].decode())
                if response is None:
                    writer.transport.abort()
                    return
                writer.write(response)
                await writer.drain()
        except (ConnectionError, IndexError):
            pass
        finally:
            writer.close()

    async def respond(self, path: str) -> bytes | None:
        """The response to a request; None breaks the connection off."""
        if path == "/_log":
            return _packed((200, "application/json", json.dumps(ASKED).encode()))
        if path == "/_count":
            return _packed((200, "text/plain", str(ASKED.total()).encode()))
        ASKED[f"{self._host}{path}"] += 1
        return _packed(self.answer(path))

    def answer(self, path: str) -> Answer:
        """Status, content type (of a redirect, the address) and body."""
        kind, _, rest = path.strip("/").partition("/")
        number = int(rest.removesuffix(".html") or 0) if rest.removesuffix(".html").isdigit() else -1
        if path == "/":
            return _page(_links(f"/section/{page}" for page in range(self._sections())))
        if kind == "section" and 0 <= number < self._sections():
            return _page(_links(self._of_section(number)))
        if kind == "story" and 0 <= number < self._articles:
            nearby = _links(f"/story/{(number * 7 + step) % self._articles:06}.html" for step in (1, 2, 3))
            return _page(self._write(self._host, number, "", nearby))
        if kind == "moved" and 0 <= number < self._articles:
            return 301, f"/story/{number:06}.html", b""
        if kind == "print" and 0 <= number < self._articles:
            canonical = f'<link rel="canonical" href="/story/{number:06}.html">'
            return _page(self._write(self._host, number, canonical, ""))
        return 404, "text/html", b"gone"

    def _sections(self) -> int:
        return -(-self._articles // PAGE_LENGTH)

    def _of_section(self, number: int) -> list[str]:
        first = number * PAGE_LENGTH
        stories = range(first, min(first + PAGE_LENGTH, self._articles))
        odd = [story for story in stories if story % ODD == 0]
        paths = [f"/story/{story:06}.html" for story in stories if story % ODD != 1]
        paths += [f"/{kind}/{story:06}.html" for kind in ("moved", "print", "gone") for story in odd]
        # Every 25th article has no address but the one that redirects to it.
        paths += [f"/moved/{story:06}.html" for story in stories if story % ODD == 1]
        return [*paths, f"/section/{(number + 1) % self._sections()}"]


def _links(paths: object) -> str:
    return "<ul>" + "".join(f"<li><a href='{path}'>{path}</a></li>" for path in paths) + "</ul>"  # type: ignore[attr-defined]


def _page(body: str) -> Answer:
    return 200, "text/html; charset=utf-8", body.encode()


def _packed(answer: Answer) -> bytes:
    status, what, body = answer
    field = "Location" if status == 301 else "Content-Type"
    return (
        f"HTTP/1.1 {status} {REASONS[status]}\r\n{field}: {what}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    )


async def serve(papers: Sequence[Newspaper], *, as_list: bool = True) -> None:
    """Print the addresses, or that of the only one, and serve until killed."""
    servers = [await asyncio.start_server(paper.serve, "127.0.0.1", 0) for paper in papers]
    for paper, server in zip(papers, servers, strict=True):
        paper.base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    line = json.dumps([paper.base for paper in papers]) if as_list else papers[0].base
    print(line, flush=True)  # noqa: T201 -- how the test learns the addresses
    await asyncio.gather(*(server.serve_forever() for server in servers))


if __name__ == "__main__":
    total, hosts, write = int(sys.argv[1]), int(sys.argv[2]), WRITERS.get(sys.argv[-1], full)
    asyncio.run(serve([Newspaper(host, total // hosts + (host < total % hosts), write) for host in range(hosts)]))
