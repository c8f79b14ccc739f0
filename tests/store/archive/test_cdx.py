"""CDX indexes in each of their forms, also damaged ones."""

import gzip
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.store.archive.cdx import IndexedCapture, count_pages, file_day, read_files, read_index

URL = "https://vesti.example/a"
PLAIN = IndexedCapture(URL, "20240520101112")
OBJECT = (
    '{"urlkey": "example,vesti)/a", "timestamp": "20240520101112", "url": "https://vesti.example/a",'
    ' "mime": "text/html", "status": "200",'
    ' "filename": "crawl-data/CC-NEWS/2024/05/CC-NEWS-1.warc.gz", "offset": "5", "length": "70"}'
)
LISTS = (
    '[["urlkey","timestamp","original","mimetype","statuscode"],\n'
    '["k","20240520101112","https://vesti.example/a","text/html","200"]]'
)
FIELDS = "example,vesti)/a 20240520101112 https://vesti.example/a text/html 200 SHA 900"


@pytest.mark.parametrize("text", [LISTS, FIELDS])
def test_the_forms_of_the_wayback_machine(text: str) -> None:
    assert list(read_index(text)) == [PLAIN]
    assert PLAIN.time == "2024-05-20T10:11:12+00:00"
    assert PLAIN.collection == ""


def test_the_form_of_common_crawl() -> None:
    (found,) = read_index(OBJECT)
    assert found == IndexedCapture(URL, "20240520101112", "crawl-data/CC-NEWS/2024/05/CC-NEWS-1.warc.gz", 5, 70)
    assert found.collection == "CC-NEWS"


@pytest.mark.parametrize(
    "line",
    [
        OBJECT.replace('"200"', '"301"'),
        OBJECT.replace("text/html", "image/png"),
        OBJECT.replace('"5"', '"far"'),
        OBJECT.replace("20240520101112", "20241399"),
        OBJECT[:50],
        '{"a":' * 1_999,
        "{}",
        "one two",
        "[1, 2",
    ],
)
def test_what_is_no_capture_of_a_page_is_none(line: str) -> None:
    bad, good = read_index(f"{line}\n{OBJECT}")
    assert bad is None
    assert good is not None


@given(st.text())
def test_any_answer_is_read(text: str) -> None:
    assert all(found is None or found.url for found in read_index(text))


@pytest.mark.parametrize(
    ("text", "n"), [("", 1), (f"{OBJECT}\n{OBJECT}\n", 1), ("7\n", 7), ('{"pages": 3, "blocks": 9}', 3)]
)
def test_the_number_of_pages(text: str, n: int) -> None:
    assert count_pages(text) == n


@pytest.mark.parametrize("text", ["<html>", '{"pages": "many"}', "-1", "[1]", "null", "1000000000000", "[" * 9_999])
def test_no_number_of_pages(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        count_pages(text)


@pytest.mark.parametrize("packed", [False, True])
def test_a_list_names_files_below_the_archive_and_nothing_else(packed: bool) -> None:
    files = ["crawl-data/CC-NEWS/2024/05/CC-NEWS-20240501002418-00001.warc.gz", "a.warc"]
    text = "\r\n".join(
        [*files, "", "/etc/a.warc", "a/../../b.warc", "https://other.example/a.warc", "a b.warc", "a.txt"]
    )
    assert list(read_files(gzip.compress(text.encode()) if packed else text.encode())) == files
    assert [*map(file_day, [*files, "CC-NEWS-20249901002418-00001.warc.gz"])] == [date(2024, 5, 1), None, None]


@given(st.binary())
def test_any_bytes_are_read_as_a_list(body: bytes) -> None:
    assert all(path.endswith((".warc", ".warc.gz")) for path in read_files(body))
