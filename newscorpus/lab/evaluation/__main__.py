"""Run the quality gate: `python -m newscorpus.lab.evaluation FOLDER`, the folder of the pages with gold text."""

import sys
from pathlib import Path

from rich.console import Console

from newscorpus.lab.evaluation.gate import run_gate

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m newscorpus.lab.evaluation FOLDER")
    sys.exit(not run_gate(Path(sys.argv[1]), Console()))
