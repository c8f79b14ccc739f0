"""Many portals crawled at once, in parts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from benchmarks.newspapers import ROOT, Site, environment, make_project, serving
from newscorpus import workers
from newscorpus.batch.crawls import Crawls, Group, Machine, group
from newscorpus.cli import app
from newscorpus.corpus.published import open_corpus
from newscorpus.errors import STOPPED, CrawlError
from newscorpus.portal.portal import Portal
from newscorpus.store.archive.records import WarcRecord, read_records
from newscorpus.workers import COMMAND

ARTICLES = 12
HOSTS, PORTALS, PER_HOST = 25, 30, 2
CALM = ("-s", "NEWSCORPUS_PROFILE=off", "-s", "NEWSCORPUS_PAGE_SECONDS=600")
"""What a crawl of two articles need not do, and that a busy machine is no fault of a page."""


def portal(name: str, *hosts: str) -> Portal:
    return Portal(name, ("en",), hosts, tuple(f"https://{host}/" for host in hosts))


def test_portals_that_share_a_registered_domain_are_one_group_even_by_way_of_a_third() -> None:
    portals = [
        portal("a", "www.one.cz"),
        portal("b", "sport.one.cz", "two.sk"),
        portal("c", "news.two.sk"),
        portal("d", "three.si"),
        Portal("e", ("en",), ("127.0.0.1",), ("http://127.0.0.1:8001/",)),
        Portal("f", ("en",), ("127.0.0.1",), ("http://127.0.0.1:8002/",)),
    ]

    assert group(portals) == [
        Group("127.0.0.1:8001", ("e",)),
        Group("127.0.0.1:8002", ("f",)),
        Group("one.cz", ("a", "b", "c")),
        Group("three.si", ("d",)),
    ]
    assert group(reversed(portals)) == group(portals)


@given(st.sets(st.text("abcdef", min_size=1, max_size=4), min_size=1), st.integers(1, 9))
def test_every_group_is_in_exactly_one_part(sites: set[str], of: int) -> None:
    for site in sites:
        assert [Machine(number, of).has(Group(site, ())) for number in range(1, of + 1)].count(True) == 1


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/0"])
def test_a_part_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(CrawlError, match="expected N/M, such as 2/5"):
        Machine.read(text)


def run(arguments: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(arguments, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


def published(folder: Path) -> Counter[str]:
    """How many documents the corpus of each portal has."""
    manifests = folder.glob("corpora/*/corpus/manifest.json")
    return Counter({path.parts[-3]: json.loads(path.read_bytes())["documents"] for path in manifests})


def make_shared_project(folder: Path, site: Site) -> None:
    """Write the portal files; the first papers are two portals each, one for even stories and one for odd ones."""
    make_project(folder, site)
    for number in range(PORTALS - HOSTS):
        path = folder / "portals" / f"paper{number}.toml"
        whole = path.read_text()
        for name, others in ((f"paper{number}", "[13579]"), (f"second{number}", "[02468]")):
            part = f"ignore = ['{others}\\.html$']\n" + whole.replace(f'"paper{number}"', f'"{name}"')
            path.with_name(f"{name}.toml").write_text(part)


def answers(corpora: Path) -> Counter[str]:
    """How many answers of each host lie in the archives of some corpora."""
    records = (record for file in corpora.glob("*/archive/*") for record in read_records(file, 10**6))
    return Counter(
        urlsplit(record.headers["warc-target-uri"]).netloc
        for record in records
        if isinstance(record, WarcRecord) and record.kind == "response"
    )


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_machines_crawl_every_article_once_and_no_host_together(tmp_path: Path) -> None:
    with serving(PER_HOST * HOSTS, HOSTS) as site, ExitStack() as running:
        machines = []
        for number in (1, 2):
            folder = tmp_path / str(number)
            make_shared_project(folder, site)
            named = ",".join(path.stem for path in (folder / "portals").iterdir())
            arguments = [*COMMAND, "crawl", named, "--at-once", "2", "--part", f"{number}/2", *CALM]
            started = Popen(arguments, cwd=folder, env=environment(), stderr=PIPE, text=True)
            machines.append(running.enter_context(started))
        said = [machine.communicate()[1] for machine in machines]
        requests = Counter(path.partition("/")[0] for path in site.asked().elements())

    assert [machine.returncode for machine in machines] == [0, 0], said
    assert sum(one.count(": done; ") for one in said) == PORTALS
    one, two = (answers(tmp_path / number / "corpora") for number in ("1", "2"))
    assert not one.keys() & two.keys()
    assert one
    assert two
    hosts = {str(number): urlsplit(base).netloc for number, base in enumerate(site.bases)}
    assert one + two == {hosts[number]: n for number, n in requests.items()}  # nothing was asked beside
    corpora = list(tmp_path.glob("[12]/corpora/*/corpus"))
    urls = Counter(record.url for corpus in corpora for record in open_corpus(corpus).records())
    assert len(corpora) == PORTALS
    assert urls == Counter(f"{base}/story/{number:06}.html" for base in site.bases for number in range(PER_HOST))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the portals of three papers, in which the test works."""
    (tmp_path / "portals").mkdir()
    for number in range(3):
        text = f'name = "paper{number}"\nlanguages = ["en"]\ndomains = ["paper{number}.example"]\n'
        text += f'start = ["https://paper{number}.example/"]\n'
        (tmp_path / "portals" / f"paper{number}.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stand_in(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let a shell script take the place of `newscorpus`; what follows the first two words are its arguments."""
    monkeypatch.setattr(workers, "COMMAND", ("sh", "-c", script))


@pytest.mark.timeout(120)
def test_a_crawl_that_cannot_begin_or_is_killed_has_failed_and_the_others_go_on(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, 'test "$1" != paper2 || kill -9 $$')
    (project / "corpora" / "paper1.log").mkdir(parents=True)
    ended = CliRunner().invoke(app, ["crawl", "paper0,paper1,paper2", "--at-once", "2"])
    assert ended.exit_code == 1
    assert ended.output.count(": done; ") == 1
    assert "paper1: failed, [Errno 21] Is a directory: " in ended.output
    assert "paper2: killed by signal 9; " in ended.output


@pytest.mark.timeout(120)
@pytest.mark.usefixtures("project")
def test_sigterm_reaches_a_crawl_that_is_just_being_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, "exec sleep 600")
    running = Crawls([Group("paper0.example", ("paper0",))], ())

    def begin(*arguments: Any, **options: Any) -> "Popen[bytes]":
        process: Popen[bytes] = Popen(*arguments, **options)
        running._stop(signal.SIGTERM, None)
        return process

    monkeypatch.setattr(workers, "Popen", begin)
    assert [crawl.code for crawl in running.run(1)] == [STOPPED]


def written(pattern: str) -> str:
    """What docs/scale.md says at a place."""
    found = re.search(pattern, (ROOT / "docs" / "scale.md").read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


@pytest.mark.slow
def test_systemd_takes_the_units_of_the_documents(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed (Debian: systemd)")
    (tmp_path / "newscorpus").touch(0o755)
    units = written(r"```ini\n(.*?)```").replace("/srv/news/.venv/bin/newscorpus", str(tmp_path / "newscorpus"))
    for kind, text in re.findall(r"# /etc/systemd/system/newscorpus@\.(\w+)\n(.*?)(?=\n# |\Z)", units, re.DOTALL):
        (tmp_path / f"newscorpus@all.{kind}").write_text(text)

    names = ["newscorpus@all.service", "newscorpus@all.timer"]
    checked = run(["systemd-analyze", "verify", *names], tmp_path)

    assert checked.returncode == 0, checked.stderr
    assert not [line for line in checked.stderr.splitlines() if line.startswith(("newscorpus@", str(tmp_path)))]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_cron_line_of_the_documents_crawls(tmp_path: Path) -> None:
    line = written(r"```cron\n(?:\S+ ){5}(.*?)\n").replace("/srv/news", str(tmp_path))
    (tmp_path / ".venv").symlink_to(sys.prefix)
    with serving(ARTICLES, 2) as site:
        make_project(tmp_path, site)
        line = line.replace(" all ", f" {','.join(site.names)} ")  # which would include the shipped portals
        done = run(["env", "-i", "PATH=/usr/bin:/bin", f"HOME={tmp_path}", "sh", "-c", line], tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(published(tmp_path)) == 2


@pytest.mark.timeout(600)
def test_an_array_of_slurm_crawls_each_portal_once(
    tmp_path: Path, slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_CONF", str(slurm))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    with serving(ARTICLES, 3) as site:
        make_project(tmp_path, site)
        array = written(r"`sbatch (--array=1-5 --wrap '.*?')`").replace("1-5", "1-2").replace("/5", "/2")
        array = array.replace("crawl all", f"crawl {','.join(site.names)}")
        done = run(["bash", "-c", f"sbatch --wait {array}"], tmp_path)

    said = "".join(path.read_text() for path in tmp_path.glob("slurm-*.out"))
    assert done.returncode == 0, done.stderr + said
    assert said.count(": done; ") == 3
    assert len(published(tmp_path)) == 3
