from pathlib import Path

import pytest
from newscorpus.spiders.arguments import check_promises, loopback_hosts, portal_settings, read_arguments
from scrapy.settings import Settings

import newscorpus.settings
from newscorpus.errors import CrawlError, PortalError
from newscorpus.fetch.options import user_agent

PORTAL = """
name = "{name}"
languages = ["en"]
domains = ["{domain}"]
start = ["http://{domain}:8000/"]
feeds = ["http://{domain}:8001/feed"]
delay_seconds = 2.5
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two portals, as the current one."""
    (tmp_path / "portals").mkdir()
    for name, domain in (("far", "example.org"), ("here", "127.0.0.1")):
        (tmp_path / "portals" / f"{name}.toml").write_text(PORTAL.format(name=name, domain=domain))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_portals_are_loaded_in_the_order_asked_for_each_once() -> None:
    arguments = read_arguments({"portal": "here, far,here"})
    assert [portal.name for portal in arguments.portals] == ["here", "far"]
    assert (arguments.limit, arguments.urls) == (0, ())
    assert loopback_hosts(arguments.portals) == {"127.0.0.1:8000", "127.0.0.1:8001"}
    own = [portal.name for portal in read_arguments({"portal": "all"}).portals]
    assert own == ["far"], "those on this machine must be served first, and those that ship are crawled by name"
    (portal,) = read_arguments({"portal": "far", "base": "http://127.0.0.1:9"}).portals
    assert portal.start == ("http://127.0.0.1:9/",)


def test_a_project_without_portals_crawls_none(project: Path) -> None:
    for path in (project / "portals").iterdir():
        path.unlink()
    with pytest.raises(PortalError, match="newscorpus portal add"):
        read_arguments({"portal": "all"})


def test_addresses_are_read_from_a_file(project: Path) -> None:
    (project / "urls.txt").write_text("# these\n\n http://example.org/1 \nhttp://example.org/2")
    urls = read_arguments({"portal": "far", "urls": "urls.txt"}).urls
    assert urls == ("http://example.org/1", "http://example.org/2")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "argument 'portal' is missing; known: all, .*far"),
        ({"portal": " , "}, "argument 'portal' is missing"),
        ({"portal": "far", "limits": "3"}, "unknown argument 'limits'; known: portal, limit, base, urls"),
        ({"portal": "far", "limit": "0"}, "argument 'limit' is '0'"),
        ({"portal": "far", "limit": "-3"}, "argument 'limit'"),
        ({"portal": "far", "limit": "²"}, "argument 'limit'"),
        ({"portal": "far,here", "base": "http://127.0.0.1:9"}, "argument 'base' goes with one portal"),
        ({"portal": "far", "urls": "empty.txt", "revisit": "all"}, "arguments 'urls' and 'revisit' exclude each other"),
        ({"portal": "far", "revisit": "yes"}, "argument 'revisit' is 'yes'; known: due, all, articles"),
        ({"portal": "far", "since": "2024-2-1"}, "argument 'since' is '2024-2-1'; expected a day, YYYY-MM-DD"),
        ({"portal": "far", "since": "2999-01-01"}, "argument 'since' is 2999-01-01, a day to come; today is "),
        ({"portal": "far", "since": "2024-02-01", "until": "2024-01-31"}, "argument 'since' is 2024-02-01, later than"),
        ({"portal": "far", "urls": "missing.txt"}, "missing.txt: cannot be read: No such file"),
        ({"portal": "far", "urls": "empty.txt"}, "empty.txt: holds no address"),
        ({"portal": "far", "urls": "binary.txt"}, "binary.txt: not UTF-8"),
    ],
)
def test_wrong_arguments_are_refused(project: Path, given: dict[str, str], message: str) -> None:
    (project / "empty.txt").write_text("# nothing\n")
    (project / "binary.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(CrawlError, match=message):
        read_arguments(given)


@pytest.mark.parametrize("given", [{"portal": "nowhere"}, {"portal": "far", "base": "ftp://x"}])
def test_wrong_portals_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(PortalError):
        read_arguments(given)


def test_settings_that_depend_on_the_portals() -> None:
    arguments = read_arguments({"portal": "far,here"})
    found = portal_settings(arguments, Settings({"NEWSCORPUS_CONTACT": "me@example.org"}))
    assert found["NEWSCORPUS_CORPUS"] == "corpora/far,here"
    assert found["USER_AGENT"].endswith("(+me@example.org)")
    assert found["DOWNLOAD_SLOTS"] == {name: {"delay": 2.5, "jitter": 0} for name in ("far", "here")}
    given = Settings({"NEWSCORPUS_CONTACT": "me@example.org", "NEWSCORPUS_CORPUS": "mine"})
    assert portal_settings(arguments, given)["NEWSCORPUS_CORPUS"] == "mine"


def test_nobody_is_asked_anonymously(project: Path) -> None:
    with pytest.raises(CrawlError, match="NEWSCORPUS_CONTACT"):
        portal_settings(read_arguments({"portal": "here,far"}), Settings())
    assert portal_settings(read_arguments({"portal": "here"}), Settings())["USER_AGENT"].startswith("newscorpus/")
    both = PORTAL.format(name="both", domain="127.0.0.1").replace('["127.0.0.1"]', '["127.0.0.1", "example.org"]')
    (project / "portals" / "both.toml").write_text(both)
    with pytest.raises(CrawlError, match="NEWSCORPUS_CONTACT"):
        portal_settings(read_arguments({"portal": "both"}), Settings())


@pytest.mark.parametrize("contact", ["me", "me@", "example.org"])
def test_a_contact_is_an_address(contact: str) -> None:
    with pytest.raises(CrawlError, match=f"NEWSCORPUS_CONTACT is '{contact}'; expected a mail address"):
        portal_settings(read_arguments({"portal": "far"}), Settings({"NEWSCORPUS_CONTACT": contact}))


def test_two_portals_are_not_one_site(project: Path) -> None:
    (project / "portals" / "part.toml").write_text(PORTAL.format(name="part", domain="sport.example.org"))
    for name in ("far,part", "part,far"):
        with pytest.raises(CrawlError, match=r"share sport\.example\.org; crawl one after the other"):
            read_arguments({"portal": name})


def test_what_sites_are_promised_cannot_be_switched_off() -> None:
    given = {"DOWNLOADER_MIDDLEWARES": newscorpus.settings.DOWNLOADER_MIDDLEWARES, "USER_AGENT": user_agent("")}
    check_promises(Settings(given))
    with pytest.raises(CrawlError, match="setting USER_AGENT"):
        check_promises(Settings(given | {"USER_AGENT": "Mozilla/5.0"}))
    off = newscorpus.settings.DOWNLOADER_MIDDLEWARES | {"newscorpus.fetch.middlewares.robots.RobotsMiddleware": None}
    with pytest.raises(CrawlError, match=r"setting DOWNLOADER_MIDDLEWARES: .* RobotsMiddleware, always"):
        check_promises(Settings(given | {"DOWNLOADER_MIDDLEWARES": off}))
