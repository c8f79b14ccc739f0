"""The `newscorpus` command: one thin function a verb, which imports what it needs when it is called.

A verb is a function that a module of this package adds to `app`; each module is imported here.
"""

import os
import sys

from newscorpus.cli import build, demo, evaluate, explain, export, extract, reextract, status, train
from newscorpus.cli.app import app
from newscorpus.errors import DemoError

__all__ = [
    "app",
    "build",
    "dedup",
    "demo",
    "evaluate",
    "explain",
    "export",
    "extract",
    "main",
    "reextract",
    "stats",
    "status",
    "train",
    "verify",
]


def main() -> None:
    """Run the command; what the user or the machine got wrong is said in one line, with exit code 1 (2: usage)."""
    from newscorpus.terminal import complain, describe

    try:
        app()
    except BrokenPipeError:  # nobody reads on, as in `newscorpus extract ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError, ImportError, DemoError) as error:
        complain(describe(error))
        sys.exit(1)
