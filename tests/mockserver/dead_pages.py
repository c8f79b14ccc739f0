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

from newspapers import Answer, Newspaper, _links, _packed, _page, serve
from prose import sentence

A_LIST = 100
WAYS = ("500", "404", "reset", "500", "404", "reset", "timeout")
"""What becomes of the dead in turn; few are silent, since each of these costs the crawl its patience."""


def story(path: str) -> str:
    """A short article."""
    source = random.Random(path)
    text = "".join(f"<p>{sentence(source)}</p>" for _ in range(4))
    return f"<html lang=en><head><title>Story {path}</title></head><body><h1>Story {path}</h1>{text}</body></html>"


class DyingNewspaper(Newspaper):  # type: ignore[misc]
    """One site.

    Args:
        articles: how many it has.
        share: of these that are dead, 0..1.
        silence: seconds after which a silent one breaks off.
    """

    def __init__(self, articles: int, share: float, silence: float) -> None:
        super().__init__(0, articles, story)
        self._paths = [f"/story/{number:06}.html" for number in range(articles)]
        self._silence = silence
        n = round(articles * share)
        anywhere = random.Random(14).sample(self._paths[n:], n - n // 2)
        dead = [*self._paths[: n // 2], *anywhere]
        self._dead = {path: WAYS[at % len(WAYS)] for at, path in enumerate(dead)}
        self._asked: Counter[str] = Counter()

    async def respond(self, path: str) -> bytes | None:
        """The response to a request; None breaks the connection off."""
        self._asked[path] += 1
        way = self._dead.get(path, "")
        if way == "timeout":
            await asyncio.sleep(self._silence)
        if way in {"reset", "timeout"}:
            return None
        packed: bytes = _packed((int(way), "text/html", b"dead") if way else self.answer(path))
        return packed

    def answer(self, path: str) -> Answer:
        """Status, content type and body."""
        kind, _, number = path.strip("/").partition("/")
        if path in {"/_log", "/_dead"}:
            return 200, "application/json", json.dumps(self._asked if path == "/_log" else list(self._dead)).encode()
        if path == "/":
            return _page(_links(f"/list/{at}" for at in range(0, len(self._paths), A_LIST)))
        if kind == "list":
            return _page(_links(self._paths[int(number) : int(number) + A_LIST]))
        return _page(story(path)) if kind == "story" else (404, "text/html", b"not here")


if __name__ == "__main__":
    paper = DyingNewspaper(int(sys.argv[1]), float(sys.argv[2]), float((*sys.argv[3:], "30")[0]))
    asyncio.run(serve([paper], as_list=False))
