"""The example that puts datatrove's filters behind our extraction, as its users run it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from prose import article, paragraphs

from newscorpus.corpus.build import build
from newscorpus.corpus.published import open_corpus

pytest.importorskip("datatrove", reason="datatrove is not installed (pip install 'newscorpus[batch]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (requirements-dev.txt)")
pytest.importorskip("orjson", reason="orjson is not installed (requirements-dev.txt)")

ROOT = Path(__file__).parents[2]
N_PAGES = 8
TOKENIZER = {
    "version": "1.0",
    "pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"},
}
"""A tokenizer of one word, so that every word and every punctuation mark counts as one token."""


@pytest.mark.timeout(600)
def test_every_step_drops_or_adds_what_it_says(tmp_path: Path) -> None:
    with (tmp_path / "pages.jsonl").open("w") as file:
        for number in range(N_PAGES):
            url = f"https://www.a.example/story-{number}"
            file.write(json.dumps({"id": f"n{number}", "url": url, "html": article(f"story {number}")}) + "\n")
        open_ended = article("open").replace(".</p>", "</p>")
        file.write(json.dumps({"id": "open", "html": open_ended}) + "\n")
        file.write(json.dumps({"id": "empty", "html": "<p>Nothing"}) + "\n")
    (tmp_path / "benchmark.txt").write_text("A question.\n" + paragraphs("story 3")[2] + "\n")
    (tmp_path / "tokenizer.json").write_text(json.dumps(TOKENIZER))

    arguments = [tmp_path / name for name in ("pages.jsonl", "out", "tokenizer.json", "benchmark.txt")]
    command = [sys.executable, "-m", "examples.datatrove_pipeline", *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    dropped = {path.parent.name: path.read_text() for path in (tmp_path / "out" / "dropped").glob("*/*.jsonl")}
    assert {name: json.loads(line)["id"] for name, line in dropped.items()} == {
        "extract": "empty",
        "fineweb": "open",
        "benchmark": "n3",
    }
    assert json.loads(dropped["extract"])["metadata"]["filter_reason"] == "quality/too_short"
    written = (tmp_path / "out" / "documents" / "00000.jsonl").read_text()
    documents = [json.loads(line) for line in written.splitlines()]
    assert len(documents) == N_PAGES - 1
    assert all(document["metadata"]["token_count"] > 100 for document in documents)
    assert all(len(document["metadata"]["signature"]) == 8 * 128 for document in documents)
    build(tmp_path / "out" / "corpus")
    found = {record.id: record.text for record in open_corpus(tmp_path / "out" / "corpus").records()}
    assert found == {document["id"]: document["text"] for document in documents}

    (tmp_path / "benchmark.txt").write_text(paragraphs("story 5")[1])
    names = [tmp_path / name for name in ("out/corpus", "benchmark.txt", "clean")]
    command = [sys.executable, "-m", "examples.decontaminate", *map(str, names)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert '"text":' in (tmp_path / "clean" / "dropped" / "00000.jsonl").read_text()
    build(tmp_path / "clean" / "corpus")
    left = {record.url for record in open_corpus(tmp_path / "clean" / "corpus").records()}
    assert left == {document["metadata"]["url"] for document in documents} - {"https://www.a.example/story-5"}
