"""Values written into portal files, and what stays there as it stands."""

import tomllib
from pathlib import Path

import pytest

from newscorpus.errors import PortalError
from newscorpus.portal.schema import load_portal, set_extractor

FILE = """# Mine.
name = 'news'  # its name
languages = ['sr']
domains = ['news.example']
start = ['https://news.example/']
extractor = 'bte'

[limits]
# few
max_pages = 5 # of them
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of one's own, where portal files are written."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_extractor_is_set_and_all_else_stays(project: Path) -> None:
    own = project / "portals" / "news.toml"
    own.parent.mkdir()
    own.write_text(FILE)
    assert set_extractor("news", "models/it's") == own
    assert own.read_text() == FILE.replace("'bte'", '"models/it\'s"')
    assert tomllib.loads(own.read_text())["extractor"] == "models/it's"


def test_a_bundled_portal_gets_a_file_of_the_users_own(project: Path) -> None:
    assert set_extractor("demo", "bte") == project / "portals" / "demo.toml"
    assert load_portal("demo").extractor == "bte"
    assert "# The demo portal" in (project / "portals" / "demo.toml").read_text("utf-8")


def test_an_unknown_portal_is_an_error() -> None:
    with pytest.raises(PortalError, match="nowhere"):
        set_extractor("nowhere", "bte")
