import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.lab.systems.segment_systems import COUNTED, FEATURES, measure_segment


def measured(html: str) -> dict[str, float]:
    return dict(zip(FEATURES, measure_segment(html), strict=True))


def test_there_are_37() -> None:
    assert (len(FEATURES), len(COUNTED)) == (37, 26)


def test_worked_example() -> None:
    # 40 characters, 25 of them markup, 15 of that around the link; runs of 5, 4 and 1 outside links.
    html = '<p>abcde<br>fghi</p><a href="u">jk</a> l'
    found = measured(html)
    assert len(html) == 40
    nonzero = {name: value for name, value in found.items() if value}
    assert nonzero == pytest.approx(
        {
            "under_100_bytes": 1,
            "markup_share": (3 + 4 + 4 + 12 + 4) / 40,
            "link_markup_share": (12 + 4) / 40,
            "mean_run_to_longest": (5 + 4 + 1) / 3 / 5,
            "median_run_to_longest": 4 / 5,
            "longest_run_to_all": 5 / 10,
            "p": 1,
            "br": 1,
        }
    )


def test_elements_are_counted_over_the_most_frequent() -> None:
    found = measured("<ul><li><span>a</span><li><span>b</span></ul><h2>c</h2>")
    assert (found["span"], found["ul"], found["h2"], found["h1"]) == (1, 0.5, 0.5, 0)


@pytest.mark.parametrize(
    ("size", "name"),
    [
        (99, "under_100_bytes"),
        (100, "under_1000_bytes"),
        (9_999, "under_10000_bytes"),
        (99_999, "under_100000_bytes"),
        (999_999, "under_1000000_bytes"),
        (1_000_000, "from_1000000_bytes"),
    ],
)
def test_sizes(size: int, name: str) -> None:
    found = measured("x" * size)
    assert [key for key in FEATURES if key.endswith("_bytes") and found[key]] == [name]


def test_sizes_are_of_bytes() -> None:
    assert measured("ž" * 50)["under_1000_bytes"] == 1


@given(st.lists(st.sampled_from(["<p>", "</p>", "<a href='>'>", "</a>", "<", ">", " ", "word", "<br/>", "<!--", '"'])))
def test_each_is_a_share(pieces: list[str]) -> None:
    assert all(0 <= value <= 1 for value in measure_segment("".join(pieces)))
