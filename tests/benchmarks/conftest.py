"""Sets of synthetic pages for the benchmarks."""

import json
from pathlib import Path
from random import Random

import pytest
import zstandard

WORDS = "bridge river council water school winter market train doctor garden letter window north south".split()
AUTHORS = ("Jane Smith", "Mary Jones", "Adam Black")
SETS = ("fundus", "wcxb", "daniel", "dragnet", "l3s_gn1", "ir_research", "cleaneval")


def line(dataset: str, number: int, split: str) -> dict[str, str]:
    random = Random(f"{dataset} {number}")
    paragraphs = [f"Yesterday {' '.join(random.choices(WORDS, k=25))}." for _ in range(5)]
    title = " ".join(random.sample(WORDS, 4)).capitalize()
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    declared = {"@type": "NewsArticle", "headline": title, "datePublished": f"2024-03-{number + 1:02}"}
    declared |= {"author": AUTHORS[number % len(AUTHORS)]}
    html = (
        f'<html><title>{title}</title><script type="application/ld+json">{json.dumps(declared)}</script><body>'
        f"<ul><li><a href=/>Home</a><li><a href=/s>Sport</a><li>Peter Parker on 1 May 2023</ul><div><h1>{title}</h1>"
        f"{body}</div><p>{declared['author']}<p>{number + 1} March 2024<p>Terms of use</p></body></html>"
    )
    site = f"large{number % 2}.example" if split == "train" else f"small{number}.example"
    return {
        "id": f"{dataset}-{number}",
        "url": f"https://{site}/{number}",
        "domain": site,
        "title": title,
        "html": html,
        "text": "\n".join(paragraphs),
        "split": split,
    }


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Sets of pages of two large sites to train on, and of two others to test on."""
    for dataset in SETS:
        lines = [line(dataset, number, "dev" if number < 2 else "train") for number in range(24)]
        packed = zstandard.compress("".join(json.dumps(row) + "\n" for row in lines).encode())
        (tmp_path / f"{dataset}.jsonl.zst").write_bytes(packed)
    return tmp_path
