"""A newspaper on loopback some of whose articles are dead: `python dead_pages.py ARTICLES SHARE [SECONDS]`.

Prints its address, and serves until it is killed. Half of the dead articles are the first ones, in a row; the others
lie anywhere. They answer 500 or 404, break the connection off, or do not answer for so many seconds. The front page
leads to lists, these to the articles. `/_log` answers with the number of requests by path, `/_dead` with the paths of
the dead.
"""

import asyncio
import json
import random
import sys
from collections import Counter

from prose import sentence

A_LIST = 100
WAYS = ("500", "404", "reset", "500", "404", "reset", "timeout")
"""What becomes of the dead in turn; few are silent, since each of these costs the crawl its patience."""


def story(path: str) -> str:
    """A short article."""
    source = random.Random(path)
    text = "".join(f"<p>{sentence(source)}</p>" for _ in range(4))
    return f"<html lang=en><head><title>Story {path}</title></head><body><h1>Story {path}</h1>{text}</body></html>"


class DyingNewspaper:
    """One site.

    Args:
        articles: how many it has.
        share: of these that are dead, 0..1.
        silence: seconds after which a silent one breaks off.
    """

    def __init__(self, articles: int, share: float, silence: float) -> None:
        self._paths = [f"/story/{number:06}.html" for number in range(articles)]
        self._silence = silence
        n = round(articles * share)
        anywhere = random.Random(14).sample(self._paths[n:], n - n // 2)
        dead = [*self._paths[: n // 2], *anywhere]
        self._dead = {path: WAYS[at % len(WAYS)] for at, path in enumerate(dead)}
        self._asked: Counter[str] = Counter()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer on one connection until it ends."""
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                path = line.split()[1].decode()
                self._asked[path] += 1
                way = self._dead.get(path, "")
                if way == "timeout":
                    await asyncio.sleep(self._silence)
                if way in {"reset", "timeout"}:
                    writer.transport.abort()
                    return
                status, body = (int(way), "dead") if way else self._page(path)
                head = f"HTTP/1.1 {status} So\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
                writer.write((head + body).encode())
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    def _page(self, path: str) -> tuple[int, str]:
        """Status and body."""
        kind, _, number = path.strip("/").partition("/")
        if path in {"/_log", "/_dead"}:
            return 200, json.dumps(self._asked if path == "/_log" else list(self._dead))
        if path == "/":
            return 200, _links(f"/list/{at}" for at in range(0, len(self._paths), A_LIST))
        if kind == "list":
            return 200, _links(self._paths[int(number) : int(number) + A_LIST])
        return (200, story(path)) if kind == "story" else (404, "not here")


def _links(paths: object) -> str:
    links = "".join(f"<li><a href='{path}'>{path}</a></li>" for path in paths)  # type: ignore[attr-defined]
    return f"<html><body><ul>{links}</ul></body></html>"


async def main(articles: int, share: float, silence: float) -> None:
    """Serve until killed."""
    server = await asyncio.start_server(DyingNewspaper(articles, share, silence).serve, "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)  # noqa: T201 -- for the caller
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), float((*sys.argv[3:], "30")[0])))
