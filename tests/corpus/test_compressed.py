"""What is written is read again, and a file that is cut off is never read as a whole one."""

import io
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from newscorpus import lines
from newscorpus.errors import CorpusError
from newscorpus.lines import read_lines, unpacked_lines, write_lines

SUFFIXES = (".zst", ".gz", ".jsonl")
LINES = [f'{{"id":"{number}","text":"{"word " * 20}"}}\n'.encode() for number in range(40)]


def packed(lines: list[bytes], suffix: str) -> bytes:
    file = io.BytesIO()
    write_lines(file, lines, suffix)
    return file.getvalue()


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(st.lists(st.binary(max_size=20)))
def test_lines_come_back(tmp_path_factory: pytest.TempPathFactory, suffix: str, parts: list[bytes]) -> None:
    lines = [part.replace(b"\n", b"\r\x0b\x85") + b"\n" for part in parts]
    path = tmp_path_factory.mktemp("lines") / f"lines{suffix}"
    path.write_bytes(packed(lines, suffix))
    assert list(read_lines(path)) == lines


def test_a_zstd_file_has_frames_of_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "FRAME_BYTES", 1_000)
    content = packed(LINES, ".zst")
    frames = [b"\x28\xb5\x2f\xfd" + frame for frame in content.split(b"\x28\xb5\x2f\xfd")[1:]]
    assert len(frames) > 3
    texts = [zstandard.decompress(frame) for frame in frames]
    assert all(text.endswith(b"\n") for text in texts)
    assert b"".join(texts) == b"".join(LINES)


@pytest.mark.parametrize("suffix", [".zst", ".gz"])
def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"lines{suffix}"
    content = packed(LINES, suffix)
    for end in range(1, len(content)):
        path.write_bytes(content[:end])
        with pytest.raises(CorpusError, match=f"lines{suffix}: ") as error:
            list(read_lines(path))
        assert "\n" not in str(error.value)


def test_a_plain_file_that_ends_inside_a_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"".join(LINES)[:-1])
    with pytest.raises(CorpusError, match="the last line is cut off"):
        list(read_lines(path))
    assert list(unpacked_lines(path))[-1] == LINES[-1][:-1]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_is_named(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(CorpusError, match=f"none{suffix}: No such file"):
        list(read_lines(tmp_path / f"none{suffix}"))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_last_line_may_lack_its_newline_in_files_of_others(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"lines{suffix}"
    path.write_bytes(packed([b"a\n", b"\n", b"b"], suffix))
    assert list(unpacked_lines(path)) == [b"a\n", b"\n", b"b"]
