"""Make the tables of docs/published-systems.md: `python -m benchmarks.reproduce DATA`."""

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from newscorpus.terminal import complain, describe

RESULTS = Path(__file__).parents[1] / "results" / "published-systems"
MODULES = (
    "texttractor", "shallow_tree", "paragraph_svm", "bakic", "hybrids", "node_svm", "one_source", "learned_fields",
    "clusters", "side_by_side", "capabilities",
)  # fmt: skip
"""In the order of the page."""


def main(given: Sequence[str] | None = None) -> int:
    """Run the modules and write what each says to a file of its name; 1 where the data are wrong."""
    parser = argparse.ArgumentParser(description="the tables of the published systems")
    parser.add_argument("data", type=Path, help="folder of the pages with gold text (docs/data.md)")
    parser.add_argument(
        "--only", nargs="+", choices=MODULES, default=MODULES, metavar="NAME", help="these modules alone"
    )
    parser.add_argument("--output", type=Path, default=RESULTS, metavar="FOLDER", help="where the tables are written")
    arguments = parser.parse_args(given)
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.only:
        start = time.monotonic()
        try:
            text = importlib.import_module(f"benchmarks.reproduce.{name}").reproduce(arguments.data)
        except (ValueError, OSError, ImportError) as error:
            complain(f"{name}: {describe(error)}")
            return 1
        path = arguments.output / f"{name.replace('_', '-')}.md"
        path.write_text(text, encoding="utf-8")
        print(f"{path} ({time.monotonic() - start:.0f} s)", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
