"""The file of a portal is tried while it is typed and saved with its comments."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from newscorpus.portal.schema import find_file, load_portal
from newscorpus.views.ui.portals import line_of

PLACE = "/portal/demo/demo"
TEMPLATE = "\n# My own remark.\n[template]\ntext = ['article']  # why\ntitle = [\n  'h1',\n  'h2',\n]\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, where files of portals are written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def bundled() -> str:
    """The file of the demo portal as it is shipped."""
    return find_file("demo").read_text("utf-8")


def test_rules_are_tried_while_one_types_and_saved(tab: Any, served: str, project: Path, bundled: str) -> None:
    tab.goto(f"{served}{PLACE}")
    tab.wait_for_selector("#tried table")
    tab.focus("#text")
    tab.keyboard.press("Control+End")
    tab.keyboard.type("\n[template]\ntitle = ['h1', 'h1[']\n")
    tab.wait_for_selector("#tried .failed")
    n = len(bundled.splitlines())
    assert f"line {n + 3}:" in tab.text_content("#tried")
    tab.fill("#text", f"# Mine.\n{bundled}{TEMPLATE}")
    tab.wait_for_selector("#tried td:has-text('template.title[1]')")
    tab.focus("button:text-is('Save')")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#saved:has-text('saved as')")
    saved = (project / "portals" / "demo.toml").read_text("utf-8")
    assert saved == f"# Mine.\n{bundled}{TEMPLATE}"
    assert load_portal("demo").templates[0].title == ("h1", "h2")


@pytest.mark.parametrize(
    ("added", "line"),
    [
        ("x = [", "end"),
        ("[template]\ntext = ['p[']", 2),
        ("[template]\ntitle = [\n  'h1',\n\n  # 'no'\n  'h1[',\n]", 6),
        ("[template]\nnonsense = ['p']", 2),
        ("[[template]]\nuntil = 2026-01-01\n[[template]]\nsince = 2026-01-01\ntext = ['//p', 'p[']", 5),
        ("[politeness]\nquiet_hours = 'noon'", 2),
    ],
)
def test_errors_stand_at_their_line(send: Any, bundled: str, added: str, line: int | str) -> None:
    answer = send(f"{PLACE}/try", text=f"{bundled}{added}")
    wanted = len(bundled.splitlines()) + (line if isinstance(line, int) else 1)
    assert f"line {wanted}:" in answer.text, answer.text


def test_an_error_without_a_place_has_no_line() -> None:
    assert line_of("name = 'a'\n", "a.toml: missing key start; known: name") == 0


def test_what_is_wrong_or_was_changed_meanwhile_is_not_saved(send: Any, client: TestClient, project: Path) -> None:
    digest = client.get(PLACE).text.partition('name="digest" value="')[2][:64]
    assert send(f"{PLACE}/save", text="name = 3", digest=digest).status_code == 422
    (project / "portals").mkdir()
    own = project / "portals" / "demo.toml"
    own.write_text(f"{find_file('demo').read_text('utf-8')}# by somebody else\n")
    answer = send(f"{PLACE}/save", text=own.read_text(), digest=digest)
    assert "changed since it was opened" in answer.text
    assert own.read_text().endswith("# by somebody else\n")
    assert client.post(f"{PLACE}/save", data={"text": own.read_text(), "digest": digest}).status_code == 403


def test_verbs_are_run_and_their_log_is_shown(tab: Any, served: str) -> None:
    tab.goto(f"{served}{PLACE}")
    tab.click("text=Check the saved file")
    tab.wait_for_selector("text=Done:", timeout=180_000)
    assert "pages with an article:" in tab.text_content(".log")


def test_other_verbs_are_not_run(send: Any) -> None:
    assert send(f"{PLACE}/add").status_code in {404, 405}
    assert send("/portal/demo/nowhere/check").status_code == 404
