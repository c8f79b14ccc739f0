"""Exports as users make them: whole or not there, equal for equal corpora, and never over something else."""

import gzip
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import datasets
import pandas  # type: ignore[import-untyped]
import pytest
from typer.testing import CliRunner

from newscorpus.cli import app, main
from newscorpus.config import BuildConfig, ExportConfig, ExportFormat, SplitConfig, SplitRule
from newscorpus.corpus.export.export import FORMATS, export
from newscorpus.corpus.export.source import About, ExportSource
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.corpus.release import release
from newscorpus.data import Article, Fields
from newscorpus.errors import ArgumentError, CorpusError
from newscorpus.page.records import make_record

ABOUT = About("vesti")
TEXTS = [form for form in ExportFormat if form is not ExportFormat.WACZ]
"""Formats of texts, which need no archive."""
MEASURES = "newscorpus.page.quality:measures_of"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of sixty documents of twenty days."""
    articles = [
        Article(f"https://a.cz/{at}", f"Text {at}.", Fields(published=f"2026-03-{at % 20 + 1:02}"), "bte")
        for at in range(60)
    ]
    records = (make_record(article, "a", "cs", 1.0) for article in articles)
    publish(tmp_path / "vesti" / "corpus", records, BuildConfig())
    return tmp_path / "vesti"


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("form", [ExportFormat.HF, ExportFormat.PARQUET])
def test_without_pyarrow_its_extra_is_named(
    corpus: Path, tmp_path: Path, form: ExportFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "newscorpus.corpus.parquet", raising=False)
    monkeypatch.delattr("newscorpus.corpus.parquet", raising=False)
    with pytest.raises(CorpusError, match=r"pip install 'newscorpus\[parquet\]'"):
        export(corpus, tmp_path / "out", form, ABOUT)


@pytest.mark.parametrize("form", TEXTS)
def test_equal_corpora_make_equal_exports(corpus: Path, tmp_path: Path, form: ExportFormat) -> None:
    split = SplitConfig(SplitRule.CLUSTER, 0.2, 0.2)
    for name in ("one", "other"):
        report = export(corpus, tmp_path / name, form, ABOUT, split)
    assert content(tmp_path / "one") == content(tmp_path / "other")
    assert sum(report.documents.values()) == 60
    assert set(report.documents) == {"train", "validation", "test"}


@pytest.mark.parametrize(
    ("form", "reader", "folder"),
    [(ExportFormat.PARQUET, "ParquetReader", "data"), (ExportFormat.DOLMA, "JsonlReader", "documents")],
)
def test_the_readers_of_datatrove_take_a_whole_folder(
    corpus: Path, tmp_path: Path, form: ExportFormat, reader: str, folder: str
) -> None:
    readers = pytest.importorskip("datatrove.pipeline.readers", reason="needs 'newscorpus[batch]'")
    export(corpus, tmp_path / "out", form, ABOUT, SplitConfig(SplitRule.CLUSTER, 0.2, 0.2))
    documents = list(getattr(readers, reader)(str(tmp_path / "out" / folder)).run())
    assert len({document.id for document in documents}) == len(documents) == 60
    assert all(document.text for document in documents)


@pytest.mark.parametrize("rule", [SplitRule.NONE, SplitRule.CLUSTER])
@pytest.mark.parametrize(
    ("form", "inside", "per_line"),
    [
        (ExportFormat.HF, "", False),
        (ExportFormat.PARQUET, "", False),
        (ExportFormat.DOLMA, "", False),
        (ExportFormat.DOLMA, "documents", False),
        (ExportFormat.CSV, "", False),
        (ExportFormat.TEXT, "", False),
        (ExportFormat.TEXT, "", True),
    ],
)
def test_datasets_opens_the_folder(
    corpus: Path, tmp_path: Path, form: ExportFormat, inside: str, per_line: bool, rule: SplitRule
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    report = export(corpus, out, form, ABOUT, SplitConfig(rule, 0.2, 0.2), ExportConfig(per_line=per_line))
    assert sum(report.documents.values()) == 60
    assert ("" in report.documents) == (rule is SplitRule.NONE)
    found = datasets.load_dataset(str(out / inside), cache_dir=str(tmp_path / "cache"))
    assert sum(split.num_rows for split in found.values()) == 60
    assert all("text" in split.column_names for split in found.values())
    for name, rows in found.items():
        assert datasets.load_dataset(str(out / inside), split=name).num_rows == rows.num_rows


def test_an_earlier_export_is_replaced_and_what_a_killed_one_left(corpus: Path, tmp_path: Path) -> None:
    export(corpus, tmp_path / "out", ExportFormat.TEXT, ABOUT)
    (tmp_path / ".out.exporting").mkdir()
    (tmp_path / ".out.exporting" / "half").touch()
    export(corpus, tmp_path / "out", ExportFormat.DOLMA, ABOUT)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "attributes",
        "documents",
        "README.md",
        ".export.json",
    }
    assert {path.name for path in tmp_path.iterdir()} == {"vesti", "out"}


@pytest.mark.parametrize("report", [None, "{}", '{"format": "hf"}', "\xff"])
def test_what_no_export_made_stays(corpus: Path, tmp_path: Path, report: str | None) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("x")
    if report is not None:
        (out / ".export.json").write_bytes(report.encode("latin-1"))
    with pytest.raises(CorpusError, match="not made by an export"):
        export(corpus, out, ExportFormat.TEXT, ABOUT)
    assert (out / "thesis.txt").read_text() == "x"
    with pytest.raises(CorpusError, match=r"thesis\.txt: not a folder"):
        export(corpus, out / "thesis.txt", ExportFormat.TEXT, ABOUT)


@pytest.mark.parametrize("earlier", ["", "out", ".out.replaced"])
def test_a_failed_export_leaves_nothing_of_itself(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: str
) -> None:
    """An earlier one stays, even if an export was killed between its renames."""
    out = tmp_path / "out"
    if earlier:
        export(corpus, out, ExportFormat.TEXT, ABOUT)
    before = content(tmp_path)
    if earlier:
        out.rename(tmp_path / earlier)

    def fail(source: ExportSource, folder: Path) -> None:
        FORMATS[ExportFormat.DOLMA](source, folder)
        raise OSError(28, "No space left on device", str(folder / "documents"))

    monkeypatch.setattr("newscorpus.corpus.export.export.FORMATS", {ExportFormat.TEXT: fail})
    with pytest.raises(OSError, match=re.escape(f"No space left on device: '{out / 'documents'}'")):
        export(corpus, out, ExportFormat.TEXT, ABOUT)
    assert content(tmp_path) == before


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    publish(tmp_path / "c" / "corpus", [], BuildConfig())
    with pytest.raises(CorpusError, match="no documents to export"):
        export(tmp_path / "c", tmp_path / "out", ExportFormat.HF, ABOUT)


def test_the_command(corpus: Path, tmp_path: Path) -> None:
    arguments = ["export", str(corpus), "--format", "hf", "--output", str(tmp_path / "out"), "--split", "date"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert "test: 3 documents, 6 words" in done.output
    assert json.loads((tmp_path / "out" / ".export.json").read_bytes())["split"]["rule"] == "date"
    assert 'pretty_name: "vesti"' in (tmp_path / "out" / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--per-line"], "--per-line goes with --format text"),
        (["--test", "0.1"], "--validation and --test go with --split cluster or date"),
    ],
)
def test_wrong_usage_is_told(corpus: Path, tmp_path: Path, options: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["export", str(corpus), "--format", "hf", "--output", str(tmp_path / "o"), *options])
    assert done.exit_code == 2
    assert said in done.output


def test_what_went_wrong_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["export", str(tmp_path), "--format", "tei", "--output", "out"])
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"newscorpus: {tmp_path}: no corpus here\n"


@pytest.mark.parametrize(
    ("where", "documents"),
    [
        ("published >= '2026-03-20' and rights.tdm != '1'", 3),
        ("language == 'cs' and n_words > 1 and len(tags) = 0 -- all", 60),
        ("url like '%/7' or url in ('https://a.cz/8')", 2),
    ],
)
def test_an_expression_selects_documents(corpus: Path, tmp_path: Path, where: str, documents: int) -> None:
    report = export(corpus, tmp_path / "out", ExportFormat.TEXT, ABOUT, config=ExportConfig(where=where))
    assert report.documents == {"": documents}
    assert report.config.where == where
    export(corpus, tmp_path / "vertical", ExportFormat.VERTICAL, ABOUT, config=ExportConfig(where=where))
    assert any(f'INFO "{documents} documents' in path.read_text("utf-8") for path in (tmp_path / "vertical").iterdir())


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("lang = 'cs'", r'"lang" not found.*columns: id, revision, .*language'),
        ("1 +", "syntax error"),
        ("(select count(*) from read_text('/etc/passwd')) > 0", "disabled by configuration"),
    ],
)
def test_an_expression_that_is_wrong_or_reads_files_is_refused_in_one_line(
    corpus: Path, tmp_path: Path, where: str, reason: str
) -> None:
    with pytest.raises(ArgumentError, match=f"^--where .*{reason}") as caught:
        export(corpus, tmp_path / "out", ExportFormat.TEXT, ABOUT, config=ExportConfig(where=where))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_an_expression_that_is_true_of_nothing_replaces_no_export(corpus: Path, tmp_path: Path) -> None:
    output, nothing = tmp_path / "out", ExportConfig(where="language == 'de'")
    export(corpus, output, ExportFormat.TEXT, ABOUT)
    with pytest.raises(CorpusError, match=r"^--where .*: true for no document; nothing was written to"):
        export(corpus, output, ExportFormat.HF, ABOUT, config=nothing)
    assert json.loads((output / ".export.json").read_bytes())["format"] == "text"
    release(corpus, "1")
    report = export(corpus, output, ExportFormat.TEXT, ABOUT, config=replace(nothing, since="1"))
    assert report.documents == {"": 0}


def test_without_duckdb_its_extra_is_named(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"pip install 'newscorpus\[where\]'"):
        export(corpus, tmp_path / "out", ExportFormat.TEXT, ABOUT, config=ExportConfig(where="true"))


def test_documents_since_a_release_and_headlines_in_the_text(corpus: Path, tmp_path: Path) -> None:
    release(corpus, "1")
    old = list(open_corpus(corpus).records())
    new = make_record(Article("https://a.cz/new", "New.", Fields(title="News"), "bte"), "a", "cs", 1.0)
    records = sorted([*old[2:], replace(old[1], title="Changed"), new], key=lambda record: record.id)
    publish(corpus / "corpus", records, BuildConfig())
    config = ExportConfig(since="1", with_title=True)
    report = export(corpus, tmp_path / "out", ExportFormat.DOLMA, ABOUT, config=config)
    assert report.changes == {"added": (new.id,), "changed": (old[1].id,), "removed": (old[0].id,)}
    with gzip.open(tmp_path / "out" / "documents" / "00000.jsonl.gz") as file:
        texts = {line["id"]: line["text"] for line in map(json.loads, file)}
    assert texts == {new.id: "News\nNew.", old[1].id: f"Changed\n{old[1].text}"}
    with pytest.raises(CorpusError, match="neither a folder nor a release"):
        export(corpus, tmp_path / "out", ExportFormat.TEXT, ABOUT, config=ExportConfig(since="2"))


def count_letters(text: str) -> dict[str, float]:
    """Count letters; the text of the eighth document cannot be scored."""
    return {"letters": sum(map(str.isalpha, text)) / ("7" not in text), "endless": float("inf" if text else 0)}


@pytest.mark.parametrize("form", [ExportFormat.PARQUET, ExportFormat.DOLMA])
def test_measures_and_a_scorer_add_numbers_and_its_errors_cost_the_score(
    corpus: Path, tmp_path: Path, form: ExportFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mine", SimpleNamespace(count_letters=count_letters))
    config = ExportConfig(where="url like '%/7' or url like '%/8'", scorers=(MEASURES, "mine:count_letters"))
    report = export(corpus, tmp_path / "out", form, ABOUT, config=config)
    assert report.documents == {"": 2}
    (unscored,) = report.unscored
    assert "ZeroDivisionError" in unscored
    if form is ExportFormat.PARQUET:
        table = pandas.read_parquet(tmp_path / "out").set_index("url")
        assert table["score_letters"].dropna().to_dict() == {"https://a.cz/8": 4.0}
        assert table["score_endless"].isna().all()
        assert table["score_mean_word_length"].tolist() == [2.5, 2.5]
    else:
        with gzip.open(tmp_path / "out" / "attributes" / "newscorpus" / "00000.jsonl.gz") as file:
            found = [json.loads(line)["attributes"] for line in file]
        assert sorted(one.get("newscorpus__score_letters", []) for one in found) == [[], [[0, 7, 4.0]]]
        assert all(one["newscorpus__score_mean_word_length"] == [[0, 7, 2.5]] for one in found)


@pytest.mark.parametrize("name", ["nowhere:f", "json:nothing", "json", "json:__doc__"])
def test_a_scorer_that_is_not_there_is_one_line(corpus: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"^--scorer {name}: .*returns a dictionary of numbers$"):
        export(corpus, tmp_path / "out", ExportFormat.DOLMA, ABOUT, config=ExportConfig(scorers=(name,)))


def test_perplexity_scores_a_corpus(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "texts.txt").write_text("Text 1.\nText 2.\nText 3.\n" * 9)
    monkeypatch.setenv("TRAINING_TEXTS", str(tmp_path / "texts.txt"))
    config = ExportConfig(where="n_words > 1", scorers=("examples.language_model.scorer:perplexity",))
    report = export(corpus, tmp_path / "out", ExportFormat.PARQUET, ABOUT, config=config)
    assert report.unscored == ()
    table = pandas.read_parquet(tmp_path / "out").set_index("url")
    known, unknown = (table.loc[f"https://a.cz/{at}"]["score_perplexity"] for at in (2, 57))
    assert 1 < known < unknown
