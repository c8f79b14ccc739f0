import pytest

from newscorpus.page.fields.structured import parse, read_json_ld

BROKEN = [
    ('{"headline": "A",}', [{"headline": "A"}]),
    ('{"headline": "A"};', [{"headline": "A"}]),
    ('<!-- {"headline": "A"} -->', [{"headline": "A"}]),
    ('//<![CDATA[\n{"headline": "A"}\n//]]>', [{"headline": "A"}]),
    ('{"headline": "A\nB"}', [{"headline": "A\nB"}]),
    ('{"headline": "A"}{"headline": "B"}', [{"headline": "A"}, {"headline": "B"}]),
    ('{"headline": "A"}}', [{"headline": "A"}]),
    ('{"headline": "A"\n "name": "B"}', [{"headline": "A", "name": "B"}]),
    ('{"headline": "A\\\'s"}', [{"headline": "A\\'s"}]),
    ('{\n// a remark\n"headline": "A"}', [{"headline": "A"}]),
]


@pytest.mark.parametrize(("text", "value"), BROKEN)
def test_broken_json_is_repaired(text: str, value: object) -> None:
    assert parse(text) == value


def test_of_what_cannot_be_repaired_the_plain_pairs_are_saved() -> None:
    text = '{"@type": "NewsArticle", "headline": "A "quoted" word", "datePublished": "2024-02-03T14:05:00Z",'
    assert parse(text) == {"@type": "NewsArticle", "datePublished": "2024-02-03T14:05:00Z"}


@pytest.mark.parametrize("text", ["", "no json", "{{ template }}", "[" * 100_000])
def test_what_holds_nothing_gives_nothing(text: str) -> None:
    assert read_json_ld([text]) == ()


def test_lists_graphs_and_main_entities_are_opened_in_order() -> None:
    text = '[{"@graph": [{"@id": "1", "mainEntity": {"@id": "2"}}, {"@id": "3"}]}, {"@id": "4"}]'
    assert [node.get("@id") for node in read_json_ld([text])] == [None, "1", "2", "3", "4"]
