"""The folder of an earlier demo, which the next one may take."""

import json
import shutil
from pathlib import Path

from newscorpus.demo.run import LOG_FILE


def remove_earlier(corpus: Path) -> None:
    """Remove `corpus` if a demo left it there; anything else is let be.

    Raises:
        OSError: it cannot be removed.
    """
    if (corpus / LOG_FILE).is_file() and _portals(corpus / "crawl-report.json") in (["demo"], None):
        shutil.rmtree(corpus)


def _portals(report: Path) -> object:
    """The portals that a crawl's report names; None where there is none, since the crawl was broken off."""
    try:
        found = json.loads(report.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError):  # no report of ours, so no demo of ours
        return []
    return found.get("portals", []) if isinstance(found, dict) else []
