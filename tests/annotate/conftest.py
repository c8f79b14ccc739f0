"""A tiny model of UDPipe, trained here."""

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
    """Made of two sentences; the test is skipped where the package is missing."""
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
