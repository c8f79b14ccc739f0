"""The file of a portal is tried while it is typed, saved with its comments, and takes over what was learned."""

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.portals.schema import find_file, load_portal
from newscorpus.ui.jobs import Job
from newscorpus.ui.portals import line_of
from newscorpus.ui.safety import TOKEN_HEADER

PLACE = "/portal/demo/demo"
TEMPLATE = "\n# My own remark.\n[template]\ntext = ['article']  # why\ntitle = [\n  'h1',\n  'h2',\n]\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, where files of portals are written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def send(client: TestClient) -> Any:
    """Sends what a page of ours sends."""
    headers = {TOKEN_HEADER: client.app.state.desk.token, "hx-request": "true"}  # type: ignore[attr-defined]
    return lambda path, **fields: client.post(path, data=fields, headers=headers)


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
    assert line_of("name = 'a'\n", "a.toml: missing key start; known keys: name") == 0


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


def test_what_was_learned_is_accepted_rule_by_rule(send: Any, client: TestClient, bundled: str, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "# Learned from 40 pages.\n[template]\n# pages as the model on 40 of 40\ntext = [\n  'div.body',  # hits\n]\n"
        "title = [\n  'h1.main',  # hits 39 of 40 pages\n]\nwarning: something\n"
    )
    jobs = client.app.state.desk.jobs.started  # type: ignore[attr-defined]
    jobs.append(Job(len(jobs), ("portal", "learn", "demo"), subprocess.Popen(["true"]), log, time.monotonic()))
    jobs[-1].process.wait()
    shown = client.get(f"/jobs/{len(jobs) - 1}/rules").text
    assert "hits 39 of 40 pages" in shown
    text = f"{bundled}{TEMPLATE}"
    for _ in range(2):  # twice is once
        answer = send("/rule", text=text, key="title", rule="h1.main", action=PLACE)
        text = answer.text.partition(">\n")[2].partition("</textarea>")[0].replace("&#39;", "'").replace("&#34;", '"')
    assert text.count("h1.main") == 1
    assert "# My own remark." in text
    assert "'article']  # why" in text
    assert send("/rule", text=text, key="nonsense", rule="p", action=PLACE).status_code == 422


def test_verbs_are_run_and_their_log_is_shown(tab: Any, served: str) -> None:
    tab.goto(f"{served}{PLACE}")
    tab.click("text=Check the saved file")
    tab.wait_for_selector("text=Done:", timeout=180_000)
    assert "pages with an article:" in tab.text_content(".log")


@pytest.mark.timeout(400)
@pytest.mark.parametrize("by_keys", [False, True])
def test_a_template_is_learned_and_taken_over_rule_by_rule(
    tab: Any, served: str, project: Path, *, by_keys: bool
) -> None:
    def push(label: str) -> None:
        button = tab.get_by_role("button", name=label, exact=True).first
        if by_keys:
            while not button.evaluate("one => one === document.activeElement"):
                tab.keyboard.press("Tab")
            tab.keyboard.press("Enter")
        else:
            button.click()

    tab.goto(f"{served}{PLACE}")
    tab.wait_for_selector("#tried table")
    push("Learn a template")
    tab.wait_for_selector("caption:has-text('What was learned')", timeout=300_000)
    # How many pages it hits turns on the portal's port: which pages are learned from is drawn by their addresses.
    assert tab.locator("#job tr", has_text=re.compile(r"hits \d+ of \d+ pages")).count() > 3
    push("accept title")
    tab.wait_for_selector("#tried td:has-text('template.title[0]')")
    push("accept published")
    tab.wait_for_selector("#tried td:has-text('template.published[0]')")
    push("Save")
    tab.wait_for_selector("#saved:has-text('saved as')")
    (template,) = load_portal("demo").templates
    assert (template.title, bool(template.published), template.text) == (("h1",), True, ())
    assert "# The demo portal" in (project / "portals" / "demo.toml").read_text("utf-8")


def test_a_model_is_named_in_the_file_of_a_portal(project: Path) -> None:
    done = CliRunner().invoke(app, ["portal", "use", "demo", "bte"])
    assert done.exit_code == 0, done.output
    assert load_portal("demo").extractor == "bte"
    assert "# The demo portal" in (project / "portals" / "demo.toml").read_text("utf-8")
    missing = CliRunner().invoke(app, ["portal", "use", "demo", "models/none"])
    assert missing.exit_code != 0


@pytest.mark.parametrize(
    ("path", "status"),
    [("/portal/demo/nowhere", 404), ("/jobs/999/rules", 404), ("/portal/demo", 200)],
)
def test_places(client: TestClient, path: str, status: int) -> None:
    assert client.get(path).status_code == status


def test_other_verbs_are_not_run(send: Any) -> None:
    assert send(f"{PLACE}/import").status_code == 404
    assert send("/portal/demo/nowhere/check").status_code == 404


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_sticks_out_and_everybody_can_use_it(
    tab: Any, served: str, check_looks: Callable[..., None], scheme: str
) -> None:
    tab.emulate_media(color_scheme=scheme)
    tab.goto(f"{served}{PLACE}")
    tab.wait_for_selector("#tried table")
    check_looks(served)
