"""The command learns from a file of pages what stands on all of them."""

import json
from pathlib import Path

from prose import article, paragraphs
from typer.testing import CliRunner

from newscorpus.cli import app

OFFER = "Our readers know that this house has been the best place for barley since the old mayor sold it to the ferry."


def test_the_pages_of_a_file_teach_what_stands_on_all_of_them(tmp_path: Path) -> None:
    lines = [
        {"id": n, "domain": "vesti.example", "html": article(f"story {n}").replace("</article>", f"<p>{OFFER}</p>")}
        for n in range(8)
    ]
    source, out = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in [*lines, {"id": "alone", "html": article("x")}]))
    options = ["--extractor", "main-text-alone", "--no-filters", "--output", str(out)]
    ran = CliRunner().invoke(app, ["extract", str(source), "--profile", "learn", *options])
    assert ran.exit_code == 0, ran.output
    assert "sites with a profile: 1" in ran.output
    texts = [json.loads(line)["text"].split("\n") for line in out.read_bytes().splitlines()]
    assert texts == [*(paragraphs(f"story {n}") for n in range(8)), paragraphs("x")]


def test_a_single_page_teaches_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>Text</p>")
    ran = CliRunner().invoke(app, ["extract", str(path), "--profile", "learn"])
    assert ran.exit_code == 2
    assert "--profile learn is for a file of pages" in ran.output
    missing = CliRunner().invoke(app, ["extract", str(path), "--profile", str(tmp_path / "none.json")])
    assert "cannot be read: No such file or directory" in f"{missing.output} {missing.exception}"
