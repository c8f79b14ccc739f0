from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newscorpus.errors import PortalError
from newscorpus.page.template import load_plain_template

PAGE = """<body><h1>Naslov</h1><div class="text wide">ne</div><div class="text"><p>Prvi.</p>
<div class="text">Drugi.</div></div><p itemprop="">Treći.</p><font color='a "b"'>Četvrti.</font></body>"""


def texts(folder: Path, lines: str) -> list[str]:
    path = folder / "vesti.txt"
    path.write_bytes(lines.encode())
    template = load_plain_template(path)
    assert template.name == "vesti"
    assert template.read_fields(html.document_fromstring(PAGE)) == ()
    return list(template.read_text(html.document_fromstring(PAGE)))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("h1", ["Naslov"]),
        ("\n\nh1\n  \n", ["Naslov"]),
        ("class=text\r\nh1\r\n", ["Naslov", "Prvi.", "Drugi."]),
        ("class=text wide", ["ne"]),
        ("class=text ", []),
        ("itemprop=", ["Treći."]),
        ("\ufeffp", ["Prvi.", "Treći."]),
        ('color=a "b"', ["Četvrti."]),
        ("class=", ["ne", "Prvi.", "Drugi."]),
        ("no-such_element", []),
    ],
)
def test_the_three_forms(tmp_path: Path, lines: str, expected: list[str]) -> None:
    assert texts(tmp_path, lines) == expected


@pytest.mark.parametrize(
    ("lines", "number"),
    [
        ("h1\n\ndiv.text", 3),
        ("//p", 1),
        ("=text", 1),
        ("h1\n og:title=a", 2),
        ("1a", 1),
        ("čl=a", 1),
        ("p\nclass=a'b\"c", 2),
    ],
)
def test_errors_name_the_line(tmp_path: Path, lines: str, number: int) -> None:
    with pytest.raises(PortalError) as caught:
        texts(tmp_path, lines)
    assert str(caught.value).startswith(f"{tmp_path / 'vesti.txt'}, line {number}: ")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_or_has_no_rules_is_named(tmp_path: Path) -> None:
    with pytest.raises(PortalError, match=r"none\.txt: cannot be read"):
        load_plain_template(tmp_path / "none.txt")
    with pytest.raises(PortalError, match="cannot be read"):
        load_plain_template(tmp_path)
    for content, message in ((b"\xff\xfep", "not UTF-8"), (b"\n \n", "no rule in it")):
        (tmp_path / "vesti.txt").write_bytes(content)
        with pytest.raises(PortalError, match=message):
            load_plain_template(tmp_path / "vesti.txt")


@given(st.text(max_size=40))
def test_any_file_is_read_or_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, lines: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(lines.encode("utf-8", "replace"))
    refusal = ""
    try:
        load_plain_template(path).read_text(html.document_fromstring(PAGE))
    except PortalError as error:
        refusal = str(error)
    assert "\n" not in refusal
