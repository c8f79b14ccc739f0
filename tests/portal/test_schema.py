"""Portal files: what is read, refused and written, and what stays there as it stands."""

import pickle
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newscorpus.errors import PortalError
from newscorpus.portal.portal import Portal, TemplateSection
from newscorpus.portal.schema import (
    check_language,
    compile_rules,
    list_portals,
    load_portal,
    selects_elements,
    set_extractor,
    with_base,
)
from newscorpus.resources import data_folder
from newscorpus.urls import host_of
from tests.mockserver.kinds import expect

MINIMAL = """
name = "vesti"
languages = ["sr"]
domains = ["vesti.rs"]
start = ["https://www.vesti.rs/"]
"""

FULL = (
    MINIMAL
    + """
feeds = ["https://www.vesti.rs/rss"]
sitemaps = ["http://vesti.rs:8080/map.xml?a=1"]
articles = ['^/clanak/\\d+', 'id=\\d+$']
sections = ['^/(sport|svet)/?$']
ignore = ['/stampaj/']
archive = "https://www.vesti.rs/arhiva/{year}/{month:02}"
delay_seconds = 2

[limits]
max_pages = 50
max_depth = 3

[politeness]
quiet_hours = "22:00-06:00"
time_zone = "Europe/Belgrade"

[template]
remove = [".ad", "//aside"]
text = ["article p", "class=body", "itemprop="]
title = ["h1::text", "meta[property='og:title']::attr(content)"]
"""
)


def write(folder: Path, text: str, name: str = "vesti") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, "utf-8")
    return path


def portal(folder: Path, text: str = FULL) -> Portal:
    return load_portal(write(folder, text))


def refusal(folder: Path, text: str) -> str:
    """The line that says what is wrong with a file, without its path."""
    with pytest.raises(PortalError, match=rf"^{re.escape(str(folder))}/vesti\.toml: .+$") as caught:
        portal(folder, text)
    return str(caught.value).removeprefix(f"{folder}/vesti.toml: ")


def test_keys_are_read_and_the_defaults_are_polite(tmp_path: Path) -> None:
    loaded = portal(tmp_path, MINIMAL)
    assert (loaded.name, loaded.delay_seconds, loaded.template) == ("vesti", 1, None)
    assert (loaded.articles, loaded.feeds, loaded.sitemaps) == ((), (), ())
    loaded = portal(tmp_path)
    assert loaded.feeds == ("https://www.vesti.rs/rss",)
    assert loaded.delay_seconds == 2.0
    assert (loaded.limits.max_pages, loaded.limits.max_depth) == (50, 3)
    (template,) = loaded.templates
    assert template.text == ("article p", "class=body", "itemprop=")
    assert template.lead == ()
    assert pickle.loads(pickle.dumps(loaded)) == loaded, "it travels to worker processes"


def test_a_plain_template_file_gives_the_rules_for_the_text(tmp_path: Path) -> None:
    named = 'template_file = "rules.txt"\n'
    with pytest.raises(PortalError, match=r"vesti\.toml: template_file: .*rules\.txt: cannot be read"):
        portal(tmp_path, MINIMAL + named)
    (tmp_path / "rules.txt").write_text("class=article body\np\n")
    for text, title in ((MINIMAL + named, ()), (MINIMAL + named + "[template]\ntitle = ['h1']\n", ("h1",))):
        template = portal(tmp_path, text).template_for("2026-05-01T00:00:00")
        assert template
        assert (template.text, template.title) == (("class=article body", "p"), title)
    with pytest.raises(PortalError, match=r"template_file: \[template\] has rules for `text` already"):
        portal(tmp_path, MINIMAL + named + "[template]\ntext = ['p']\n")
    (tmp_path / "rules.txt").write_text("p\n//div\n")
    with pytest.raises(
        PortalError, match=r"rules\.txt, line 2: '//div' is none of .*; CSS and XPath go into `template`"
    ):
        portal(tmp_path, MINIMAL + named)


@pytest.mark.parametrize(
    ("old", "new", "key", "hint"),
    [
        ("feeds =", "feed =", "feed", "did you mean feeds?"),
        ("delay_seconds = 2", "upper = 0.2\nlower = 0.8", "upper", "threshold, 0.2, is below the lower one, 0.8"),
        ("max_depth = 3", "max_deep = 3", "limits.max_deep", "did you mean max_depth?"),
        ("quiet_hours", "quiet", "politeness.quiet", "known: quiet_hours, time_zone"),
        ("22:00-06:00", "22-6", "politeness.quiet_hours", "expected a span such as"),
        ("Europe/Belgrade", "Belgrade", "politeness.time_zone", "no zone of the IANA database"),
        ("{month:02}", "{week}", "archive", "{week} is not known"),
        ("www.vesti.rs/arhiva", "www.novine.rs/arhiva", "archive", "outside domains"),
        ("title =", "headline =", "template.headline", "known: remove, text, title"),
        ('languages = ["sr"]', "", "missing key languages", "known: name, languages"),
        ('languages = ["sr"]', "languages = []", "languages", "length >= 1"),
        ('languages = ["sr"]', 'languages = ["sr-Latn"]', "languages[0]", "did you mean 'sr'?"),
        ('languages = ["sr"]', 'languages = ["sr", "cz"]', "languages[1]", "'cz' is no language of ISO 639; did you"),
        ('languages = ["sr"]', 'languages = "sr"', "languages", "array"),
        ("delay_seconds = 2", 'leave_out = ["captions"]', "leave_out[0]", "'captions'; known: embedded_posts, tables"),
        ('domains = ["vesti.rs"]', 'domains = ["vesti.rs:80"]', "domains[0]", "'vesti.rs:80'; expected a host name"),
        ('domains = ["vesti.rs"]', 'domains = ["novine.rs"]', "start[0]", "outside domains"),
        ('"https://www.vesti.rs/"', '"www.vesti.rs"', "start[0]", "expected an address that begins with http://"),
        ('"https://www.vesti.rs/"', '"file:///etc/passwd"', "start[0]", "expected an address"),
        ('["https://www.vesti.rs/rss"]', '["http://[::1"]', "feeds[0]", "expected an address"),
        ("'/stampaj/'", "'/stampaj('", "ignore[0]", "broken regular expression"),
        ("'/stampaj/'", "7", "ignore[0]", "got `int`"),
        ("delay_seconds = 2", "delay_seconds = -1", "delay_seconds", ">= 0"),
        ("delay_seconds = 2", "delay_seconds = nan", "delay_seconds", "float"),
        ("delay_seconds = 2", "delay_seconds = inf", "delay_seconds", "<= 3600"),
        ("max_pages = 50", "max_pages = true", "limits.max_pages", "got `bool`"),
        ("max_pages = 50", "max_pages = 0", "limits.max_pages", ">= 1"),
        ('"article p"', '"article["', "template.text[0]", "broken rule 'article['"),
        ('"article p"', "3", "template.text[0]", "got `int`"),
        ('"//aside"', '"//aside["', "template.remove[1]", "broken rule"),
        ('"//aside"', '"//aside/@class"', "template.remove[1]", "selects no elements"),
        ('".ad"', '".ad::text"', "template.remove[0]", "selects no elements"),
        ('"article p"', '"article p::text"', "template.text[0]", "of elements whole paragraphs are taken"),
        ('"article p"', '"article p::text"', "template.text[0]", "; write 'article p'"),
        ('"article p"', '"//p//text()"', "template.text[0]", "; write '//p'"),
        ('"article p"', '"//p/@title"', "template.text[0]", "; write '//p'"),
        ('name = "vesti"', 'name = "Vesti"', "name", "'Vesti'; expected a name of a-z"),
        ('name = "vesti"', 'name = "novosti"', "name", "not the file's name"),
        ("[limits]", "[[limits]]", "limits", "object"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, old: str, new: str, key: str, hint: str) -> None:
    assert FULL.count(old) == 1
    message = refusal(tmp_path, FULL.replace(old, new))
    assert key in message
    assert hint in message


def versions(*spans: tuple[str, str]) -> str:
    """A portal file with one version of its template for each pair of keys."""
    return MINIMAL + "".join(
        f"[[template]]\ntext = ['.v{n}']\n" + "\n".join(keys) + "\n" for n, keys in enumerate(spans)
    )


def test_the_day_of_the_fetch_says_which_version_of_the_template_holds(tmp_path: Path) -> None:
    dated = ("since = 2025-03-01", "until = 2026-01-15"), ("until = 2025-03-01", ""), ("since = 2026-02-01", "")
    loaded = portal(tmp_path, versions(*dated))
    for fetched, text in (
        ("2024-12-31T23:59:59+00:00", ".v1"),
        ("2025-03-01T00:30:00+02:00", ".v1"),  # still February in UTC
        ("2025-03-01T00:00:00+00:00", ".v0"),
        ("2026-01-14T12:00:00", ".v0"),
        ("2026-02-01", ".v2"),
        ("", ".v2"),
        ("some day", ".v2"),
    ):
        assert loaded.template_for(fetched) == TemplateSection(text=(text,)), fetched
    assert loaded.template_for("2026-01-15T00:00:00+00:00") is None  # no version holds
    assert portal(tmp_path, MINIMAL).template_for("2026-01-15") is None


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([("", ""), ("", "")], "template[0] and template[1] overlap: both hold from the beginning"),
        ([("since = 2025-01-01", ""), ("", "")], "template[1] and template[0] overlap: both hold on 2025-01-01"),
        ([("until = 2025-01-02", ""), ("since = 2025-01-01", "")], "template[0] and template[1] overlap: both hold on"),
        ([("since = 2025-01-01", "until = 2025-01-01")], "template[0]: it holds on no day"),
        ([("since = 'spring'", "")], "template[0].since: Invalid RFC3339 encoded date"),
        ([("since = 2025-01-01T10:00:00Z", "")], "template[0].since: Expected `date"),
        ([("", "headline = ['h1']")], "unknown key template[0].headline; known: remove, text"),
        ([("", "title = ['h1[']")], "template[0].title[0]: broken rule 'h1['"),
    ],
)
def test_versions_that_cannot_be_are_refused(tmp_path: Path, spans: list[tuple[str, str]], message: str) -> None:
    assert refusal(tmp_path, versions(*spans)).startswith(message)


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        *(pair.split(":") for pair in "cz:cs gr:el rs:sr ua:uk dk:da al:sq jp:ja cn:zh by:be at:de us:en".split()),
        *(pair.split(":") for pair in "ces:cs deu:de iw:he CS:cs cs_CZ:cs czech:cs Slovenian:sl".split()),
        *(("und", ""), ("xx", ""), ("mul", ""), ("", ""), ("qqq", "")),
    ],
)
def test_what_is_no_language_is_refused_with_the_code_that_was_meant(wrong: str, meant: str) -> None:
    with pytest.raises(ValueError, match="no language of ISO 639") as caught:
        check_language(wrong)
    assert (f"did you mean {meant!r}?" if meant else "expected two or three letters") in str(caught.value)


def test_languages_of_all_sizes_are_known() -> None:
    for code in "cs sr sh cnr uk no nb nn hsb szl rue csb rom ku arz tw tl fil zh yue abq".split():
        check_language(code)


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"name = \n", "not valid TOML: .*line 1"), (b'name = "\xff"', "not UTF-8"), (None, "cannot be read")],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "vesti.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PortalError, match=rf"vesti\.toml: {message}"):
        load_portal(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, "a name holds only") for name in ("..", "Idnes", "a b", "", "a\0")),
        ("idnes.cz", "portal add https://idnes.cz makes one"),
        ("no-such-portal", "no portal 'no-such-portal'; .* known: .*idnes"),
    ],
)
def test_names_are_no_paths_and_an_unknown_one_lists_the_known(name: str, message: str) -> None:
    with pytest.raises(PortalError, match=message):
        load_portal(name)


def test_the_project_comes_before_the_bundled_portals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "project" / "deep" / "er"
    below.mkdir(parents=True)
    (tmp_path / "project" / "scrapy.cfg").touch()
    folder = tmp_path / "project" / "portals"
    folder.mkdir()
    write(folder, MINIMAL)
    shutil.copy(data_folder("portals") / "idnes.toml", folder)
    with (folder / "idnes.toml").open("a") as file:
        file.write("delay_seconds = 77\n")
    monkeypatch.chdir(below)
    assert load_portal("idnes").delay_seconds == 77
    assert load_portal("vesti").domains == ("vesti.rs",)
    assert load_portal("novinky").languages == ("cs",)
    assert {"vesti", "novinky"} <= set(list_portals())
    assert list_portals() == sorted(set(list_portals()))


def test_starter_files_load_and_say_on_what_they_were_checked() -> None:
    files = [path for path in data_folder("portals").glob("*.toml") if path.stem != "demo"]
    assert len(files) >= 12
    for path in files:
        loaded = load_portal(path)
        said = path.read_text("utf-8").splitlines()[0]
        assert re.search(r"Never checked: |Checked on \d+ stored pages? of \d{4}", said)
        assert (loaded.feeds, loaded.sitemaps, loaded.articles) == ((), (), ())
        assert loaded.template is None or "Checked on" in said


def test_domains_cover_hosts_below_them() -> None:
    loaded = Portal("vesti", ("sr",), ("vesti.rs", "xn--ito-b3a.rs"), ("https://vesti.rs/",))
    for host in "vesti.rs WWW.Vesti.rs:8080 vesti.rs. www.žito.rs ŽITO.rs:8080".split():
        assert loaded.covers(f"https://{host}/a"), host
    for host in "laznevesti.rs vesti.rs.zlo.com vesti.rs@zlo.com zito.rs [bad".split():
        assert not loaded.covers(f"https://{host}/a"), host
    assert not loaded.covers("mailto:a@vesti.rs")
    assert not loaded.covers("")


def test_patterns_are_searched_in_path_and_query(tmp_path: Path) -> None:
    loaded = portal(tmp_path)
    assert loaded.is_article("https://vesti.rs/clanak/12-naslov.html#kom")
    assert loaded.is_article("https://vesti.rs/citaj.php?id=5#id=x")
    assert not loaded.is_article("https://vesti.rs/arhiva/clanak/12")
    assert not loaded.is_article("https://vesti.rs/?q=clanak#id=5")
    assert not loaded.is_article("https://vesti.rs/Clanak/12")
    assert loaded.is_section("https://vesti.rs/sport")
    assert loaded.is_ignored("https://vesti.rs/clanak/12/stampaj/")
    assert not loaded.is_ignored("http://[bad")
    assert portal(tmp_path, MINIMAL + "articles = ['^/$']\n").is_article("https://vesti.rs")


@given(url=st.text(max_size=60) | st.from_regex(r"https?://\S{0,40}", fullmatch=True))
def test_matching_never_raises(url: str) -> None:
    loaded = Portal("vesti", ("sr",), ("vesti.rs",), ("https://vesti.rs/",), articles=("a",))
    assert not (loaded.covers(url) and "vesti.rs" not in host_of(url))
    assert loaded.is_article(url) in {True, False}
    assert not loaded.is_ignored(url)


def test_another_base_moves_every_address(tmp_path: Path) -> None:
    moved = with_base(portal(tmp_path), "http://127.0.0.1:4321/ignored")
    assert moved.domains == ("127.0.0.1",)
    assert moved.start == ("http://127.0.0.1:4321/",)
    assert moved.feeds == ("http://127.0.0.1:4321/rss",)
    assert moved.sitemaps == ("http://127.0.0.1:4321/map.xml?a=1",)
    assert all(map(moved.covers, moved.start))
    assert moved.archive == "http://127.0.0.1:4321/arhiva/{year}/{month:02}"
    assert moved.articles == portal(tmp_path).articles
    for base in ("127.0.0.1:80", "ftp://a.b", "http://", "http://a:port", "http://[x", ""):
        with pytest.raises(PortalError, match="base "):
            with_base(portal(tmp_path), base)


def test_the_example_in_the_documentation_loads(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "portals.md").read_text("utf-8")
    loaded = portal(tmp_path, page.split("```toml\n")[1].split("```")[0])
    assert loaded.is_article("https://www.vesti.example/sport/2026/03/01/pobeda-u-gostima")
    assert loaded.is_section("https://www.vesti.example/sport/?strana=2")
    assert loaded.template is not None


@pytest.mark.timeout(60)
def test_a_pattern_that_takes_too_long_finds_nothing_and_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    loaded = portal(tmp_path, MINIMAL + "sections = ['^/sport/$', '(\\w+-?)+(\\w+-?)+!?\\d$']\n")
    url = f"https://vesti.rs/{'vesti-dana-' * 150}"
    assert not loaded.is_section(url)
    assert not loaded.is_section(f"{url}.")
    assert loaded.is_section("https://vesti.rs/sport/")
    (said,) = caplog.messages
    assert said.startswith(
        "portal vesti: sections[1]: '(\\\\w+-?)+(\\\\w+-?)+!?\\\\d$' takes more than 0.05 s on some addr"
    )


PAGE = """<html><head><meta property="og:title" content="Naslov"><title>T</title></head>
<body><div class="body wide" id=main><p>one <b>two</b></p><p itemprop="x">three</p></div>
<div class="body">four</div></body></html>"""


def found(rule: str) -> list[str]:
    matches = expect(list, compile_rules(rule)(html.document_fromstring(PAGE)))
    return [match.text_content() if isinstance(match, html.HtmlElement) else str(match) for match in matches]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("#main p", ["one two", "three"]),
        ("p:first-child::text", ["one "]),
        ("meta[property='og:title']::attr(content)", ["Naslov"]),
        ("//p[@itemprop]", ["three"]),
        ("(//p)[1]/b/text()", ["two"]),
        (".//div[not(@id) and contains(@class, 'body')]", ["four"]),
        ("//p[count(b) > 0 and (position() = 1)]", ["one two"]),
        ("//p[contains(., 'foo(') or . = 'three']", ["three"]),
        ("p", ["one two", "three"]),
        ("P", ["one two", "three"]),
        ("itemprop=", ["three"]),
        ("ITEMPROP=", ["three"]),
        ("class=body", ["four"]),
        ("class=Body", []),
        ("class=body wide", ["one twothree"]),
        ("property=og:title", [""]),
        ("id=it's", []),
        ('id=say "hi"', []),
    ],
)
def test_each_form_finds_what_it_says(rule: str, expected: list[str]) -> None:
    assert found(rule) == expected


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("div[", "broken rule 'div['"),
        ("", "broken rule ''"),
        ("p::first-line", "broken rule"),
        ("//p[", "broken rule"),
        ("//p[re:test(., 'a')]", "XPath 1.0 knows no test()"),
        ("//p[lower-case(.) = 'a']", "XPath 1.0 knows no lower-case()"),
        ("//svg:p", "prefix"),
        ("//p | 'text'", "Invalid type"),
        ("/html/body/string(p)", "broken rule"),
        ("(count(//p))", "computes a value"),
        ("1a=b", "broken rule"),
        ("class=both ' and \"", "both kinds of quotes"),
        ("class=a\0b", "broken rule"),
    ],
)
def test_a_broken_rule_is_refused_in_one_line(rule: str, said: str) -> None:
    with pytest.raises(ValueError, match="broken rule") as caught:
        compile_rules(rule)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_union_finds_in_document_order_and_nothing_twice() -> None:
    rules = ("//div[2]", "itemprop=", "p", "b::text")
    matches = expect(list, compile_rules(*rules)(html.document_fromstring(PAGE)))
    assert [getattr(match, "tag", match) for match in matches] == ["p", "two", "p", "div"]


def test_rules_that_select_no_elements_are_told() -> None:
    rules = ("p", "class=a", "//p[@class]", "p::text", "//a/@href", "a::attr(x)")
    assert [rule for rule in rules if selects_elements(rule)] == ["p", "class=a", "//p[@class]"]


@given(st.text(max_size=30) | st.text("/.[]()@=:'\"abp1*|,#> -$", max_size=20))
def test_any_rule_compiles_or_is_refused_in_one_line(rule: str) -> None:
    page = html.document_fromstring(PAGE)
    refusal = ""
    try:
        assert isinstance(compile_rules(rule)(page), list)
    except ValueError as error:
        refusal = str(error)
    assert "\n" not in refusal


FILE = """# Mine.
name = 'news'  # its name
languages = ['sr']
domains = ['news.example']
start = ['https://news.example/']
extractor = 'bte'

[limits]
# few
max_pages = 5 # of them
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, where portal files are written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_extractor_is_set_and_all_else_stays(project: Path) -> None:
    own = project / "portals" / "news.toml"
    own.parent.mkdir()
    own.write_text(FILE)
    assert set_extractor("news", "models/it's") == own
    assert own.read_text() == FILE.replace("'bte'", '"models/it\'s"')
    assert tomllib.loads(own.read_text())["extractor"] == "models/it's"
    bundled = project / "portals" / "demo.toml"
    assert set_extractor("demo", "bte") == bundled, "a file of the user's own"
    assert load_portal("demo").extractor == "bte"
    assert "# The demo portal" in bundled.read_text("utf-8")
