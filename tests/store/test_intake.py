"""The intake: round trip, torn last lines, damage and other parameters."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from newscorpus.config import SignatureParameters
from newscorpus.data import Record
from newscorpus.errors import CorpusError
from newscorpus.lines import blank, encode_line
from newscorpus.page.rows import Row, encode_row, unpacked
from newscorpus.store.intake import DamagedLine, read_intake, read_row, torn_segments, write_segment

PARAMETERS = SignatureParameters()
SIGNATURE = bytes(range(256)) * 2


def fill(folder: Path, *records: Record) -> Path:
    segment = folder / "000001.jsonl"
    with write_segment(segment, PARAMETERS) as append:
        for record in records:
            append(Row(record, SIGNATURE))
    return segment


def read(folder: Path) -> list[Record]:
    return [row.record for _, row in read_intake(folder, PARAMETERS) if isinstance(row, Row)]


def test_rows_come_back_and_can_be_read_again_by_place(tmp_path: Path, record: Record, bare_record: Record) -> None:
    fill(tmp_path / "intake", record, bare_record)
    stored = [(place, row) for place, row in read_intake(tmp_path / "intake", PARAMETERS) if isinstance(row, Row)]
    assert [(row.record, row.signature) for _, row in stored] == [(record, SIGNATURE), (bare_record, SIGNATURE)]
    assert [read_row(place) for place, _ in reversed(stored)] == [row for _, row in reversed(stored)]


def test_a_segment_appears_when_it_is_complete(tmp_path: Path, record: Record) -> None:
    with write_segment(tmp_path / "000001.jsonl", PARAMETERS) as append:
        append(Row(record, SIGNATURE))
        assert list(tmp_path.glob("*.jsonl")) == []
    assert read(tmp_path) == [record]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_torn_tail_costs_the_last_row_only(tmp_path: Path, record: Record, data: st.DataObject) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    segment = fill(tmp_path, record, record, record)
    content = segment.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    segment.write_bytes(content[:cut])
    complete = content[:cut].count(b"\n")
    assert read(tmp_path) == [record] * max(complete - 1, 0)
    assert torn_segments(tmp_path) == ([] if content[:cut][-1:] in {b"", b"\n"} else [segment])


@pytest.mark.parametrize("damage", [b"", b"{}", b'{"record": "\xff"}'])
def test_damage_is_named_by_file_and_line(tmp_path: Path, record: Record, damage: bytes) -> None:
    segment = fill(tmp_path, record, record)
    header, _, rest = segment.read_bytes().split(b"\n", 2)
    without_checksum = encode_line(Row(record, SIGNATURE))
    segment.write_bytes(header + b"\n" + (damage + b"\n" if damage else without_checksum) + rest)
    with pytest.raises(CorpusError, match=r"000001\.jsonl, line 2: ") as error:
        read(tmp_path)
    assert "\n" not in str(error.value)


def test_a_signature_of_another_length_is_damage(tmp_path: Path, record: Record) -> None:
    with write_segment(tmp_path / "000001.jsonl", PARAMETERS) as append:
        append(Row(record, SIGNATURE[:-4]))
    with pytest.raises(CorpusError, match=r"line 2: a signature of 508 bytes"):
        read(tmp_path)


def test_other_parameters_are_refused_naming_both(tmp_path: Path, record: Record) -> None:
    fill(tmp_path, record)
    with pytest.raises(CorpusError, match=r"000001.jsonl, line 1: signed with other .*: seed 1 instead of 2$"):
        list(read_intake(tmp_path, replace(PARAMETERS, seed=2)))


def test_another_schema_is_refused(tmp_path: Path, record: Record) -> None:
    segment = fill(tmp_path, record)
    header, rows = segment.read_bytes().split(b"\n", 1)
    later = msgspec.json.decode(unpacked(header)) | {"schema": 99}
    segment.write_bytes(encode_row(later) + rows)
    with pytest.raises(CorpusError, match="line 1: schema 99; this version reads 3"):
        read(tmp_path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_every_altered_letter_is_found_and_costs_its_row_alone(
    tmp_path: Path, record: Record, bare_record: Record, data: st.DataObject
) -> None:
    for path in tmp_path.iterdir():
        path.unlink()
    segment = fill(tmp_path, record, bare_record, record)
    content = bytearray(segment.read_bytes())
    ends = [at for at, byte in enumerate(content) if byte == ord("\n")]
    position = data.draw(st.integers(0, len(content) - 2))  # the last newline makes a torn line
    content[position] ^= data.draw(st.integers(1, 255))
    segment.write_bytes(content)
    damaged: list[DamagedLine] = []
    found = [row.record for _, row in read_intake(tmp_path, PARAMETERS, damaged=damaged.append) if isinstance(row, Row)]
    hit = sum(end < position for end in ends)
    whole = [
        one
        for number, one in enumerate([record, bare_record, record], 1)
        if number not in {hit, hit + (position in ends)}
    ]
    assert found == whole
    assert damaged[0].number == hit + 1
    assert str(segment) in str(damaged[0])


def test_a_blank_line_holds_nothing(tmp_path: Path, record: Record, bare_record: Record) -> None:
    segment = fill(tmp_path, record, bare_record)
    content = bytearray(segment.read_bytes())
    content[content.index(b"\n") + 9] ^= 1
    segment.write_bytes(content)
    damaged: list[DamagedLine] = []
    list(read_intake(tmp_path, PARAMETERS, damaged=damaged.append))
    blank(damaged[0].segment, damaged[0].offset, damaged[0].length)
    assert read(tmp_path) == [bare_record]
