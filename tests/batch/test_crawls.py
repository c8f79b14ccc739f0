"""Many portals crawled at once, in parts."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.newspapers import ROOT, environment, make_project, serving
from newscorpus.batch.crawls import Group, Machine, group
from newscorpus.errors import CrawlError
from newscorpus.portals.portal import Portal
from newscorpus.workers import COMMAND

ARTICLES = 12


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


def command(*options: str, more: str = "") -> list[str]:
    return [*COMMAND, "crawl", f"paper0,paper1,paper2{more}", "--at-once", "2", *options]


def run(arguments: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(arguments, cwd=folder, env=environment(), capture_output=True, text=True, check=False)


def published(folder: Path) -> Counter[str]:
    """How many documents the corpus of each portal has."""
    manifests = folder.glob("corpora/*/corpus/manifest.json")
    return Counter({path.parts[-3]: json.loads(path.read_bytes())["documents"] for path in manifests})


@pytest.mark.timeout(600)
def test_two_machines_crawl_each_portal_once_and_no_site_together(tmp_path: Path) -> None:
    with serving(ARTICLES, 3) as site:
        make_project(tmp_path, site)
        sharing = (tmp_path / "portals" / "paper0.toml").read_text().replace('"paper0"', '"second"')
        (tmp_path / "portals" / "second.toml").write_text(sharing)
        asked: list[set[str]] = []
        for number in (1, 2):
            before = site.asked()
            done = run(command("--part", f"{number}/2", more=",second"), tmp_path)
            assert done.returncode == 0, done.stderr
            asked.append({path.partition("/")[0] for path in site.asked() - before})

    assert asked[0] | asked[1] == {"0", "1", "2"}
    assert not asked[0] & asked[1]
    assert len(published(tmp_path)) == 4
    assert set(published(tmp_path).values()) == {published(tmp_path)["paper1"]}


@pytest.mark.timeout(600)
def test_sigterm_stops_all_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with serving(ARTICLES, 3) as site:
        make_project(tmp_path, site)
        with subprocess.Popen(
            command("-s", "DOWNLOAD_DELAY=0.3"), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True
        ) as stopped:
            while site.count() < 4:
                assert stopped.poll() is None
                time.sleep(0.05)
            stopped.send_signal(signal.SIGTERM)
            said = stopped.communicate()[1]
        assert stopped.returncode == 4
        assert said.count("stopped") == 3

        done = run(command(), tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stderr.count(": done; ") == 3
    assert len(published(tmp_path)) == 3


def written(pattern: str) -> str:
    """What docs/scale.md says at a place."""
    found = re.search(pattern, (ROOT / "docs" / "scale.md").read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


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
