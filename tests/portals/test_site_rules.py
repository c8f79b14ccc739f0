import tomllib
from pathlib import Path

import pytest
from lxml import html

from newscorpus.cli import main
from newscorpus.errors import PortalError
from newscorpus.portals.portal import TemplateSection
from newscorpus.portals.site_rules import as_portal_table, read_site_rule
from newscorpus.portals.template import TemplateRules

RULE = """# vesti
title: //h1[@class="naslov"]
author: substring-after(//p[@class='autor'], 'Piše ')
author: //p[@class='autor']
date: .//time/@datetime
body: //div[@id='telo']
body: //article | //section
body://div[contains(@class, 'staro')]

strip: //p[@class="reklama"]
strip: //p/@class
strip: //div[
strip_id_or_class: deljenje
strip_id_or_class: "o'dlomak"
find_string: <b>
replace_string(<i>): <em>
next_page_link: //a[@rel='next']
sve u redu
test_url: https://vesti.example/a
test_contains: Reka
"""
ARTICLE = "<article><p>Reka je porasla.</p><p class=reklama>Kupite!</p><p class='x-deljenje'>Deli</p></article>"
BODY = "<div id=telo><p>Most je zatvoren.</p></div>"
OLD = "<div class='staro'><p>Stari tekst.</p></div>"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "vesti.example.txt"
    path.write_text(RULE, "utf-8")
    return path


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        (ARTICLE, ["Reka je porasla."]),
        (BODY + ARTICLE, ["Most je zatvoren."]),
        (OLD + ARTICLE + BODY, ["Most je zatvoren."]),
        (OLD + ARTICLE, ["Reka je porasla."]),
        (OLD, ["Stari tekst."]),
        ("<p>Ništa od toga.</p>", []),
    ],
)
def test_the_first_body_that_finds_something_is_the_text(path: Path, page: str, texts: list[str]) -> None:
    template = TemplateRules("vesti", read_site_rule(path).template)
    tree = html.document_fromstring(f"<body>{page}</body>")
    template.remove_unwanted(tree)
    assert list(template.read_text(tree)) == texts


def test_fields(path: Path) -> None:
    page = "<h1 class=naslov>Reka</h1><p class=autor>Ana</p><time datetime='2026-11-02'>2. nov</time>"
    found = TemplateRules("vesti", read_site_rule(path).template).read_fields(html.document_fromstring(page))
    assert {one.field: one.value for one in found} == {"title": "Reka", "authors": "Ana", "published": "2026-11-02"}


def test_what_has_no_counterpart_is_named_with_line_and_reason(path: Path) -> None:
    left_out = {line.number: (line.text.partition(":")[0], line.reason) for line in read_site_rule(path).left_out}
    assert {number: key for number, (key, _) in left_out.items()} == {
        3: "author",
        11: "strip",
        12: "strip",
        15: "find_string",
        16: "replace_string(<i>)",
        17: "next_page_link",
        14: "strip_id_or_class",
        18: "sve u redu",
    }
    assert left_out[3][1].startswith("it computes a value")
    assert left_out[11][1] == "it selects no elements"
    assert left_out[17][1] == "a template has nothing like it"
    assert left_out[18][1] == "not of the form `key: value`"


def test_the_table_reads_as_it_was_written(path: Path) -> None:
    rule = read_site_rule(path)
    table = tomllib.loads(as_portal_table(path.name, rule))["template"]
    assert TemplateSection(**{key: tuple(rules) for key, rules in table.items()}) == rule.template


def test_letters_that_toml_forbids(path: Path) -> None:
    path.write_bytes(b"strip: //p[.='\x02\x7f\xff \\ \" ']\nfind_string: \x00\x1b[31m\ntitle: //h1\n")
    rule = read_site_rule(path)
    written = as_portal_table(path.name, rule)
    assert tomllib.loads(written)["template"]["title"] == ["//h1"]
    assert "\x1b" not in written


@pytest.mark.parametrize("content", [b"", b"# no rule\ntidy: no\n", b"\xff\xfe\x00", b"title: concat('a', 'b')\n"])
def test_a_file_without_a_rule_is_an_error(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(PortalError, match=r"vesti\.example\.txt: no line of it is a rule"):
        read_site_rule(path)


def test_the_command(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["newscorpus", "portal", "import", str(path)])
    with pytest.raises(SystemExit) as done:
        main()
    assert done.value.code == 0
    assert tomllib.loads(capsys.readouterr().out)["template"]["title"] == ['//h1[@class="naslov"]']
