"""An annotated corpus: valid by the rules of Universal Dependencies, whole after a kill, with every text in it."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lxml import etree

from newscorpus.cli import main
from newscorpus.config import BuildConfig
from newscorpus.corpus.annotate import annotate as annotating
from newscorpus.corpus.annotate.annotate import Annotation, annotate
from newscorpus.corpus.annotate.annotators import Token, Word, check_annotator, neural_tokens
from newscorpus.corpus.annotate.conllu import conllu, read_conllu
from newscorpus.corpus.export import tei
from newscorpus.corpus.export.vertical import lines
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.corpus.tokenizer import note_tokens
from newscorpus.corpus.verify import verify
from newscorpus.data import Article, Fields, Record
from newscorpus.errors import CorpusError
from newscorpus.page.records import make_record
from newscorpus.tokens import collapse, paragraphs

from .conftest import TEXT

HOSTILE = (
    '<doc id="1">\n</p> a < b && c > d\nTab\there \ufffe zero\u200bwidth | \U0001f600. e\u0301te\u0301  # text = x'
)


def record(text: str, url: str = "https://vesti.example/1", language: str = "sr") -> Record:
    article = Article(url, text, Fields(title="Most"), "bte")
    return make_record(article, "vesti", language, 0.9)


def validate(text: str) -> list[tuple[str, list[list[str]]]]:
    """The sentences of a CoNLL-U file, with their text; fails where the validator of UD does at level 2."""
    command = [sys.executable, "-m", "udtools.cli", "--lang", "ud", "--level", "2"]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        (said,) = re.findall(r"(?m)^# text = (.*)$", block)
        found.append((said, [line.split("\t") for line in block.split("\n") if not line.startswith("# ")]))
    return found


def read_vertical(text: str) -> list[list[list[list[str]]]]:
    """Documents of paragraphs of tokens with their columns; tags are in order, and nothing else stands there."""
    documents: list[list[list[list[str]]]] = []
    inside: list[str] = []
    for line in text.removesuffix("\n").split("\n"):
        if opened := re.fullmatch(r'<(doc|head|p|s)(?: [a-z_]+="[^"<>]*")*>', line):
            inside.append(opened[1])
            if opened[1] == "doc":
                documents.append([])
            elif opened[1] in {"head", "p"}:
                documents[-1].append([])
        elif line.startswith("</"):
            assert line == f"</{inside.pop()}>"
        elif line != "<g/>":
            columns = [unescape(value) for value in line.split("\t")]
            assert [inside[0], inside[1] in {"head", "p"}, *inside[2:]] == ["doc", True, "s"]
            assert len(columns) == 4
            assert not {"<", ">"} & set(line)
            documents[-1][-1].append(columns)
    assert not inside
    return documents


def files(output: Path, folder: str) -> str:
    return "".join(path.read_text("utf-8") for path in sorted((output / folder).glob("0*")))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    records = [
        record(TEXT),
        record(HOSTILE, "https://vesti.example/2"),
        record("Kraj.", "https://vesti.example/3", "zz"),
    ]
    publish(tmp_path / "corpus", records, BuildConfig())
    return tmp_path / "corpus"


def test_udpipe_by_the_command(
    corpus: Path,
    udpipe_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output = tmp_path / "annotated"
    options = ["--with", "udpipe", "--model", str(udpipe_model), "--output", str(output), "--name", "Vesti"]
    with pytest.raises(SystemExit) as ended:
        main(["annotate", str(corpus), *options])
    assert ended.value.code == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    assert said.startswith("3 documents, ")
    sentences = validate(files(output, "conllu"))
    lemmas = {row[1]: row[2] for _, rows in sentences for row in rows}
    assert (lemmas["stoji"], lemmas["kući"]) == ("stajati", "kuća")
    documents = read_vertical(files(output, "vertical"))
    assert len(documents) == 3
    assert ["stoji", "stajati", "Vmr3s", "Number=Sing|Person=3"] in documents[0][1]
    registry = (output / "vertical" / "vesti").read_text("utf-8")
    assert 'VERTICAL "| cat *.vert"' in registry
    assert [registry.index(f"ATTRIBUTE {name}") for name in ("word", "lemma", "tag", "features")]
    assert registry.count("{") == registry.count("}")
    report = json.loads((output / "annotation.json").read_bytes())
    assert report["is_complete"]
    assert f"{report['counts']['tokens']:,} tokens" in said
    assert report["annotator"].startswith("udpipe 1.")


def test_exports_take_sentences_and_tags_from_an_annotation(
    corpus: Path, udpipe_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "annotated"
    annotate(corpus, Annotation("udpipe", output, udpipe_model), "vesti")

    def export(form: str, *options: str) -> int:
        arguments = [str(corpus), "--format", form, "--output", str(tmp_path / form), "--annotation", str(output)]
        with pytest.raises(SystemExit) as ended:
            main(["export", *arguments, *options])
        assert isinstance(ended.value.code, int)
        return ended.value.code

    assert export("vertical", "--name", "a") == 0
    assert (tmp_path / "vertical" / "a.vert").read_text("utf-8") == files(output, "vertical")
    assert "ATTRIBUTE lemma" in (tmp_path / "vertical" / "a").read_text("utf-8")
    assert export("tei", "--where", "language == 'sr'") == 0
    root = etree.parse(str(tmp_path / "tei" / "corpus-00000.xml")).getroot()
    schema = Path(__file__).parents[1] / "export" / "tei_all.rng.gz"
    etree.RelaxNG(etree.fromstring(gzip.decompress(schema.read_bytes()))).assertValid(root.getroottree())
    first = root.find(f"{{{tei.TEI}}}TEI//{{{tei.TEI}}}body")
    assert first is not None
    sentences = first.findall(f"{{{tei.TEI}}}p/{{{tei.TEI}}}s")
    assert [one.text for one in sentences[0]] == ["Most", "stoji", "na", "reci", "."]
    assert dict(sentences[0][1].items()) == {"lemma": "stajati", "pos": "Vmr3s", "msd": "Number=Sing|Person=3"}
    assert sentences[0][3].get("join") == "right"
    assert first.findtext(f"{{{tei.TEI}}}head/{{{tei.TEI}}}s/{{{tei.TEI}}}w") == "Most"
    assert export("text") == 2
    assert "--annotation goes with --format tei or vertical" in capsys.readouterr().err
    publish(corpus, [record("Novo.")], BuildConfig())
    assert export("tei") == 1
    assert "run `newscorpus annotate` again" in capsys.readouterr().err


def test_simplemma_gives_lemmas_and_every_text_comes_back(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("simplemma", reason="pip install 'newscorpus[annotate]'")
    output = tmp_path / "annotated"
    annotate(corpus, Annotation("simplemma", output), "vesti")
    sentences = validate(files(output, "conllu"))
    lemmas = {row[1]: row[2] for _, rows in sentences for row in rows}
    assert lemmas["kući"] in {"kuća", "kuća".casefold()}
    assert lemmas["Kraj"] == "_"  # of a language that it does not know
    texts = "".join(said for said, _ in sentences)
    kept = unicodedata.normalize("NFC", "".join(paragraphs(f"Most\n{TEXT}\nMost\n{HOSTILE}\nMost\nKraj.")))
    assert re.sub(r"[\s\ufffe\u200b]", "", texts) == re.sub(r"[\s\ufffe\u200b]", "", kept)
    documents = read_vertical(files(output, "vertical"))
    assert len(documents) == 3
    assert documents[0][0][0] == ["Most", "most", "_", "_"]


def test_whatever_an_annotator_gives_is_valid() -> None:
    several = Token("abych", (Word("aby", "aby", "SCONJ"), Word("bych", "b\u00fdt", "AUX")), space_after=False)
    odd = [
        Token("e\u0301t\u00a0 e\n", (Word("x", "a\tb", "Noun", "N 1", "B=2|a=x|A1=C,B,C|A=1|A=1|[x]=1", 7, "Nsubj"),)),
        several,
        Token("\x00", (Word("", "", "", "", "", 3, "acl:relcl:x"),)),
        Token("#", (Word("#", "/", "SYM", "", "", 0, "root"),)),
    ]
    cycle = [Token(form, (Word(form, head=head, deprel="obj"),)) for form, head in (("a", 2), ("b", 1), ("c", 0))]
    tree = [Token(form, (Word(form, head=head, deprel="root"),)) for form, head in (("a", 2), ("b", 0))]
    one = record("x", "https://vesti.example/a b/../c")
    found = validate("".join(f"{line}\n" for line in conllu(one, [[odd, cycle], [], [tree]])))
    assert [text for text, _ in found] == ["\u00e9t e abych_ #", "a b c", "a b"]
    assert [row[6:8] for row in found[2][1]] == [["2", "dep"], ["0", "root"]]
    assert found[0][1][0][5] == "A1=B,C|A=1|B=2"
    document = read_conllu(conllu(one, [[odd, cycle], [], [tree]]))
    assert list(conllu(one, document)) == list(conllu(one, [[odd, cycle], [], [tree]])), "it reads what it writes"
    ((tokens, _),) = read_vertical("".join(f"{line}\n" for line in lines(one, "", document)))
    assert tokens[1] == ["abych", "aby+b\u00fdt", "SCONJ+AUX", "_"]


def test_only_what_is_not_done_or_has_changed_is_annotated(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("simplemma", reason="pip install 'newscorpus[annotate]'")
    monkeypatch.setattr(annotating, "PART_BYTES", 1)
    output, setting = tmp_path / "annotated", Annotation("simplemma", tmp_path / "annotated")
    first = annotate(corpus, setting, "vesti")
    assert len(first.parts) == 3
    whole = {folder: files(output, folder) for folder in ("conllu", "vertical", "parts")}
    made = {path: path.stat().st_ino for path in output.rglob("0*")}
    (output / "parts" / f"{first.parts[1]}.json").unlink()
    seen: list[Any] = []

    def watch(parts: Iterable[Any]) -> Iterator[Any]:
        for one in parts:
            seen.append(one[0].name)
            yield one

    again = annotate(corpus, setting, "vesti", watch=watch)
    assert seen == [first.parts[1]]
    assert again == first
    assert {folder: files(output, folder) for folder in whole} == whole
    assert [path.name.partition("-")[0] for path, inode in made.items() if path.stat().st_ino != inode] == ["00001"] * 3
    seen.clear()
    texts = (output / "conllu" / f"{first.parts[0]}.conllu").read_text("utf-8")
    publish(corpus, [record("Drugo.", "https://vesti.example/2"), record(TEXT)], BuildConfig())
    grown = annotate(corpus, setting, "vesti", watch=watch)
    assert seen == [grown.parts[0]]
    assert grown.parts[1] == first.parts[0].replace("00000-", "00001-")
    assert (output / "conllu" / f"{grown.parts[1]}.conllu").read_text("utf-8") == texts
    assert grown.counts.documents == 2
    assert {path.stem for path in (output / "conllu").iterdir()} == set(grown.parts)
    publish(corpus, [replace(record(TEXT), title="Novi most")], BuildConfig())
    annotate(corpus, setting, "vesti")
    assert 'title="Novi most"' in files(output, "vertical")


def test_after_a_kill_it_goes_on_and_ends_as_without(tmp_path: Path) -> None:
    pytest.importorskip("simplemma", reason="pip install 'newscorpus[annotate]'")
    text = "\n".join(f"{TEXT} Most broj {number} stoji." for number in range(6_500))
    publish(tmp_path / "corpus", [record(text, f"https://vesti.example/{n}") for n in range(4)], BuildConfig())
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    options = ["annotate", str(tmp_path / "corpus"), "--with", "simplemma", "--output", str(killed), "--name", "a"]
    command = [sys.executable, "-c", "from newscorpus.cli import main; main()", *options]
    with subprocess.Popen(command, start_new_session=True) as process:
        while process.poll() is None and not any((killed / "parts").glob("*.json")):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
    assert not json.loads((killed / "annotation.json").read_bytes())["is_complete"]
    n_done = len(list((killed / "parts").glob("*.json")))
    assert 1 <= n_done < 4
    for output in (killed, whole):
        annotate(tmp_path / "corpus", Annotation("simplemma", output), "a")
    contents = [
        {path.relative_to(output): path.read_bytes() for path in output.rglob("*") if path.is_file()}
        for output in (killed, whole)
    ]
    assert contents[0] == contents[1]


def test_an_annotation_killed_before_its_report_is_begun_anew(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("simplemma", reason="pip install 'newscorpus[annotate]'")
    output = tmp_path / "annotated"
    output.mkdir()
    for name in (".lock", ".annotation.json.tmp"):
        (output / name).touch()
    assert annotate(corpus, Annotation("simplemma", output), "vesti").counts.documents == 3


def test_tokens_of_a_tokenizer_are_counted(corpus: Path, tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="pip install 'newscorpus[annotate]'")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "words.json"))
    manifest = note_tokens(corpus, tmp_path / "words.json")
    n_tokens = sum(len(collapse(text).split()) for text in (TEXT, HOSTILE, "Kraj."))
    assert sum(share.tokens for share in manifest.shares) == n_tokens
    assert re.fullmatch(r"words\.json [0-9a-f]{10}", manifest.tokenizer)
    assert manifest == open_corpus(corpus).manifest
    assert verify(corpus)[1] == []
    card = (open_corpus(corpus).folder / "README.md").read_text("utf-8")
    assert f"| tokens ({manifest.tokenizer}) |" in card
    (tmp_path / "words.json").write_text("{}")
    with pytest.raises(CorpusError, match=r"words\.json: no file of a tokenizer"):
        note_tokens(corpus, tmp_path / "words.json")


def test_tokens_of_neural_taggers_are_taken_as_they_are() -> None:
    def token(text: str, start: int | None, *words: str, misc: str = "") -> SimpleNamespace:
        said = [SimpleNamespace(text=one, lemma=one.lower(), upos="X", xpos=None, feats=None) for one in words]
        end = None if start is None else start + len(text)
        return SimpleNamespace(text=text, start_char=start, end_char=end, words=said, misc=misc)

    sentence = SimpleNamespace(tokens=[token("Abych", 3, "Aby", "bych"), token("šel", 9, "šel"), token(".", 12, ".")])
    found = list(neural_tokens(sentence))
    assert [(one.form, one.space_after, [word.lemma for word in one.words]) for one in found] == [
        ("Abych", True, ["aby", "bych"]),
        ("šel", False, ["šel"]),
        (".", True, ["."]),
    ]
    without_places = [token("Na", None), token("reci", None, misc="SpaceAfter=No"), token(".", None)]
    assert [one.space_after for one in neural_tokens(SimpleNamespace(tokens=without_places))] == [True, False, True]


def test_stanza_by_models_on_this_machine(stanza_models: Path, tmp_path: Path) -> None:
    publish(tmp_path / "corpus", [record(TEXT)], BuildConfig())
    output = tmp_path / "annotated"
    annotate(tmp_path / "corpus", Annotation("stanza", output, stanza_models), "vesti")
    lemmas = {row[1]: row[2] for _, rows in validate(files(output, "conllu")) for row in rows}
    assert (lemmas["stoji"], lemmas["reci"]) == ("stajati", "reka")


def test_a_language_that_stanza_has_no_models_of_is_named(corpus: Path, stanza_models: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"no models for language 'zz' .*stanza\.download\('zz'\)"):
        annotate(corpus, Annotation("stanza", tmp_path / "annotated", stanza_models), "vesti")


@pytest.mark.parametrize(
    ("name", "model", "message"),
    [
        ("udpip", None, "no annotator 'udpip'; known: simplemma, udpipe, stanza, classla"),
        ("udpipe", None, "udpipe: name a model of UDPipe 1 by --model"),
        ("udpipe", "missing.udpipe", "udpipe: missing.udpipe is not there"),
        ("simplemma", "missing.udpipe", "simplemma: it takes no --model"),
    ],
)
def test_what_cannot_be_loaded_is_named(name: str, model: str | None, message: str) -> None:
    pytest.importorskip("simplemma", reason="pip install 'newscorpus[annotate]'")
    with pytest.raises(CorpusError, match=re.escape(message)):
        check_annotator(name, Path(model) if model else None)


def test_what_is_not_a_model_is_named_and_a_folder_of_others_is_left_alone(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("ufal.udpipe", reason="pip install 'newscorpus[annotate]'")
    broken = tmp_path / "broken.udpipe"
    broken.write_bytes(b"no model")
    with pytest.raises(CorpusError, match=r"not annotated: 1, such as part 00000-.*broken\.udpipe is no model"):
        annotate(corpus, Annotation("udpipe", tmp_path / "annotated", broken), "vesti")
    with pytest.raises(CorpusError, match="not empty and not made by an annotation"):
        annotate(corpus, Annotation("udpipe", corpus, broken), "vesti")
