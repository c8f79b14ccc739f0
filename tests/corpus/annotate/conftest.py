"""Tiny models, trained here of two sentences."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TREEBANK = """# text = Mačka vidi mališu u staroj kući.
1\tMačka\tmačka\tNOUN\tNcfsn\tCase=Nom|Gender=Fem|Number=Sing\t2\tnsubj\t_\t_
2\tvidi\tvideti\tVERB\tVmr3s\tNumber=Sing|Person=3\t0\troot\t_\t_
3\tmališu\tmališa\tNOUN\tNcmsa\tCase=Acc|Gender=Masc|Number=Sing\t2\tobj\t_\t_
4\tu\tu\tADP\tSl\tCase=Loc\t6\tcase\t_\t_
5\tstaroj\tstar\tADJ\tAgpfsl\tCase=Loc|Gender=Fem|Number=Sing\t6\tamod\t_\t_
6\tkući\tkuća\tNOUN\tNcfsl\tCase=Loc|Gender=Fem|Number=Sing\t2\tobl\t_\tSpaceAfter=No
7\t.\t.\tPUNCT\tZ\t_\t2\tpunct\t_\t_

# text = Most stoji na reci.
1\tMost\tmost\tNOUN\tNcmsn\tCase=Nom|Gender=Masc|Number=Sing\t2\tnsubj\t_\t_
2\tstoji\tstajati\tVERB\tVmr3s\tNumber=Sing|Person=3\t0\troot\t_\t_
3\tna\tna\tADP\tSl\tCase=Loc\t4\tcase\t_\t_
4\treci\treka\tNOUN\tNcfsl\tCase=Loc|Gender=Fem|Number=Sing\t2\tobl\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\tZ\t_\t2\tpunct\t_\t_

"""
TEXT = "Most stoji na reci. Mačka vidi mališu.\nMačka stoji u kući."


@pytest.fixture(scope="session")
def udpipe_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of UDPipe; the test is skipped where the package is missing."""
    udpipe = pytest.importorskip("ufal.udpipe", reason="pip install 'newscorpus[annotate]'")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(TREEBANK * 10)
    sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    parser = "embedding_upostag=4;embedding_feats=4;embedding_form=8;hidden_layer=16;transition_system=projective"
    options = (
        "epochs=8;dimension=16;initialization_range=0.5;batch_size=10;tokenize_url=0;early_stopping=0",
        "iterations=5",
        f"iterations=5;transition_oracle=static;{parser}",
    )
    model = udpipe.Trainer.train("morphodita_parsito", sentences, udpipe.Sentences(), *options, error)
    assert not error.occurred(), error.message
    path: Path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(model if isinstance(model, bytes) else model.encode("utf-8", "surrogateescape"))
    return path


@pytest.fixture(scope="session")
def stanza_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Stanza's models for Serbian; the test is skipped where the package is missing."""
    pytest.importorskip("stanza", reason="pip install stanza, which brings PyTorch")
    folder = tmp_path_factory.mktemp("stanza")
    sentences = [f"# sent_id = {number}\n{one}\n" for number, one in enumerate(TREEBANK.strip().split("\n\n") * 30)]
    text = " ".join(line[9:] for line in TREEBANK.split("\n") if line.startswith("# text"))
    (folder / "words.conllu").write_text("\n".join(sentences) + "\n", "utf-8")
    (folder / "words.txt").write_text("\n\n".join([text] * 30) + "\n", "utf-8")

    def run(module: str, *options: str, **files: str) -> None:
        named = (word for option, file in files.items() for word in (f"--{option}", str(folder / file)))
        command = [sys.executable, "-m", f"stanza.{module}", *options, *named]
        done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]

    def train(part: str, module: str, *options: str, **files: str) -> None:
        common = ("--mode", "train", "--shorthand", "sr_tiny", "--save_name", "tiny.pt", "--cpu")
        run(f"models.{module}", *common, "--hidden_dim", "16", *options, save_dir=f"sr/{part}", **files)

    run(
        "utils.datasets.prepare_tokenizer_data",
        str(folder / "words.txt"),
        str(folder / "words.conllu"),
        output="labels",
        mwt_output="mwt.json",
    )
    train(
        "tokenize",
        "tokenizer",
        *("--lang", "sr", "--steps", "100", "--eval_steps", "100"),
        txt_file="words.txt",
        label_file="labels",
        mwt_json_file="mwt.json",
        dev_txt_file="words.txt",
        dev_label_file="labels",
        dev_conll_gold="words.conllu",
        conll_file="predicted.conllu",
    )
    words = {"train_file": "words.conllu", "eval_file": "words.conllu"}
    train("pos", "tagger", "--lang", "sr", "--no_pretrain", "--max_steps", "60", "--eval_interval", "30", **words)
    train("lemma", "lemmatizer", "--num_epoch", "2", **words)
    parts = ("tokenize", "pos", "lemma")
    packages = {"packages": {"default": dict.fromkeys(parts, "tiny")}}
    (folder / "resources.json").write_text(json.dumps({"sr": {part: {"tiny": {}} for part in parts} | packages}))
    return folder
