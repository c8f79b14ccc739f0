"""Duplicates in the gold texts of real pages: `python -m benchmarks.duplicates.real DATA`.

Each set is deduplicated by itself. What a person who read the pairs says stands in `results/duplicates/read.csv`.
"""

import argparse
import csv
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from newscorpus.corpus.duplicates.store import ROWS
from newscorpus.corpus.left_out import DuplicateLine
from newscorpus.corpus.merge import DedupReport, dedup
from newscorpus.lab.gold.pages import read_pages
from newscorpus.layout import DUPLICATES, INDEX
from newscorpus.lines import encode_line

RESULTS = Path(__file__).parents[1] / "results" / "duplicates"
READ = RESULTS / "read.csv"
SETS = ("article_extraction", "daniel", "dragnet", "fundus", "ir_research", "l3s_gn1", "misinformation")
REPEAT = "yes"
NOT_READ = "not read"


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a set, and the bytes of its index for each document, beside signature and row."""

    report: DedupReport
    lines: tuple[DuplicateLine, ...]
    index_bytes: float


def main() -> None:
    """Look for duplicates and write the results."""
    parser = argparse.ArgumentParser(description="duplicates in real texts")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    arguments = parser.parse_args()
    found = {name: look(arguments.data / f"{name}.jsonl.zst") for name in SETS}
    with READ.open(encoding="utf-8", newline="") as file:  # whether the document that went repeats the other one
        verdicts = {(row["set"], row["id"]): (row["repeats"], row["remark"]) for row in csv.DictReader(file)}
    (RESULTS / "real.md").write_text(render(found, verdicts), encoding="utf-8")
    print((RESULTS / "real.md").read_text("utf-8"))


def look(pages: Path) -> Found:
    """Deduplicate the gold texts of a set."""
    with tempfile.TemporaryDirectory() as folder:
        documents, output = Path(folder) / "documents.jsonl", Path(folder) / "out"
        with documents.open("wb") as file:
            for page in read_pages(pages):
                row = {"id": page.id, "text": page.text, "title": page.title}
                file.write(encode_line({**row, "source": page.domain, "published": page.date}))
        report = dedup([documents], output)
        beside = [path for path in (output / INDEX).iterdir() if path.name not in ("signatures", ROWS)]
        size = sum(path.stat().st_size for path in beside) / report.documents
        with (output / DUPLICATES).open("rb") as file:
            return Found(report, tuple(msgspec.json.decode(line, type=DuplicateLine) for line in file), size)


def render(found: Mapping[str, Found], verdicts: Mapping[tuple[str, str], tuple[str, str]]) -> str:
    """The results as Markdown."""
    rows, pairs = [], []
    for name, one in found.items():
        said = [verdicts.get((name, line.id), (NOT_READ, "")) for line in one.lines]
        right, read = (sum(map(test, said)) for test in (lambda it: it[0] == REPEAT, lambda it: it[0] != NOT_READ))
        kinds = " | ".join(str(one.report.duplicates[kind]) for kind in ("exact", "near", "excerpt"))
        rows.append(f"| {name} | {one.report.documents} | {kinds} | {right} of {read} | {one.index_bytes:.0f} |")
        for line, (verdict, remark) in zip(one.lines, said, strict=True):
            cells = (name, line.kind, f"{line.similarity:.2f}", line.id, line.duplicate_of, verdict, remark)
            pairs.append(f"| {' | '.join(cells)} |")
    what = (
        "Made by `python -m benchmarks.duplicates.real DATA` from the gold texts of the sets of [data.md]"
        "(../../../docs/data.md), each set by itself. Right is a pair whose one text repeats most of the other, as a "
        "person says who read both (`read.csv`). The bytes are those of the index, beside the signatures. "
        "Excerpts of any headline and length (`headline_share`, `excerpt_least_words` 0) were the same (2026-11)."
    )
    head = (
        "| set | documents | exact | near | excerpt | right | index, bytes a document |\n|---|--:|--:|--:|--:|--:|--:|"
    )
    pairs_head = "| set | kind | similarity | left out | repeats | right | remark |\n|---|---|--:|---|---|---|---|"
    return "\n".join(["# Duplicates in real texts", "", what, "", head, *rows, "", pairs_head, *pairs, ""])


if __name__ == "__main__":
    main()
