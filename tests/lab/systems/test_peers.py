import importlib
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import justext
import pytest

from newscorpus.data import Article, Page, Rejected
from newscorpus.lab.systems import peers
from newscorpus.lab.systems.peers import (
    FIELD_PEERS,
    PEERS,
    Claim,
    MissingPeerError,
    load_field_peer,
    load_peer,
    visible_text,
)

SENTENCES = [
    "The council of the town decided on Monday that the old bridge over the river will be closed for the winter.",
    "Engineers who examined it in the summer found that two of the four pillars have been worn away by the water.",
    "The mayor said that the repair will cost more than was planned, and the state has promised to pay half of it.",
    "People who live on the other side of the river will have to take the bus, which runs every ten minutes.",
]
MENU = "".join(f"<li><a href='/s{i}'>Section {i}</a></li>" for i in range(12))
NEWS = f"""<!DOCTYPE html><html lang="en"><head><title>Bridge to close for winter</title></head><body>
<nav><ul>{MENU}</ul></nav><main><article><h1>Bridge to close for winter</h1>
<p>{" ".join(SENTENCES[:2])}</p><p>{" ".join(SENTENCES[2:])}</p></article></main>
<footer>Copyright</footer></body></html>"""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("a peer opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.parametrize("name", PEERS)
def test_finds_the_text_of_a_plain_page_and_rejects_an_empty_one(name: str) -> None:
    image = '<article><img src="https://images.example/a.jpg">'
    article = load_peer(name)(Page.from_html(NEWS.replace("<article>", image), "https://news.example/bridge"))
    assert isinstance(article, Article)
    assert all(sentence in article.text for sentence in SENTENCES)
    assert "Section 3" not in article.text
    assert (article.extractor, article.url) == (name, "https://news.example/bridge")
    for html in ("", " ", "<html></html>"):
        rejected = load_peer(name)(Page.from_html(html))
        assert isinstance(rejected, Rejected)
        assert rejected.reason


def test_a_failure_is_a_rejection_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_html: str, _url: str) -> tuple[str, str]:
        raise RecursionError("too\ndeep")

    monkeypatch.setitem(PEERS, "broken", lambda: broken)
    rejected = load_peer("broken")(Page.from_html(NEWS, "https://news.example/a"))
    assert rejected == Rejected("extract", "peer_failed", "broken: RecursionError: too deep", "https://news.example/a")


def refuse_import(module: str) -> None:
    raise ModuleNotFoundError(f"No module named {module!r}", name=module)


@pytest.mark.parametrize("name", FIELD_PEERS)
def test_reads_the_fields_of_a_plain_page(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    html = NEWS.replace("<head>", "<head><meta property='article:published_time' content='2024-02-03T10:00:00Z'>")
    claim = load_field_peer(name)(html, "https://news.example/bridge")
    assert claim.date == "2024-02-03"
    assert claim.title == ("" if name == "htmldate" else "Bridge to close for winter")
    monkeypatch.setitem(FIELD_PEERS, name, lambda: lambda html, url: Claim(str(1 // 0)))
    assert load_field_peer(name)(html, "") == Claim()


def test_a_missing_package_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", refuse_import)
    loads: list[Callable[[], object]] = [partial(load_peer, name) for name in PEERS]
    for load in loads + [partial(load_field_peer, name) for name in FIELD_PEERS]:
        with pytest.raises(MissingPeerError, match=r"requirements-bench\.txt"):
            load()


@pytest.mark.parametrize(("declaration", "stoplist"), [('lang="cs-CZ"', "Czech"), ("LANG=sr", "Serbian")])
def test_justext_takes_the_declared_language(declaration: str, stoplist: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def get_stoplist(name: str) -> frozenset[str]:
        asked.append(name)
        return frozenset({"a"})

    monkeypatch.setattr(justext, "get_stoplist", get_stoplist)
    load_peer("justext")(Page.from_html(f"<html class=x {declaration}><p>Text.</p></html>"))
    assert asked == [stoplist]
    monkeypatch.undo()
    assert set(peers.JUSTEXT_NAMES.values()) <= justext.get_stoplists()


def test_visible_text_breaks_lines_at_blocks_and_keeps_words_whole() -> None:
    html = "<div><h2>A  head</h2><p>One <b>t</b>wo\nthree<br>four</p><ul><li>five</li><li>six</li></ul>t&#1;ail</div>"
    assert visible_text(html) == "A head\nOne two three\nfour\nfive\nsix\nt\x01ail"
