"""A news site with a consent wall, a bot check, pages for members and pages that scripts fill, on loopback.

Run as a script: prints its address, and serves until it is killed. `/_log` answers with the requests so far:
[{"path", "headers"}].
"""

import json
from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from prose import article, paragraphs
from serving import Handler as BaseHandler
from serving import Site, serve

TICKET, KEY = "a-ticket-of-the-library-4711", "a-key-of-the-library-0815"
"""What members send: the cookie `ticket` and the header `X-Library-Key`."""

LINKS = [
    *(f"/news/plain-story-{number}.html" for number in range(10001, 10004)),
    "/news/agreed-story-10010.html",
    "/news/sent-away-story-10011.html",
    "/news/checked-story-10020.html",
    "/news/quietly-checked-story-10021.html",
    "/news/cookie-law-story-10030.html",
    *(f"/news/members-story-{number}.html" for number in range(10040, 10043)),
    "/news/leaving-story-10044.html",
]

CONSENT = """<html><head><title>Souhlas</title></head><body><div class="wall"><h1>Než budete pokračovat</h1>
<p>My a naši partneři ukládáme na vašem zařízení soubory cookie a zpracováváme osobní údaje, abychom mohli zobrazovat
reklamu a měřit návštěvnost tohoto webu.</p><p>Svůj souhlas můžete kdykoli odvolat v nastavení soukromí v patičce.</p>
<form action="/souhlas" method="post"><button name="agree">Souhlasím</button> <a href="/nastaveni">Nastavení</a></form>
</div></body></html>"""

CHECK = """<html><head><title>Just a moment...</title></head><body><h1>news.example</h1>
<p>Verifying you are human. This may take a few seconds.</p><script>window._cf_chl_opt={cType:'managed'}</script>
</body></html>"""

QUIET_CHECK = """<html><head><title>Making sure you&#39;re not a bot!</title></head><body>
<h1>Making sure you're not a bot!</h1><p>Loading...</p>
<script id="anubis_challenge" type="application/json">{"rules":{}}</script></body></html>"""

COOKIE_LAW = """<html><head><title>The law on cookies</title></head><body><div id="banner">
<p>We use cookies to make this site better, and ask for your consent.</p>
<button>Accept all</button></div><h1>The law on cookies</h1><p>Parliament
passed the law on cookies last night, after a debate of nine hours in which forty members spoke.</p>{}</body></html>"""

SHELL = """<html><head><title>Harbour News</title></head><body><div id="root"></div>
<noscript>You need to enable JavaScript to run this app.</noscript><script>{}</script></body></html>"""

FILL = """fetch("/api" + location.pathname).then(a => a.json()).then(page => {
  document.title = page.title;
  document.getElementById("root").innerHTML = page.markup;
});"""

PROBES = """for (const url of %s) {
  fetch(url, {mode: "no-cors"}).catch(() => {});
  for (const tag of ["img", "iframe"]) document.body.appendChild(document.createElement(tag)).src = url;
  try { new WebSocket(url.replace("http", "ws")); } catch {}
}
fetch("/forms", {method: "POST"}).catch(() => {});"""


class Walled(Site):  # type: ignore[misc]
    """The site, and a log of what was asked of it and of its neighbours, which nobody is to ask."""

    def __init__(self, host: str = "127.0.0.1", log: list[dict[str, object]] | None = None) -> None:
        super().__init__(Handler, host)
        self.log: list[dict[str, object]] = [] if log is None else log
        self.neighbours = [Walled(other, self.log) for other in ("127.0.0.1", "127.0.0.2")] if log is None else []


class Handler(BaseHandler):  # type: ignore[misc]
    """Answers."""

    server: Walled

    def do_POST(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/_log":
            self.answer(json.dumps(self.server.log))
            return
        self.server.log.append({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()}})
        match path.strip("/").split("/"):
            case ["" | "section" | "about"]:
                self.answer(links(LINKS))
            case ["robots.txt"]:
                self.answer("User-agent: *\nDisallow: /private/\n")
            case ["news", name]:
                self.news(path, name)
            case ["scripted", *rest]:
                self.answer(SHELL.format(FILL + (PROBES % json.dumps(self.probes()) if rest else "")))
            case ["api", "scripted", *rest]:
                self.answer(json.dumps(self.filling(path, rest)), content_type="application/json")
            case _:
                self.answer("nothing", 404)

    def news(self, path: str, name: str) -> None:
        if name.startswith("agreed"):
            self.answer(CONSENT)
        elif name.startswith("sent-away"):
            self.answer("", 302, Location=f"/nastaveni-souhlasu?url={quote(self.server.base + path, safe='')}")
        elif name.startswith("checked"):
            self.answer(CHECK, 403)
        elif name.startswith("quietly"):
            self.answer(QUIET_CHECK)
        elif name.startswith("cookie-law"):
            self.answer(COOKIE_LAW.format("".join(f"<p>{text}</p>" for text in paragraphs(path, 8))))
        elif name.startswith("leaving"):
            self.answer("", 302, Location="http://elsewhere.example.org/news/story-10044.html")
        elif name.startswith("members") and not self.is_member():
            self.answer(CONSENT)
        else:
            self.answer(article(path))

    def is_member(self) -> bool:
        return f"ticket={TICKET}" in self.headers.get("Cookie", "") and self.headers.get("X-Library-Key") == KEY

    def filling(self, path: str, rest: list[str]) -> dict[str, str]:
        if not rest:
            return {"title": "Front", "markup": links(f"/scripted/{number}.html" for number in range(10001, 10004))}
        body = "".join(f"<p>{escape(text)}</p>" for text in paragraphs(path))
        return {"title": f"News of {path}", "markup": f"<article><h1>News of {path}</h1>{body}</article>"}

    def probes(self) -> list[str]:
        """What a page that means harm asks a browser for."""
        inside = [f"{neighbour.base}/inside" for neighbour in self.server.neighbours]
        return [*inside, "file:///etc/passwd", f"{self.server.base}/private/story.json"]


def links(urls: Iterable[str]) -> str:
    items = "".join(f'<li><a href="{url}">A story of the harbour and the town</a></li>' for url in urls)
    return f"<html><head><title>Harbour News</title></head><body><ul>{items}</ul></body></html>"


if __name__ == "__main__":
    site = Walled()
    serve(site.base, site, *site.neighbours)
