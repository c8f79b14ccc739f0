"""The command as users run it. What a verb does is tested where it is done; here: arguments, exit codes, one line."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

import newscorpus
from newscorpus import cli, terminal
from newscorpus.cli.app import GROUPS
from newscorpus.config import SignatureParameters
from newscorpus.data import Article, Fields, Page
from newscorpus.errors import STOPPED
from newscorpus.files import exclusive
from newscorpus.layout import BUILD_LOCK
from newscorpus.page.records import make_record
from newscorpus.page.rows import Row
from newscorpus.page.signature import sign
from newscorpus.store.archive.values import Capture, Exchange, Origin
from newscorpus.store.archive.write import ArchiveWriter, encode
from newscorpus.store.intake import write_segment
from newscorpus.views.demo.run import remove_earlier

STORY = "The council met on Tuesday and decided that the old bridge stays open until the new one stands. " * 5
HTML = f"<html lang=en><head><title>Bridge</title></head><body><p>{STORY}</p></body></html>"


VERBS = typer.main.get_command(cli.app).commands  # type: ignore[attr-defined]
CALLS = [*VERBS, *(f"portal {name}" for name in VERBS["portal"].commands)]
EXTRACT = ("extract", "--extractor", "bte", "--no-filters")


class Done(NamedTuple):
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs `main` in this process: starting one takes a second."""
    monkeypatch.delenv("NEWSCORPUS_CONTACT", raising=False)

    def ended(*arguments: object) -> Done:
        capfd.readouterr()
        code = 0
        try:
            cli.main([*map(str, arguments)])
        except SystemExit as end:
            code = int(end.code or 0)
        return Done(code, *capfd.readouterr())

    return ended


def one_line(done: Done) -> str:
    """What a failed command said, which is one line."""
    assert done.code == 1
    assert done.out == ""
    assert done.err.startswith("newscorpus: ")
    assert done.err.count("\n") == 1
    return done.err


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return path


def test_help_names_every_verb_once() -> None:
    assert sorted(name for group in GROUPS.values() for name in group) == sorted(VERBS)


@pytest.mark.parametrize("call", CALLS)
def test_help_of_a_verb_begins_with_a_sentence_that_the_list_of_verbs_has_whole(run: Run, call: str) -> None:
    *group, verb = call.split()
    done = run(*group, verb, "--help")
    assert done.code == 0
    (sentence,) = re.findall(rf"(?m)^  {verb} +(\S.*)$", run(*group, "--help").out)
    assert sentence.endswith(".")
    assert not sentence.endswith("...")
    assert f"\n  {sentence}" in done.out


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").out == f"newscorpus {newscorpus.__version__}\n"


def test_a_project_is_begun_where_nothing_is_yet(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "\n  newscorpus crawl first --limit 20\n" in run("init", ".").out
    assert "\n  cd papers && newscorpus portal add ADDRESS\n" in run("init", "papers").out
    (tmp_path / "settings.py").unlink()
    assert run("init", ".").code == 0, "one that was broken off is completed"
    assert (tmp_path / "settings.py").read_text() == (tmp_path / "papers" / "settings.py").read_text()
    (tmp_path / "scrapy.cfg").write_text("mine")
    (tmp_path / "settings.py").unlink()
    assert one_line(run("init", ".")) == "newscorpus: scrapy.cfg: there already; nothing was written\n"
    assert not (tmp_path / "settings.py").exists()
    assert run("init", tmp_path / "new", "--name", "../x").code == 2
    assert not (tmp_path / "new").exists()


def test_ctrl_c_at_the_start_is_no_traceback() -> None:
    finder = "lambda name, *_: signal.default_int_handler(2, None) if name == 'newscorpus.cli' else None"
    program = f"""import signal, sys; sys.meta_path.insert(0, type("Finder", (), {{"find_spec": {finder}}}))"""
    program += "; from newscorpus.__main__ import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (STOPPED, "", "")


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [
        ("train main-text --data marked.jsonl", "onnx", "train"),
        ("features shallow-tree table.csv --data marked.jsonl", "onnx", "train"),
        ("upload . s3://bucket/north", "s3fs", "s3"),
    ],
)
def test_an_ordinary_installation_names_the_extra(tmp_path: Path, arguments: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules['{package}'] = None; from newscorpus.cli import main; main()"
    command = [sys.executable, "-c", program, *arguments.split()]
    (tmp_path / "manifest.json").touch()
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    said = f"{package} is not installed; install it by: pip install 'newscorpus[{extra}]'\n"
    assert done.stderr in {f"newscorpus: {said}", f"newscorpus: {arguments.rsplit(maxsplit=1)[-1]}: {said}"}


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["extract"],
        ["extract", "a.html", "--format", "xml"],
        ["extract", "a.html", "--nonsense"],
        ["extract", "a.jsonl", "--jobs", "0"],
        ["extract", "a.jsonl", "--format", "text"],
        ["extract", "a.jsonl.zst", "--url", "https://a.example/"],
        ["extract", "https://a.example/"],
        ["extract", "a.html", "--portal", "a", "--template", "a.txt"],
        ["extract", "a.html", "--no-filters", "--quality", "a.toml"],
        ["extract", "a.html", "--rights", "nonsense"],
        ["extract", "https://a.example/", "--url", "https://b.example/", "--contact", "me@example.org"],
        ["build"],
        ["demo", "--port", "70000"],
        ["evaluate"],
        ["evaluate", "--dataset", "a.jsonl", "--split", "test"],
        ["evaluate", "--dataset", "a.jsonl", "--hidden"],
        ["evaluate", "--dataset", "a.jsonl", "--fields", "--jobs", "2"],
        ["train", "main-text"],
        ["train", "nonsense", "--data", "."],
        ["train", "texttractor", "--data", ".", "--silver", "."],
        ["train", "node-svm", "--data", ".", "--labels", "exact"],
        ["train", "node-svm", "--data", "a.jsonl", "--start-from", "main-text"],
        ["train", "main-text", "--data", ".", "--start-from", "main-text"],
        ["extract", "a.html", "--post-analysis", "start,nonsense"],
        ["extract", "a.html", "--leave-out", "captions"],
        ["extract", "a.html", "--upper", "0.2", "--lower", "0.8"],
        ["extract", "a.html", "--url", "www.vesti.example/1"],
        ["train", "shallow-tree", "--data", ".", "--texts", "texts.jsonl"],
        ["features", "shallow-tree", "a.csv"],
        ["features", "main-text", "a.csv", "--data", "."],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert "Usage: newscorpus" in done.err
    assert "Traceback" not in done.err


def test_parts_are_left_out_of_the_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "post.html"
    post = "<blockquote class=twitter-tweet><p>We cross the river every day.</p></blockquote>"
    path.write_text(HTML.replace("</p>", f"</p>{post}<p>Work on the new one begins in May.</p>"))
    kept, left_out = (
        run("extract", path, "--no-filters", *more).out for more in ((), ("--leave-out", "embedded_posts"))
    )
    assert ("We cross the river" in kept, "We cross the river" in left_out) == (True, False)
    assert STORY.strip() in left_out
    assert run("explain", path).out != run("explain", path, "--leave-out", "embedded_posts").out


def test_a_page_as_text_and_as_a_record_in_a_file(run: Run, page: Path, tmp_path: Path) -> None:
    assert run(*EXTRACT, page).out == f"{STORY.strip()}\n"
    output = tmp_path / "out.json"
    done = run(*EXTRACT, page, "--format", "json", "--url", "https://a.example/1", "--output", output)
    assert (done.code, done.out) == (0, "")
    record = json.loads(output.read_text())
    assert (record["url"], record["title"]) == ("https://a.example/1", "Bridge")


def test_a_page_from_standard_input(page: Path) -> None:
    command = [sys.executable, "-c", "from newscorpus.cli import main; main()", *EXTRACT, "-"]
    with page.open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert done.stdout.decode() == f"{STORY.strip()}\n"


def test_a_rejected_page_is_a_failure_as_text_and_a_line_as_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.html").touch()
    assert "rejected: decode/empty_body" in one_line(run(*EXTRACT, tmp_path / "empty.html"))
    done = run(*EXTRACT, tmp_path / "empty.html", "--format", "json")
    assert (done.code, json.loads(done.out)["rejected"]["reason"]) == (0, "empty_body")


def test_a_page_is_judged_as_in_a_crawl(run: Run, page: Path, tmp_path: Path) -> None:
    filtered = ("extract", page, "--extractor", "bte", "--format", "json")
    assert json.loads(run(*filtered).out)["rejected"]["reason"] == "repeated_words"
    said = one_line(run(*filtered[:-2]))
    assert "the page was rejected: quality/repeated_words" in said
    assert said.endswith("; --no-filters gives it all the same\n")
    (tmp_path / "quality.toml").write_text('off = ["repeated_words"]\nmask = ["email"]\n')
    assert json.loads(run(*filtered, "--quality", tmp_path / "quality.toml").out)["language"] == "en"
    (tmp_path / "paper.toml").write_text(
        'name = "paper"\nlanguages = ["cs"]\ndomains = ["a.example"]\nstart = ["https://a.example/"]\n'
    )
    portal = ("--portal", tmp_path / "paper.toml")
    rejected = json.loads(run(*filtered, "--quality", tmp_path / "quality.toml", *portal).out)["rejected"]
    assert (rejected["stage"], rejected["reason"]) == ("language", "unexpected_language")
    record = json.loads(run(*EXTRACT, page, "--format", "json", *portal).out)
    assert (record["source"], record["language"]) == ("paper", "en")


def test_a_file_of_pages(run: Run, tmp_path: Path) -> None:
    source, output = tmp_path / "pages.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(map(json.dumps, [{"id": 1, "html": HTML}, {"id": 2}, {"id": 3, "html": ""}])))
    done = run(*EXTRACT, source, "--output", output, "--jobs", 2)
    assert done.code == 1
    assert f"{source}, line 2: " in done.err
    assert "broken 1, decode/empty_body 1, extracted 1" in done.err
    first, second = map(json.loads, output.read_text().splitlines())
    assert (first["id"], first["text"]) == (1, STORY.strip())
    assert (second["id"], second["rejected"]["reason"]) == (3, "empty_body")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["extract", "absent.html"], "absent.html: no such file"),
        (["explain", "."], ".: a folder; name the file of a page"),
        (["extract", "www.vesti.example"], "no such file; an address begins with https://"),
        (["extract", "PAGE", "--extractor", "nonsense"], "unknown extractor 'nonsense'; known are: "),
        (["extract", "PAGE", "--format", "blocks", "--extractor", "bte"], "does not decide block by block"),
        ([*EXTRACT, "PAGE", "--output", "absent/out.txt"], "newscorpus: absent/out.txt: No such file or directory"),
        (["extract", "http://localhost:1/"], "http://localhost:1/ was not fetched: connection_refused\n"),
        (["build", "absent"], "absent: no such folder"),
        (["status", "PAGE"], "page.html: a file; name the folder of a corpus"),
        (["verify", "."], ".: no corpus here"),
        (["stats", "north"], "; there is one in corpora/north"),
        (["dedup", "UTF16", "--output", "out"], "not plain UTF-8; save it in this encoding"),
        (["train", "shallow-tree", "--data", "UTF16"], "not plain UTF-8; save it in this encoding"),
        (["ui", "absent"], "absent: no such folder"),
        (["ui", "."], ".: no corpus here"),
        (["evaluate", "--dataset", "."], ".: neither texts in clean/ nor marked pages in gold/"),
        (["dedup", "absent.jsonl", "--output", "out"], "absent.jsonl: No such file"),
        (["dedup", "PAGE", "--output", "out"], "page.html: neither a corpus nor one of .jsonl"),
        (["evaluate", "--dataset", "absent.jsonl"], "absent.jsonl"),
        (["train", "shallow-tree", "--data", "."], "neither html/ and clean/ nor the sets wcxb, "),
        (["train", "shallow-tree", "--silver", "absent"], "no archive here"),
        (["features", "shallow-tree", "a.txt", "--silver", "."], "ends in .csv or .arff, not in '.txt'"),
    ],
)
def test_failures_are_said_in_one_line(
    run: Run, page: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(page.parent)
    Path("pages.jsonl").write_text('{"html": "<p>a</p>"}\n', "utf-16")
    Path("corpora/north").mkdir(parents=True)
    named = {"PAGE": "page.html", "UTF16": "pages.jsonl"}
    assert said in one_line(run(*(named.get(argument, argument) for argument in arguments)))


def test_nobody_reads_on(page: Path) -> None:
    program = "from newscorpus.cli import main; main()"
    command = [sys.executable, "-c", program, *EXTRACT, str(page)]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_build_publishes_what_was_crawled(run: Run, tmp_path: Path) -> None:
    parameters = SignatureParameters()
    with write_segment(tmp_path / "intake" / "000001.jsonl", parameters) as append:
        for number in (1, 2):
            article = Article(f"https://a.example/{number}", STORY, Fields(title="Bridge"), "bte")
            append(Row(make_record(article, "a", "en", 1.0), sign(STORY, parameters)))
    done = run("build", tmp_path)
    assert done.code == 0, done.err
    assert "2 documents; 1 kept, 90 words" in done.out
    assert (tmp_path / "corpus" / "manifest.json").is_file()


def test_dedup_leaves_out_by_policy_and_says_who_reprints_whom(run: Run, tmp_path: Path) -> None:
    documents = [
        {"id": "a", "text": STORY, "source": "agency", "published": "2026-01-01"},
        {"id": "b", "text": STORY + "More follows.", "source": "daily", "published": "2026-01-02"},
    ]
    lines = tmp_path / "in.jsonl"
    lines.write_text("".join(json.dumps(document) + "\n" for document in documents))
    command = ("dedup", lines, "--output", tmp_path / "out", "--jobs", 1, "--report")
    done = run(*command)
    assert done.code == 0, done.err
    assert "2 documents; 1 kept; left out: near 1\n" in done.out
    assert "       1 near     daily repeats agency\n" in done.out
    assert "       1 near     agency repeats daily\n" in run(*command, "--survivor", "latest").out


def test_evaluate_prints_and_writes_figures(run: Run, tmp_path: Path) -> None:
    line = {"id": "1", "html": HTML, "text": STORY, "title": "Bridge", "language": "en", "split": "dev", "domain": "a"}
    dataset = tmp_path / "news.jsonl"
    dataset.write_text(json.dumps(line) + "\n")
    done = run("evaluate", "--dataset", dataset, "--extractor", "bte", "--output", tmp_path / "figures")
    assert done.code == 0, done.err
    assert "set news" in done.out
    assert json.loads((tmp_path / "figures" / "texts.json").read_text())["summaries"][0]["page_f1"]["value"] == 1
    assert (tmp_path / "figures" / "texts.csv").read_text().startswith("scope,group,extractor,")
    done = run("evaluate", "--dataset", dataset, "--fields", "--output", tmp_path / "figures")
    assert done.code == 0, done.err
    assert (tmp_path / "figures" / "fields.json").is_file()
    dataset.write_text(json.dumps(line | {"split": ""}) + "\n")
    assert "its pages have no split; all of them count" in run("evaluate", "--dataset", dataset, "--ceiling").err
    dataset.write_text(json.dumps(line | {"split": "train"}) + "\n")
    assert "no page with gold text in the split 'dev'" in run("evaluate", "--dataset", dataset).err


def test_rules_of_post_analysis_are_chosen_and_shown(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    menu = "".join(f"<p>Menu {number}</p>" for number in range(5))
    page.write_text(f"<title>The bridge opens</title>{menu}<h1>The bridge opens</h1><p>{STORY}</p><p>{STORY}</p>")
    done = run("explain", page, "--extractor", "texttractor", "--post-analysis", "start")
    assert done.code == 0, done.err
    assert "[start; score was" in done.out
    without = run("explain", page, "--extractor", "texttractor", "--post-analysis", "none")
    assert "[start" not in without.out
    raised = run("explain", page, "--extractor", "main-text", "--upper", "1.5", "--format", "json")
    assert '"label":"good"' in raised.out  # where no block is above, the most probable ones are kept


def test_a_system_is_trained_and_its_features_are_written(run: Run, gold_sets: Path, tmp_path: Path) -> None:
    arguments = ("--data", gold_sets, "--labels", "exact")
    done = run("train", "paragraph-svm", *arguments, "--output", tmp_path / "model")
    assert done.code == 0
    assert "wcxb.jsonl.zst read" in done.err
    assert f"The model lies in {tmp_path / 'model'}" in done.out
    assert (tmp_path / "model" / "model.onnx").is_file()
    for suffix in ("csv", "arff"):
        table = tmp_path / f"table.{suffix}"
        done = run("features", "paragraph-svm", table, *arguments)
        assert (done.code, done.out) == (0, "")
        assert {"good", "bad"} <= {row.rpartition(",")[2] for row in table.read_text().splitlines()}


@pytest.mark.parametrize(("labels", "last"), [((), "bad"), (("--labels", "aligned"), "good")])
def test_texts_of_a_corpus_give_exact_labels(run: Run, tmp_path: Path, labels: tuple[str, ...], last: str) -> None:
    page = Page("https://a.example/1", f"<p>{STORY}</p><p>{STORY} And home.</p>".encode())
    with ArchiveWriter(tmp_path, 10_000_000, "newscorpus/test") as writer:
        exchange = Exchange(page.url, "2026-11-01T10:00:00Z", 200, (("content-type", "text/html"),), page.body)
        writer.append(encode(exchange, Capture(page, origin=Origin("toy")), 10_000_000))
    texts = tmp_path / "texts.jsonl"
    texts.write_text(json.dumps({"url": page.url, "text": f"{STORY}\n{STORY}"}))
    table = tmp_path / "table.csv"
    done = run("features", "paragraph-svm", table, "--silver", tmp_path, "--texts", texts, *labels)
    assert (done.code, done.out) == (0, "")
    assert [row.rpartition(",")[2] for row in table.read_text().splitlines()[1:]] == ["good", last]


@pytest.mark.parametrize(
    ("log", "report", "is_removed"),
    [
        (True, None, True),
        (True, '{"portals": ["demo"]}', True),
        (False, '{"portals": ["demo"]}', False),
        *((True, report, False) for report in ('{"portals": ["idnes"]}', '{"portals": ["demo", "idnes"]}')),
        *((True, report, False) for report in ("[]", "{}", "torn", "\0")),
    ],
)
def test_only_an_earlier_demo_is_removed(tmp_path: Path, log: bool, report: str | None, is_removed: bool) -> None:
    corpus = tmp_path / "demo"
    (corpus / "intake").mkdir(parents=True)
    if log:
        (corpus / "crawl.log").touch()
    if report:
        (corpus / "crawl-report.json").write_text(report)
    remove_earlier(corpus)
    assert corpus.exists() is not is_removed
    remove_earlier(tmp_path / "absent")


def test_a_table_in_a_pipe_is_as_wide_as_the_user_sets_or_as_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal.table_console().width == terminal.WIDE
    monkeypatch.setenv("COLUMNS", "70")
    assert terminal.table_console().width == 70


def test_a_device_is_written_to_and_not_replaced() -> None:
    with terminal.sink(Path(os.devnull)) as file:
        file.write(b"gone")
    assert not Path(os.devnull).is_file()


def test_a_file_is_left_as_it_was_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("before")
    with pytest.raises(TypeError), terminal.sink(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("out.txt", "before")]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file", "a.txt"), "a.txt: No such file"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (EOFError(), "EOFError"),
        (ValueError("one\ntwo\r\nthree"), "one two three"),
    ],
)
def test_an_error_is_said_in_one_line(capsys: pytest.CaptureFixture[str], error: Exception, said: str) -> None:
    terminal.complain(terminal.describe(error))
    assert capsys.readouterr().err == f"newscorpus: {said}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("extract", "."), "a folder of pages needs --output"),
        (("extract", "ftp://a.example/1"), "ftp://a.example/1: only addresses that begin with http:// or https:// are"),
        (("dedup", "a", "--survivor", "best", "--output", "b"), "Error: Invalid value for '--survivor': 'best' is not"),
        (("crawl", "https://a.example"), "not the name of a portal; newscorpus portal add https://a.example makes one"),
        (("crawl", "demo", "-a", "limit"), "newscorpus: 'limit' is not of the form NAME=VALUE"),
        (("crawl", "../mock"), "newscorpus: ../mock: cannot be read"),
        (("crawl", "www.a.example/news"), "not the name of a portal; newscorpus portal add https://www.a.example/news"),
        (("extract", "NUMBERED", "--template", "absent.txt"), "absent.txt: cannot be read"),
        (("extract", "NUMBERED", "--template", "NUMBERED"), "page.html, line 1"),
        (("portal", "add", "https://a.example", "--contact", "a"), "'a'; expected a mail address or the URL of a page"),
        (("portal", "try", "absent"), "no portal 'absent'; `newscorpus portal add ADDRESS` makes one; known: "),
        (("extract", "PAGE", "--portal", "index"), "`newscorpus portal add ADDRESS` makes one; did you mean index-hr"),
        (("portal", "add", "NUMBERED"), "127.0.0.1 gives the portal no name; name it by --name NAME"),
    ],
)
def test_wrong_usage_says_what_is_wrong(run: Run, tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    numbered = tmp_path / "page.html"
    numbered.write_text('<link rel=canonical href="http://127.0.0.1:9/"><p>a')
    done = run(*(argument.replace("NUMBERED", str(numbered)) for argument in arguments))
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((*EXTRACT, "PAGE", "--output", "/dev/full"), 1, "No space left on device"),
        (("verify", "DAMAGED"), 1, "manifest.json"),
        (("build", "BUSY"), 1, "another build is at work here"),
        (("crawl", "absent", "--at-once", "1"), 2, "no portal 'absent'; `newscorpus portal add"),
        (("status", "DAMAGED"), STOPPED, ""),
    ],
)
def test_the_exit_code_says_how_a_verb_ended(
    run: Run, page: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, said: str
) -> None:
    def interrupted(_corpus: Path) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("newscorpus.store.ledger.status.status", interrupted)
    paths = {"PAGE": page, "DAMAGED": page.parent / "damaged", "BUSY": page.parent / "busy"}
    for name in ("damaged/corpus", "busy/intake"):
        (page.parent / name).mkdir(parents=True)
    (page.parent / "damaged/corpus/manifest.json").write_text("{")
    (page.parent / "busy/intake/000001.jsonl").touch()
    with exclusive(paths["BUSY"] / BUILD_LOCK, "build"):
        done = run(*(paths.get(argument, argument) for argument in arguments))
    assert done.code == code
    assert said in done.err
