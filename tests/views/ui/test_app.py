"""Strangers are refused, and what an archived page says runs nothing, loads nothing and leads nowhere."""

import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.corpus.search_index import make_index
from newscorpus.data import Page
from newscorpus.page.recipe import Recipe
from newscorpus.page.source_page import SourcePage
from newscorpus.views.explain.page import show_page
from newscorpus.views.ui import state
from newscorpus.views.ui.app import TOKEN_HEADER, make_app

PROSE = "Yesterday the council of the town met and spoke about the bridge, the river and the school. " * 4


def hostile(trap: str) -> str:
    """A page that tries all it can to reach `trap`."""
    return f"""<!DOCTYPE html><html><head><title>Trap</title><base href="{trap}/base/">
    <meta http-equiv="refresh" content="0; url={trap}/refresh"><link rel="stylesheet" href="{trap}/style">
    <link rel="prefetch" href="{trap}/prefetch">
    <style>@import "{trap}/import"; body {{ background: url({trap}/css) }}</style>
    <script>fetch("{trap}/script"); parent.document.title = "taken"; parent.taken = true</script></head>
    <body onload="fetch('{trap}/onload')" style="background: url({trap}/attribute)">
    <img src="{trap}/image" onerror="parent.taken = true" srcset="{trap}/srcset 2x">
    <iframe src="{trap}/frame"></iframe>
    <svg><script>fetch("{trap}/svg")</script>
    <image href="{trap}/svg-image"/></svg><object data="{trap}/object"></object>
    <form action="{trap}/form" method="post"><input name=a><button id=send>Send this form</button></form>
    <script>document.forms[0].submit()</script><video src="{trap}/video" autoplay></video>
    <p><a href="javascript:parent.taken=true" id=js>A link that runs</a>
    <a href="{trap}/link" id=link>one that leads out</a>
    <a href="/try" target="_top" id=top>one into the server</a></p>
    <p>{PROSE}</p><p>{PROSE}&lt;script&gt;parent.taken = true&lt;/script&gt;</p></body></html>"""


@pytest.fixture
def trap() -> Iterator[Any]:
    """A server that nobody may ask."""

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET  # noqa: N815 -- the base class names it so

    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Trap)
    server.asked, server.url = [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def indexed(demo_corpus: Path) -> Path:
    """The demo corpus with its index for the search."""
    make_index(demo_corpus)
    return demo_corpus


def show(tab: Any, served: str, html: str) -> Any:
    """Paste a page into the form; gives its frame when it is shown."""
    tab.goto(f"{served}/try")
    tab.fill("[name=html]", html)
    tab.click("form.try [type=submit]")
    tab.wait_for_selector("[data-ready]")
    return tab.frame_locator(".page")


def nothing_happened(tab: Any, served: str, trap: Any) -> None:
    tab.wait_for_timeout(500)
    assert trap.asked == []
    assert [url for url in tab.asked if not url.startswith((served, "about:", "data:"))] == []
    assert tab.evaluate("window.taken") is None
    assert tab.title() == "Try a page"
    assert [frame.url for frame in tab.frames] == [f"{served}/try", "about:srcdoc"]


def test_a_hostile_page_does_nothing(tab: Any, served: str, trap: Any) -> None:
    frame = show(tab, served, hostile(trap.url))
    for text in ("A link that runs", "one that leads out", "one into the server", "Send this form"):
        frame.get_by_text(text).click()
    nothing_happened(tab, served, trap)


def test_frame_and_policy_hold_even_if_its_markup_came_through(
    tab: Any, served: str, trap: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "frame", lambda markup, language="": hostile(trap.url))
    frame = show(tab, served, hostile(trap.url))
    for name in ("js", "send"):
        frame.locator(f"#{name}").click()
    assert frame.locator("#link").is_visible()
    frame.locator("#link").click()
    tab.wait_for_timeout(500)
    assert trap.asked == []  # the browser names what it refuses to load among its requests
    assert tab.evaluate("window.taken") is None
    assert tab.url == f"{served}/try"


def test_the_markup_holds_nothing_but_elements_and_text() -> None:
    shown = show_page(Recipe(), SourcePage(Page.from_html(hostile("http://trap.example"))))
    assert "trap.example" not in shown.markup
    assert "taken = true&lt;/script&gt;" in shown.markup
    assert {*"<script <style <form <svg <img <iframe <base onload href style=".split()} & {
        *shown.markup.split()
    } == set()
    assert "<script" not in shown.markup


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8042", "testserver:1", ""])
def test_other_names_of_the_server_are_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 421


def test_writes_need_the_token(client: TestClient) -> None:
    token = client.app.state.own.token  # type: ignore[attr-defined]
    page = {"html": f"<p>{PROSE}"}
    assert client.post("/try", data=page).status_code == 403
    assert client.post("/try", data=page, headers={TOKEN_HEADER: "guessed"}).status_code == 403
    assert client.post("/try", data=page, headers={TOKEN_HEADER: token}).status_code == 200
    foreign = {TOKEN_HEADER: token, "origin": "http://evil.example"}
    assert client.post("/try", data=page, headers=foreign).status_code == 403


def test_the_api_takes_json_of_programs_and_nothing_that_a_form_can_send(client: TestClient) -> None:
    body = b'{"html": "<p>a</p>"}'
    assert client.post("/api/extract", content=body, headers={"content-type": "application/json"}).status_code == 200
    assert client.post("/api/extract", content=body, headers={"content-type": "text/plain"}).status_code == 403
    foreign = {"content-type": "application/json", "origin": "http://evil.example"}
    assert client.post("/api/extract", content=body, headers=foreign).status_code == 403


def test_a_password_is_asked_for(demo_corpus: Path) -> None:
    with TestClient(make_app([demo_corpus], ["testserver"], "se:cret")) as client:
        assert client.get("/").status_code == 401
        assert client.get("/", auth=("anybody", "wrong")).status_code == 401
        assert client.get("/", headers={"authorization": "Basic \x7f"}).status_code == 401
        assert client.get("/", auth=("anybody", "se:cret")).status_code == 200


def test_every_answer_carries_the_policy(client: TestClient) -> None:
    for answer in (client.get("/"), client.get("/none"), client.get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-src 'none'" in policy


def test_only_files_of_ours_are_served(client: TestClient) -> None:
    assert client.get("/static/ui.css").status_code == 200
    for name in ("..%2fapp.py", "%2fetc%2fpasswd", "app.py"):
        assert client.get(f"/static/{name}").status_code == 404


def test_a_missing_extra_is_named_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("newscorpus.views.ui.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ImportError, match=r"pip install 'newscorpus\[ui\]'"):
        CliRunner().invoke(app, ["ui"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("path", "status", "line"),
    [
        ("/documents/demo?words=-bridge", 422, "name one that is"),
        ("/documents/demo?words=title:bridge", 422, "unknown syntax"),
        ("/documents/demo?source=vesty", 422, "no document has the portal"),
        ("/documents/demo?words=" + "(" * 10_000, 422, "at most 1,000"),
        ("/documents/demo/lines.csv?words=-bridge", 422, "name one that is"),
        ("/documents/demo?least=much", 422, "Expected `float`"),
        ("/documents/demo?page=0", 422, "page"),
        ("/documents/demo/nothing", 404, "no document"),
        ("/jobs/99", 404, "no such job"),
        ("/mark/other", 404, "no corpus called"),
        ("/mark/demo/demo/nonsense?who=a", 404, "no list"),
        ("/mark/demo/nowhere/measure?who=a", 404, "no portal"),
        ("/mark/demo/..%2F", 404, ""),
        ("/mark/demo/demo/measure", 422, "say who marks"),
        ("/mark/demo/demo/measure?who=a&page=https://a.example/", 422, "never met in this corpus"),
        ("/mark/demo/demo", 200, "Nothing is evaluated yet"),
        ("/portal/demo/nowhere", 404, "no portal"),
        ("/portal/demo", 200, "demo"),
    ],
)
def test_mistakes_are_one_line(client: TestClient, indexed: Path, path: str, status: int, line: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, line in answer.text) == (status, True)


def test_the_start_page_shows_each_corpus(demo_corpus: Path, tmp_path: Path) -> None:
    with TestClient(make_app([demo_corpus, tmp_path], ["here"]), base_url="http://here") as client:
        text = client.get("/").text
        assert f"<dd>{open_corpus(demo_corpus).manifest.documents:,}</dd>" in text
        assert "Nothing is published here yet" in text
        assert text.count('class="primary"') == 1
        for view in ("documents", "watch"):
            assert "Nothing is published here yet" in client.get(f"/{view}/{tmp_path.name}").text
        left_out = client.get("/left-out/demo").text
        assert f'href="/left-out/{tmp_path.name}"' in left_out, "the same view of the other corpus"
    with TestClient(make_app([], ["here"]), base_url="http://here") as client:
        assert "newscorpus demo --ui" in client.get("/").text


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "ready"),
    [
        ("/", "main"),
        ("/documents/demo?words=seed*&shown=lines", ".lines"),
        ("/documents/demo/{id}", "[data-ready]"),
        ("/left-out/demo", ".reason"),
        ("/documents/demo?words=zzz", ".empty"),
        ("/documents/demo?words=(a&until=2026-05-31", ".failed"),
        ("/mark/demo", "main"),
        ("/mark/demo/demo", ".systems"),
        ("/portal/demo", "main li"),
        ("/mark/demo/demo/measure?who=ann", "[data-marks=ready]"),
        ("/portal/demo/demo", "#tried table"),
        ("/try?url={url}", "[data-ready]"),
        ("/watch/demo", "h2:text-is('Languages')"),
    ],
)
def test_nothing_sticks_out_and_everybody_can_use_it(
    tab: Any, served: str, indexed: Path, check_looks: Callable[..., None], path: str, ready: str, scheme: str
) -> None:
    record = next(one for one in open_corpus(indexed).records() if one.language == "ru")
    tab.emulate_media(color_scheme=scheme)
    tab.goto(served + path.format(id=record.id, url=record.url))
    tab.wait_for_selector(ready)
    check_looks(served)
