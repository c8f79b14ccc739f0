"""The recipe of a batch, and how its inputs are divided."""

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.batch.inputs import divide
from newscorpus.batch.plan import begin, plan_file, read_plan
from newscorpus.corpus.remote import StoredFile
from newscorpus.errors import CorpusError
from newscorpus.layout import LEDGER

RECIPE = 'inputs = ["*.jsonl"]\noutput = "out"\n'


def recipe(folder: Path, text: str = RECIPE) -> Path:
    (folder / "pages.jsonl").write_text("")
    path = folder / "batch.toml"
    path.write_text(text)
    return path


@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 10**12), min_size=1, max_size=8),
    st.integers(1, 40),
)
def test_every_page_of_every_file_is_in_exactly_one_task(files: dict[str, int], tasks: int) -> None:
    shares = divide([StoredFile(name, size, "") for name, size in files.items()], tasks)

    assert len(shares) == tasks
    read = Counter((one.file, page) for share in shares for one in share for page in range(one.first, 100, one.of))
    assert read == Counter({(name, page): 1 for name in files for page in range(100)})


def test_tasks_get_about_the_same_bytes() -> None:
    files = {f"{number:02}.warc.gz": 10**9 for number in range(20)} | {"large.warc.gz": 20 * 10**9}

    shares = divide([StoredFile(name, size, "") for name, size in files.items()], 10)

    loads = [sum(files[one.file] / one.of for one in share) for share in shares]
    assert max(loads) <= 1.25 * min(loads)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RECIPE + "task = 3\n", "batch.toml: unknown key task; did you mean tasks?"),
        (RECIPE + "[slurm]\nqueue = 'x'\n", "batch.toml: unknown key slurm.queue; known: partition, "),
        (RECIPE + "tasks = 'many'\n", "batch.toml: tasks: Expected `int`, got `str`"),
        (RECIPE + "tasks = 0\n", "batch.toml: tasks is 0 and inputs has 1; at least one of each"),
        (RECIPE + "memory_gb = 0.1\n", "batch.toml: memory_gb is 0.1; at least 0.5"),
        ('inputs = ["none.warc.gz"]\noutput = "out"\n', "none.warc.gz: no such file"),
        ('output = "out"\n', "missing key inputs; known: inputs"),
        ("inputs = [\n", "batch.toml: not valid TOML"),
    ],
)
def test_what_is_wrong_in_a_recipe_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        begin(recipe(tmp_path, text))


def test_a_batch_that_was_begun_goes_on_only_with_the_same_plan(tmp_path: Path) -> None:
    plan = begin(recipe(tmp_path))

    assert begin(tmp_path / "batch.toml") == plan == read_plan(plan_file(tmp_path / "batch.toml"))
    with pytest.raises(CorpusError, match="other inputs, settings or tasks"):
        begin(tmp_path / "batch.toml", tasks=2)
    (tmp_path / "more.jsonl").write_text("")
    with pytest.raises(CorpusError, match="other inputs, settings or tasks"):
        begin(tmp_path / "batch.toml")
    plan.file.write_text(plan.file.read_text().replace(f'"version":{plan.version}', '"version":1'))
    with pytest.raises(CorpusError, match="begun with another version of newscorpus; name another output"):
        begin(tmp_path / "batch.toml")


def test_the_corpus_of_a_crawl_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LEDGER).touch()

    with pytest.raises(CorpusError, match="the corpus of a crawl"):
        begin(recipe(tmp_path))


def test_slices_of_a_file_read_each_line_once_and_name_broken_ones(tmp_path: Path) -> None:
    path = recipe(tmp_path)
    lines = [f'{{"id": {number}, "html": "<p>x", "url": "https://a.example/{number}"}}' for number in range(7)]
    (tmp_path / "pages.jsonl").write_text("\n".join([*lines, "{broken"]))

    plan = begin(path, tasks=3)

    found = [page for task in range(3) for page in plan.pages(task)]
    assert sorted(page.document for page in found if hasattr(page, "document")) == [str(one) for one in range(7)]
    assert [page.detail.partition(":")[0] for page in found if not hasattr(page, "document")] == [
        f"{tmp_path / 'pages.jsonl'}, line 8"
    ]
