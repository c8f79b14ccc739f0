import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
from crawled import answer, take_in

from newscorpus.cli import main
from newscorpus.errors import CorpusError
from newscorpus.fetch.visits import MESSAGES, REASONS
from newscorpus.layout import REJECTED
from newscorpus.page.quality.assess import FILTERS
from newscorpus.store.ledger import Ledger
from newscorpus.store.ledger.status import PortalLoss
from newscorpus.store.ledger.values import UrlOutcome
from newscorpus.store.reasons import advice, find_reason, known_reasons, refusals

ROOT = Path(__file__).parents[2]
FOLDERS = ("newscorpus", "spiders", "pipelines")


def given(tree: ast.AST) -> Iterator[str]:
    """The reasons that a module gives in so many words."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            match (call.func.id, *(word.value if isinstance(word, ast.Constant) else None for word in call.args)):
                case ("Rejected", str(stage), str(reason), *_):
                    yield f"{stage}/{reason}"
                case ("Refused", str(reason), *_):
                    yield f"fetch/{reason}"


def all_given() -> set[str]:
    files = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return {reason for path in files for reason in given(ast.parse(path.read_text("utf-8")))}


def test_every_reason_has_an_entry() -> None:
    reasons = all_given()
    assert {"discovery/section", "fetch/robots_disallowed"} <= reasons
    reasons |= {f"fetch/{reason}" for reason in (*REASONS.values(), *MESSAGES.values(), "http_503")}
    reasons |= {f"quality/{reason}" for reason in FILTERS}
    for reason in sorted(reasons):
        find_reason(reason)


def test_every_entry_is_a_reason_that_is_given() -> None:
    source = "".join(path.read_text("utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    words = {entry.partition("/")[2].rstrip("*0123456789_") for entry in known_reasons()}
    assert sorted(word for word in words if word not in source) == ["broken_feed", "broken_sitemap"]
    assert 'f"broken_{form}"' in source


def test_stars_stand_for_what_has_no_entry_of_its_own() -> None:
    assert find_reason("fetch/http_404").name == "fetch/http_404"
    assert find_reason("fetch/http_418").name == "fetch/http_*"


def test_an_unknown_reason_is_an_error() -> None:
    with pytest.raises(CorpusError, match=r"no reason 'fetsch/dns'; .* fetch, "):
        find_reason("fetsch/dns")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    line = '{"stage":"fetch","reason":"http_404","detail":"","url":"https://a.example/%d","excerpt":""}\n'
    other = '{"stage":"discovery","reason":"offsite","detail":"a","url":"https://b.example/\\u001b[2J","excerpt":""}\n'
    (tmp_path / "rejected.jsonl").write_text(other + "".join(line % number for number in range(7)) + '{"stage"')
    return tmp_path


def test_what_a_corpus_met(corpus: Path) -> None:
    met = refusals([corpus], 3)
    assert [(one.stage, one.reason, one.number) for one in met] == [
        ("fetch", "http_404", 7),
        ("discovery", "offsite", 1),
    ]
    least = sorted((f"https://a.example/{number}" for number in range(7)), key=lambda url: crc32(url.encode()))[:3]
    assert [one.url for one in met[0].samples] == least


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as done:
        main(["reasons", *arguments])
    assert done.value.code == 0


def test_the_command(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("--corpus", str(corpus))
    shown = capsys.readouterr().out
    assert shown.index("fetch/http_404  7 pages") < shown.index("discovery/offsite  1 page")
    assert "\x1b" not in shown
    run("discovery/trap", "--corpus", str(corpus))
    assert "discovery/trap  0 pages" in capsys.readouterr().out
    run()
    assert capsys.readouterr().out.count("\n") == 3 * len(known_reasons())
    (corpus / REJECTED).write_text("")
    run("--corpus", str(corpus))
    assert capsys.readouterr().out == "no page was rejected\n"


def test_the_biggest_losses_that_can_be_mended_are_advised_on() -> None:
    lost = {
        "discovery/soft_404": 80,  # the site's own affair
        "fetch/timeout": 90,  # the next crawl asks again
        "language/unexpected_language": 24,
        "quality/low_confidence": 70,
        "mine/own": 60,  # of a spider that is not ours
        "fetch/http_404": 30,
        "quality/too_short": 5,
    }
    gone = ("https://a.example/days/1?a=1&b=2",)
    losses = [("vesti", PortalLoss(reason, n, 200, gone, "a.example/days")) for reason, n in lost.items()]
    found = advice(Path("corpora/my north"), losses)
    assert [line.split(":")[0] for line in found] == [
        "vesti lost 70 of 200 pages (35.0%) by quality/low_confidence, most in a.example/days",
        "vesti lost 30 of 200 pages (15.0%) by fetch/http_404, most in a.example/days",
        "vesti lost 24 of 200 pages (12.0%) by language/unexpected_language, most in a.example/days",
    ]
    assert "`newscorpus build 'corpora/my north' --min-confidence 0`" in found[0]
    assert f": `newscorpus explain '{gone[0]}' --corpus 'corpora/my north'` names" in found[1]
    assert found[2].endswith(find_reason("language/unexpected_language").change)
    assert advice(Path("corpora/vesti"), ()) == []


def test_the_commands_of_the_advice_can_be_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "portals").mkdir()
    rules = 'name = "vesti"\nlanguages = ["en"]\ndomains = ["a.example"]\nstart = ["https://a.example/"]\n'
    (tmp_path / "portals" / "vesti.toml").write_text(rules)
    corpus, gone = tmp_path / "corpora" / "vesti", "https://a.example/days/1"
    with Ledger.open(corpus) as ledger:
        answer(ledger, gone, UrlOutcome("fetch", "http_404"), portal="vesti")
    take_in(corpus)
    loss = PortalLoss("", 9, 9, (gone,))
    lines = [line for name in known_reasons() for line in advice(corpus, [("vesti", replace(loss, reason=name))])]
    commands = {command for line in lines for command in re.findall("`newscorpus (.*?)`", line)}
    assert {command.split()[0] for command in commands} == {"build", "explain", "portal"}
    for command in commands:
        with pytest.raises(SystemExit) as done:
            main(shlex.split(command))
        assert (done.value.code, capsys.readouterr().err) == (0, "")
