from pathlib import Path

import pytest

from newscorpus.store.pages import archive_findings


@pytest.mark.parametrize(("there", "said"), [(0, "empty or missing, of 9 bytes"), (5, "cut to 5 of 9 bytes")])
def test_a_file_of_the_archive_that_is_shorter_than_committed_is_named(tmp_path: Path, there: int, said: str) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / ".committed.json").write_text('{"archive/000001.warc.gz": 9, "intake/000001.jsonl": 7}')
    if there:
        (tmp_path / "archive" / "000001.warc.gz").write_bytes(b"x" * there)
    path = tmp_path / "archive" / "000001.warc.gz"
    assert list(archive_findings(tmp_path, iter, whole=False)) == [f"{path}: {said}"]
    damages = list(archive_findings(tmp_path, iter, whole=True))[1:]
    assert [one.startswith(f"{path}, offset 0: Expected") for one in damages] == [True] * bool(there)
