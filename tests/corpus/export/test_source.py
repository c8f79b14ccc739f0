"""Groups of records, and the registry of formats."""

from dataclasses import replace

import pytest

from newscorpus.config import ExportFormat
from newscorpus.corpus.export.export import FORMATS
from newscorpus.corpus.export.source import ExportPart
from newscorpus.data import Record


@pytest.mark.parametrize(
    ("max_bytes", "groups"), [(1, [[0], [1], [2], [3]]), (8, [[0, 1], [2, 3]]), (12, [[0, 1, 2], [3]])]
)
def test_groups_are_bounded_by_bytes_of_text(record: Record, max_bytes: int, groups: list[list[int]]) -> None:
    records = [replace(record, id=str(at), text="ěě") for at in range(4)]
    part = ExportPart("", lambda: iter(records))
    found = [(number, [int(one.id) for one in group]) for number, group in part.files(max_bytes)]
    assert found == [(f"{number:05}", group) for number, group in enumerate(groups)]


def test_no_records_make_no_group() -> None:
    assert list(ExportPart("", lambda: iter([])).files(1)) == []


def test_every_format_has_its_entry() -> None:
    assert set(FORMATS) == set(ExportFormat)
